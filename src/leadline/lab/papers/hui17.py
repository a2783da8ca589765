"""Dealing with incomplete judgments in cascade measures: Tables 1-4, Figures 1 and 2.

The collection needs documents and judgments per subtopic. The paper's ClueWeb09 is not available,
so what it printed is shown beside ours as context.

Hui, Berberich and Mele, ICTIR 2017.
"""

from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from leadline.lab.papers.hui17_plan import (
    PARTS,
    QUICK_REPEATS,
    QUICK_SPLITS,
    REPEATS,
    SHORT,
    SPLITS,
    cells,
    forget,
    kendall,
    places,
    spread,
)
from leadline.lab.papers.published import published
from leadline.lab.papers.runner import Frames, Setting
from leadline.views.charts import plotted
from leadline.views.page import Figure, Marked, Part, Section, Table, can_draw, page
from leadline.views.result_charts import place_panels

Results = dict[str, Any]
USES_LABELS = ("raw", "condensed")


def ways_of(results: Results) -> tuple[str, ...]:
    """Return every way to do with few judgments."""
    return (*USES_LABELS, *results["everything"]["reading"], SHORT)


def frames(results: Results, setting: Setting) -> Frames:
    """Every csv file by its name, without the ending."""
    two = table2(results)
    return {
        "figure1": figure1(results),
        "table1": two.filter((pl.col("judged_on") == "C") & (pl.col("scored_on") == "B")),
        "table2": two,
        "table3": table3(results),
        "table4": table4(results),
        "figure2": figure2(results),
    }


def figure1(results: Results) -> pl.DataFrame:
    """Tau with the complete measure when p% is judged, and its standard deviation over draws.

    `zero` is the share of lists that score exactly 0, null for established measures.
    """
    every = results["everything"]
    rows = [
        (established, way, percent, *results[f"judged {percent}%"][established][way])
        for established in every["established"]
        for way in ways_of(results)
        for percent in every["percents"]
    ]
    schema = {"established": pl.String, "method": pl.String, "percent": pl.Int64}
    return pl.DataFrame(
        rows, schema=schema | dict.fromkeys(("tau", "sd", "zero"), pl.Float64), orient="row"
    )


