"""TREC's files: runs, qrels, and ndeval's qrels with subtopics.

sample_eval's have the stratum before the grade: `topic iteration doc stratum grade`. ndeval's qrels
have the four fields with a subtopic in the second.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.data.arrays import Floats, Int16s, Int64s
from leadline.data.names import Names
from leadline.io.formats import FileFormat, Reading, first_fields, formats, is_trec
from leadline.io.lines import (
    Found,
    RegularLines,
    Text,
    check_lines,
    is_number,
    numbered_lines,
    quoted,
    regular,
    skip_or_stop,
    whole_number,
    whole_text,
    wrong_fields,
)
from leadline.io.numbers import decimals, wholes
from leadline.io.problems import InputError, Notices, Problem
from leadline.io.qrels import Qrels
from leadline.io.rows import Rows, doc_keys, has_equals, topic_keys
from leadline.io.source import Source, read_source

if TYPE_CHECKING:
    import polars as pl


_RUN_TOPIC, _RUN_DOC, _RUN_SCORE, _RUN_FIELDS = 0, 2, 4, 6


def plain_rows(texts: Iterable[Text]) -> Rows | None:
    """The rows of one run a text, each of regular lines; None if a line is not as it should be.

    Everything is checked and nothing is explained. The rows may still hold a document twice: see
    `Rows.are_sound`.
    """
    lines = RegularLines.of(texts, _RUN_FIELDS)
    if lines is None:
        return None
    score = decimals(lines.text, lines.start(_RUN_SCORE), lines.stop(_RUN_SCORE))
    if score is None:
        return None
    rows = Rows.of(lines.names(_RUN_TOPIC), lines.names(_RUN_DOC), score, lines.first)
    # A line commented out has a topic of its own, and so begins a stretch.
    commented = lines.text[rows.topic.start] == ord("#")
    return None if bool(np.any(commented)) else rows


def read_run(source: Source, notices: Notices, skip_bad_lines: bool = False) -> Rows:
    """The run's rows in the order of the file.

    Strict: a faulty file ends in an InputError that names every fault. Lenient: faulty lines are
    left out and counted in the notices.
    """
    rows, _, problems = check_run(source)
    skip_or_stop(source.name, problems, len(rows), notices, skip_bad_lines)
    return rows


@formats.register
@dataclass(frozen=True)
class TrecRun(FileFormat):
    """A run in TREC's format: six fields on a line.

    Formula: topic Q0 doc rank score tag
    """

    def looks_like(self, source: Source) -> bool:
        return is_trec(source) and len(first_fields(source)) == _RUN_FIELDS

    def read_run(self, source: Source, reading: Reading) -> Rows:
        return read_run(source, reading.notices, reading.skip_bad_lines)


def run_tag(path: str | None) -> str | None:
    """Return the last field of a run's first line; None of what is no file in TREC's format."""
    if path is None or path == "-":
        return None
    fields = first_fields(read_source(path))
    sound = len(fields) >= _RUN_FIELDS and is_number(fields[_RUN_SCORE])
    return fields[_RUN_FIELDS - 1] if sound else None


def check_run(source: Source) -> tuple[Rows, Int64s, list[Problem]]:
    """The sound rows, the number of each one's line, and every fault of the other lines."""
    name = source.name
    checked = check_lines(source, _fault, lambda text: plain_rows([text]) is not None, _RUN_FIELDS)
    if checked.mostly(4):
        message = "looks like a qrels file: most lines have 4 fields, a run's have 6 " + (
            "(topic Q0 doc rank score tag). Give the qrels first, then the runs"
        )
        problem = Problem(name, None, "error", "not-a-run", message)
        return Rows.nothing(), checked.number[:0], [problem]
    rows = plain_rows([checked.text]) if checked.text else Rows.nothing()
    assert rows is not None, "lines without a fault are read"
    twice = rows.repeats()
    for row, first in twice.items():
        topic = rows.topic[int(rows.stretch_of(np.array([row]))[0])]
        message = (
            f"doc {rows.doc[row]} is listed twice for topic {topic} "
            f"(first on line {checked.number[first]}). Keep one of the two lines"
        )
        line = int(checked.number[row])
        checked.problems.append(Problem(name, line, "error", "duplicate", message))
    keep = np.ones(len(rows), np.bool_)
    keep[list(twice)] = False
    return rows.only(keep) if twice else rows, checked.number[keep], checked.problems


