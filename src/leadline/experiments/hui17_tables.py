"""The tables and figures of hui17 as frames, one for each csv file."""

from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from leadline.experiments.hui17_orderings import kendall, places
from leadline.experiments.hui17_plan import PARTS, PERCENTS, SHOWN, names
from leadline.experiments.hui17_setup import READING, SHORT
from leadline.experiments.papers import Frames, Setting

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
