"""Tables for the terminal: runs by score, the interval drawn as a small bar.

The report embeds `certainty_css()`, and the judging app serves it as a file of its own.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from leadline.data.scores import Scores
from leadline.stats.certainty import CERTAINTY, MEANING, Certainty

WIDTH = 24
NAMES = ("run", "run_a", "run_b", "topic", "doc", "measure", "file", "group")
"""Columns whose words are never broken: a line may be longer than the terminal instead."""


def interval_bar(
    lower: float, value: float, upper: float, low: float, high: float, *, ends: bool = False
) -> Text:
    """Return the interval on a line from low to high, the value marked unless it is NaN.

    The part below the value is dim. With `ends`, the ends have signs of their own.

    >>> interval_bar(0.25, 0.25, 0.75, 0.0, 1.0).plain
    '      ┃────────────     '
    >>> interval_bar(0.25, 0.5, 0.75, 0.0, 1.0, ends=True).plain
    '      ├─────┃─────┤     '
    """
    span = high - low or 1.0

    def cell(x: float) -> int:
        return min(WIDTH - 1, max(0, int((x - low) / span * WIDTH)))

    first, last = cell(lower), cell(upper)
    mark = first if math.isnan(value) else cell(value)
    cells = [" "] * WIDTH
    cells[first : last + 1] = "─" * (last + 1 - first)
    if ends:
        cells[last], cells[first] = "┤", "├"
    if not math.isnan(value):
        cells[mark] = "┃"
    text = Text("".join(cells))
    text.stylize("dim", first, mark)
    text.stylize("cyan", mark, last + 1)
    if not math.isnan(value):
        text.stylize("bold default", mark, mark + 1)
    return text


def titled_table(title: str) -> Table:
    """A table to be filled, with its title above it on the left."""
    return UnbrokenTable(
        title=title, title_style="bold", title_justify="left", box=None, pad_edge=False
    )


class UnbrokenTable(Table):
    """A table whose columns that do not wrap are as wide as their words, however wide that is."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table, its columns wide enough."""
        self._widen()
        return super().__rich_console__(console, options)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """The width that it needs at least, and takes at most."""
        self._widen()
        return super().__rich_measure__(console, options)

    def _widen(self) -> None:
        for column in self.columns:
            if column.no_wrap and column.min_width is None:
                words = (column.header, *column.cells)
                column.min_width = max(cell_len(str(each)) for each in words)


class Fitting:
    """The first of some tables that fits the terminal, else the last: the most telling first."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self.tables = tables

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table chosen for this width."""
        yield next((table for table in self.tables if self._fits(table, options)), self.tables[-1])

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """The width of the narrowest, and of the widest."""
        least = Measurement.get(console, options, self.tables[-1]).minimum
        return Measurement(least, max(least, options.max_width))

    @staticmethod
    def _fits(table: Table, options: ConsoleOptions) -> bool:
        wide = options.update(max_width=10_000)
        return Measurement.get(Console(), wide, table).minimum <= options.max_width


def scores_table(frame: pl.DataFrame) -> RenderableType:
    """The means of `evaluate`, one table a measure, best run first."""
    parts: list[RenderableType] = []
    means = frame.filter(pl.col("topic") == "all")
    for (measure,), rows in means.group_by("measure", maintain_order=True):
        parts.append(_fitting(str(measure), rows, ("run",)))
        topics = frame.filter((pl.col("topic") != "all") & (pl.col("measure") == measure))
        if len(topics):
            parts.append(_fitting(f"{measure} by topic", topics, ("run", "topic"), sort=False))
    return Group(*parts)


def _fitting(title: str, rows: pl.DataFrame, names: tuple[str, ...], sort: bool = True) -> Fitting:
    """With the bar of the interval where there is room for it."""
    if sort:
        rows = rows.sort("value", "run", descending=[True, False], nulls_last=True)
    return Fitting([_measure_table(title, rows, names, bar) for bar in (True, False)])


