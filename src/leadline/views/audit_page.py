"""The page of an audit: what may be said of a judge, and the figures behind it."""

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from leadline.stats.correlation import EQUAL
from leadline.views.page import Figure, Fold, Marked, Part, Section, Table, can_draw, page
from leadline.views.result_charts import around_zero, favours

MEANS = {
    "drawn": (
        "The pairs that people judged were sampled at random, each with a known probability. What "
        "is shown holds for all pairs of these topics, with intervals for the random sample.",
        "What it does not tell: how the judge does on other topics, or on documents that no run "
        "returned. Scores by people are estimates, so some differences that people see in full are "
        "missed here, and some that only the judge sees may be real.",
    ),
    "complete": (
        "People judged at least 95% of what the measure looks at. Intervals of agreement, "
        "calibration and bias are about other topics like these; those of favour, and by rank, "
        "length, query terms and time, about other labels of the same judge.",
        "What it does not tell: how the judge does on runs of another kind.",
    ),
    "chosen": (
        "The pairs that people judged were not sampled at random, and are not all that the measure "
        "looks at. What is told holds for these pairs and no others: there are no intervals.",
        "What may not be concluded: whether the judge favours a run or group, how far scores by "
        "its labels can be trusted, how it would agree with people elsewhere. A few hundred pairs "
        "drawn with leadline pool would tell.",
    ),
}
"""By how people's pairs were chosen: what may be said, and what may not."""

BEST = 20
"""Runs among which differences are told apart from all others."""


def audit_page(
    judge: str,
    measure: str,
    choice: str,
    frame: pl.DataFrame,
    groups: dict[str, tuple[str, ...]],
    notices: Sequence[str],
    confidence: float = 0.95,
) -> str:
    """The page; `frame` is what `audit` gives, `groups` the runs of each group."""
    sections = [
        Section("In short", _short(frame, choice, groups)),
        Section("How people's pairs were chosen", (*MEANS[choice], _sample(frame))),
        Section("Agreement", _agreement(frame)),
    ]
    if _part(frame, "bias by run").height:
        sections += [
            Section("Whom it favours", _favour(frame, confidence)),
            Section("Bias by run", _bias(frame)),
            Section("What the judge alone would have published", _published(frame)),
        ]
    sections.append(Section("Where it errs", _aspects(frame)))
    if notices:
        sections.append(Section("Notices", tuple(notices)))
    lead = (
        f"Labels of {judge} held against people's judgments, {measure}. Intervals are of "
        f"{confidence:.0%} confidence."
    )
    return page(f"Audit of {judge}", lead, sections)


def _part(frame: pl.DataFrame, section: str) -> pl.DataFrame:
    return frame.filter(pl.col("section") == section)


def _value(frame: pl.DataFrame, section: str, item: str) -> float | None:
    values = _part(frame, section).filter(pl.col("item") == item)["value"].to_list()
    return values[0] if values else None


def _short(
    frame: pl.DataFrame, choice: str, groups: dict[str, tuple[str, ...]]
) -> tuple[Part, ...]:
    """The findings in words."""
    lines = []
    both = _value(frame, "sample", "pairs judged by both") or 0
    topics = _value(frame, "sample", "topics with pairs judged by both") or 0
    first = _part(frame, "agreement").row(0, named=True)
    kappa = next(
        row for row in _part(frame, "agreement").to_dicts() if row["item"].startswith("kappa")
    )
    lines.append(
        f"People and the judge both judged {both:,.0f} pairs of {topics:,.0f} topics. "
        f"{first['item'].capitalize()}: {_with_ends(first)}; {kappa['item']} {_with_ends(kappa)}."
    )
    for section, words in (("favoured", "It favours"), ("marked down", "It marks down")):
        for row in _part(frame, section).to_dicts():
            kind, _, name = row["item"].partition(" ")
            runs = groups.get(name, ()) if kind == "group" else ()
            which = f" (runs {', '.join(runs)})" if runs else ""
            lines.append(f"{words} {row['item']}{which}: {_with_ends(row)} of score.")
    lines += _nobody(frame, choice)
    lines += _best_run(frame)
    more = _value(frame, "more", "more human judgments that would halve it")
    n_runs = _part(frame, "score by people").height
    if more and n_runs > 1:
        error = _value(frame, "more", "standard error of a difference of the best 20") or 0
        which = "two of the best 20 runs" if n_runs > BEST else "two runs"
        lines.append(
            f"A difference of {which} is known to {error:.3f} (standard error); "
            f"{more:,.0f} more human judgments, drawn alike, would halve that."
        )
    return tuple(lines)


def _nobody(frame: pl.DataFrame, choice: str) -> list[str]:
    """Return a line where nobody is favoured or marked down: tested, or not even that."""
    if choice == "chosen" or {"favoured", "marked down"} & set(frame["section"]):
        return []
    kinds = ("group", "family", "run")
    tested = [kind for kind in kinds if _part(frame, f"favour by {kind}")["ci_lower"].count()]
    if tested:
        return [
            f"No {' or '.join(tested)} is favoured or marked down by more than chance would make "
            "it look; what could have gone unseen is told by the intervals below."
        ]
    if _part(frame, "bias by run").height:
        return ["No group or run could be tested for favour."]
    return []


