"""Can deep effectiveness metrics be evaluated using shallow pools? Tables 1 to 3, Figures 3 to 6.

Every estimator, ours included, from pools of depth 10, 20 and 30 and from two-strata pools, against
what the pool of the reference depth says. Gains are estimated with RBP(p=0.95).

Lu, Moffat and Culpepper, SIGIR 2017.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from leadline.completions.two_stage import MODELS
from leadline.lab.papers.lu17_plan import (
    ESTIMATORS,
    PAPERS,
    SAMPLED,
    THETA,
    THRESHOLDS,
    cells,
    forget,
)
from leadline.lab.papers.published import published
from leadline.lab.papers.runner import Frames, Setting, typed_frame
from leadline.stats.correlation import kendall_distance
from leadline.views.charts import plotted
from leadline.views.page import Figure, Marked, Part, Section, Table, can_draw, page
from leadline.views.result_charts import diagram, matrix, spreads

Results = dict[str, Any]
FIGURE5 = (20, 60)
NAMES = ("estimator", "estimator_a", "estimator_b", "topic")
COUNTS = ("depth", "repeat", "documents")
ERRORS = ("depth", "estimator", "theta", "rmse", "acc")


def _frame(rows: Sequence[Sequence[Any]], *columns: str) -> pl.DataFrame:
    return typed_frame(rows, columns, NAMES, COUNTS)


def frames(results: Results, setting: Setting) -> Frames:
    """Every csv file by its name, without the ending."""
    return {
        "table1": table1(results),
        "table1_two_strata": two_strata(results),
        "table2": table2(results),
        "table2_sdcg": table2(results, "sdcg"),
        "table3": table3(results),
        "model_weights": model_weights(results),
        "theta": theta_effect(results),
        "figure3": figure3(results),
        "figure3_theta": thresholds(results),
        "figure4": figure4(results),
        "figure5": figure5(results),
        "figure6": figure6(results),
        "reliability": reliability(results),
    }


def draws(results: Results) -> dict[int, Any]:
    """The two-strata pools by number."""
    return {
        int(name.split()[1]): cell for name, cell in results.items() if name.startswith("draw ")
    }


def table1(results: Results) -> pl.DataFrame:
    """Judgments a topic and the percentage relevant."""
    every = results["everything"]
    rows = [(d, *every["table1"][str(d)]) for d in (*every["depths"], every["depth"])]
    return _frame(rows, "depth", "judged", "relevant_percent")


def two_strata(results: Results) -> pl.DataFrame:
    """The same of every two-strata pool."""
    rows = [(number, *cell["counts"]) for number, cell in sorted(draws(results).items())]
    return _frame(rows, "repeat", "judged", "relevant_percent")


def mixed(
    results: Results, depth: int, name: str, theta: float, part: str = ""
) -> tuple[float, float]:
    """RMSE and percentage of zeros where only topics with gamma above theta are adjusted."""
    cell, lowest = results[f"pool {depth} {name}"], results[f"pool {depth} LowerBound"]
    if part:
        cell, lowest = cell[part], lowest[part]
    chosen = np.array(results["everything"]["gamma"][str(depth)]) > theta
    if theta == 0:
        chosen[:] = True
    rms = np.where(chosen, cell["rms"], lowest["rms"])
    zeros = np.where(chosen, cell["zeros"], lowest["zeros"])
    return float(rms.mean()), float(100 * zeros.mean())


def thetas(adjustable: bool) -> tuple[float | None, ...]:
    """The thresholds of an estimator; None for one that has none."""
    return (0.0, THETA) if adjustable else (None,)


def table2(results: Results, part: str = "") -> pl.DataFrame:
    """RMSE and Acc% of every estimator at three depths."""
    rows = [
        (depth, name, theta, *mixed(results, depth, name, theta or 0.0, part))
        for depth in results["everything"]["depths"]
        for name in ESTIMATORS
        for theta in thetas(results[f"pool {depth} {name}"]["adjustable"])
    ]
    return _frame(rows, *ERRORS)


def table3(results: Results) -> pl.DataFrame:
    """RMSE and Acc% with each run's own group not pooled; empty with one group only."""
    depth = results["everything"]["depths"][0]
    parts = [cell for name, cell in results.items() if name.startswith("without ") and cell]
    rows = []
    for name in ESTIMATORS if parts else ():
        for theta in ("0", str(THETA)):
            if theta not in parts[0][name]:
                continue
            error = np.array([row for cell in parts for row in cell[name][theta]])
            rmse = float(np.sqrt((error**2).mean(axis=0)).mean())
            shown = float(theta) if str(THETA) in parts[0][name] else None
            rows.append((depth, name, shown, rmse, float(100 * (error == 0).mean())))
    return _frame(rows, *ERRORS)


