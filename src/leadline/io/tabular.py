"""Runs and judgments in tables: csv, BEIR, Parquet, data frames, with and without a header.

Each becomes a polars frame with the columns that it has, or an InputError that says what was
expected.
"""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import polars as pl

from leadline.io.formats import Reading, TableFormat, first_fields, formats, is_trec
from leadline.io.lines import (
    INFINITE,
    NUMBER,
    is_number,
    numbered_lines,
    skip_hint,
    whole_number,
)
from leadline.io.normalised_qrels import normalise_qrels
from leadline.io.problems import InputError, Problem
from leadline.io.qrels import Qrels
from leadline.io.rows import Rows
from leadline.io.source import Source, check_text

NAMES = {
    "topic": ("topic", "qid", "query_id", "query-id", "q_id", "topic_id", "query"),
    "doc": ("doc", "docno", "doc_id", "docid", "corpus-id", "corpus_id", "document_id", "id"),
    "run_score": ("run_score", "score", "relevance_score", "similarity", "sim", "rank"),
    "grade": ("grade", "label", "relevance", "rel", "rating", "judgment", "judgement", "score"),
    "inclusion": ("inclusion",),
    "stratum": ("stratum",),
    "iteration": ("iteration", "iter", "subtopic", "subtopic_id"),
}
"""Our column names and how others call them, best first."""


def run_columns(frame: pl.DataFrame, name: str, reading: Reading) -> pl.DataFrame:
    """topic, doc, run_score of a run in any of the known spellings; a rank counts downwards."""
    score, column = run_scores(frame, name)
    made = _named(frame, name).with_columns(run_score=score)
    faults = [
        *name_faults(made),
        Fault("score", "the score must be a number", frame[column], _no_number(score)),
        Fault("duplicate", "listed twice for its topic", made["doc"], _repeated(made)),
    ]
    return sound(made, frame, faults, name, reading)


def run_scores(frame: pl.DataFrame, name: str) -> tuple[pl.Series, str]:
    """The scores of a run's rows, null where there is none, and the column that they come from."""
    column = find_column(frame.columns, ("value", *NAMES["run_score"]), "score", name)
    score = as_numbers(frame[column], "score", name)
    return (-score if column.lower() == "rank" else score), column


def qrels_columns(frame: pl.DataFrame, name: str, reading: Reading) -> pl.DataFrame:
    """topic, iteration, doc, grade, inclusion, stratum of judgments in any known spelling."""
    column = find_column(frame.columns, ("value", *NAMES["grade"]), "grade", name)
    frame = _with_labels(frame, column, name, reading)
    number = as_numbers(frame[column], "grade", name)
    if reading.fractions and ((number % 1) != 0).fill_null(False).any():
        number = (number * HUNDREDTHS).round()
    odd = _no_number(number) | (number != number.floor()) | ~number.is_between(-32768, 32767)
    made = _named(frame, name)
    faults = [
        *name_faults(made),
        Fault("grade", "the grade must be a whole number", frame[column], odd.fill_null(True)),
    ]
    second = [each for each in frame.columns if each.lower() in NAMES["iteration"]]
    made = made.with_columns(
        grade=number.cast(pl.Int16, strict=False),
        iteration=frame[second[0]].cast(pl.String) if second else pl.lit("0"),
        inclusion=pl.lit(None, pl.Float64),
        stratum=pl.lit(None, pl.Int16),
    )
    for what, dtype in (("inclusion", pl.Float64), ("stratum", pl.Int16)):
        known = next((each for each in frame.columns if each.lower() in NAMES[what]), None)
        if known is not None:
            drawn = as_numbers(frame[known], what, name)
            faults.append(drawn_fault(what, drawn, frame[known]))
            made = made.with_columns(drawn.cast(dtype, strict=False).alias(what))
    return sound(made, frame, faults, name, reading)


HUNDREDTHS = 100
"""Grades of labels with fractions are read in this unit: only their shares of the highest count."""