def _best_run(frame: pl.DataFrame) -> list[str]:
    """Return a line on how the judge's order and best run agree with those of people."""
    people, judge = (
        dict(zip(rows["item"], rows["value"], strict=True))
        for rows in (_part(frame, "score by people"), _part(frame, "score by judge"))
    )
    if len(judge) < 2:
        return []
    tau = _value(frame, "order", "tau")
    order = "Its order of the runs has "
    order += "no defined tau" if tau is None else f"tau {tau:.2f}"
    best = [run for run in judge if judge[run] >= max(judge.values()) - EQUAL]
    if len(best) == len(judge):
        return [f"{order} with that of people; it gives all runs the same score."]
    place = min(_ranks(people)[run] for run in best)
    lower = f"{place - 1} {'rank' if place == 2 else 'ranks'} lower by theirs"
    which = "its best run" if len(best) == 1 else f"the best by people of its {len(best)} best runs"
    too = lower if place > 1 else "the best of theirs too"
    return [f"{order} with that of people; {which} is {too}."]


def _ranks(score: dict[str, float]) -> dict[str, int]:
    """Return the rank of each run, 1 the best; equals share the best of their ranks."""
    return {run: 1 + sum(score[other] > score[run] + EQUAL for other in score) for run in score}


def _with_ends(row: dict[str, float | None]) -> str:
    if row["value"] is None:
        return "undefined"
    if row["ci_lower"] is None or row["ci_upper"] is None:
        return f"{row['value']:.3f}"
    return f"{row['value']:.3f} ({row['ci_lower']:.3f} to {row['ci_upper']:.3f})"


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
    """A chart, which the page only names if it cannot be drawn."""
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
        "Kappa and alpha are 1 where both always agree and 0 where they agree as often as chance "
        "would have it; weighted kappa and alpha count by how far grades are apart.",
        _table("Agreement with people", _part(frame, "agreement")),
        _confusion(frame),
        _table("Mean gain that people give, by the judge's grade", _part(frame, "calibration")),
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
        "Favour is what the judge's labels add to a score beyond what it gives other documents "
        "that people graded alike. For groups and families the documents that nobody else returns "
        "count, with the labels of those that nobody judged; for runs all that they return. Both "
        "are compared with documents of about the same fused rank. The intervals hold all "
        "together: an honest judge, whose errors depend on the human grade and the fused rank, is "
        f"accused of anything in at most about {1 - confidence:.0%} of audits.",
    ]
    accused = [*_part(frame, "favoured")["item"], *_part(frame, "marked down")["item"]]
    for kind in ("group", "family", "run"):
        rows = _part(frame, f"favour by {kind}")
        if rows.height:
            caption = f"Favour by {kind}, in units of the score"
            parts.append(_figure(caption, favours, frame, kind))
            start = f"{kind} "
            named = [item.removeprefix(start) for item in accused if item.startswith(start)]
            table = _table(f"n: judged documents behind it, by {kind}", rows, named)
            parts.append(Fold(f"All figures by {kind}", (table,)))
    return tuple(parts)


def _bias(frame: pl.DataFrame) -> tuple[Part, ...]:
    below = "mark: bias; bar: interval"
    parts: list[Part] = [
        "Bias is what calibrated labels, each counted as the mean gain that people give to such "
        "pairs, add to a run's score. A judge that merely errs gives too little to good runs and "
        "too much to poor ones: that is bias, and no favour.",
    ]
    for kind in ("run", "group", "family"):
        section = f"bias by {kind}"
        rows = _part(frame, section)
        if rows.height:
            how = frame, section, "score", below
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
    head = ["run", "by people", "interval", "by the judge", "rank", "rank by the judge"]
    order = [
        [row["item"], "undefined" if row["value"] is None else f"{row['value']:.3g}"]
        for row in _part(frame, "order").to_dicts()
    ]
    return (
        "Scores by the judge are what its labels alone give, on its own scale. Verdicts: Student's "
        "t over topics with Holm's correction at .05. A false alarm is a difference that only the "
        "judge sees, missed is one that only people see.",
        Table("Order", ["", ""], order),
        _verdicts(frame),
        Fold("Scores of all runs", (Table("best by people first", head, rows),)),
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
    below = "mark: what the judge adds at the same human grade; bar: interval"
    parts: list[Part] = [
        "What the judge gives beyond other documents of the same human grade, in units of gain: by "
        "the best rank that a run gives a document, by the length of its text, by where the first "
        "term of the query stands in it, and by when the label was given. Empty where it is not "
        "known.",
    ]
    for section in ("bias by rank", "bias by length", "bias by query terms", "drift"):
        rows = _part(frame, section)
        if rows.height:
            parts.append(_figure(section.capitalize(), around_zero, frame, section, "gain", below))
            parts.append(Fold("All figures", (_table(section, rows),)))
    return tuple(parts)