def model_weights(results: Results) -> pl.DataFrame:
    """Return w2 of every topic: the weights of the rank models in the second stage."""
    every = results["everything"]
    rows = [
        (depth, name, topic, *weights)
        for depth in every["depths"]
        for name in ESTIMATORS
        for topic, weights in zip(
            every["topics"], results[f"pool {depth} {name}"].get("model_weights", ()), strict=False
        )
    ]
    return _frame(rows, "depth", "estimator", "topic", *map(str, MODELS))


def theta_effect(results: Results) -> pl.DataFrame:
    """Return how much theta changes the RMSE of an estimator: below 0, it helps."""
    rows = [
        (depth, name, mixed(results, depth, name, THETA)[0] - mixed(results, depth, name, 0.0)[0])
        for name in ESTIMATORS
        for depth in results["everything"]["depths"]
        if results[f"pool {depth} {name}"]["adjustable"]
    ]
    return _frame(rows, "depth", "estimator", "change")


def figure3(results: Results) -> pl.DataFrame:
    """gamma of every topic at every depth."""
    every = results["everything"]
    rows = [
        (depth, topic, value)
        for depth in (*every["all_depths"], every["depth"])
        for topic, value in zip(every["topics"], every["gamma"][str(depth)], strict=True)
    ]
    return _frame(rows, "depth", "topic", "gamma")


def thresholds(results: Results) -> pl.DataFrame:
    """RMSE at the first depth by threshold."""
    depth = results["everything"]["depths"][0]
    names = [name for name in ESTIMATORS if results[f"pool {depth} {name}"]["adjustable"]]
    rows = [
        (theta, name, mixed(results, depth, name, theta)[0])
        for name in ("LowerBound", *names)
        for theta in THRESHOLDS
    ]
    return _frame(rows, "theta", "estimator", "rmse")


def figure4(results: Results) -> pl.DataFrame:
    """Distance from the reference's ordering at every depth."""
    columns = ("tau_distance", "dist", "dist_sigma", "discrimination")
    rows = [
        (depth, name, *(results[f"pool {depth} {name}"][column] for column in columns))
        for depth in results["everything"]["all_depths"]
        for name in ESTIMATORS
    ]
    return _frame(rows, "depth", "estimator", *columns)


def figure5(results: Results) -> pl.DataFrame:
    """Distance between the orderings of two estimators."""
    known = results["everything"]["all_depths"]
    depths = [depth for depth in FIGURE5 if depth in known] or [known[0]]
    rows = [
        (depth, one, other, kendall_distance(*_means(results, depth, one, other)))
        for depth in depths
        for one, other in combinations(ESTIMATORS, 2)
    ]
    return _frame(rows, "depth", "estimator_a", "estimator_b", "tau_distance")


def _means(results: Results, depth: int, one: str, other: str) -> tuple[Any, Any]:
    return tuple(np.array(results[f"pool {depth} {name}"]["mean"]) for name in (one, other))  # type: ignore[return-value]


def figure6(results: Results) -> pl.DataFrame:
    """Distance from the reference's ordering with two-strata pools."""
    columns = ("tau_distance", "dist", "dist_sigma")
    rows = [
        (name, number, *(cell[name][column] for column in columns))
        for name in SAMPLED
        for number, cell in sorted(draws(results).items())
    ]
    return _frame(rows, "estimator", "repeat", *columns)


