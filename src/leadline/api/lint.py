"""lint: what is wrong in run, qrels and ndeval files, with line numbers."""

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import polars as pl

from leadline.api.result import PlainResult
from leadline.data.arrays import Int64s
from leadline.data.names import Names
from leadline.io.by_content import qrels_from
from leadline.io.collection import read_groups
from leadline.io.documents import documents_in, missing_documents
from leadline.io.formats import Content, Reading, TableFormat, format_of
from leadline.io.inputs import collection_inputs, expand
from leadline.io.lines import is_number, regular, whole_number
from leadline.io.normalised_qrels import normalise_qrels
from leadline.io.problems import InputError, Notices, Problem
from leadline.io.rows import has_equals, rank
from leadline.io.source import Source, check_text, read_source, run_name
from leadline.io.tabular import NAMES, qrels_columns, run_columns
from leadline.io.topics import topics_of
from leadline.io.topics_seen import (
    beyond_whole,
    beyond_whole_message,
    invisible_message,
    with_invisible,
)
from leadline.io.trec import check_qrels, check_run
from leadline.options import Argument

if TYPE_CHECKING:
    import altair as alt
    from rich.console import RenderableType


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
    scored = ("value", *NAMES["run_score"])
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
        message = "the lines of a topic are not contiguous"
        problems.append(Problem(name, None, "warning", "scattered", message))
    ranking = rank(rows, "float32")
    as_listed = rank(rows, "file-order")
    listed = as_listed.arrange(np.arange(len(rows)))
    # Equal scores may stand in any order, so the scores are compared, as 32-bit floats like there.
    with np.errstate(over="ignore"):
        score = rows.run_score.astype(np.float32)
    moved = ranking.arrange(score) != score[listed]
    if moved.any():
        line = int(number[listed[moved.argmax()]])
        message = f"{int(moved.sum())} lines are not in order of their scores; scores decide"
        problems.append(Problem(name, line, "warning", "order", message))
    if ranking.n_ties:
        message = f"{ranking.n_ties} neighbours have equal scores; ties go by docno, descending"
        problems.append(Problem(name, None, "notice", "ties", message))
    if len(ranking.made):
        message = f"{len(ranking.made)} of them are equal only as 32-bit floats"
        problems.append(Problem(name, None, "notice", "made-ties", message))
    beyond = np.zeros(len(rows), np.bool_)
    in_order = rows.run_score[listed]
    beyond[1:] = (in_order[1:] == in_order[:-1]) & beyond_whole(in_order[1:])
    beyond[as_listed.start] = False
    if beyond.any():
        message = beyond_whole_message(int(beyond.sum()))
        line = int(number[listed[beyond.argmax()]])
        problems.append(Problem(name, line, "warning", "beyond-whole", message))
    problems += _invisible(name, rows.doc, number)
    infinite = np.isinf(rows.run_score)
    if infinite.any():
        line = int(number[infinite.argmax()])
        message = f"{int(infinite.sum())} scores are infinite"
        problems.append(Problem(name, line, "warning", "infinite", message))
    return problems


def _invisible(name: str, docs: Names, number: Int64s) -> list[Problem]:
    """Return the warning about documents whose names hold invisible characters."""
    at = with_invisible(docs)
    if not len(at):
        return []
    names = docs.gather(at).to_list()
    message = invisible_message(len(set(names)), names[0])
    return [Problem(name, int(number[at[0]]), "warning", "invisible", message)]


def _lint_qrels(source: Source) -> list[Problem]:
    lines, number, problems = check_qrels(source)
    problems += _invisible(source.name, lines.doc, number)
    reading = Reading(notices=Notices(problems))
    try:
        if len(number):
            normalise_qrels(lines.frame(number), source.name, reading)
    except InputError as error:
        problems.extend(error.problems)
    return problems


COLUMNS = ["file", "line", "level", "code", "message"]


def _counted(rows: list[dict[str, Any]]) -> str:
    """Return how many findings of each level there are.

    >>> _counted([]), _counted([{"level": "error"}, {"level": "notice"}, {"level": "error"}])
    ('nothing found', '2 errors, 1 notice')
    """
    counts = Counter(row["level"] for row in rows)
    words = [f"{counts[x]} {x}{'s' if counts[x] > 1 else ''}" for x in LEVELS if counts[x]]
    return ", ".join(words) or "nothing found"