def _fault(fields: list[str]) -> Found | None:
    # As trec_eval, take what follows the tag for a comment; not a docno that holds a blank.
    beyond = fields[_RUN_SCORE - 1 : _RUN_FIELDS]
    if len(fields) > _RUN_FIELDS and [is_number(each) for each in beyond] == [True, True, False]:
        fields = fields[:_RUN_FIELDS]
    wrong = wrong_fields(fields, _RUN_FIELDS)
    if wrong is None and not is_number(fields[_RUN_SCORE]):
        text = f"{quoted(fields[_RUN_SCORE], 30)}: {quoted(' '.join(fields))}"
        return "score", f"the score must be a number, found {text}"
    return wrong


_TOPIC, _SECOND, _DOC, _FOURTH, _FIFTH = range(5)
_SEPARATES = re.compile("[\\x00-\\x20\\ud800-\\udfff]")
_LOWEST, _HIGHEST = -32768, 32767


@dataclass(frozen=True, eq=False)
class QrelsLines:
    """The fields of qrels lines; inclusion and stratum where the file has them."""

    topic: Names
    iteration: Names
    doc: Names
    grade: Int16s
    inclusion: Floats | None = None
    stratum: Int16s | None = None

    def frame(self, line: Int64s | None = None) -> pl.DataFrame:
        """Columns topic, iteration, doc, grade, inclusion, stratum, and line if it is known."""
        import polars as pl

        unknown = [None] * len(self.grade)
        share = unknown if self.inclusion is None else self.inclusion
        stratum = unknown if self.stratum is None else self.stratum
        columns = {
            "topic": self.topic.series,
            "iteration": self.iteration.series,
            "doc": self.doc.series,
            "grade": pl.Series(self.grade, dtype=pl.Int16),
            "inclusion": pl.Series(share, dtype=pl.Float64),
            "stratum": pl.Series(stratum, dtype=pl.Int16),
        }
        return pl.DataFrame(columns if line is None else {**columns, "line": line})


@dataclass(frozen=True)
class Layout:
    """How many fields the lines have, and whether the fourth of five is a stratum."""

    n_fields: int
    stratified: bool

    @classmethod
    def of(cls, source: Source) -> Layout:
        """As most lines have it.

        Five fields hold a stratum and a grade if all numbers in the fifth are whole and some is 0
        or below, which no probability can be. A number above 1 is no sign: five fields that end in
        one may be a run without its tag.
        """
        widths: Counter[int] = Counter()
        whole, grades = True, False
        for _, fields in numbered_lines(source):
            widths[len(fields)] += 1
            if len(fields) == 5 and is_number(fields[_FIFTH]):
                whole = whole and fields[_FIFTH].lstrip("+-").isdigit()
                grades = grades or float(fields[_FIFTH]) <= 0
        five = widths[5] > widths[4]
        return cls(5 if five else 4, five and whole and grades)


