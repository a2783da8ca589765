"""Targets for lines of fields: what readers make of bytes is what the documented rules say."""

import gzip
from collections.abc import Callable
from functools import cache
from typing import TypeVar

import numpy as np

from leadline.api.lint import lint_file
from leadline.data.subtopics import Subtopics
from leadline.io.by_content import qrels_from, run_from
from leadline.io.formats import Reading, format_of, is_trec
from leadline.io.inputs import topics_from
from leadline.io.lines import whole_text
from leadline.io.normalised_qrels import normalise_qrels
from leadline.io.problems import InputError, Notices, Problem
from leadline.io.rows import Rows
from leadline.io.source import Source
from leadline.io.topics import intents_from
from leadline.io.trec import (
    QrelsLines,
    check_qrels,
    check_run,
    plain_lines,
    plain_rows,
    read_qrels,
    read_run,
)
from tests.fuzz.target import may_refuse, scratch, target
from tests.reference.formats import Parsed, field_lines, parse_qrels, parse_run

Found = TypeVar("Found")
RUN_FIELDS = 6
PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")


def codes(problems: list[Problem]) -> dict[int, str]:
    """The code of every line's fault."""
    return {problem.line or 0: problem.code for problem in problems}


def parsed_by(check: Callable[[], Parsed]) -> Parsed:
    """What a reader makes of a file, also where it refuses it as a whole."""
    try:
        return check()
    except InputError as error:
        (problem,) = error.problems
        return Parsed(faults={0: problem.code})


def run_rows(rows: Rows) -> list[tuple[str, str, float]]:
    """Topic, doc and score of every row."""
    topics = rows.topic.gather(rows.stretch_of(np.arange(len(rows)))).to_list()
    return list(zip(topics, rows.doc.to_list(), rows.run_score.tolist(), strict=True))


def checked_run(source: Source) -> Parsed:
    """What the reader that explains makes of a run."""
    rows, number, problems = check_run(source)
    numbered = zip(number.tolist(), run_rows(rows), strict=True)
    return Parsed([(at, *row) for at, row in numbered], codes(problems))


def checked_qrels(source: Source) -> Parsed:
    """What the reader that explains makes of qrels."""
    lines, number, problems = check_qrels(source)
    numbered = zip(number.tolist(), qrels_rows(lines), strict=True)
    return Parsed([(at, *row) for at, row in numbered], codes(problems))


def qrels_rows(lines: QrelsLines) -> list[tuple[object, ...]]:
    """Topic, second field, doc, grade, inclusion probability and stratum of every line.

    Without polars, whose threads cost more than the reading of a small file.
    """
    unknown = [None] * len(lines.grade)
    share = unknown if lines.inclusion is None else lines.inclusion.tolist()
    stratum = unknown if lines.stratum is None else lines.stratum.tolist()
    names = lines.topic.to_list(), lines.iteration.to_list(), lines.doc.to_list()
    return list(zip(*names, lines.grade.tolist(), share, stratum, strict=True))


def fast_by(read: Callable[[], Found]) -> Found | None:
    """What a fast reader makes of a text; None where that is nothing, or it holds a NUL byte."""
    try:
        return read()
    except InputError as error:
        assert [problem.code for problem in error.problems] == ["binary"]
        return None


@target("run", "qrels", share=60)
def trec_run(data: bytes) -> None:
    """The fast reader and the one that explains agree with the parser of the rules."""
    if data.startswith(PACKED):
        return
    wanted, source = parse_run(data), Source("run", held=data)
    assert parsed_by(lambda: checked_run(source)) == wanted
    fast = fast_by(lambda: plain_rows([whole_text(source)]))
    # White space and comments are no reason to look at lines one by one; words after the tag are.
    lines = field_lines(data)
    longer = not isinstance(lines, str) and any(len(line) > RUN_FIELDS for _, line in lines)
    assert longer or (fast is not None) == (set(wanted.faults.values()) <= {"duplicate"})
    if fast is not None and fast.are_sound():
        assert run_rows(fast) == [row[1:] for row in wanted.rows]


@target("qrels", "run", share=60)
def trec_qrels(data: bytes) -> None:
    """The fast reader and the one that explains agree with the parser of the rules."""
    if data.startswith(PACKED):
        return
    wanted, source = parse_qrels(data), Source("qrels", held=data)
    assert parsed_by(lambda: checked_qrels(source)) == wanted
    fast = fast_by(lambda: plain_lines(whole_text(source)))
    assert (fast is not None) == (not wanted.faults)
    if fast is not None:
        assert qrels_rows(fast) == [row[1:] for row in wanted.rows]


@target("run", share=40)
def run_taken_or_refused(data: bytes) -> None:
    """Packed, strictly or leniently: all that the rules take, or a refusal and nothing noticed."""
    wanted, skip_bad_lines = parse_run(data), len(data) % 2 == 0
    notices = Notices()
    found: list[tuple[str, str, float]] | None = None
    try:
        packed = gzip.compress(data, 1)
        found = run_rows(read_run(Source("run", held=packed), notices, skip_bad_lines))
    except InputError:
        assert not notices.problems
    taken = wanted.rows and (skip_bad_lines or not wanted.faults)
    assert found == ([row[1:] for row in wanted.rows] if taken else None)
    assert len(notices.problems) == bool(taken and wanted.faults)