UNLABELLED = ("refused", "malformed", "failed", "unasked")
"""What the column state of `leadline label` says of a pair without a grade."""


def _with_labels(frame: pl.DataFrame, grade: str, name: str, reading: Reading) -> pl.DataFrame:
    """The rows but those that say themselves why they have no grade."""
    if "state" not in frame.columns or frame["state"].dtype != pl.String:
        return frame
    left = pl.col(grade).is_null() | (pl.col(grade).cast(pl.String) == "")
    left &= pl.col("state").is_in(UNLABELLED).fill_null(False)
    labels = frame.filter(~left)
    if len(labels) < len(frame) and len(labels):
        message = f"{len(frame) - len(labels):,} pairs have no label, and count as unjudged"
        reading.notices.add(name, "notice", "unlabelled", message)
    return labels


@dataclass(frozen=True)
class Fault:
    """What is wrong in some rows, and the column that shows it."""

    code: str
    message: str
    column: pl.Series
    bad: pl.Series


def drawn_fault(what: str, number: pl.Series, column: pl.Series) -> Fault:
    """What is wrong with inclusion probabilities or strata."""
    if what == "inclusion":
        fine = number.is_between(0, 1, closed="right")
        message = "the inclusion probability must be above 0 and at most 1"
    else:
        fine = number.is_between(0, 32767) & (number == number.floor())
        message = "the stratum must be a whole number from 0 to 32767"
    return Fault(what, message, column, ~fine.fill_null(False))


def sound(
    made: pl.DataFrame, frame: pl.DataFrame, faults: list[Fault], name: str, reading: Reading
) -> pl.DataFrame:
    """The rows without a fault; an InputError if there are others and reading is strict."""
    if made.is_empty():
        raise InputError.of(name, "empty", "is empty")
    problems = []
    wrong = pl.repeat(False, len(made), eager=True)
    for fault in faults:
        wrong |= fault.bad
        for row in fault.bad.arg_true().to_list():
            line = int(frame["line"][row]) if "line" in frame.columns else None
            where = "" if line is not None else f"row {row + 1}: "
            message = f"{where}{fault.message}, found {fault.column[row]!r}"
            problems.append(Problem(name, line, "error", fault.code, message))
    if problems and (not reading.skip_bad_lines or wrong.all()):
        n_faulty = int(wrong.sum())
        raise InputError(problems, skip_hint(n_faulty, len(made) - n_faulty, "rows"))
    if problems:
        message = f"{int(wrong.sum())} faulty rows were skipped"
        reading.notices.add(name, "warning", "skipped", message)
    return made.filter(~wrong)


