"""Everything that is wrong or odd in a file, all at once, by the readers' own checks."""

import os

import numpy as np
import polars as pl

from leadline.files.problems import InputError, Notices, Problem
from leadline.files.scan import lines
from leadline.files.source import Source, check_text, read_source, regular
from leadline.formats import frames
from leadline.formats.normalised_qrels import normalise_qrels
from leadline.formats.ranking import rank
from leadline.formats.read_options import Reading
from leadline.formats.rows import Rows, has_equals
from leadline.formats.trec_qrels import examine_qrels
from leadline.formats.trec_run import examine_run


def lint_file(path: str | os.PathLike[str]) -> list[Problem]:
    """What a reader would refuse (error), what is probably not meant (warning), and notices."""
    try:
        source = read_source(path)
        table = frames.from_structured(source)
        if table is not None:
            return _lint_structured(table, source.name)
        check_text(source)
        found = _lint_run(source) if _is_run(source) else _lint_qrels(source)
        return sorted(found, key=lambda problem: problem.line or 0)
    except InputError as error:
        return error.problems


def _is_run(source: Source) -> bool:
    """Runs have six fields; qrels have four, or five if sampled."""
    head = lines(regular(next(source.chunks(1 << 16), b"")))
    if head.is_empty():
        return True
    return bool(head["n_fields"].mode().max() == 6)


def _lint_structured(table: pl.DataFrame, name: str) -> list[Problem]:
    # BEIR calls its grades scores; a bare number may be either, and is a score if it is anything.
    scored = ("value", "score", "run_score", "sim", "rank")
    is_run = any(column in table.columns for column in scored) and "corpus-id" not in table.columns
    reading = Reading()
    if is_run:
        frames.run_columns(table, name, reading)
    else:
        normalise_qrels(frames.qrels_columns(table, name, reading), name, reading.notices)
    return reading.notices.problems


def _lint_run(source: Source) -> list[Problem]:
    table, problems = examine_run(source)
    if table.is_empty():
        return problems
    name, rows = source.name, Rows.of_frame(table)
    if has_equals(rows.list_key):
        message = "the lines of a topic do not stand together"
        problems.append(Problem(name, None, "warning", "scattered", message))
    ranking = rank(rows, "score")
    listed = rank(rows, "listed").arrange(np.arange(len(rows)))
    # Equal scores may stand in any order, so the scores are compared and not the lines.
    moved = ranking.arrange(rows.run_score) != rows.run_score[listed]
    if moved.any():
        line = int(table["line"][int(listed[moved.argmax()])])
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
        line = int(table["line"][int(infinite.argmax())])
        message = f"{int(infinite.sum())} scores are infinite"
        problems.append(Problem(name, line, "warning", "infinite", message))
    return problems


def _lint_qrels(source: Source) -> list[Problem]:
    table, problems = examine_qrels(source)
    notices = Notices(problems)
    try:
        if len(table):
            normalise_qrels(table, source.name, notices)
    except InputError as error:
        notices.problems.extend(error.problems)
    return notices.problems