def _measure_table(title: str, rows: pl.DataFrame, names: tuple[str, ...], bar: bool) -> Table:
    bounded = rows["upper"].is_not_null().any()
    table = titled_table(title)
    for name in names:
        table.add_column(name, no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    low, high = _range(rows)
    by_topics = "ci_lower" in rows.columns and rows["ci_lower"].is_not_null().any()
    if bounded:
        name = "certain" if by_topics else "interval"
        table.add_column(name, justify="right", no_wrap=True)
    if bounded and bar:
        table.add_column(f"{low:.2f}{f'{high:.2f}':>{WIDTH - 4}}", no_wrap=True)
    estimated = "standard_error" in rows.columns and rows["standard_error"].is_not_null().any()
    if estimated:
        table.add_column("standard error", justify="right", no_wrap=True)
    if by_topics:
        table.add_column("over topics (t)", justify="right", no_wrap=True, style="yellow")
    table.add_column("judged", justify="right", no_wrap=True)
    labelled = "value_with_labels" in rows.columns
    for name in ("with labels", "judged or labelled") if labelled else ():
        table.add_column(name, justify="right", no_wrap=True, style="italic")
    for row in rows.iter_rows(named=True):
        cells: list[str | Text] = [row[name] for name in names]
        cells.append(_number(row["value"]))
        ends = row["lower"], row["value"], row["upper"]
        if bounded and row["upper"] is None:
            cells += ["", ""] if bar else [""]
        elif bounded:
            cells.append(f"[{row['lower']:.4f}, {row['upper']:.4f}]")
            if bar:
                # Undefined as yet: the ends tell what it can become.
                middle = ends[0] if ends[1] is None else ends[1]
                cells.append(interval_bar(ends[0], middle, ends[2], low, high))
        if estimated:
            cells.append(_number(row["standard_error"], ""))
        if by_topics:
            known = row["ci_lower"] is not None
            cells.append(f"[{row['ci_lower']:.4f}, {row['ci_upper']:.4f}]" if known else "")
        cells.append("" if row["judged"] is None else f"{row['judged']:.0%}")
        if labelled:
            share = row["judged_with_labels"]
            cells += [_number(row["value_with_labels"]), "" if share is None else f"{share:.0%}"]
        # Run names and intervals may hold brackets, which are no markup.
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in cells))
    return table


def _range(rows: pl.DataFrame) -> tuple[float, float]:
    high = rows.select(pl.max_horizontal("value", "upper").max()).item()
    return 0.0, max(1.0, high or 0.0) if (high or 0) <= 1 else float(high)


def _number(value: float | None, none: str = "undefined") -> str:
    return none if value is None else f"{value:.4f}"


def plain_table(frame: pl.DataFrame) -> Table:
    """Any frame as a table."""
    table = UnbrokenTable(box=None, pad_edge=False)
    for column in frame.columns:
        table.add_column(column, overflow="fold", no_wrap=column in NAMES)
    for row in frame.iter_rows():
        table.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    return table


def wide_table(frame: pl.DataFrame) -> Table:
    """A row for each run (and topic), a column for each measure; best run by the first one first.

    Of a table by topic the order is kept.
    """
    names = [name for name in ("run", "topic") if name in frame.columns]
    measures = frame.columns[len(names) :]
    if "topic" not in names:
        frame = frame.sort(measures[0], "run", descending=[True, False], nulls_last=True)
    table = UnbrokenTable(box=None, pad_edge=False)
    for key in names:
        table.add_column(key, no_wrap=True)
    for measure in measures:
        table.add_column(Text(measure), justify="right", no_wrap=True)
    for row in frame.iter_rows():
        cells = [*row[: len(names)], *map(_number, row[len(names) :])]
        table.add_row(*map(Text, cells))
    return table


def estimates_table(frame: pl.DataFrame) -> RenderableType:
    """The means of `estimate`, one table a measure, best run by the last estimator first."""
    parts: list[RenderableType] = []
    for (measure,), rows in frame.group_by("measure", maintain_order=True):
        means = rows.filter(pl.col("topic") == "all")
        parts.append(_table(str(measure), means, ("run",), sort=True))
        topics = rows.filter(pl.col("topic") != "all")
        if len(topics):
            parts.append(_table(f"{measure} by topic", topics, ("run", "topic"), sort=False))
    return Group(*parts)