def reliability(results: Results) -> pl.DataFrame:
    """Estimated and true gain of documents that only the reference judged."""
    rows = [
        (depth, name, *row)
        for depth in results["everything"]["depths"]
        for name in ESTIMATORS
        for row in results[f"pool {depth} {name}"].get("reliability", ())
    ]
    return _frame(rows, "depth", "estimator", "estimated", "relevant", "documents")


Cells = list[str | Marked]
FEW = 20
EQ8, BY_RUNS = "TwoStage", "TwoStage(group_by=runs)"
"""The two readings of the paper's Lb: as printed, and as the authors' software has it."""
PRINTED = (
    "LowerBound",
    "ListMean",
    "Linear",
    "TwoStage(fit=scores)",
    "TwoStage",
    "TwoStage(group_by=runs)",
)
"""Estimators that the paper has, with those of which it has one reading and we have two."""


def is_rob04(results: dict[str, Any]) -> bool:
    """Whether this is one of the paper's collections, so that its numbers can be compared."""
    every = results["everything"]
    return (len(every["runs"]), len(every["topics"]), every["n_judged"], every["depth"]) == (
        42,
        49,
        34792,
        100,
    )


def printed_name(estimator: str) -> str:
    """Return the name of the printed row: both readings of Lb share one."""
    return EQ8 if estimator == BY_RUNS else estimator


def printed2(estimator: str, theta: float | None) -> list[str] | None:
    """A row of the paper's Table 2 as it prints it."""
    if estimator not in PRINTED:
        return None
    name = printed_name(estimator) + (f" theta={theta}" if theta else "")
    table = published("lu17")["table2_rob04"]
    pairs = zip(table["rmse"][name], table["acc_percent"][name], strict=True)
    return [f"{rmse:.3f} ({acc})" for rmse, acc in pairs]


def printed3(estimator: str, theta: float | None) -> list[str] | None:
    """A cell of the paper's Table 3."""
    if estimator not in PRINTED or theta:
        return None
    name = printed_name(estimator)
    table = published("lu17")["table3_rob04_leave_one_group_out_depth10"]
    return [f"{table['rmse'][name]:.3f} ({table['acc_percent'][name]})"]


def ours(frame: pl.DataFrame) -> dict[tuple[str, float | None], list[str]]:
    """RMSE and Acc% of every estimator, one text a depth."""
    rows: dict[tuple[str, float | None], list[str]] = {}
    for _, name, theta, rmse, acc in frame.iter_rows():
        rows.setdefault((name, theta), []).append(f"{rmse:.3f} ({acc:.0f})")
    return rows


def compared(frames: Frames, lb: str = EQ8) -> tuple[int, int]:
    """Return how many numbers of Tables 1 to 3 are as printed, of how many.

    Each printed number counts once: those of Lb are compared with one of its two readings.
    """
    same = total = 0
    other = BY_RUNS if lb == EQ8 else EQ8
    pairs = [
        (row, printed2(*key)) for key, row in ours(frames["table2"]).items() if key[0] != other
    ]
    pairs += [
        (row, printed3(*key)) for key, row in ours(frames["table3"]).items() if key[0] != other
    ]
    pairs.append((table1_row(frames), printed1()))
    for row, printed_row in pairs:
        for cell, theirs in zip(row, printed_row or (), strict=False):
            for one, printed_one in zip(cell.split(), theirs.split(), strict=True):
                total += 1
                same += one == printed_one
    return same, total


def table1_row(frames: Frames) -> list[str]:
    """Judgments and percentages as the paper writes them, the two-strata pool's last."""
    rows = [f"{judged:.0f} ({share:.0f})" for _, judged, share in frames["table1"].iter_rows()]
    drawn = frames["table1_two_strata"].select(pl.col("judged", "relevant_percent").mean())
    judged, share = drawn.row(0)
    return [*rows, f"{judged:.0f} ({share:.0f})"]


