"""The report of lu17: every table with the paper's numbers beside ours, and the figures."""

from typing import Any

import polars as pl

from leadline.experiments.lu17_plan import ESTIMATORS, PAPERS, THETA
from leadline.experiments.papers import Frames, Setting
from leadline.experiments.published import published
from leadline.presentation.charts.line_charts import lines
from leadline.presentation.charts.paper_charts import diagram, matrix, spreads
from leadline.presentation.pages.html import Figure, Marked, Part, Section, Table, can_draw, page

Cells = list[str | Marked]
FEW = 20
PRINTED = ("LB", "RM", "Linear", "La", "Lb", "Lb(grouping=runs)")
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


def printed2(estimator: str, theta: float | None) -> list[str] | None:
    """A row of the paper's Table 2 as it prints it."""
    if estimator not in PRINTED:
        return None
    name = estimator.split("(")[0] + (f" theta={theta}" if theta else "")
    table = published("lu17")["table2_rob04"]
    pairs = zip(table["rmse"][name], table["acc_percent"][name], strict=True)
    return [f"{rmse:.3f} ({acc})" for rmse, acc in pairs]


def printed3(estimator: str, theta: float | None) -> list[str] | None:
    """A cell of the paper's Table 3."""
    if estimator not in PRINTED or theta:
        return None
    name = estimator.split("(")[0]
    table = published("lu17")["table3_rob04_leave_one_group_out_depth10"]
    return [f"{table['rmse'][name]:.3f} ({table['acc_percent'][name]})"]


def ours(frame: pl.DataFrame) -> dict[tuple[str, float | None], list[str]]:
    """RMSE and Acc% of every estimator, one text a depth."""
    rows: dict[tuple[str, float | None], list[str]] = {}
    for _, name, theta, rmse, acc in frame.iter_rows():
        rows.setdefault((name, theta), []).append(f"{rmse:.3f} ({acc:.0f})")
    return rows


def compared(frames: Frames) -> tuple[int, int]:
    """How many numbers of Tables 1 to 3 are as printed, of how many."""
    same = total = 0
    pairs = [(row, printed2(*key)) for key, row in ours(frames["table2"]).items()]
    pairs += [(row, printed3(*key)) for key, row in ours(frames["table3"]).items()]
    pairs.append((table1_row(frames), printed1()))
    for row, printed_row in pairs:
        for cell, theirs in zip(row, printed_row or (), strict=False):
            for one, other in zip(cell.split(), theirs.split(), strict=True):
                total += 1
                same += one == other
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


def table1(frames: Frames, compare: bool) -> Table:
    """Judgments a topic and the percentage relevant."""
    head = [f"depth {depth}" for depth in frames["table1"]["depth"]] + ["two strata"]
    row, printed_row = table1_row(frames), printed1() if compare else None
    rows: list[Cells] = [["printed", *printed_row]] if printed_row else []
    rows.append(["ours", *marked(row, printed_row)])
    return Table("Judgments a topic (percentage relevant)", ("", *head), rows)


def figures(results: dict[str, Any], frames: Frames) -> list[Section]:
    """Figures 3 to 6 and the reliability of the gains."""
    if not can_draw():
        return [Section("Figures", ["They are not drawn here: that needs leadline[charts]."])]
    first = results["everything"]["depths"][0]
    uneven = frames["figure3"].group_by("depth", maintain_order=True).agg(pl.col("gamma").mean())
    shown = [name for name in ESTIMATORS if name not in ("UB", "Midpoint")]
    fourth = frames["figure4"].filter(pl.col("estimator").is_in(shown))
    parts: dict[str, list[Part]] = {
        "Figure 3": [
            Figure(
                "Left: mean gamma by depth of the pool.",
                lines(uneven.with_columns(what=pl.lit("mean gamma")), "depth", "gamma", "what"),
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
                lines(frames["figure3_theta"], "theta", "rmse", "estimator"),
            ),
        ],
        "Figure 4": [
            Figure(
                "Share of pairs of runs ordered otherwise than by the reference.",
                lines(fourth, "depth", "tau_distance", "estimator"),
            ),
            Figure("dist (Eq. 11, alpha = 1).", lines(fourth, "depth", "dist", "estimator")),
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
        Section("Table 1", [*([marks] if compare else []), table1(frames, compare)]),
        Section(
            "Table 2",
            [
                about,
                error_table(
                    "RBP(p=0.95): RMSE (Acc%)", depths, frames["table2"], compare and printed2
                ),
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
    sections += figures(results, frames)
    others = ", ".join(name for name in ESTIMATORS if name not in PAPERS)
    lead = (
        f"Lu, Moffat and Culpepper, SIGIR 2017, on {setting.name}: {len(every['runs'])} runs, "
        f"{len(every['topics'])} topics; the pool of depth {every['depth']} counts as the truth. "
        f"Lb stands for Eq. 8 as printed, Lb(grouping=runs) for what the authors' software does. "
        f"theta={THETA}: only topics with a larger gamma are adjusted. Not in the paper: {others}."
    )
    title = "Can deep effectiveness metrics be evaluated using shallow judgment pools?"
    return page(title, lead, sections)
