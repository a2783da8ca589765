"""The page of an audit: the verdict on labels, three charts, and the figures behind them."""

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from leadline.stats.correlation import EQUAL
from leadline.views.page import Figure, Fold, Marked, Part, Section, Table, can_draw, page
from leadline.views.result_charts import around_zero, favours

MEANS = {
    "drawn": (
        "The pairs with human judgments were sampled at random with known probabilities. The "
        "figures hold for all pairs of these topics; intervals allow for the random sample.",
        "The audit does not show how the judge performs on other topics, or on documents that no "
        "run returned. Human scores are estimates, so some differences that complete judgments "
        "would show are missed, and some that only the labels show may be real.",
    ),
    "complete": (
        "At least 95% of the documents that the measure uses have human judgments. Intervals of "
        "agreement, calibration and bias allow for the sample of topics. Intervals of favour, and "
        "those by rank, length, query terms and time, allow for the randomness of labels.",
        "The audit does not show how the judge performs on runs of another kind.",
    ),
    "chosen": (
        "The pairs with human judgments are neither a random sample nor all pairs that the measure "
        "uses. The figures hold for these pairs only, and there are no intervals.",
        "The audit does not show whether the judge favours a run or group, how reliable scores by "
        "its labels are, or how it agrees with people on other pairs. A few hundred pairs sampled "
        "with leadline pool would show it.",
    ),
}
"""By how the pairs with human judgments were chosen: what figures show, and what they do not."""

BEST = 20
"""Runs among which differences are compared separately."""

KINDS = ("group", "family", "run")


def audit_page(
    judge: str,
    measure: str,
    choice: str,
    frame: pl.DataFrame,
    groups: dict[str, tuple[str, ...]],
    notices: Sequence[str],
    confidence: float = 0.95,
    verdict: str = "",
) -> str:
    """Return the page; `frame` is the table of `audit`, `groups` the runs of each group."""
    sections = [
        Section("Verdict", (*([verdict] if verdict else []), *_summary(frame, choice, groups)))
    ]
    if _part(frame, "bias by run").height:
        sections.append(Section("Charts", _charts(frame)))
    sections += [
        Section("Pairs with human judgments", (*MEANS[choice], _sample(frame))),
        Section("Agreement", _agreement(frame)),
    ]
    if _part(frame, "bias by run").height:
        sections += [
            Section("Favour", _favour(frame, confidence)),
            Section("Bias by run", _bias(frame)),
            Section("Results with labels alone", _published(frame)),
        ]
    sections.append(Section("Errors by rank, length, query terms and time", _aspects(frame)))
    if notices:
        sections.append(Section("Notices", tuple(notices)))
    lead = (
        f"Labels by {judge}, compared with human judgments; measure {measure}. Intervals are "
        f"{confidence:.0%} confidence intervals."
    )
    return page(f"Audit of {judge}", lead, sections)


def _charts(frame: pl.DataFrame) -> tuple[Part, ...]:
    """Return the charts of calibration, favour and bias."""
    below = "mark: mean human gain of documents with this label; bar: interval"
    figures = [
        _figure(
            "Calibration: mean human gain by label",
            around_zero,
            frame,
            "calibration",
            "gain",
            below,
        )
    ]
    kind = _first_kind(frame)
    if kind is not None:
        figures.append(_figure(f"Favour by {kind}, in units of the score", favours, frame, kind))
    figures.append(_figure("Bias by run", around_zero, frame, "bias by run", "score", BIAS_BELOW))
    return tuple(figures)


BIAS_BELOW = "mark: bias; bar: interval"


def _first_kind(frame: pl.DataFrame) -> str | None:
    return next((kind for kind in KINDS if _part(frame, f"favour by {kind}").height), None)


def _part(frame: pl.DataFrame, section: str) -> pl.DataFrame:
    return frame.filter(pl.col("section") == section)


def _value(frame: pl.DataFrame, section: str, item: str) -> float | None:
    values = _part(frame, section).filter(pl.col("item") == item)["value"].to_list()
    return values[0] if values else None


def _summary(
    frame: pl.DataFrame, choice: str, groups: dict[str, tuple[str, ...]]
) -> tuple[Part, ...]:
    """Return the findings in sentences."""
    lines = []
    both = _value(frame, "sample", "pairs judged by both") or 0
    topics = _value(frame, "sample", "topics with pairs judged by both") or 0
    first = _part(frame, "agreement").row(0, named=True)
    kappa = next(
        row for row in _part(frame, "agreement").to_dicts() if row["item"].startswith("kappa")
    )
    lines.append(
        f"{both:,.0f} pairs of {topics:,.0f} topics have a label and a human judgment. "
        f"{first['item'].capitalize()}: {_with_ends(first)}; {kappa['item']} {_with_ends(kappa)}."
    )
    for section, words in (("favoured", "favour"), ("marked down", "mark down")):
        for row in _part(frame, section).to_dicts():
            kind, _, name = row["item"].partition(" ")
            runs = groups.get(name, ()) if kind == "group" else ()
            which = f" (runs {', '.join(runs)})" if runs else ""
            change = "raise" if section == "favoured" else "lower"
            size = f"they {change} its score by {_with_ends(row, section != 'favoured')}"
            lines.append(f"The labels {words} {row['item']}{which}: {size}.")
    lines += _no_favour(frame, choice)
    lines += _ranking(frame)
    more = _value(frame, "more", "more human judgments that would halve it")
    n_runs = _part(frame, "score by people").height
    if more and n_runs > 1:
        error = _value(frame, "more", "standard error of a difference of the best 20") or 0
        which = "two of the best 20 runs" if n_runs > BEST else "two runs"
        lines.append(
            f"The standard error of a difference between {which} is {error:.3f}; {more:,.0f} more "
            "human judgments, sampled alike, would halve it."
        )
    return tuple(lines)


