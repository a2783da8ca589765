"""Dealing with incomplete judgments in cascade measures: Tables 1-4, Figures 1 and 2.

The collection needs documents and judgments per subtopic. The paper's ClueWeb09 is not to be had,
so what it printed is shown beside ours as context.

Hui, Berberich and Mele, ICTIR 2017.
"""

from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from leadline.lab.papers.hui17_plan import (
    PARTS,
    PERCENTS,
    QUICK_REPEATS,
    QUICK_SPLITS,
    READING,
    REPEATS,
    SHORT,
    SHOWN,
    SPLITS,
    cells,
    forget,
    kendall,
    names,
    places,
)
from leadline.lab.papers.published import published
from leadline.lab.papers.runner import Frames, Setting
from leadline.views.charts import plotted
from leadline.views.page import Figure, Marked, Part, Section, Table, can_draw, page
from leadline.views.result_charts import place_panels

Results = dict[str, Any]
WAYS = ("raw", "condensed", *SHOWN, SHORT)
AGAINST = "ERR_IA@20"
"""Figure 2 shows the runs' places against those by this measure."""


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
    """Tau with the complete measure when p% is judged."""
    rows = [
        (established, way, percent, results[f"judged {percent}%"][established][way])
        for established in names()
        for way in WAYS
        for percent in PERCENTS
    ]
    return pl.DataFrame(rows, schema=["established", "method", "percent", "tau"], orient="row")