def printed1() -> list[str]:
    """Judgments and percentages as the paper prints them."""
    table = published("lu17")["table1_rob04"]
    rows = [
        f"{judged} ({table['percent_relevant'][depth]})"
        for depth, judged in table["judged_per_topic"].items()
    ]
    strata = table["two_strata"]
    return [*rows, f"{strata['judged_per_topic']} ({strata['percent_relevant']})"]


def marked(row: list[str], printed_row: list[str] | None) -> Cells:
    """Our cells, told apart where the paper has others."""
    if printed_row is None:
        return list(row)
    return [
        Marked(cell, "same" if cell == theirs else "off")
        for cell, theirs in zip(row, printed_row, strict=True)
    ]


def error_table(caption: str, head: list[str], frame: pl.DataFrame, printed: Any) -> Table:
    """RMSE (Acc%) of every estimator, the paper's above ours where it has one."""
    rows: list[Cells] = []
    rules = set()
    for (name, theta), row in ours(frame).items():
        printed_row = printed(name, theta) if printed else None
        label = name + (f", theta={theta}" if theta else "")
        rules.add(len(rows))
        if printed_row is not None:
            rows.append([label, "printed", *printed_row])
        rows.append(["" if printed_row else label, "ours", *marked(row, printed_row)])
    return Table(caption, ("", "", *head), rows, 2, frozenset(rules))


def show_table1(frames: Frames, compare: bool) -> Table:
    """Judgments a topic and the percentage relevant."""
    head = [f"depth {depth}" for depth in frames["table1"]["depth"]] + ["two strata"]
    row, printed_row = table1_row(frames), printed1() if compare else None
    rows: list[Cells] = [["printed", *printed_row]] if printed_row else []
    rows.append(["ours", *marked(row, printed_row)])
    return Table("Judgments a topic (percentage relevant)", ("", *head), rows)


def show_theta(frames: Frames) -> list[Part]:
    """What the threshold does to each estimator, in words."""
    change = frames["theta"].with_columns(pl.col("change").round(4))
    told: list[Part] = []
    for (name,), rows in change.group_by("estimator", maintain_order=True):
        better = [str(row[0]) for row in rows.iter_rows() if row[2] < 0]
        worse = [str(row[0]) for row in rows.iter_rows() if row[2] > 0]
        parts = [
            f"{verb} at depth {', '.join(depths)}"
            for verb, depths in (("lowers the RMSE", better), ("raises it", worse))
            if depths
        ]
        told.append(f"theta={THETA}, {name}: {'; '.join(parts) or 'changes nothing'}.")
    return told


def show_weights(frames: Frames) -> list[Section]:
    """w2 of the two stages, mean over topics."""
    names = [str(model) for model in MODELS]
    means = (
        frames["model_weights"]
        .group_by("depth", "estimator", maintain_order=True)
        .agg(pl.col(names).mean())
    )
    if means.is_empty():
        return []
    rows = [(f"depth {row[0]}", row[1], *(f"{w:.2f}" for w in row[2:])) for row in means.rows()]
    text = "w2 of the second stage, mean over topics. A topic without relevant documents weighs all"
    table = Table("Weights of the rank models", ("", "", *names), rows, 2)
    return [Section("Model weights", [f"{text} models alike.", table])]


def show_discrimination(results: Results, frames: Frames) -> Section:
    """The share of pairs of runs that differ significantly, beside the reference's."""
    depths = results["everything"]["depths"]
    frame = frames["figure4"].filter(pl.col("depth").is_in(depths))
    ratio = {(row[0], row[1]): row[5] for row in frame.iter_rows()}
    reference = f"{results['everything']['discrimination']:.3f}"
    rows = [("the reference", *[reference] * len(depths))]
    rows += [(name, *(f"{ratio[depth, name]:.3f}" for depth in depths)) for name in ESTIMATORS]
    head = ("", *(f"depth {depth}" for depth in depths))
    text = "Share of pairs of runs that a paired t-test tells apart at the level .05."
    return Section("Discrimination ratio", [text, Table("Discrimination ratio", head, rows)])