def _no_favour(frame: pl.DataFrame, choice: str) -> list[str]:
    """Return a sentence if nothing is favoured or marked down, tested or not."""
    if choice == "chosen" or {"favoured", "marked down"} & set(frame["section"]):
        return []
    tested = [kind for kind in KINDS if _part(frame, f"favour by {kind}")["ci_lower"].count()]
    if tested:
        return [
            f"No {' or '.join(tested)} is significantly favoured or marked down; the intervals "
            "below show how much could have been missed."
        ]
    if _part(frame, "bias by run").height:
        return ["No group or run could be tested for favour."]
    return []


def _ranking(frame: pl.DataFrame) -> list[str]:
    """Return a sentence on the ranking of the runs by labels, and on its top run."""
    people, judge = (
        dict(zip(rows["item"], rows["value"], strict=True))
        for rows in (_part(frame, "score by people"), _part(frame, "score by judge"))
    )
    if len(judge) < 2:
        return []
    tau = _value(frame, "order", "tau")
    agreement = "Kendall's tau between the rankings of runs by labels and by people is "
    agreement += "undefined" if tau is None else f"{tau:.2f}"
    best = [run for run in judge if judge[run] >= max(judge.values()) - EQUAL]
    if len(best) == len(judge):
        return [f"{agreement}; the labels give all runs the same score."]
    place = min(_ranks(people)[run] for run in best)
    where = f"has rank {place} in the human ranking" if place > 1 else "is also the top human one"
    which = "its top run" if len(best) == 1 else f"the best of its {len(best)} equal top runs"
    return [f"{agreement}; by labels, {which.replace('its', 'the')} {where}."]


def _ranks(score: dict[str, float]) -> dict[str, int]:
    """Return the rank of each run, 1 the best; equals share the best of their ranks."""
    return {run: 1 + sum(score[other] > score[run] + EQUAL for other in score) for run in score}


def _with_ends(row: dict[str, float | None], negated: bool = False) -> str:
    value, lower, upper = row["value"], row["ci_lower"], row["ci_upper"]
    if value is None:
        return "undefined"
    if negated:
        ends = (None if end is None else -end for end in (value, upper, lower))
        value, lower, upper = ends
    if lower is None or upper is None:
        return f"{value:.3f}"
    return f"{value:.3f} ({lower:.3f} to {upper:.3f})"


def _table(caption: str, rows: pl.DataFrame, marked: Sequence[str] = ()) -> Table:
    body: list[list[str | Marked]] = []
    for row in rows.select("item", "value", "ci_lower", "ci_upper", "n").to_dicts():
        value = "" if row["value"] is None else f"{row['value']:.4f}"
        interval = (
            "" if row["ci_lower"] is None else f"{row['ci_lower']:.4f} to {row['ci_upper']:.4f}"
        )
        n = "" if row["n"] is None else f"{row['n']:,}"
        shown = Marked(value, "off") if row["item"] in marked else value
        body.append([row["item"], shown, interval, n])
    return Table(caption, ["", "value", "interval", "n"], body)


def _figure(caption: str, draw: Callable[..., Any], *how: Any) -> Figure:
    """Return a chart; the page only names it if it cannot be drawn."""
    return Figure(caption, draw(*how) if can_draw() else None)


def _sample(frame: pl.DataFrame) -> Table:
    rows = [[row["item"], _count(row["value"])] for row in _part(frame, "sample").to_dicts()]
    for row in rows:
        if row[0] in ("sampled at random", "at least 95% judged where the measure looks"):
            row[1] = "yes" if row[1] == "1" else "no"
    return Table("Pairs and topics", ["", ""], rows)