def table2(results: Results) -> pl.DataFrame:
    """Tau when subtopics are learned from one part and runs are restricted to another."""
    splits = [cell for name, cell in results.items() if name.startswith("split ")]
    rows = []
    for judged in PARTS:
        for scored in PARTS:
            for established in names():
                for each in READING:
                    key = f"{judged} {scored} {established} {each}"
                    tau = float(np.mean([cell[key] for cell in splits]))
                    rows.append((judged, scored, established, str(each), tau))
    columns = ["judged_on", "scored_on", "established", "measure", "tau"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def _tau(results: Results, first: str, second: str) -> float:
    scores = results["everything"]["scores"]
    return float(kendall(np.array(scores[first]), np.array(scores[second])))


def table3(results: Results) -> pl.DataFrame:
    """Tau between the established measures."""
    rows = [(a, b, _tau(results, a, b)) for a, b in combinations(names(), 2)]
    return pl.DataFrame(rows, schema=["a", "b", "tau"], orient="row")


def table4(results: Results) -> pl.DataFrame:
    """Tau of the measures that read with the established ones."""
    rows = [
        (established, str(each), _tau(results, established, str(each)))
        for established in names()
        for each in READING
    ]
    return pl.DataFrame(rows, schema=["established", "measure", "tau"], orient="row")


def figure2(results: Results) -> pl.DataFrame:
    """The runs' places by ERR_IA and by each measure that reads."""
    every = results["everything"]
    by = places(np.array(every["scores"][AGAINST]))
    rows = []
    for each in READING:
        mine = places(np.array(every["scores"][str(each)]))
        rows += [(str(each), *row) for row in zip(every["runs"], by, mine, strict=True)]
    columns = ["measure", "run", "rank_established", "rank_measure"]
    return pl.DataFrame(rows, schema=columns, orient="row")


CONTEXT = (
    "“Printed” is what the paper has for ClueWeb09 and the runs of TREC's Web Track. Text, runs "
    "and judgments here are others, so it is context, not a target."
)
LEVEL = 0.8
"""The paper calls two orderings close from this tau on."""


def _cell(tau: float) -> str | Marked:
    text = f"{tau:.2f}"
    return Marked(text, "best") if tau > LEVEL else text


def _short(name: str) -> str:
    return name.partition("@")[0]


def table1(frames: Frames) -> Table:
    """Judged on one half, scored on the other."""
    frame = frames["table1"]
    measures = frame["measure"].unique(maintain_order=True).to_list()
    rows = [
        (name, *(_cell(tau) for tau in frame.filter(established=name)["tau"])) for name in names()
    ]
    return Table("Subtopics learned on half C, runs restricted to half B", ("", *measures), rows)


def show_table2(frames: Frames) -> Table:
    """All combinations of parts."""
    frame = frames["table2"]
    pairs = [(judged, scored) for judged in PARTS for scored in PARTS]
    head = ("", "", *(f"{judged} → {scored}" for judged, scored in pairs))
    rows: list[tuple[str | Marked, ...]] = []
    groups = set()
    for name in names():
        groups.add(len(rows))
        for measure in frame["measure"].unique(maintain_order=True):
            some = frame.filter(established=name, measure=measure)
            cells = [
                _cell(some.filter(judged_on=judged, scored_on=scored)["tau"].item())
                for judged, scored in pairs
            ]
            rows.append((name, measure, *cells))
    caption = "Judged on → scored on. A: all documents, B and C: its halves"
    return Table(caption, head, rows, 2, frozenset(groups))


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
    values = published("hui17")
    frame, years = frames["table4"], values["table4"]
    rows: list[tuple[str | Marked, ...]] = []
    groups = set()
    for name in names():
        groups.add(len(rows))
        cells = (_cell(tau) for tau in frame.filter(established=name)["tau"])
        rows.append((name, "here", *cells))
        for year, known in years.items():
            told = (Marked(f"{value:.2f}", "aside") for value in known[_short(name)])
            rows.append(("", f"printed, {year}", *told))
    measures = frame["measure"].unique(maintain_order=True).to_list()
    caption = "Tau of the measures that read with the established ones, all judgments"
    return Table(caption, ("", "", *measures), rows, 2, frozenset(groups))


def at_percent(frames: Frames, percents: tuple[int, ...] = (1, 5, 15, 30, 50)) -> Table:
    """Figure 1 in numbers."""
    frame = frames["figure1"]
    rows: list[tuple[str | Marked, ...]] = []
    groups = set()
    for name in names():
        groups.add(len(rows))
        for way in WAYS:
            some = frame.filter(established=name, method=way)
            cells = [_cell(some.filter(percent=p)["tau"].item()) for p in percents]
            rows.append((name, way, *cells))
    head = ("", "", *(f"{p}%" for p in percents))
    return Table("Tau with the complete measure, p% judged", head, rows, 2, frozenset(groups))


def curves(frames: Frames) -> Any:
    """Figure 1 as a chart."""
    by = "percent", "tau", "method", "established"
    return plotted(frames["figure1"], *by, dashed=("raw", "condensed"), zero=False, columns=3)


def figures(frames: Frames) -> tuple[list[Part], list[Part]]:
    """Figures 1 and 2."""
    if not can_draw():
        told: list[Part] = ["The figures are not drawn here: that needs leadline[charts]."]
        return told, []
    first = Figure(
        "Figure 1: Kendall's tau between the runs' order by p% of the judgments and by the "
        "complete established measure. Dashed: that measure itself, on raw and on condensed lists.",
        curves(frames),
    )
    titles = f"place by {AGAINST}", "place by the measure"
    second = Figure(
        "Figure 2: the runs' places.",
        place_panels(frames["figure2"], "rank_established", "rank_measure", "measure", titles),
    )
    return [first], [second]


def report(results: dict[str, Any], frames: Frames, setting: Setting) -> str:
    """The page."""
    repeats, splits = (QUICK_REPEATS, QUICK_SPLITS) if setting.quick else (REPEATS, SPLITS)
    every = results["everything"]
    first, second = figures(frames)
    robust = (
        "For p from 1 to 50: of each topic's relevant documents p% are kept, at least one, and p% "
        f"of the others; the mean over {repeats} draws. Raw and condensed lists use the labels "
        f"that are left; {' and '.join(SHOWN)} learn the subtopics from the relevant documents "
        f"that are left, and so does {every['short']}, for short texts: its smoothing is three "
        "times the mean length of the documents."
    )
    reuse = (
        f"The documents are cut in two halves at random, {splits} times. Subtopics are learned "
        "from the judged documents of one part; runs keep only documents of the other, and the "
        "established measures on those, with their own judgments, are the yardstick. Marked: tau "
        f"above {LEVEL}."
    )
    sections = [
        Section("Few judgments", [robust, *first, at_percent(frames)]),
        Section("Judgments from elsewhere", [reuse, table1(frames), show_table2(frames)]),
        Section("Correlation", [CONTEXT, show_table3(frames), show_table4(frames), *second]),
    ]
    lead = (
        f"Hui, Berberich and Mele, ICTIR 2017, on {setting.name}: {len(every['runs'])} runs, "
        f"{every['n_topics']} topics, {every['n_subtopics']} subtopics, {every['n_judged']:,} "
        f"judged documents, {every['n_relevant']:,} of them relevant to some subtopic."
    )
    return page("Dealing with incomplete judgments in cascade measures", lead, sections)


__all__ = ["OPTIONS", "cells", "forget", "frames", "lines", "report"]

OPTIONS: tuple[str, ...] = ()


def lines(results: dict[str, Any], frames: Frames) -> list[str]:
    """What is worth saying."""
    return list(results["everything"]["notices"])