def plain_lines(text: bytes, layout: Layout | None = None) -> QrelsLines | None:
    """The fields of regular lines; None if a line is not as it should be.

    Without a layout it is told by these lines alone.
    """
    n_fields = layout.n_fields if layout else text[: text.find(b"\n")].count(b" ") + 1
    lines = RegularLines.of([text], n_fields) if n_fields in (4, 5) else None
    if lines is None or (lines.text[lines.start(_TOPIC)] == ord("#")).any():
        return None
    names = lines.names(_TOPIC), lines.names(_SECOND), lines.names(_DOC)
    last = wholes(lines.text, lines.start(n_fields - 1), lines.stop(n_fields - 1))
    if n_fields == 4:
        grade = _inside(last, _LOWEST)
        return None if grade is None else QrelsLines(*names, grade)
    fourth = wholes(lines.text, lines.start(_FOURTH), lines.stop(_FOURTH))
    if layout.stratified if layout else last is not None and bool((last <= 0).any()):
        grade, stratum = _inside(last, _LOWEST), _inside(fourth, 0)
        if grade is None or stratum is None:
            return None
        return QrelsLines(*names, grade, None, stratum)
    grade = _inside(fourth, _LOWEST)
    share = decimals(lines.text, lines.start(_FIFTH), lines.stop(_FIFTH))
    if grade is None or share is None or not ((share > 0) & (share <= 1)).all():
        return None
    return QrelsLines(*names, grade, share)


def _inside(number: Int64s | None, lowest: int) -> Int16s | None:
    if number is None or not ((number >= lowest) & (number <= _HIGHEST)).all():
        return None
    return number.astype(np.int16)


def read_qrels(source: Source, reading: Reading) -> Qrels:
    """Judgments of any kind: plain, sampled, stratified or ndeval's.

    Strict: an InputError names every faulty line. Lenient: they are left out and counted.
    """
    lines, line = plain_lines(whole_text(source)), None
    if lines is None and reading.fractions:
        fractions = _fractions(source, reading)
        if fractions is not None:
            return fractions
    if lines is None:
        lines, line, problems = check_qrels(source)
        skip_or_stop(
            source.name, problems, len(lines.grade), reading.notices, reading.skip_bad_lines
        )
    elif not reading.subtopics and not reading.map_grades and not reading.second_field:
        plain = _plain_qrels(lines, source.name)
        if plain is not None:
            return plain
    # Only here, because polars takes longer to load than most judgments take to be read.
    from leadline.io.normalised_qrels import has_repeats, normalise_qrels

    frame = lines.frame(line)
    if line is None and has_repeats(frame, reading):
        lines, line, _ = check_qrels(source)
        frame = lines.frame(line)
    return normalise_qrels(frame, source.name, reading)


def _fractions(source: Source, reading: Reading) -> Qrels | None:
    """Labels of which some are fractions; None if none is, or a line has no four fields."""
    rows = [fields for _, fields in numbered_lines(source)]
    if any(len(row) != 4 or not is_number(row[3]) for row in rows):
        return None
    grades = [float(row[3]) for row in rows]
    if all(grade.is_integer() for grade in grades):
        return None
    import polars as pl

    from leadline.io.normalised_qrels import normalise_qrels
    from leadline.io.tabular import qrels_columns

    topics, _, docs, _ = zip(*rows, strict=True)
    frame = pl.DataFrame({"topic": topics, "doc": docs, "grade": grades})
    return normalise_qrels(qrels_columns(frame, source.name, reading), source.name, reading)


@formats.register
@dataclass(frozen=True)
class TrecQrels(FileFormat):
    """Judgments in TREC's format: four fields on a line, five if documents were sampled.

    Formula: topic 0 doc grade [probability], or topic 0 doc stratum grade
    """

    def looks_like(self, source: Source) -> bool:
        return is_trec(source) and len(first_fields(source)) in (4, 5)

    def read_qrels(self, source: Source, reading: Reading) -> Qrels:
        return read_qrels(source, reading)


def run_text(rows: Iterable[tuple[str, str, int, float]], tag: str) -> str:
    """Return a run in TREC's format from rows of topic, doc, rank and score.

    >>> run_text([("1", "a", 1, 2.5)], "mine")
    '1 Q0 a 1 2.5 mine\\n'
    """
    lines = (f"{topic} Q0 {doc} {rank} {score!r} {tag}\n" for topic, doc, rank, score in rows)
    return "".join(lines)


