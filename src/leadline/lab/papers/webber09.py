"""Score adjustment for correction of pooling bias: Figure 1 and Tables 1-4.

Pools of few runs are drawn again and again, and all other runs corrected, from the pooled runs
and from common topics.

Webber and Park, SIGIR 2009.
"""

from collections.abc import Sequence
from typing import Any

import polars as pl

from leadline.lab.papers.published import published
from leadline.lab.papers.runner import Frames, Setting
from leadline.lab.papers.webber09_plan import cells, describe, forget
from leadline.views.charts import plotted
from leadline.views.page import Figure, Marked, Part, Section, Table, page

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
        for treatment in TREATMENTS
    ]
    columns = ["width", "treatment", "mean", "q1", "q3", "newcomers"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def table1(results: Results) -> pl.DataFrame:
    """Mean absolute error of mean scores, as they are and by Algorithm 1."""
    rows = [(kind, width, cell["raw"], cell["adjusted"]) for kind, width, cell in by_width(results)]
    columns = ["newcomers", "width", "raw", "adjusted"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def _topics(results: Results) -> pl.DataFrame:
    values = ("unadjusted", "mixed", "plain", "adjusted", "unadjusted_rest", "adjusted_rest")
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


CONDENSED = (
    "On condensed lists a new run only retains documents that the pool of the others judged: what "
    "it alone returns is taken out, and documents from beyond rank 10 move up."
)
PROMISE = 0.92


def is_trec8(results: Results) -> bool:
    """Whether this is the paper's own collection."""
    _, _, cell = by_width(results)[0]
    return (cell["runs"], cell["topics"]) == (129, 50)


def report(results: Results, frames: Frames, setting: Setting) -> str:
    """The page as text."""
    _, _, cell = by_width(results)[0]
    lead = (
        f"{setting.name}: {cell['runs']} runs, {cell['topics']} topics. RBP@10 with p=.8 and "
        f"weights that sum to 1, pools of the first 10 documents of 2 to 40 runs; {describe()}"
        + (" (fewer, because it was a quick run)." if setting.quick else ".")
    )
    bias = frames["figure1"]
    sections = [
        Section("What it shows", claims(results, frames)),
        Section(
            "Figure 1: bias of a run that was not pooled",
            [
                Figure(
                    "Partial minus true mean score by the number of pooled runs, the middle half "
                    "of draws shaded. Unjudged documents taken for irrelevant, or taken out of "
                    "the list.",
                    plotted(bias, "width", "mean", "treatment", "newcomers", band=("q1", "q3")),
                ),
                _plain(bias, "Bias"),
            ],
        ),
        Section("Table 1: adjusting from runs", [_table1(results, frames["table1"])]),
    ]
    for number, title in (
        (2, "Table 2: adjusting from common topics, unjudged documents irrelevant"),
        (3, "Table 3: adjusting from common topics, condensed lists"),
        (4, "Table 4: adjusting manual newcomers from common topics"),
    ):
        frame = frames[f"table{number}"]
        if len(frame):
            parts: list[Part] = [_common(results, frame, number)]
            if number > 2:
                parts.insert(0, CONDENSED)
            sections.append(Section(title, parts))
    sections.append(Section("How often 95% intervals hold the true mean", _coverage(frames)))
    sections.append(
        Section(
            "Adjusting or the plain mean of the common topics",
            [
                "In all of the paper's 500 samples of systems the adjusted score varies less, "
                "which it calls generally the case. varies_less: share of draws in which it does "
                "(Eq. 3 below Eq. 5); nearer: share of samples of topics in which it comes nearer "
                "to the truth.",
                _plain(frames["sample_mean"], "Shares of draws"),
            ],
        )
    )
    notices: Sequence[Part] = cell["notices"] or ["Nothing was noticed."]
    sections.append(Section("What was read", notices))
    return page("Score adjustment for correction of pooling bias", lead, sections)


def claims(results: Results, frames: Frames) -> list[str]:
    """What the numbers say, in sentences."""
    said = []
    table = frames["table1"]
    for (kind,), part in table.group_by("newcomers", maintain_order=True):
        first, last = part.row(0, named=True), part.row(-1, named=True)
        said.append(
            f"{kind} newcomers: not being pooled costs {first['raw']:.3f} with "
            f"{first['width']} pooled runs and {last['raw']:.3f} with {last['width']}; adjusting "
            f"from runs leaves {first['adjusted']:.3f} and {last['adjusted']:.3f}."
        )
    held = frames["coverage"].filter((pl.col("interval") == "padded") & (pl.col("common") >= 20))
    if len(held):
        least = held.sort("held").row(0, named=True)
        said.append(
            f"The default intervals hold the true mean in {least['held']:.1%} of draws or more "
            f"at 20 and more common topics (least: {least['newcomers']} newcomers, "
            f"{least['treatment']}, {least['width']} pooled runs, {least['common']} topics)."
        )
    for (kind,), part in (
        frames["sample_mean"]
        .filter(treatment="irrelevant")
        .group_by("newcomers", maintain_order=True)
    ):
        shares = part.unique("width", maintain_order=True)["varies_less"]
        text = ", ".join(f"{share:.0%}" for share in shares)
        said.append(
            f"{kind} newcomers: adjusting varies less than the plain mean of the common topics in "
            f"{text} of draws, by width; the paper found it in all of its 500 samples of systems."
        )
    return said


ROBUST = "Robust04, 110 runs"
"""The collection of the left half of Table 1 and of Tables 2 and 3, which is not available."""


def _table1(results: Results, frame: pl.DataFrame) -> Table:
    """Manual newcomers beside TREC-8's printed numbers, all others beside Robust04's as context."""
    known = published("webber09")
    halves = {
        kind: dict(
            zip(
                known["pool_width"],
                zip(
                    known["table1"][f"{kind}_raw"], known["table1"][f"{kind}_adjusted"], strict=True
                ),
                strict=True,
            )
        )
        for kind in ("manual", "robust")
    }
    rows: list[list[str | Marked]] = []
    for kind, width, raw, adjusted in frame.iter_rows():
        printed: list[str | Marked] = ["", ""]
        if kind != "manual" and width in halves["robust"]:
            printed = [Marked(f"{value:.3f}", "aside") for value in halves["robust"][width]]
        elif is_trec8(results) and width in halves["manual"]:
            printed = [f"{value:.3f}" for value in halves["manual"][width]]
        rows.append([kind, str(width), printed[0], f"{raw:.3f}", printed[1], f"{adjusted:.3f}"])
    head = ("newcomers", "width", "raw, printed", "ours", "adjusted, printed", "ours")
    caption = (
        "Mean absolute error of the mean score; printed is one draw of 100 samples, beside "
        f"automatic newcomers of {ROBUST}"
    )
    return Table(caption, head, rows, 2)


def _printed(number: int) -> dict[tuple[int, int], tuple[float, float | None, float]]:
    """Return unadjusted, mixed and adjusted by width and number of common topics."""
    known = published("webber09")
    name = {2: "table2", 3: "table3_condensed", 4: "table4_trec8_manual"}[number]
    table, found = known[name], {}
    for at, width in enumerate(known["pool_width"]):
        for column, n in enumerate(table["common_topics"]):
            mixed = table["mixed"][at][column] if "mixed" in table else None
            if mixed is None and n == 10:
                mixed = table["mixed_10"][at]
            found[width, n] = (table["unadjusted"][at], mixed, table["adjusted"][at][column])
    return found


def _common(results: Results, frame: pl.DataFrame, number: int) -> Table:
    printed = _printed(number) if number != 4 or is_trec8(results) else {}
    rows: list[list[str | Marked]] = []
    groups = set()
    values = ("unadjusted", "mixed", "plain", "adjusted", "unadjusted_rest", "adjusted_rest")
    for row in frame.iter_rows(named=True):
        keys = [row["newcomers"], row["treatment"], str(row["width"]), str(row["common"])]
        groups.add(len(rows))
        rows.append([*keys, "ours", *(f"{row[name]:.3f}" for name in values)])
        theirs = printed.get((row["width"], row["common"]))
        if theirs is not None and (number != 4 or row["treatment"] == "irrelevant"):
            unadjusted, mixed, adjusted = ("" if t is None else f"{t:.3f}" for t in theirs)
            # The printed adjusted errors are those over the topics that are not common.
            cells = (unadjusted, mixed, "", "", "", adjusted)
            rows.append(["", "", "", "", "printed", *(Marked(cell, "aside") for cell in cells)])
    head = (
        *("newcomers", "treatment", "width", "common", ""),
        *("unadjusted", "mixed", "plain mean", "adjusted"),
        *("unadjusted, other topics", "adjusted, other topics"),
    )
    where = "TREC-8" if number == 4 else f"{ROBUST}, 249 topics"
    caption = (
        "Mean absolute error of the mean over all topics; other topics: over those that are not "
        f"common, as the caption of Table 2 has it. Printed: {where}"
    )
    return Table(caption, head, rows, 5, frozenset(groups))


def _coverage(frames: Frames) -> list[Part]:
    frame = frames["coverage"]
    kinds = frame["interval"].unique(maintain_order=True).to_list()
    keys = ["newcomers", "treatment", "width", "common"]
    rows: list[list[str | Marked]] = []
    for group, part in frame.group_by(keys, maintain_order=True):
        cells: list[str | Marked] = []
        for held in part["held"]:
            text = f"{held:.1%}"
            cells.append(text if held >= PROMISE else Marked(text, "off"))
        rows.append([*map(str, group), *cells])
    return [
        f"Amber: less than {PROMISE:.0%}. padded is the default.",
        Table("Share of draws", (*keys, *kinds), rows, 4),
    ]


def _plain(frame: pl.DataFrame, caption: str) -> Table:
    rows = [
        [f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row]
        for row in frame.iter_rows()
    ]
    return Table(caption, frame.columns, rows, 2)


__all__ = ["OPTIONS", "cells", "forget", "frames", "lines", "report"]

OPTIONS = ("groups", "newcomers")


def lines(results: dict[str, Any], frames: Frames) -> list[str]:
    """What was noticed, and what the numbers say."""
    _, _, cell = by_width(results)[0]
    return [*cell["notices"], *claims(results, frames)]
