"""Everything that is wrong or odd in a file, all at once, by the readers' own checks."""

import os
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl

from leadline.files.faults import is_number, whole_number
from leadline.files.problems import InputError, Notices, Problem
from leadline.files.source import Source, check_text, read_source
from leadline.files.white_space import regular
from leadline.formats.format import Content, TableFormat, format_of
from leadline.formats.normalised_qrels import normalise_qrels
from leadline.formats.ranking import rank
from leadline.formats.read_options import Reading
from leadline.formats.rows import has_equals
from leadline.formats.table_columns import qrels_columns, run_columns
from leadline.formats.topic_files import topics_of
from leadline.formats.trec_qrels import check_qrels
from leadline.formats.trec_run import check_run


def lint_file(path: str | os.PathLike[str]) -> list[Problem]:
    """What a reader would refuse (error), what is probably not meant (warning), and notices.

    What a file is meant to be is told by most of its first lines, and by its name where those do
    not tell.
    """
    try:
        source = read_source(path)
        content = content_of(source)
        if content == "topics":
            topics_of(source)
            return []
        if content == "documents":
            return _lint_documents(source)
        known = None if mostly_trec(source) else format_of(source, content)
        if isinstance(known, TableFormat):
            return _lint_table(known.table(source), source.name)
        check_text(source)
        found = _lint_run(source) if content == "run" else _lint_qrels(source)
        return sorted(found, key=lambda problem: problem.line or 0)
    except InputError as error:
        return error.problems


def content_of(source: Source) -> Content:
    """What a file holds: topics and documents by name, runs and judgments by most of its lines."""
    path = Path(source.name)
    stem = path.name.lower().partition(".")[0]
    if stem in ("topics", "queries"):
        return "topics"
    if stem in ("docs", "documents", "corpus"):
        return "documents"
    widths = _widths(source)
    n = sum(widths.values())
    if 2 * widths[6] > n:
        return "run"
    if 2 * (widths[4] + widths[5]) > n:
        return "qrels"
    named = "qrel" in path.name.lower() or path.parent.name == "qrels"
    return "qrels" if named else "run"


def mostly_trec(source: Source) -> bool:
    """Whether most of the first lines have as many fields as runs or judgments of TREC."""
    lines = [line.split(b" ") for line in _lines(source)]
    six = sum(len(fields) == 6 and is_number(_text(fields[4])) for fields in lines)
    four = sum(
        len(fields) in (4, 5)
        and whole_number(_text(fields[3])) is not None
        and not (len(fields) == 5 and fields[1].lower() == b"q0")
        for fields in lines
    )
    return 2 * (six + four) > len(lines)


def _text(field: bytes) -> str:
    return field.decode("utf-8", "replace")


def _lines(source: Source) -> list[bytes]:
    """The first lines, without the last if it may be cut."""
    lines = [line for line in regular(source.head).split(b"\n") if line]
    return lines[:-1] if len(lines) > 1 and not source.head.endswith(b"\n") else lines


def _widths(source: Source) -> Counter[int]:
    return Counter(line.count(b" ") + 1 for line in _lines(source))


def _lint_documents(source: Source) -> list[Problem]:
    """Faults of documents, all of which are read; a notice if the file has none."""
    known = format_of(source, "documents")
    if known is None:
        message = 'holds no documents: expected JSON lines {"id": ..., "text": ...} or <DOC>'
        return [Problem(source.name, None, "error", "document", message)]
    for _ in known.read_documents(source):
        pass
    return []


def _lint_table(table: pl.DataFrame, name: str) -> list[Problem]:
    # BEIR calls its grades scores; a bare number may be either, and is a score if it is anything.
    scored = ("value", "score", "run_score", "sim", "rank")
    is_run = any(column in table.columns for column in scored) and "corpus-id" not in table.columns
    reading = Reading()
    if is_run:
        run_columns(table, name, reading)
    else:
        normalise_qrels(qrels_columns(table, name, reading), name, reading)
    return reading.notices.problems


def _lint_run(source: Source) -> list[Problem]:
    rows, number, problems = check_run(source)
    if not len(rows):
        return problems
    name = source.name
    if has_equals(rows.list_number):
        message = "the lines of a topic do not stand together"
        problems.append(Problem(name, None, "warning", "scattered", message))
    ranking = rank(rows, "score")
    listed = rank(rows, "listed").arrange(np.arange(len(rows)))
    # Equal scores may stand in any order, so the scores are compared, as 32-bit floats like there.
    with np.errstate(over="ignore"):
        score = rows.run_score.astype(np.float32)
    moved = ranking.arrange(score) != score[listed]
    if moved.any():
        line = int(number[listed[moved.argmax()]])
        message = (
            f"{int(moved.sum())} lines do not stand in the order of their scores; scores count"
        )
        problems.append(Problem(name, line, "warning", "order", message))
    if ranking.n_ties:
        message = f"{ranking.n_ties} neighbours have equal scores; ties go by docno, descending"
        problems.append(Problem(name, None, "notice", "ties", message))
    if len(ranking.made):
        message = f"{len(ranking.made)} of them are equal only as 32-bit floats"
        problems.append(Problem(name, None, "notice", "made-ties", message))
    infinite = np.isinf(rows.run_score)
    if infinite.any():
        line = int(number[infinite.argmax()])
        message = f"{int(infinite.sum())} scores are infinite"
        problems.append(Problem(name, line, "warning", "infinite", message))
    return problems


def _lint_qrels(source: Source) -> list[Problem]:
    lines, number, problems = check_qrels(source)
    reading = Reading(notices=Notices(problems))
    try:
        if len(number):
            normalise_qrels(lines.frame(number), source.name, reading)
    except InputError as error:
        problems.extend(error.problems)
    return problems