def variation(frames: Frames) -> pl.DataFrame:
    """Return mean and standard deviation of Figure 6's distances over the draws."""
    names = ("tau_distance", "dist")
    return (
        frames["figure6"]
        .group_by("estimator", maintain_order=True)
        .agg(
            *(pl.col(name).mean() for name in names),
            *(pl.col(name).std().alias(f"{name}_sd") for name in names),
        )
    )


def show_variation(frames: Frames) -> list[Part]:
    """Figure 6 in numbers, and which estimator varies most, as the paper says of InfAP."""
    table = variation(frames)
    rows = [
        (
            row["estimator"],
            f"{row['tau_distance']:.3f}",
            f"{row['tau_distance_sd'] or 0:.4f}",
            f"{row['dist']:.1f}",
            f"{row['dist_sd'] or 0:.2f}",
        )
        for row in table.iter_rows(named=True)
    ]
    head = ("", "tau distance", "sd", "dist", "sd")
    parts: list[Part] = [
        Table("Two-strata pools: mean and standard deviation over draws", head, rows)
    ]
    if len(draws_of(frames)) > 1:
        most = {
            label: table.sort(f"{name}_sd", descending=True)["estimator"][0]
            for label, name in (("tau distance", "tau_distance"), ("dist", "dist"))
        }
        named = "; ".join(f"{label}: {name}" for label, name in most.items())
        parts.insert(
            0, f"The paper notes more variable outcomes with InfAP. Most variable here: {named}."
        )
    return parts


def draws_of(frames: Frames) -> list[int]:
    """Return the numbers of the two-strata pools."""
    return sorted(set(frames["figure6"]["repeat"]))


def figures(results: dict[str, Any], frames: Frames) -> list[Section]:
    """Figures 3 to 6 and the reliability of the gains."""
    if not can_draw():
        return [Section("Figures", ["They are not drawn here: that needs leadline[charts]."])]
    first = results["everything"]["depths"][0]
    uneven = frames["figure3"].group_by("depth", maintain_order=True).agg(pl.col("gamma").mean())
    shown = [name for name in ESTIMATORS if name not in ("UpperBound", "Midpoint")]
    tau, dist = results["everything"]["new_topics"]
    scale = (
        f"Another sample of as many topics, with the reference's judgments, would give a tau "
        f"distance of about {tau:.3f} and a dist of about {dist:.1f}: grey lines."
    )
    fourth = frames["figure4"].filter(pl.col("estimator").is_in(shown))
    parts: dict[str, list[Part]] = {
        "Figure 3": [
            Figure(
                "Left: mean gamma by depth of the pool.",
                plotted(uneven.with_columns(what=pl.lit("mean gamma")), "depth", "gamma", "what"),
            ),
            Figure(
                f"Middle: gamma of every topic at depth {first}.",
                spreads(
                    frames["figure3"]
                    .filter(depth=first)
                    .with_columns(what=pl.lit(f"depth {first}")),
                    "what",
                    "gamma",
                ),
            ),
            Figure(
                f"Right: RMSE at depth {first} if only topics with gamma above theta are adjusted.",
                plotted(frames["figure3_theta"], "theta", "rmse", "estimator"),
            ),
        ],
        "Figure 4": [
            scale,
            Figure(
                "Share of pairs of runs ordered otherwise than by the reference.",
                plotted(fourth, "depth", "tau_distance", "estimator", levels=(tau,)),
            ),
            Figure(
                "dist (Eq. 11, alpha = 1).",
                plotted(fourth, "depth", "dist", "estimator", levels=(dist,)),
            ),
        ],
        "Figure 5": [
            Figure(
                f"Share of pairs of runs that two estimators order differently, depth {depth}.",
                matrix(rows, "estimator_a", "estimator_b", "tau_distance"),
            )
            for (depth,), rows in frames["figure5"].group_by("depth", maintain_order=True)
        ],
        "Figure 6": [
            Figure(
                "Two-strata pools: share of pairs of runs ordered otherwise than by the reference.",
                spreads(frames["figure6"], "estimator", "tau_distance"),
            ),
            Figure("Two-strata pools: dist.", spreads(frames["figure6"], "estimator", "dist")),
        ],
    }
    reliable = frames["reliability"].filter(pl.col("depth") == first, pl.col("documents") >= FEW)
    parts["Reliability"] = [
        f"Documents that the pool of depth {first} lacks and the reference judges, by tenths of "
        f"their estimated gain: how many are relevant. Tenths with fewer than {FEW} documents are "
        "left out. On the line, estimates are right on average.",
        Figure(
            f"Estimated gain and share relevant, depth {first}; larger: more documents.",
            diagram(reliable, "estimated", "relevant", "estimator", "documents"),
        ),
    ]
    return [Section(title, each) for title, each in parts.items()]


