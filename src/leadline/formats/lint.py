"""Everything that is wrong or odd in a file, all at once, by the readers' own checks."""

import os
from collections import Counter

import numpy as np
import polars as pl

from leadline.files.problems import InputError, Notices, Problem
from leadline.files.source import Source, check_text, read_source
from leadline.files.white_space import regular
from leadline.formats.format import TableFormat, format_of, is_trec
from leadline.formats.normalised_qrels import normalise_qrels
from leadline.formats.ranking import rank
from leadline.formats.read_options import Reading
from leadline.formats.rows import has_equals
from leadline.formats.table_columns import qrels_columns, run_columns
from leadline.formats.trec_qrels import check_qrels
from leadline.formats.trec_run import check_run


def lint_file(path: str | os.PathLike[str]) -> list[Problem]:
    """What a reader would refuse (error), what is probably not meant (warning), and notices."""
    try:
        source = read_source(path)
        known = None if is_trec(source) else format_of(source, "run")
        if isinstance(known, TableFormat):
            return _lint_table(known.table(source), source.name)
        check_text(source)
        found = _lint_run(source) if _is_run(source) else _lint_qrels(source)
        return sorted(found, key=lambda problem: problem.line or 0)
    except InputError as error:
        return error.problems


def _is_run(source: Source) -> bool:
    """Runs have six fields; qrels have four, or five if sampled."""
    lines = [line for line in regular(source.head).split(b"\n") if line]
    widths = Counter(line.count(b" ") + 1 for line in lines)
    return not widths or widths[6] == max(widths.values())


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