def _table(title: str, rows: pl.DataFrame, keys: tuple[str, ...], sort: bool) -> Table:
    names = rows["estimator"].unique(maintain_order=True).to_list()
    table = titled_table(title)
    for key in keys:
        table.add_column(key, no_wrap=True)
    doubted = set(rows.filter(pl.col("caveats").is_not_null())["estimator"])
    known = set(rows.filter(pl.col("pred_lower").is_not_null())["estimator"])
    for name in names:
        table.add_column(Text(f"{name} in doubt" if name in doubted else name), justify="right")
        if name in known:
            table.add_column("95% interval", justify="right", no_wrap=True)
    table.add_column("bounds", justify="right", no_wrap=True)
    estimates = {
        (*key, estimator): (value, lower, upper)
        for *key, estimator, value, lower, upper in rows.select(
            *keys, "estimator", "value", "pred_lower", "pred_upper"
        ).iter_rows()
    }
    last = rows.filter(estimator=names[-1])
    if sort:
        last = last.sort("value", "run", descending=[True, False], nulls_last=True)
    for row in last.iter_rows(named=True):
        labels = [row[name] for name in keys]
        cells = []
        for name in names:
            value, *interval = estimates[(*labels, name)]
            cells.append("undefined" if value is None else f"{value:.4f}")
            cells += [_ends(*interval)] * (name in known)
        table.add_row(*map(Text, [*labels, *cells, _ends(row["lower"], row["upper"])]))
    return table


def _ends(lower: float | None, upper: float | None) -> str:
    return "" if lower is None or upper is None else f"[{lower:.4f}, {upper:.4f}]"


def adjusted_tables(frame: pl.DataFrame) -> RenderableType:
    """One table a measure."""
    parts = frame.partition_by("measure", maintain_order=True)
    return Group(*map(_adjusted_table, parts))


def _adjusted_table(frame: pl.DataFrame) -> RenderableType:
    """Runs by adjusted score; below, why not to rely on some of them."""
    frame = frame.with_columns(
        before=pl.col("unadjusted").rank("min", descending=True).cast(pl.Int64),
        after=pl.col("adjusted").rank("min", descending=True).cast(pl.Int64),
    ).sort("adjusted", "run", descending=[True, False])
    title = f"{frame['measure'][0]} adjusted by {frame['adjuster'][0]}"
    table = titled_table(title)
    several = len(frame) > 1
    ends = frame.select(pl.max_horizontal("pred_upper", "adjusted").max()).item() or 1.0
    high = max(1.0, float(ends)) if ends <= 1 else float(ends)
    # On a narrow terminal the bar goes first, the name never.
    table.add_column("run", no_wrap=True, min_width=max(map(len, frame["run"])))
    if several:
        table.add_column("place", no_wrap=True)
    for name in ("unadjusted", "adjustment", "adjusted"):
        table.add_column(name, justify="right", no_wrap=True, min_width=len(name))
    table.add_column("95% prediction interval", justify="right", no_wrap=True, min_width=16)
    table.add_column("judged", justify="right", no_wrap=True, min_width=6)
    table.add_column(f"0.00{f'{high:.2f}':>{WIDTH - 4}}", no_wrap=True, min_width=1)
    for row in frame.iter_rows(named=True):
        cells: list[str | Text] = [row["run"]]
        if several:
            moved = row["before"] != row["after"]
            cells.append(f"{row['before']} > {row['after']}" if moved else f"{row['after']}")
        amount = f"{row['adjustment']:+.4f}"
        if row["judged"] == 1 and abs(row["adjustment"]) < 0.00005:
            amount = "none"
        cells += [f"{row['unadjusted']:.4f}", amount, f"{row['adjusted']:.4f}"]
        if row["pred_lower"] is None:
            ends = row["lower"], row["upper"]
            cells.append("unknown" if None in ends else "bounds [{:.4f}, {:.4f}]".format(*ends))
            cells += [f"{row['judged']:.0%}", ""]
        else:
            cells.append(f"[{row['pred_lower']:.4f}, {row['pred_upper']:.4f}]")
            cells.append(f"{row['judged']:.0%}")
            ends = row["pred_lower"], row["adjusted"], row["pred_upper"]
            cells.append(interval_bar(*ends, 0.0, high))
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in cells))
    reasons = [
        Text(f"{row['run']}: {row['caveats']}", style="yellow")
        for row in frame.iter_rows(named=True)
        if row["caveats"]
    ]
    return Group(table, *reasons)