def _named(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    return pl.DataFrame(
        {what: as_names(frame, what, name) for what in ("topic", "doc")},
        schema=dict.fromkeys(("topic", "doc"), pl.String),
    )


def as_names(frame: pl.DataFrame, what: str, name: str) -> pl.Series:
    """A column as text; null where it is none."""
    column = frame[find_column(frame.columns, NAMES[what], what, name)]
    if column.dtype.is_float() and (column.drop_nans() == column.drop_nans().floor()).all():
        # pandas turns whole numbers into floats where one is missing.
        column = column.fill_nan(None).cast(pl.Int64, strict=False)
    try:
        return column.cast(pl.String, strict=False)
    except pl.exceptions.PolarsError:
        told = "bytes that are not UTF-8" if column.dtype == pl.Binary else str(column.dtype)
        message = f"the {what} must be text or a number, found {told}"
        raise InputError.of(name, what, message) from None


def name_faults(made: pl.DataFrame) -> list[Fault]:
    """Rows without a topic or a doc."""
    return [
        Fault(what, f"the {what} is missing", made[what], made[what].fill_null("") == "")
        for what in ("topic", "doc")
    ]


def find_column(columns: list[str], names: Iterable[str], what: str, name: str) -> str:
    """The column that is called by one of these names; an InputError if none is."""
    lower = {column.lower(): column for column in columns}
    for known in names:
        if known in lower:
            return lower[known]
    have = ", ".join(column for column in columns if column != "line")
    message = f"has no column for the {what} (one of {', '.join(names)}); its columns are {have}"
    raise InputError.of(name, "columns", message)


def as_numbers(column: pl.Series, what: str, name: str) -> pl.Series:
    """The column as floats; null where a text is no number."""
    if column.dtype == pl.String:
        fine = column.str.contains(f"^(?:{NUMBER}|{INFINITE})$")
        known = column.set(~fine.fill_null(False), None)
        return known.str.to_lowercase().cast(pl.Float64)
    if not column.dtype.is_numeric():
        raise InputError.of(name, what, f"the {what} must be a number, found {column.dtype}")
    return column.cast(pl.Float64)


def _no_number(column: pl.Series) -> pl.Series:
    return column.is_null() | column.is_nan().fill_null(True)


def _repeated(made: pl.DataFrame) -> pl.Series:
    """Rows whose pair came before."""
    return ~made.select(pl.struct("topic", "doc").is_first_distinct()).to_series()


_PLACES = ((0, "topic"), (1, "doc"))


def to_frame(what: Any, name: str) -> pl.DataFrame:
    """A polars frame of a table, of rows (named tuples, dicts, (topic, doc, value)), or of dicts.

    Nested dicts get topic, doc, value, and subtopic if they are {topic: {subtopic: {doc: value}}};
    {topic: [doc, ...]} gets topic, doc and rank.
    """
    if isinstance(what, pl.LazyFrame):
        return what.collect()
    if isinstance(what, pl.DataFrame):
        return what
    if isinstance(what, Mapping):
        if what and all(hasattr(part, "to_polars") for part in what.values()):
            splits = ", ".join(map(str, what))
            raise InputError.of(name, "columns", f"has several splits: give one of {splits}")
        return from_nested(what, name)
    if isinstance(getattr(what, "frame", None), pl.DataFrame):
        # What a verb gave.
        return pl.DataFrame(what.frame)
    if hasattr(what, "to_polars"):
        # A data set of HuggingFace.
        return pl.DataFrame(what.to_polars())
    if hasattr(what, "column_names"):
        return pl.DataFrame(pl.from_arrow(what))
    if hasattr(what, "columns") and hasattr(what, "__getitem__"):
        # Column by column, since polars' own conversion from pandas needs pyarrow.
        return pl.DataFrame([_series(str(each), what[each].tolist()) for each in what.columns])
    return from_records(what, name)


def from_nested(what: Any, name: str) -> pl.DataFrame:
    """Columns topic, doc and value or rank, and subtopic if there are three levels."""
    expected = "expected {topic: {doc: number}}"
    if not isinstance(what, Mapping):
        raise InputError.of(name, "columns", f"{expected}, found {what!r:.60}")
    filled = (part for part in what.values() if isinstance(part, Mapping) and part)
    # One value tells it for all: a mixture is found to be wrong further on.
    if isinstance(next(iter(next(filled, {}).values()), None), Mapping):
        parts = [
            from_nested({topic: docs}, name).with_columns(subtopic=pl.lit(str(subtopic)))
            for topic, subtopics in what.items()
            for subtopic, docs in (subtopics if isinstance(subtopics, Mapping) else {"": 0}).items()
        ]
        return pl.concat(parts, how="vertical_relaxed")
    rankings = bool(what) and all(isinstance(part, list | tuple) for part in what.values())
    rows: list[tuple[str, str | None, Any]] = []
    for topic, docs in what.items():
        if rankings:
            rows += [(str(topic), *_ranked(doc, at)) for at, doc in enumerate(docs, 1)]
        elif isinstance(docs, Mapping):
            rows += [(str(topic), str(doc), value) for doc, value in docs.items()]
        else:
            message = f"{expected}, found {docs!r:.60} for topic {topic!r:.60}"
            raise InputError.of(name, "columns", message)
    scored = rankings and any(
        isinstance(doc, list | tuple) for part in what.values() for doc in part
    )
    names = [pl.Series(each, [row[at] for row in rows], pl.String) for at, each in _PLACES]
    value = "rank" if rankings and not scored else "value"
    return pl.DataFrame([*names, _series(value, [row[2] for row in rows])])


def _ranked(doc: Any, rank: int) -> tuple[str | None, Any]:
    """A document and its rank, or the score that stands beside it."""
    if isinstance(doc, list | tuple):
        return (str(doc[0]), doc[1]) if len(doc) == 2 else (None, None)
    return (None if doc is None else str(doc)), rank


def from_records(what: Iterable[Any], name: str) -> pl.DataFrame:
    """The columns that rows name, or topic, doc and value of rows of three."""
    rows = list(what)
    if not rows:
        raise InputError.of(name, "empty", "is empty")
    if all(isinstance(row, Mapping) for row in rows):
        names = list(dict.fromkeys(str(key) for row in rows for key in row))
        return pl.DataFrame([_series(key, [row.get(key) for row in rows]) for key in names])
    fields = getattr(rows[0], "_fields", ("topic", "doc", "value"))
    odd = next((at for at, row in enumerate(rows) if not _is_row(row, len(fields))), None)
    if odd is not None:
        message = (
            f"row {odd + 1}: expected (topic, doc, number), a dict or a named tuple, "
            f"found {rows[odd]!r:.60}"
        )
        raise InputError.of(name, "columns", message)
    columns = zip(*rows, strict=True)
    return pl.DataFrame([_series(key, each) for key, each in zip(fields, columns, strict=True)])


def _is_row(row: Any, n_fields: int) -> bool:
    return isinstance(row, list | tuple) and len(row) == n_fields


def _series(name: str, values: Sequence[Any]) -> pl.Series:
    """Whole numbers, numbers, or whatever else it is as text; null where nothing is."""
    kinds = {type(value) for value in values if value is not None}
    try:
        if kinds <= {int}:
            return pl.Series(name, values, pl.Int64)
        if kinds <= {int, float}:
            return pl.Series(name, [None if v is None else float(v) for v in values], pl.Float64)
    except (OverflowError, TypeError):
        pass
    return pl.Series(name, [_text(value) for value in values], pl.String)


def _text(value: Any) -> str | None:
    return None if value is None or value != value else str(value)


def read_table(
    source: Source, separator: str, quote: str | None = '"', names: Sequence[str] | None = None
) -> pl.DataFrame:
    """The columns that the first line names, all of them text, and the line of each row.

    Where names are given there is no such line.

    An InputError names every row that has too many or too few cells.
    """
    check_text(source)
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE
    reader = csv.reader(
        _lines(source), delimiter=separator, quotechar=quote, quoting=quoting, strict=True
    )
    try:
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        message = f"cannot be read: {error}"
        raise InputError.of(source.name, "format", message, reader.line_num) from None
    if not rows:
        raise InputError.of(source.name, "empty", "is empty but for separators")
    first, header = rows[0]
    if names is None:
        names, rows = [name.strip() for name in header], rows[1:]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        message = f"has two columns named {twice!r}. Rename one"
        raise InputError.of(source.name, "columns", message, first)
    told = f"expected {len(names)} columns as in the first line"
    _refuse_ragged(source, rows, len(names), "columns", told)
    cells = zip(*(row for _, row in rows), strict=True) if rows else ([] for _ in names)
    columns = {
        name: pl.Series(cell, dtype=pl.String) for name, cell in zip(names, cells, strict=True)
    }
    return pl.DataFrame({**columns, "line": pl.Series([line for line, _ in rows], dtype=pl.Int64)})


def _lines(source: Source) -> Iterator[str]:
    number = 1
    for text in source.texts():
        for line in text.split(b"\n")[: -1 if text.endswith(b"\n") else None]:
            try:
                yield line.decode() + "\n"
            except UnicodeDecodeError:
                message = "is not UTF-8 text. Convert the file to UTF-8"
                raise InputError.of(source.name, "encoding", message, number) from None
            number += 1


class HeadedTable(TableFormat):
    """What csv and tab-separated tables have in common: a first line that names columns."""

    separator: ClassVar[str]
    quote: ClassVar[str | None]

    def looks_like(self, source: Source) -> bool:
        """A column for the topic and one for the doc are named, and there is no number.

        Of a table that is not of four to six fields, one of the two tells it.
        """
        if is_trec(source):
            return False
        header = source.head.lstrip().partition(b"\n")[0].decode("utf-8", "replace").strip()
        cells = header.replace(self.quote or "\0", "").split(self.separator)
        names = {cell.strip().lower() for cell in cells}
        known = sum(not names.isdisjoint(NAMES[what]) for what in ("topic", "doc"))
        if len(cells) < 2 or any(map(is_number, names)):
            return False
        return known == 2 or (known == 1 and len(first_fields(source)) not in (4, 5, 6))

    def table(self, source: Source) -> pl.DataFrame:
        return read_table(source, self.separator, self.quote)


@formats.register
@dataclass(frozen=True)
class Csv(HeadedTable):
    """Runs or qrels, comma-separated, with a header that names the columns.

    Formula: qid,docno,score
    """

    separator = ","
    quote = '"'


@formats.register
@dataclass(frozen=True)
class Tsv(HeadedTable):
    """Runs or qrels, tab-separated without quotation marks, with a header that names the columns.

    Formula: qid TAB docno TAB score
    """

    separator = "\t"
    quote = None


Layout = tuple[str, ...]

RUN_LAYOUTS: tuple[Layout, ...] = (
    ("topic", "doc", "score"),
    ("topic", "doc", "rank", "score"),
    ("topic", "Q0", "doc", "score"),
    ("topic", "Q0", "doc", "rank", "score"),
    ("topic", "doc", "rank", "score", "tag"),
)
"""What columns may be, by their number and by what stands in them."""

RANKED: Layout = ("topic", "doc", "rank")
"""How MS MARCO writes runs."""

JUDGED: Layout = ("topic", "doc", "grade")
"""Judgments without the second field of TREC's."""


@formats.register
@dataclass(frozen=True)
class HeadlessTable(TableFormat):
    """Runs without header, rank or tag: csv, tabs or white space, detected by content.

    Formula: topic doc score, or topic doc rank score, or topic Q0 doc rank score
    """

    def looks_like(self, source: Source) -> bool:
        return not is_trec(source) and _layout(source) is not None

    def table(self, source: Source) -> pl.DataFrame:
        layout = _layout(source)
        if layout is None:
            raise InputError.of(source.name, "columns", "has no columns that are known")
        return _read(source, layout)

    def read_run(self, source: Source, reading: Reading) -> Rows:
        layout = _layout(source) or ()
        reading.notices.add(source.name, "notice", "headless", _told(layout))
        return super().read_run(source, reading)

    def read_qrels(self, source: Source, reading: Reading) -> Qrels:
        layout = _layout(source) or ()
        if len(layout) != len(JUDGED):
            message = f"{_told(layout)}, as a run. Give the qrels first, then the runs"
            raise InputError.of(source.name, "not-qrels", message)
        reading.notices.add(source.name, "notice", "headless", _told(JUDGED))
        columns = qrels_columns(_read(source, JUDGED), source.name, reading)
        return normalise_qrels(columns, source.name, reading)


def _read(source: Source, layout: Layout) -> pl.DataFrame:
    if (separator := _separator(source)) is not None:
        return read_table(source, separator, '"' if separator == "," else None, layout)
    return _spaced(source, layout)


def _told(layout: Layout) -> str:
    return f"has {len(layout)} columns and no header: read as {' '.join(layout)}"


def _separator(source: Source) -> str | None:
    """What stands between fields; None for white space."""
    first = source.head.lstrip().partition(b"\n")[0]
    return next((each for each in (",", "\t") if 2 <= first.count(each.encode()) <= 4), None)


def _layout(source: Source) -> Layout | None:
    """What the columns are, if the first line and most after it agree; None if they do not."""
    separator = _separator(source)
    lines = source.head.decode("utf-8", "replace").split("\n")
    # The last may be cut.
    rows = [line.split(separator) for line in lines[: -1 if len(lines) > 1 else None]]
    rows = [[cell.strip() for cell in row] for row in rows if any(row)]
    widths = Counter(map(len, rows))
    width, n = max(widths.items(), key=lambda item: item[1], default=(0, 0))
    if 2 * n <= len(rows):
        return None
    first, rows = rows[0], [row for row in rows if len(row) == width]
    for layout in RUN_LAYOUTS:
        fitting = [_fits(row, layout) for row in (first, *rows)]
        if fitting[0] and 2 * sum(fitting) > len(fitting):
            return RANKED if width == 3 and _with_ranks(rows) else layout
    return None


def _fits(row: list[str], layout: Layout) -> bool:
    if len(row) != len(layout):
        return False
    for cell, what in zip(row, layout, strict=True):
        fine = {
            "score": is_number(cell),
            "rank": whole_number(cell) is not None,
            "Q0": cell.lower() == "q0",
        }
        if not fine.get(what, cell != ""):
            return False
    # Four columns of which the last is a whole number are judgments.
    return layout != RUN_LAYOUTS[2] or whole_number(row[-1]) is None


def _with_ranks(rows: list[list[str]]) -> bool:
    """Whether the third column counts 1, 2, 3 for every topic, which no score does."""
    last: dict[str, int] = {}
    for topic, _, number in rows:
        if whole_number(number) != last.get(topic, 0) + 1:
            return False
        last[topic] = last.get(topic, 0) + 1
    return max(last.values(), default=0) > 1


def _refuse_ragged(
    source: Source, rows: Iterable[tuple[int, Sequence[str]]], n: int, code: str, expected: str
) -> None:
    """Raise an InputError for numbered rows that have not n fields."""
    ragged = [
        Problem(source.name, line, "error", code, f"{expected}, found {len(row)}")
        for line, row in rows
        if len(row) != n
    ]
    if ragged:
        raise InputError(ragged)


def _spaced(source: Source, layout: Layout) -> pl.DataFrame:
    """The columns of lines whose fields stand between white space, and the number of each line."""
    check_text(source)
    lines = list(numbered_lines(source))
    told = f"expected {len(layout)} fields as in most lines ({' '.join(layout)})"
    _refuse_ragged(source, lines, len(layout), "fields", told)
    columns = {
        name: pl.Series([fields[at] for _, fields in lines], dtype=pl.String)
        for at, name in enumerate(layout)
    }
    return pl.DataFrame({**columns, "line": pl.Series([n for n, _ in lines], dtype=pl.Int64)})


@formats.register
@dataclass(frozen=True)
class BeirQrels(Tsv):
    """BEIR's qrels, as in qrels/test.tsv; its queries and corpus are JSON lines.

    Formula: query-id TAB corpus-id TAB score
    """

    def looks_like(self, source: Source) -> bool:
        header = source.head.partition(b"\n")[0].strip().lower().split(b"\t")
        return super().looks_like(source) and {b"query-id", b"corpus-id"} <= set(header)


@formats.register
@dataclass(frozen=True)
class Parquet(TableFormat):
    """Runs or qrels as a Parquet table with the usual names of columns.

    Formula: columns qid, docno, score
    """

    def looks_like(self, source: Source) -> bool:
        return source.head.startswith(b"PAR1") and not is_trec(source)

    def table(self, source: Source) -> pl.DataFrame:
        with parquet_faults(source.name):
            return pl.read_parquet(io.BytesIO(source.data))


@contextmanager
def parquet_faults(name: str) -> Iterator[None]:
    """Whatever polars cannot read as an InputError with the file's name."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = (str(error) or "it is damaged").splitlines()[0]
        raise InputError.of(name, "format", f"cannot be read: {reason}") from None