def qrels_text(grades: Mapping[tuple[str, str], int]) -> str:
    """Judgments by topic and doc as lines of qrels.

    An InputError if a name would be read as another, or not at all: JSON and tables may hold names
    with blanks, and topics that look like comments or marks.
    """
    for topic, doc in grades:
        odd = next((name for name in (topic, doc) if not name or _SEPARATES.search(name)), None)
        if odd is None and topic.startswith(("#", "\ufeff")):
            odd = topic
        if odd is not None:
            message = f"cannot be written: no field of qrels may be {quoted(odd, 60)}. Rename it"
            raise InputError.of("qrels", "fields", message)
    return "".join(f"{topic} 0 {doc} {grade}\n" for (topic, doc), grade in grades.items())


def _plain_qrels(lines: QrelsLines, name: str) -> Qrels | None:
    """The judgments where nothing about them has to be said or settled."""
    topic, doc = lines.topic, lines.doc
    if lines.inclusion is not None or lines.stratum is not None or lines.grade.min() < 0:
        return None
    if "all" in topic.gather(np.flatnonzero(topic.changed())).to_list():
        return None
    if has_equals(topic_keys(topic) ^ doc_keys(doc)):
        return None
    return Qrels(topic, doc, lines.grade, np.ones(len(lines.grade), np.bool_), name)


def check_qrels(source: Source) -> tuple[QrelsLines, Int64s, list[Problem]]:
    """The fields of the sound lines, the lines' numbers, and every fault of the others."""
    layout = Layout.of(source)
    checked = check_lines(
        source, _fault_in(layout), lambda text: plain_lines(text, layout) is not None
    )
    text, problems = checked.text, checked.problems
    if checked.mostly(6):
        message = "looks like a run: most lines have 6 fields, qrels have 4 " + (
            "(topic 0 doc grade). Give the qrels first, then the runs"
        )
        text, problems = b"", [Problem(source.name, None, "error", "not-qrels", message)]
    if not text:
        none = Names.of([])
        return QrelsLines(none, none, none, np.zeros(0, np.int16)), checked.number[:0], problems
    lines = plain_lines(text, layout)
    assert lines is not None, "lines without a fault are read"
    return lines, checked.number, problems


def _fault_in(layout: Layout) -> Callable[[list[str]], Found | None]:
    def fault(fields: list[str]) -> Found | None:
        wrong = wrong_fields(fields, layout.n_fields)
        if wrong is not None:
            return wrong
        grade = fields[_FIFTH if layout.stratified else _FOURTH]
        if not _is_whole(grade, _LOWEST):
            code, what, found = "grade", "grade must be a whole number from -32768 to 32767", grade
        elif layout.stratified and not _is_whole(fields[_FOURTH], 0):
            what = "stratum must be a whole number from 0 to 32767"
            code, found = "stratum", fields[_FOURTH]
        elif layout.n_fields == 5 and not layout.stratified and not _is_share(fields[_FIFTH]):
            what = "inclusion probability must be above 0 and at most 1"
            code, found = "inclusion", fields[_FIFTH]
        else:
            return None
        return code, f"the {what}, found {quoted(found, 30)}: {quoted(' '.join(fields))}"

    return fault


def _is_whole(text: str, lowest: int) -> bool:
    number = whole_number(text)
    return number is not None and lowest <= number <= _HIGHEST


def _is_share(text: str) -> bool:
    return is_number(text) and 0 < float(text) <= 1


@formats.register
@dataclass(frozen=True)
class NdevalQrels(TrecQrels):
    """Judgments per subtopic, as ndeval reads them.

    Formula: topic subtopic doc grade
    """

    def looks_like(self, source: Source) -> bool:
        if not super().looks_like(source):
            return False
        lines = [line.split(b" ") for line in regular(source.head).split(b"\n")]
        units = {tuple(fields[:3]) for fields in lines if len(fields) == 4}
        return len({(unit[0], unit[2]) for unit in units}) < len(units)