def report(results: dict[str, Any], frames: Frames, setting: Setting) -> str:
    """The page."""
    every = results["everything"]
    compare = is_rob04(results)
    depths = [f"depth {depth}" for depth in every["depths"]]
    marks = "Green: as printed, to the last digit. Amber: not as printed. "
    about = (
        "RMSE is the mean over topics of the root mean square over runs of the distance of the "
        "estimate from the interval that the reference gives; in brackets the percentage of "
        "estimates inside it."
    )
    sections = [
        Section("Table 1", [*([marks] if compare else []), show_table1(frames, compare)]),
        Section(
            "Table 2",
            [
                about,
                error_table(
                    "RBP(p=0.95): RMSE (Acc%)", depths, frames["table2"], compare and printed2
                ),
                *show_theta(frames),
            ],
        ),
    ]
    if len(frames["table3"]):
        text = (
            f"The pool of depth {every['depths'][0]} is formed without a group's runs, which are "
            f"then estimated, for each of {every['n_groups']} groups."
        )
        table = error_table(
            "Leave one group out: RMSE (Acc%)",
            depths[:1],
            frames["table3"],
            compare and printed3,
        )
        sections.append(Section("Table 3", [text, table]))
    text = f"Gains estimated with RBP(p=0.95), used with SDCG@{every['depth']}. Not in the paper."
    table = error_table("SDCG: RMSE (Acc%)", depths, frames["table2_sdcg"], None)
    sections.append(Section("Another measure", [text, table]))
    sections += show_weights(frames)
    sections.append(show_discrimination(results, frames))
    sections.append(Section("Two-strata pools", show_variation(frames)))
    sections += figures(results, frames)
    others = ", ".join(name for name in ESTIMATORS if name not in PAPERS)
    lead = (
        f"Lu, Moffat and Culpepper, SIGIR 2017, on {setting.name}: {len(every['runs'])} runs, "
        f"{len(every['topics'])} topics; the pool of depth {every['depth']} counts as the truth. "
        f"TwoStage stands for Eq. 8 as printed, TwoStage(group_by=runs) for what the authors' "
        f"software does. "
        f"theta={THETA}: only topics with a larger gamma are adjusted. Not in the paper: {others}."
    )
    title = "Can deep effectiveness metrics be evaluated using shallow judgment pools?"
    return page(title, lead, sections)


__all__ = ["OPTIONS", "cells", "forget", "frames", "lines", "report"]

OPTIONS = ("reference_depth", "groups")


def lines(results: dict[str, Any], frames: Frames) -> list[str]:
    """What is worth saying: what was noticed in the input, and how much is as printed."""
    said = list(results["everything"]["notices"])
    if is_rob04(results):
        same, total = compared(frames)
        by_runs, _ = compared(frames, BY_RUNS)
        said.append(
            f"Tables 1 to 3: {same} of {total} printed numbers with Lb by Eq. 8, {by_runs} of "
            f"{total} with Lb by runs"
        )
    return said