@target("qrels", share=10)
def qrels_taken_or_refused(data: bytes) -> None:
    """What agrees is merged, what does not is refused; grades below zero are settled."""
    if data.startswith(PACKED):
        return
    wanted = parse_qrels(data)
    rows = {(topic, doc): what for _, topic, _, doc, *what in reversed(wanted.rows)}
    if len({row[1:4] for row in wanted.rows}) > len(rows):
        return  # Subtopics have a target of their own.
    conflict = any(rows[row[1], row[3]] != list(row[4:]) for row in wanted.rows)
    sound = not wanted.faults and not conflict and any(grade != -1 for grade, *_ in rows.values())
    sound = sound and all(topic != "all" for topic, _ in rows)
    grades: dict[tuple[str, str], int] | None = None
    try:
        qrels = read_qrels(Source("qrels", held=data), Reading())
        grades = {(topic, doc): grade for topic, doc, grade, *_ in qrels.frame.rows()}
    except InputError as error:
        told = {problem.code for problem in error.problems}
        if conflict and not wanted.faults:
            assert told <= {"conflict", "topic-all"}, told
    settled = {pair: None if g == -1 else max(0, g) for pair, (g, *_) in rows.items()}
    assert grades == (settled if sound else None)


@target("ndeval", "qrels", share=5)
def subtopics(data: bytes) -> None:
    """Judgments per subtopic are what the rules say, with the line of each conflict."""
    if data.startswith(PACKED):
        return
    wanted = parse_qrels(data)
    units: dict[tuple[object, ...], list[tuple[int, list[object]]]] = {}
    for line, topic, second, doc, *what in wanted.rows:
        # A grade of -1 judges nothing, so that it contradicts nothing.
        if what[0] != -1:
            what[0] = max(0, what[0])  # type: ignore[call-overload]
            units.setdefault((topic, second, doc), []).append((line, what))
    conflicts = {line for told in units.values() for line, what in told[1:] if what != told[0][1]}
    seconds = {row[2] for row in wanted.rows}
    sound = not wanted.faults and len(seconds) > 1 and bool(units) and not conflicts
    sound = sound and all(row[1] != "all" for row in wanted.rows)
    found: set[tuple[object, ...]] | None = None
    path = scratch(data)
    try:
        qrels = qrels_from(path, Reading(subtopics=True)) if _is_trec(data) else None
        if qrels is None:
            return
        assert qrels.subtopics is not None
        found = set(qrels.subtopics.frame.rows())
    except InputError as error:
        if {problem.code for problem in error.problems} == {"conflict"}:
            assert {problem.line for problem in error.problems} == conflicts
    expected = {(*unit, told[0][1][0]) for unit, told in units.items()}
    assert found == (expected if sound else None)


def _is_trec(data: bytes) -> bool:
    source = Source("x", held=data)
    return is_trec(source) or format_of(source, "qrels") is None


@target("run", "qrels", "table", share=2)
def lint_as_reading(data: bytes) -> None:
    """Lint finds errors in a file if no reader takes it, and in none that both would take."""
    path = scratch(data)
    errors = [each for each in lint_file(path) if each.level == "error"]
    refused = {}
    for kind, read in (("run", _read_run), ("qrels", _read_qrels)):
        try:
            read(path)
        except InputError as error:
            refused[kind] = {(each.line, each.code) for each in error.problems}
    if not errors:
        assert len(refused) < 2, refused
    else:
        assert refused, errors
        told = {(each.line, each.code) for each in errors}
        assert told in refused.values() or _mixed(told, refused), (told, refused)


def _mixed(told: set[tuple[int | None, str]], refused: dict[str, set[object]]) -> bool:
    """Whether lint, which goes on after the first kind of faults, found more of the same file."""
    return any(known <= told for known in refused.values())


def _read_run(path: object) -> None:
    run_from(path, "run", Reading())


def _read_qrels(path: object) -> None:
    qrels_from(path, Reading())


@target("topics", "run", share=140)
def topic_lists(data: bytes) -> None:
    """A plain list of topics is the first field of every line."""
    path = scratch(data)
    lines = None if data.startswith(PACKED) else field_lines(data)
    head = data.lstrip(b"\xef\xbb\xbf").lstrip()[:1]
    plain = isinstance(lines, list) and b"\t" not in data and head not in b"<{["
    names = None
    with may_refuse(path):
        names = topics_from(path)
    if names is not None and plain:
        assert isinstance(lines, list)
        assert names == list(dict.fromkeys(fields[0].decode() for _, fields in lines))
    if names is not None:
        assert all(names), "a topic without a name"


@target("intents", "run", share=30)
def intents(data: bytes) -> None:
    """Probabilities of subtopics are numbers above zero, or refused with their line."""
    path = scratch(data)
    with may_refuse(path):
        found = intents_from(path, _judged())
        assert all(0 <= share < float("inf") for share in found.values())
        assert {topic for topic, _ in found} >= {"1"}


@cache
def _judged() -> Subtopics:
    lines = plain_lines(b"1 1 a 1\n1 2 b 1\n")
    assert lines is not None
    subtopics = normalise_qrels(lines.frame(), "qrels", Reading(subtopics=True)).subtopics
    assert subtopics is not None
    return subtopics