LEVELS = ("error", "warning", "notice")


@dataclass(frozen=True, eq=False, repr=False)
class Findings(PlainResult):
    """What was found, a row each; none if all is well."""

    n_files: int = 0
    files: tuple[str, ...] = ()

    def by_group(self, groups: str | os.PathLike[str]) -> dict[str, str]:
        """Return a report for each group of a groups.tsv: what was found in each of its runs.

        Runs of which groups.tsv says nothing are a group of their own.
        """
        runs = [file for file in self.files if Path(file).parent.name == "runs"]
        names = [run_name(file) for file in runs]
        table = read_groups(Path(groups), names, Notices())
        of_file: dict[str, list[dict[str, Any]]] = {file: [] for file in runs}
        for row in self.frame.iter_rows(named=True):
            of_file.setdefault(row["file"], []).append(row)
        texts: dict[str, list[str]] = {}
        for file, (run, group, *_) in zip(runs, table.iter_rows(), strict=True):
            rows = of_file[file]
            lines = [f"{run}: {_counted(rows)}"]
            for row in rows:
                where = "" if row["line"] is None else f"line {row['line']:,}: "
                lines.append(f"  {row['level']}: {where}{row['message']}")
            texts.setdefault(group, []).append("\n".join(lines))
        return {
            group: f"Runs of group {group}: {len(parts)} checked.\n\n" + "\n\n".join(parts) + "\n"
            for group, parts in texts.items()
        }

    @property
    def n_errors(self) -> int:
        """How many of the findings are errors."""
        return int((self.frame["level"] == "error").sum())

    def table(self) -> "RenderableType":
        """The findings; nothing if there are none."""
        return super().table() if len(self.frame) else ""

    def chart(self) -> "alt.TopLevelMixin":
        """How many findings there are of each code, by level."""
        from leadline.views.charts import count_bars

        heading = f"{len(self.frame):,} findings in {self.n_files:,} files"
        return count_bars(self.frame, "code", "level", heading)


def lint(
    files: Annotated[
        Iterable[str | os.PathLike[str]] | str | os.PathLike[str],
        Argument(metavar="FILE", many=True),
    ],
) -> Findings:
    """Columns file, line, level (error, warning, notice), code, message; no rows if all is well.

    files: runs, qrels, ndeval qrels. Patterns, folders and collection folders stand for the files
        that they hold.
    """
    given = [files] if isinstance(files, str | os.PathLike) else list(files)
    left_out = Notices()
    paths = [path for each in given for path in _files_of(os.fspath(each), left_out)]
    problems = left_out.problems + [
        # Faults beyond those that are explained share one problem.
        problem
        for path in paths
        for problem in dict.fromkeys(lint_file(path))
    ]
    problems += [each for path in given for each in _unknown_documents(Path(path))]
    rows = [(p.file, p.line, p.level, p.code, p.message) for p in problems]
    schema = {name: pl.Int64 if name == "line" else pl.String for name in COLUMNS}
    return Findings(
        pl.DataFrame(rows, schema=schema, orient="row"), n_files=len(paths), files=tuple(paths)
    )


def _unknown_documents(folder: Path) -> list[Problem]:
    """A warning about judgments of documents that the corpus of a collection folder lacks."""
    try:
        qrels, _ = collection_inputs(folder, runs=False)
        source = documents_in(folder)
    except InputError:
        return []
    if qrels is None or source is None:
        return []
    try:
        missing = missing_documents(qrels_from(qrels, Reading()).frame["doc"], source)
    except InputError:
        # What is wrong with the file is found where the file is read.
        return []
    if missing.is_empty():
        return []
    names = missing.to_list()
    some = ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
    message = f"judges {len(names):,} documents that {source.name} does not hold: {some}"
    return [Problem(str(qrels), None, "warning", "no-document", message)]


SHOWN = 5
"""Documents that a finding names."""


def _files_of(path: str, notices: Notices) -> list[str]:
    if (Path(path) / "runs").is_dir():
        qrels, runs = collection_inputs(path, need_qrels=False)
        return ([] if qrels is None else [str(qrels)]) + expand(str(runs), notices)
    return expand(path, notices)
