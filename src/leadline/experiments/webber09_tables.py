"""The tables and figures of webber09 as frames, one for each csv file."""

from typing import Any

import polars as pl

from leadline.experiments.papers import Frames, Setting

Results = dict[str, Any]
TREATMENTS = ("irrelevant", "condensed")
INTERVALS = ("normal", "t", "bootstrap", "padded")


def by_width(results: Results) -> list[tuple[str, int, Any]]:
    """Newcomers, width and what was found, manual before automatic, narrow before wide."""
    cells = [(*name.rsplit(" ", 1), cell) for name, cell in results.items()]
    kinds = {"manual": 0, "automatic": 1}
    order = sorted(cells, key=lambda each: (kinds.get(each[0], 2), each[0], int(each[1])))
    return [(kind, int(width), cell) for kind, width, cell in order]


def frames(results: Results, setting: Setting) -> Frames:
    """Every csv file by its name, without the ending.

    Table 2 and 3 are of automatic newcomers (or those named), Table 4 of manual ones.
    """
    topics = _topics(results)
    made = {"figure1": figure1(results), "table1": table1(results)}
    manual = pl.col("newcomers") == "manual"
    made["table2"] = topics.filter(~manual & (pl.col("treatment") == "irrelevant"))
    made["table3"] = topics.filter(~manual & (pl.col("treatment") == "condensed"))
    made["table4"] = topics.filter(manual)
    made["coverage"] = coverage(results)
    made["sample_mean"] = sample_mean(results)
    return made


def figure1(results: Results) -> pl.DataFrame:
    """Bias of mean scores, partial - true, with the quartiles over draws and newcomers."""
    rows = [
        (width, treatment, *cell["bias"][treatment], kind)
        for kind, width, cell in by_width(results)
        for treatment in (*TREATMENTS, "predicted")
    ]
    columns = ["width", "treatment", "mean", "q1", "q3", "newcomers"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def table1(results: Results) -> pl.DataFrame:
    """Mean absolute error of mean scores, as they are, by Algorithm 1, and by predicted gains."""
    rows = [
        (kind, width, cell["raw"], cell["adjusted"], cell["predicted"])
        for kind, width, cell in by_width(results)
    ]
    columns = ["newcomers", "width", "raw", "adjusted", "predicted"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def _topics(results: Results) -> pl.DataFrame:
    values = ("unadjusted", "mixed", "adjusted", "predicted")
    rows = [
        (kind, treatment, width, int(n), *(found[name] for name in values))
        for kind, width, cell in by_width(results)
        for treatment in TREATMENTS
        for n, found in cell["topics_by"][treatment].items()
    ]
    columns = ["newcomers", "treatment", "width", "common", *values]
    return pl.DataFrame(rows, schema=columns, orient="row")


def coverage(results: Results) -> pl.DataFrame:
    """How often 95% intervals hold the true mean."""
    rows = [
        (kind, treatment, width, int(n), interval, found[interval])
        for kind, width, cell in by_width(results)
        for treatment in TREATMENTS
        for n, found in cell["topics_by"][treatment].items()
        for interval in INTERVALS
    ]
    columns = ["newcomers", "treatment", "width", "common", "interval", "held"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def sample_mean(results: Results) -> pl.DataFrame:
    """How often adjusting beats the plain mean of the common topics.

    `varies_less` is the share of draws and newcomers for which Eq. 3 is below Eq. 5, whatever the
    number of common topics; `nearer` the share of samples in which it came nearer.
    """
    rows = [
        (kind, treatment, width, int(n), cell[f"tighter_{treatment}"], found["better"])
        for kind, width, cell in by_width(results)
        for treatment in TREATMENTS
        for n, found in cell["topics_by"][treatment].items()
    ]
    columns = ["newcomers", "treatment", "width", "common", "varies_less", "nearer"]
    return pl.DataFrame(rows, schema=columns, orient="row")