def _count(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"


def _agreement(frame: pl.DataFrame) -> tuple[Part, ...]:
    return (
        "Kappa and alpha are 1 for perfect agreement and 0 for agreement by chance. Weighted kappa "
        "and alpha take the distance of grades into account.",
        _table("Agreement with human judgments", _part(frame, "agreement")),
        _confusion(frame),
        _table("Mean human gain by label", _part(frame, "calibration")),
    )


def _confusion(frame: pl.DataFrame) -> Table:
    cells: dict[str, dict[str, str]] = {}
    for row in _part(frame, "confusion").to_dicts():
        people, _, judge = row["item"].partition(", ")
        cells.setdefault(people, {})[judge] = f"{row['value'] or 0:.1%}"
    head = list(dict.fromkeys(judge for row in cells.values() for judge in row))
    rows = [[people, *(row.get(judge, "") for judge in head)] for people, row in cells.items()]
    return Table("Share of pairs by both grades", ["", *head], rows)


def _favour(frame: pl.DataFrame, confidence: float) -> tuple[Part, ...]:
    parts: list[Part] = [
        "Favour is the amount by which labels raise a score, compared with labels of other "
        "documents with the same human grade and a similar fused rank. For groups and families, "
        "documents that only they return count, with labels where there is no human judgment; for "
        "runs, all their documents. The intervals hold simultaneously: if errors of labels depend "
        "on the human grade and the fused rank only, favour is found in at most about "
        f"{1 - confidence:.0%} of audits.",
    ]
    found = [*_part(frame, "favoured")["item"], *_part(frame, "marked down")["item"]]
    for kind in KINDS:
        rows = _part(frame, f"favour by {kind}")
        if rows.height:
            if kind != _first_kind(frame):
                caption = f"Favour by {kind}, in units of the score"
                parts.append(_figure(caption, favours, frame, kind))
            start = f"{kind} "
            named = [item.removeprefix(start) for item in found if item.startswith(start)]
            table = _table(f"by {kind}; n: number of judged documents", rows, named)
            parts.append(Fold(f"All figures by {kind}", (table,)))
    return tuple(parts)


def _bias(frame: pl.DataFrame) -> tuple[Part, ...]:
    parts: list[Part] = [
        "Bias is the difference between a run's score by calibrated labels and by human judgments. "
        "A calibrated label counts as the mean human gain of pairs with that label. Random errors "
        "alone lower the scores of good runs and raise those of poor ones: bias without favour.",
    ]
    for kind in ("run", "group", "family"):
        section = f"bias by {kind}"
        rows = _part(frame, section)
        if rows.height:
            if kind != "run":
                how = frame, section, "score", BIAS_BELOW
                parts.append(_figure(f"Bias by {kind}", around_zero, *how))
            parts.append(Fold(f"All figures by {kind}", (_table(section, rows),)))
    return tuple(parts)


def _published(frame: pl.DataFrame) -> tuple[Part, ...]:
    people = {row["item"]: row for row in _part(frame, "score by people").to_dicts()}
    judge = {row["item"]: row["value"] for row in _part(frame, "score by judge").to_dicts()}
    place, rank = _ranks(judge), _ranks({run: row["value"] for run, row in people.items()})
    rows = []
    for run, row in people.items():
        interval = (
            "" if row["ci_lower"] is None else f"{row['ci_lower']:.3f} to {row['ci_upper']:.3f}"
        )
        scores = f"{row['value']:.3f}", interval, f"{judge[run]:.3f}"
        rows.append([run, *scores, str(rank[run]), str(place[run])])
    head = ["run", "human score", "interval", "score by labels", "rank", "rank by labels"]
    order = [
        [row["item"], "undefined" if row["value"] is None else f"{row['value']:.3g}"]
        for row in _part(frame, "order").to_dicts()
    ]
    return (
        "Scores by labels use the labels instead of judgments, on their own scale. Verdicts are by "
        "Student's t over topics with Holm's correction at .05. A false alarm is a difference that "
        "is significant by labels only; a missed one is significant by human judgments only.",
        Table("Rankings of the runs", ["", ""], order),
        _verdicts(frame),
        Fold("Scores of all runs", (Table("best human score first", head, rows),)),
    )


def _verdicts(frame: pl.DataFrame) -> Table:
    rows: dict[str, list[str]] = {}
    head: list[str] = []
    for row in _part(frame, "verdicts").to_dicts():
        where, _, what = row["item"].partition(": ")
        head += [] if what in head else [what]
        share = f" ({row['value'] / row['n']:.0%})" if row["n"] else ""
        rows.setdefault(where, []).append(f"{row['value']:.0f}{share}")
    return Table(
        "Pairs of runs by verdict", ["", *head], [[where, *row] for where, row in rows.items()]
    )


def _aspects(frame: pl.DataFrame) -> tuple[Part, ...]:
    below = "mark: mean difference at the same human grade; bar: interval"
    parts: list[Part] = [
        "Mean difference, in units of gain, from labels of other documents with the same human "
        "grade: by the best rank of the document, the length of its text, the position of the "
        "first query term in it, and the time of labelling. Parts without data are left out.",
    ]
    for section in ("bias by rank", "bias by length", "bias by query terms", "drift"):
        rows = _part(frame, section)
        if rows.height:
            parts.append(_figure(section.capitalize(), around_zero, frame, section, "gain", below))
            parts.append(Fold("All figures", (_table(section, rows),)))
    return tuple(parts)