def table2(results: Results) -> pl.DataFrame:
    """Tau when subtopics are learned from one part and runs are restricted to another."""
    every = results["everything"]
    splits = [cell for name, cell in results.items() if name.startswith("split ")]
    rows = []
    for judged in PARTS:
        for scored in PARTS:
            for established in every["established"]:
                for measure in every["reading"]:
                    key = f"{judged} {scored} {established} {measure}"
                    tau = np.array([cell[key] for cell in splits])
                    numbers = float(tau.mean()), spread(tau)
                    rows.append((judged, scored, established, measure, *numbers))
    columns = ["judged_on", "scored_on", "established", "measure", "tau", "sd"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def _tau(results: Results, first: str, second: str) -> float:
    scores = results["everything"]["scores"]
    return float(kendall(np.array(scores[first]), np.array(scores[second])))


def table3(results: Results) -> pl.DataFrame:
    """Tau between the established measures."""
    names = results["everything"]["established"]
    rows = [(a, b, _tau(results, a, b)) for a, b in combinations(names, 2)]
    return pl.DataFrame(rows, schema=["a", "b", "tau"], orient="row")


def table4(results: Results) -> pl.DataFrame:
    """Tau of the measures that read with the established ones."""
    every = results["everything"]
    rows = [
        (established, measure, _tau(results, established, measure))
        for established in every["established"]
        for measure in every["reading"]
    ]
    return pl.DataFrame(rows, schema=["established", "measure", "tau"], orient="row")


def figure2(results: Results) -> pl.DataFrame:
    """The runs' places by ERR_IA and by each measure that reads."""
    every = results["everything"]
    by = places(np.array(every["scores"][err_ia(every["established"])]))
    rows = []
    for measure in every["reading"]:
        mine = places(np.array(every["scores"][measure]))
        rows += [(measure, *row) for row in zip(every["runs"], by, mine, strict=True)]
    columns = ["measure", "run", "rank_established", "rank_measure"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def err_ia(established: list[str]) -> str:
    """Return the measure against which Figure 2 shows the runs' places."""
    return next(name for name in established if name.startswith("ERR_IA"))


CONTEXT = (
    "“Printed” is what the paper has for ClueWeb09 and the runs of TREC's Web Track. Text, runs "
    "and judgments here are others, so it is context, not a target."
)
LEVEL, ALIKE = 0.8, 0.9
"""The paper calls two orderings close from the first tau on; Voorhees calls them equivalent from
the second on."""


def _cell(tau: float, sd: float | None = None) -> str | Marked:
    text = f"{tau:.2f}" if sd is None else f"{tau:.2f} ± {sd:.2f}"
    return Marked(text, "best") if tau > LEVEL else text


def _short(name: str) -> str:
    return name.partition("@")[0]


def _names(frame: pl.DataFrame, column: str) -> list[str]:
    """Names as they come."""
    return frame[column].unique(maintain_order=True).to_list()


def _aside(known: list[float]) -> list[Marked]:
    return [Marked(f"{value:.2f}", "aside") for value in known]


def show_table1(frames: Frames) -> Table:
    """Judged on one half, scored on the other."""
    frame = frames["table1"]
    rows: list[tuple[str | Marked, ...]] = []
    groups = set()
    for name in _names(frame, "established"):
        groups.add(len(rows))
        some = frame.filter(established=name)
        cells = (_cell(*row) for row in some.select("tau", "sd").iter_rows())
        rows.append((name, "here", *cells))
        for year, known in published("hui17")["table1"].items():
            rows.append(("", f"printed, {year}", *_aside(known[_short(name)])))
    caption = "Subtopics learned on half C, runs restricted to half B; ± over splits"
    return Table(caption, ("", "", *_names(frame, "measure")), rows, 2, frozenset(groups))


def show_table2(frames: Frames) -> Table:
    """All combinations of parts."""
    frame = frames["table2"]
    pairs = [(judged, scored) for judged in PARTS for scored in PARTS]
    head = ("", "", "", *(f"{judged} → {scored}" for judged, scored in pairs))
    printed = published("hui17")["table2"]
    rows: list[tuple[str | Marked, ...]] = []
    groups = set()
    for name in _names(frame, "established"):
        groups.add(len(rows))
        for measure in _names(frame, "measure"):
            some = frame.filter(established=name, measure=measure)
            cells = [
                _cell(some.filter(judged_on=judged, scored_on=scored)["tau"].item())
                for judged, scored in pairs
            ]
            rows.append((name, measure, "here", *cells))
            known = printed[_short(name)][measure.partition("@")[0].partition("(")[0]]
            rows.append(("", "", "printed, 2012", *_aside(known)))
    caption = "Judged on → scored on. A: all documents, B and C: its halves"
    return Table(caption, head, rows, 3, frozenset(groups))


def show_table3(frames: Frames) -> Table:
    """Established measures among themselves."""
    printed = published("hui17")["table3"]
    rows = []
    for first, second, tau in frames["table3"].rows():
        known = printed[f"{_short(first)}-{_short(second)}"]
        rows.append((f"{first}, {second}", _cell(tau), Marked(f"{known:.2f}", "aside")))
    return Table("Tau between established measures", ("", "here", "printed, mean"), rows)


def show_table4(frames: Frames) -> Table:
    """Measures that read against established ones."""
    frame, years = frames["table4"], published("hui17")["table4"]
    rows: list[tuple[str | Marked, ...]] = []
    groups = set()
    for name in _names(frame, "established"):
        groups.add(len(rows))
        cells = (_cell(tau) for tau in frame.filter(established=name)["tau"])
        rows.append((name, "here", *cells))
        for year, known in years.items():
            rows.append(("", f"printed, {year}", *_aside(known[_short(name)])))
    caption = "Tau of the measures that read with the established ones, all judgments"
    return Table(caption, ("", "", *_names(frame, "measure")), rows, 2, frozenset(groups))


def closest(rows: list[list[float]], measures: list[str]) -> str:
    """Return in how many rows of taus each measure is the closest; ties count for all."""
    values = np.array(rows).round(2)
    wins = (values == values.max(axis=1, keepdims=True)).sum(axis=0)
    return ", ".join(f"{name} {n}" for name, n in zip(measures, wins, strict=True))


def who_is_closest(frames: Frames) -> str:
    """Return which measure comes closest to the established ones, printed and here."""
    frame, values = frames["table4"], published("hui17")
    printed = [row for year in values["table4"].values() for row in year.values()]
    here = [
        frame.filter(established=name)["tau"].to_list() for name in _names(frame, "established")
    ]
    return (
        f"Rows of Table 4 in which a measure has the highest tau, ties counted for each: printed, "
        f"of {len(printed)}: {closest(printed, values['table4_columns'])}; here, of {len(here)}: "
        f"{closest(here, _names(frame, 'measure'))}."
    )


def at_percent(frames: Frames, percents: tuple[int, ...] = (1, 5, 15, 30, 50)) -> Table:
    """Figure 1 in numbers."""
    frame = frames["figure1"]
    known = set(frame["percent"])
    shown = [p for p in percents if p in known] or sorted(known)[:5]
    rows: list[tuple[str | Marked, ...]] = []
    groups = set()
    for name in _names(frame, "established"):
        groups.add(len(rows))
        for way in _names(frame, "method"):
            some = frame.filter(established=name, method=way)
            cells = [_cell(*some.filter(percent=p).select("tau", "sd").row(0)) for p in shown]
            rows.append((name, way, *cells))
    head = ("", "", *(f"{p}%" for p in shown))
    caption = "Tau with the complete measure, p% judged; ± one standard deviation over draws"
    return Table(caption, head, rows, 2, frozenset(groups))


def curves(frames: Frames) -> Any:
    """Figure 1 as a chart."""
    by = "percent", "tau", "method", "established"
    return plotted(
        frames["figure1"], *by, dashed=USES_LABELS, zero=False, columns=3, levels=(LEVEL, ALIKE)
    )


def spread_curves(frames: Frames) -> Any:
    """Each way by itself, with the spread over draws, against one established measure."""
    frame = frames["figure1"].filter(
        pl.col("established") == err_ia(_names(frames["figure1"], "established"))
    )
    ends = frame.with_columns(low=pl.col("tau") - pl.col("sd"), high=pl.col("tau") + pl.col("sd"))
    return plotted(
        ends.with_columns(of=pl.lit("tau")),
        *("percent", "tau", "of", "method"),
        band=("low", "high"),
        zero=False,
        columns=3,
        levels=(LEVEL, ALIKE),
    )


def figures(frames: Frames) -> tuple[list[Part], list[Part]]:
    """Figures 1 and 2."""
    if not can_draw():
        told: list[Part] = ["The figures are not drawn here: that needs leadline[charts]."]
        return told, []
    first = Figure(
        "Figure 1: Kendall's tau between the runs' order by p% of the judgments and by the "
        "complete established measure. Dashed: that measure itself, on raw and on condensed lists. "
        f"Grey lines: tau {LEVEL} and {ALIKE}.",
        curves(frames),
    )
    against = err_ia(_names(frames["figure1"], "established"))
    spreads = Figure(
        f"The same against {against}: mean, and one standard deviation over the draws in grey.",
        spread_curves(frames),
    )
    titles = f"place by {against}", "place by the measure"
    second = Figure(
        "Figure 2: the runs' places.",
        place_panels(frames["figure2"], "rank_established", "rank_measure", "measure", titles),
    )
    return [first, spreads], [second]


def report(results: dict[str, Any], frames: Frames, setting: Setting) -> str:
    """The page."""
    repeats, splits = (QUICK_REPEATS, QUICK_SPLITS) if setting.quick else (REPEATS, SPLITS)
    every = results["everything"]
    first, second = figures(frames)
    robust = (
        "For p from 1 to 50: of each topic's relevant documents p% are kept, at least one, and p% "
        f"of the others; the mean over {repeats} draws. Raw and condensed lists use the labels "
        "that are left; the measures that read learn the subtopics from the relevant documents "
        f"that are left, and so does {every['short']}, for short texts: its smoothing is three "
        "times the mean length of the documents. One draw may be far from the mean."
    )
    reuse = (
        f"The documents are cut in two halves at random, {splits} times. Subtopics are learned "
        "from the judged documents of one part; runs keep only documents of the other, and the "
        "established measures on those, with their own judgments, are the yardstick. Marked: tau "
        f"above {LEVEL}."
    )
    sections = [
        Section("Few judgments", [robust, *clipped(frames), *first, at_percent(frames)]),
        Section(
            "Judgments from elsewhere", [reuse, CONTEXT, show_table1(frames), show_table2(frames)]
        ),
        Section(
            "Correlation",
            [CONTEXT, show_table3(frames), who_is_closest(frames), show_table4(frames), *second],
        ),
    ]
    lead = (
        f"Hui, Berberich and Mele, ICTIR 2017, on {setting.name}: {len(every['runs'])} runs, "
        f"{every['n_topics']} topics, {every['n_subtopics']} subtopics, {every['n_judged']:,} "
        f"judged documents, {every['n_relevant']:,} of them relevant to some subtopic."
    )
    return page("Dealing with incomplete judgments in cascade measures", lead, sections)


__all__ = ["OPTIONS", "cells", "forget", "frames", "lines", "report"]

OPTIONS: tuple[str, ...] = ("k", "theta", "mu", "p")


def clipped(frames: Frames) -> list[str]:
    """Return warnings where most lists score 0 because their gains below 0 are cut off."""
    told: dict[tuple[int, int, str], list[str]] = {}
    frame = frames["figure1"].filter(pl.col("zero") > 0.5)
    for way in _names(frame, "method"):
        rows = frame.filter(method=way)
        percents = sorted(set(rows["percent"]))
        told.setdefault((percents[0], percents[-1], f"{max(rows['zero']):.0%}"), []).append(way)
    return [
        f"{', '.join(ways)}: with {least} to {most}% judged up to {share} of the lists score 0, "
        "because gains below 0 are cut off: such runs tie. A smaller mu or clip=false tells them "
        "apart"
        for (least, most, share), ways in told.items()
    ]


def lines(results: dict[str, Any], frames: Frames) -> list[str]:
    """What is worth saying."""
    return [*results["everything"]["notices"], *clipped(frames)]
