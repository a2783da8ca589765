"""TREC run files: `topic Q0 doc rank score tag`."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from leadline.files.decimals import decimals
from leadline.files.faults import Found, check_lines, is_number, shown, skip_or_stop, wrong_fields
from leadline.files.lines import RegularLines, Text
from leadline.files.problems import Notices, Problem
from leadline.files.source import Source
from leadline.files.white_space import whole_text
from leadline.formats.format import FileFormat, first_fields, formats, is_trec
from leadline.formats.read_options import Reading
from leadline.formats.rows import Rows
from leadline.tables.arrays import Int64s

_TOPIC, _DOC, _SCORE, _FIELDS = 0, 2, 4, 6


def plain_rows(texts: Iterable[Text]) -> Rows | None:
    """The rows of one run a text, each of regular lines; None if a line is not as it should be.

    Everything is checked and nothing is explained. The rows may still hold a document twice: see
    `Rows.are_sound`.
    """
    lines = RegularLines.of(texts, _FIELDS)
    if lines is None:
        return None
    score = decimals(lines.text, lines.start(_SCORE), lines.stop(_SCORE))
    if score is None:
        return None
    rows = Rows.of(lines.names(_TOPIC), lines.names(_DOC), score, lines.first)
    # A line commented out has a topic of its own, and so begins a stretch.
    commented = lines.text[rows.topic.start] == ord("#")
    return None if bool(np.any(commented)) else rows


def read_run(source: Source, notices: Notices, lenient: bool = False) -> Rows:
    """The run's rows in the order of the file.

    Strict: a faulty file ends in an InputError that names every fault. Lenient: faulty lines are
    left out and counted in the notices.
    """
    rows = plain_rows([whole_text(source)])
    if rows is None or not rows.are_sound():
        rows, _, problems = check_run(source)
        skip_or_stop(source.name, problems, len(rows), notices, lenient)
    return rows


@formats.register
@dataclass(frozen=True)
class TrecRun(FileFormat):
    """A run in TREC's format: six fields on a line.

    Formula: topic Q0 doc rank score tag
    """

    def looks_like(self, source: Source) -> bool:
        return is_trec(source) and len(first_fields(source)) == _FIELDS

    def read_run(self, source: Source, reading: Reading) -> Rows:
        return read_run(source, reading.notices, reading.lenient)


def check_run(source: Source) -> tuple[Rows, Int64s, list[Problem]]:
    """The sound rows, the number of each one's line, and every fault of the other lines."""
    name = source.name
    checked = check_lines(source, _fault, lambda text: plain_rows([text]) is not None)
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
    wrong = wrong_fields(fields, _FIELDS)
    if wrong is None and not is_number(fields[_SCORE]):
        text = f"{shown(fields[_SCORE], 30)}: {shown(' '.join(fields))}"
        return "score", f"the score must be a number, found {text}"
    return wrong