def words_table(frame: pl.DataFrame, n_words: int) -> Table:
    """One row a rank: document, gain, the subtopic it is for, and the words that make it."""
    table = Table(box=None, pad_edge=False)
    table.add_column("rank", justify="right")
    table.add_column("doc")
    table.add_column("gain", justify="right")
    table.add_column("subtopic")
    table.add_column("words")
    for (rank,), part in frame.group_by("rank", maintain_order=True):
        gain = float(part["gain"][0])
        words = part.filter(~pl.col("word").str.starts_with("(") & (pl.col("part") > 0))
        pairs = words["word", "part"].head(n_words).rows()
        told = ", ".join(f"{word} {value:.3f}" for word, value in pairs)
        doc = part["doc"][0] or "(no text)"
        table.add_row(str(rank), doc, f"{gain:.4f}", part["subtopic"][0], told if gain > 0 else "")
    return table


ONLY_OVER_ALL = ("num_q", "gm_map")
"""What trec_eval tells of all topics together, and of none alone."""


def trec_eval_lines(
    scores: Sequence[Scores], names: Sequence[str], run_ids: Sequence[str], per_topic: bool
) -> str:
    """A first line with the id of each run, then its measures, on every topic if asked for.

    `names` has what trec_eval calls each measure; one that it has not keeps our name. What is
    undefined is left out.
    """
    lines: list[str] = []
    means = [each.mean() for each in scores]
    for run, name in enumerate(run_ids):
        if per_topic:
            for topic, of_topic in enumerate(scores[0].topics):
                for each, called in zip(scores, names, strict=True):
                    if called not in ONLY_OVER_ALL:
                        lines += _line(each, called, of_topic, float(each.value[run, topic]))
        lines.append(f"{'runid':<22}\tall\t{name}")
        for each, called, mean in zip(scores, names, means, strict=True):
            lines += _line(each, called, "all", float(mean[run]))
    return "".join(f"{line}\n" for line in lines)


def _line(scores: Scores, called: str, topic: str, value: float) -> list[str]:
    if value != value:
        return []
    number = f"{value:.0f}" if scores.over_topics == "sum" else f"{value:.4f}"
    return [f"{called:<22}\t{topic}\t{number}"]


@dataclass(frozen=True)
class CertaintyLook:
    """A colour on light and on dark paper, a style of the terminal, a mark for who sees none."""

    light: str
    dark: str
    style: str
    mark: str


LOOKS: dict[Certainty, CertaintyLook] = {
    "certain": CertaintyLook("#176b3a", "#5fc78d", "bold green", "●"),
    "likely": CertaintyLook("#0b5cad", "#7db8f5", "blue", "◐"),
    "open": CertaintyLook("#8a5a00", "#e6c04a", "yellow", "○"),
}
CERTAINTY_STYLES = {word: LOOKS[word].style for word in CERTAINTY}


def certainty_css() -> str:
    """Classes certainty-certain, certainty-likely and certainty-open: colour, and a mark
    before the word.
    """
    light = " ".join(f"--certainty-{word}: {LOOKS[word].light};" for word in CERTAINTY)
    dark = " ".join(f"--certainty-{word}: {LOOKS[word].dark};" for word in CERTAINTY)
    rules = "\n".join(
        f".certainty-{word} {{ color: var(--certainty-{word}); }} "
        f'.certainty-{word}::before {{ content: "{LOOKS[word].mark} "; }}'
        for word in CERTAINTY
    )
    return (
        f":root {{ {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n{rules}\n"
    )


def certainty_legend() -> str:
    """The three words and what they mean, in a line.

    >>> certainty_legend().startswith("certain: no judgment can change it; likely: ")
    True
    """
    return "; ".join(f"{word}: {MEANING[word]}" for word in CERTAINTY)
