"""Whatever a user points at - paths, globs, folders, tables - as qrels, runs and labels."""

import glob
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

from leadline.io.by_content import is_one_run, is_table, qrels_from, run_from
from leadline.io.formats import Reading, is_trec
from leadline.io.problems import InputError, Notices
from leadline.io.qrels import Qrels
from leadline.io.rows import InParts, Rows
from leadline.io.source import (
    Source,
    check_name,
    files_below,
    is_side_file,
    is_url,
    matching_urls,
    read_source,
    run_name,
    shown_path,
    url_size,
)

QRELS_NAMES = ("qrels.txt", "qrels.ndeval.txt", "qrels.tsv", "qrels/test.tsv", "qrels")
FILES_SHOWN = 5
"""Files that a notice names."""
RUNS_SHOWN = 5
"""Runs that a message names."""
SUBTOPIC_FIRST = ("qrels.ndeval.txt", "qrels.ndeval", *QRELS_NAMES)


@dataclass(frozen=True)
class NamedRun:
    """A run that has not been read yet; with a `span`, those bytes of its file."""

    name: str
    what: Any
    span: tuple[int, int] | None = None

    @cached_property
    def size(self) -> int:
        """Bytes of the file, roughly those of its content; 0 where there is no file."""
        if self.span is not None:
            return self.span[1] - self.span[0]
        if isinstance(self.what, InParts):
            return self.what.size
        if not isinstance(self.what, str | os.PathLike):
            return 0
        if is_url(self.what):
            return url_size(os.fspath(self.what))
        path = Path(self.what)
        if not path.is_file():
            return 0
        packed = 4 if path.suffix in (".gz", ".zst") else 1
        return path.stat().st_size * packed

    def rows(self, reading: Reading) -> Rows:
        """Read it."""
        return run_from(self.what, self.name, reading)


def run_in_parts(run: NamedRun) -> InParts | None:
    """A run in tables, which need not be in memory; None of any other."""
    if isinstance(run.what, InParts):
        return run.what
    if not isinstance(run.what, str | os.PathLike) or Path(run.what).suffix != ".parquet":
        return None
    path = Path(run.what)
    if not path.is_file() or not _begins(path, b"PAR1"):
        return None
    # Only here, because it loads polars.
    from leadline.io.partitioned import PartFile, PartitionedRun

    return PartitionedRun(shown_path(path), (PartFile(str(path)),))


def _begins(path: Path, mark: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(mark)) == mark
    except OSError:
        # Told by whoever reads it.
        return False


def plain_sources(named: list[NamedRun]) -> list[Source] | None:
    """The files of runs, if all can be read a second time should that be needed; else None."""
    if any(not isinstance(run.what, str | os.PathLike) or run.size == 0 for run in named):
        return None
    sources = [replace(read_source(run.what), span=run.span) for run in named]
    return sources if all(map(is_trec, sources)) else None


def runs_from(what: Any, notices: Notices | None = None) -> list[NamedRun]:
    """Runs from paths, globs, folders, tables or a mapping of names to any of these.

    A mapping {topic: {doc: score}} is one run; {name: {topic: {doc: score}}} are several. A table
    with a column run holds several too. `notices` is told of files of a folder that are no runs.
    """
    found = list(_runs_from(what, notices or Notices()))
    names = [run.name for run in found]
    for name in names:
        if names.count(name) > 1:
            what = [run.what for run in found if run.name == name]
            paths = [str(each) for each in what if isinstance(each, str | os.PathLike)]
            hint = f"{', '.join(paths)}. Rename one of the files" if paths else "give {name: run}"
            message = f"two runs are named {name}: {hint}"
            raise InputError.of("", "name-twice", message)
    if not found:
        raise InputError.of("", "no-runs", "there are no runs to evaluate")
    return found


def no_run(text: str, parameter: str, names: Iterable[str]) -> InputError:
    """Return the error for what is neither a file nor the name of one of these runs."""
    return InputError.of(
        text, "no-run", f"is no file, and no run is named so{listed_runs(names)} (`{parameter}`)"
    )


def listed_runs(names: Iterable[str]) -> str:
    """Return the first runs' names as the end of a message."""
    known = list(names)
    more = ", ..." if len(known) > RUNS_SHOWN else ""
    return f"; there are {', '.join(known[:RUNS_SHOWN])}{more}" if known else ""


RunNames = Iterable[str] | str | None
"""Names of runs or patterns of names, also several with commas between them; None for all."""


def picked_names(names: RunNames, known: Sequence[str], where: str = "") -> list[str]:
    """Return the known names that are asked for, in their own order; an InputError for no match.

    >>> picked_names("bm25*,dense", ["bm25", "bm25-rm3", "dense", "random"])
    ['bm25', 'bm25-rm3', 'dense']
    """
    if names is None:
        return list(known)
    texts = [names] if isinstance(names, str) else list(names)
    chosen: set[str] = set()
    for text in texts:
        # A name that holds a comma or a bracket is still a name.
        for each in [text] if text in known else re.split(r"\s*,\s*", text.strip()):
            found = [each] if each in known else [n for n in known if fnmatchcase(n, each)]
            if not found:
                near = get_close_matches(each, known, 1)
                hint = f": did you mean {near[0]}?" if near else listed_runs(known)
                message = f"no run is named so{hint} (`run_names`)"
                raise InputError.of(where, "no-run", f"{each}: {message}")
            chosen.update(found)
    return [name for name in known if name in chosen]


def picked_runs(named: list[NamedRun], names: RunNames, where: str = "") -> list[NamedRun]:
    """Return the runs that are asked for."""
    chosen = set(picked_names(names, [run.name for run in named], where))
    return [run for run in named if run.name in chosen]


def names_after_folder(qrels: Any, runs: Any, run_names: RunNames) -> tuple[Any, RunNames]:
    """Return `runs` and `run_names` where names of a collection folder's runs may follow it.

    A file of the folder stands for its run. An InputError for what is no run of the folder.
    """
    if runs is None or not isinstance(qrels, str | os.PathLike) or qrels == "none":
        return runs, run_names
    folder = Path(qrels) / "runs"
    given = [runs] if isinstance(runs, str | os.PathLike) else runs
    if folder.is_dir() and several_collections(qrels, runs) is not None:
        message = (
            "is a second collection folder: give one at a time; compare and report take several"
        )
        raise InputError.of(os.fspath(given[0]), "several", message)
    if not folder.is_dir() or not isinstance(given, list | tuple) or not given:
        return runs, run_names
    if not all(isinstance(each, str | os.PathLike) for each in given):
        return runs, run_names
    known = [run.name for run in runs_from(folder)]
    names: list[str] = []
    for each in map(os.fspath, given):
        path = Path(each)
        inside = path.is_file() and path.resolve().parent == folder.resolve()
        name = run_name(each) if inside else each
        if path.exists() and name not in known:
            message = (
                f"is no run of the collection folder {qrels}. Give names of its runs after it"
                f"{listed_runs(known)}; or its qrels file, and files of runs"
            )
            raise InputError.of(each, "no-run", message)
        names += picked_names([name], known, os.fspath(qrels))
    return None, names if run_names is None else picked_names(run_names, names, os.fspath(qrels))


def several_collections(qrels: Any, runs: Any = None) -> dict[str, Any] | None:
    """Return collections by name: folders, or what was read before; None if it is not several.

    They come as a list, as a mapping of names, or as folders after a folder.

    >>> several_collections({"1": {"a": 1}}, {"1": {"a": 9.0}}) is None
    True
    """
    if runs is None and isinstance(qrels, Mapping):
        if qrels and all(map(_holds_runs, qrels.values())):
            return {str(name): each for name, each in qrels.items()}
        return None
    given = [qrels, runs] if isinstance(runs, str | os.PathLike) else [qrels, *(runs or [])]
    if runs is None:
        given = list(qrels) if isinstance(qrels, list | tuple) else [qrels]
    elif not isinstance(runs, str | os.PathLike | list | tuple):
        return None
    if not given or not all(map(_holds_runs, given)):
        return None
    if len(given) < 2 and not isinstance(qrels, list | tuple):
        return None
    paths = [getattr(each, "folder", None) if is_collection(each) else each for each in given]
    names = ["" if path is None else Path(path).resolve().name for path in paths]
    if len(set(names)) < len(names) or "" in names:
        names = [
            f"collection {at}" if path is None else os.fspath(path)
            for at, path in enumerate(paths, 1)
        ]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError.of("", "name-twice", f"the collection {twice} is given twice")
    return dict(zip(names, given, strict=True))


def _holds_runs(what: Any) -> bool:
    """Whether it is a collection, or a folder that has one."""
    if isinstance(what, str | os.PathLike):
        return (Path(what) / "runs").is_dir()
    return is_collection(what)


def _runs_from(what: Any, notices: Notices) -> Iterator[NamedRun]:
    if isinstance(what, str | os.PathLike):
        check_name(what)
        if holds_partitions(what):
            # Only here, because it loads polars.
            from leadline.io.partitioned import partitioned_runs

            for name, run in partitioned_runs(os.fspath(what)).items():
                yield NamedRun(name, run)
            return
        for path in expand(os.fspath(what), notices):
            yield NamedRun("stdin" if path == "-" else run_name(path), path)
    elif isinstance(what, Mapping):
        if is_one_run(what):
            yield NamedRun("run", what)
        else:
            yield from (NamedRun(str(name), inner) for name, inner in what.items())
    elif is_table(what):
        from leadline.io.tabular import to_frame

        table = to_frame(what, "run")
        if "run" in table.columns:
            for (name,), part in table.group_by("run", maintain_order=True):
                yield NamedRun(str(name), part)
        else:
            yield NamedRun("run", table)
    elif isinstance(what, Iterable):
        items = list(what)
        if is_one_run(items):
            yield NamedRun("run", items)
        else:
            for item in items:
                yield from _runs_from(item, notices)
    else:
        raise InputError.of("", "run", f"a run must be a path or a table, not {what!r}")


def holds_partitions(path: str | os.PathLike[str]) -> bool:
    """Whether it is a folder with folders named KEY=VALUE."""
    if is_url(path):
        begin = os.fspath(path).rstrip("/")
        below = (file.removeprefix(begin).strip("/") for file in files_below(begin))
        return any("=" in file.split("/")[0] and "/" in file for file in below)
    root = Path(path)
    return root.is_dir() and any("=" in each.name and each.is_dir() for each in root.iterdir())


def expand(path: str, notices: Notices | None = None) -> list[str]:
    """Return the files that a path stands for.

    Of a folder or a pattern, backup and system files are left out, and `notices` names them; a file
    that is named itself is given back whatever its name.
    """
    check_name(path)
    if path == "-":
        return [path]
    if is_url(path):
        found = matching_urls(path) if glob.has_magic(path) else files_below(path)
        files = [file for file in found if not file.rsplit("/", 1)[-1].startswith("README")]
        return _run_files(path, files, notices) or [path]
    if Path(path).is_dir():
        inside = [file for file in Path(path).iterdir() if file.is_file()]
        files = [str(file) for file in inside if not file.name.startswith("README")]
        runs = _run_files(path, files, notices)
        folders = sorted(
            each.name for each in Path(path).iterdir() if each.is_dir() and not is_side_file(each)
        )
        if folders and notices is not None:
            more = ", ..." if len(folders) > FILES_SHOWN else ""
            message = (
                f"{len(folders):,} subfolder{'s' * (len(folders) > 1)} not read: "
                f"{', '.join(folders[:FILES_SHOWN])}{more}. Name the folder itself to read its runs"
            )
            notices.add(path, "notice", "subfolders", message)
        if not runs:
            only = " but backup and system files" if files else ""
            raise InputError.of(path, "no-runs", f"is a folder without files{only}")
        return runs
    if not Path(path).exists() and glob.has_magic(path):
        files = glob.glob(path, recursive=True)  # noqa: PTH207 - Path.glob takes no absolute pattern
        if not files:
            raise InputError.of(path, "missing", "no file fits this pattern")
        # A pattern that only such files fit, as *.bak, asks for them.
        return _run_files(path, files, notices) or sorted(files, key=run_name)
    return [path]


def _run_files(path: str, files: list[str], notices: Notices | None) -> list[str]:
    """Return the files but for backup and system files, by run, and name these in one notice."""
    side = sorted(filter(is_side_file, files))
    runs = sorted(set(files).difference(side), key=run_name)
    if side and runs and notices is not None:
        names = [repr(Path(file).name)[1:-1] for file in side[:FILES_SHOWN]]
        more = f" and {len(side) - FILES_SHOWN:,} more" if len(side) > FILES_SHOWN else ""
        message = (
            f"{len(side):,} backup or system file{'s' * (len(side) > 1)} left out: "
            f"{', '.join(names)}{more}. To read one as a run, name the file itself"
        )
        notices.add(path, "notice", "left-out", message)
    return runs


def collection_inputs(
    folder: str | os.PathLike[str],
    need_qrels: bool = True,
    subtopics: bool = False,
    runs: bool = True,
) -> tuple[Path | None, Path]:
    """The qrels file, one with subtopics first if so wanted, and the folder of runs."""
    if not isinstance(folder, str | os.PathLike):
        raise TypeError("without `runs`, `qrels` must be a collection folder or a Collection")
    check_name(folder)
    root = Path(folder)
    if not root.is_dir():
        message = "is a single file; give QRELS and RUNS, or one collection folder"
        raise InputError.of(
            str(root), "input", message if root.exists() else "no such file or folder"
        )
    for name in SUBTOPIC_FIRST if subtopics else QRELS_NAMES:
        for ending in ("", ".gz", ".zst"):
            if (root / (name + ending)).is_file():
                if runs and not (root / "runs").is_dir():
                    raise InputError.of(str(root), "no-runs", "has no folder named runs")
                return root / (name + ending), root / "runs"
    if not need_qrels and (root / "runs").is_dir():
        return None, root / "runs"
    message = f"has no qrels: expected one of {', '.join(QRELS_NAMES)} (.gz, .zst)"
    raise InputError.of(str(root), "no-qrels", message)


def is_collection(what: Any) -> bool:
    """Whether this was read before."""
    if what is None or isinstance(what, str | os.PathLike):
        return False
    # Only here, because it loads polars, which `evaluate` can often do without.
    from leadline.io.collection import Collection

    return isinstance(what, Collection)


def is_unjudged(qrels: Any, runs: Any = None) -> bool:
    """Whether nothing is judged yet: none in place of qrels, or a folder without any."""
    if runs is not None:
        return qrels is None or (isinstance(qrels, str) and qrels == "none")
    return collection_inputs(qrels, need_qrels=False)[0] is None


TopicNames = Iterable[str] | str | os.PathLike[str] | None
"""Names of topics, or a file with one on each line; None for all."""


def topic_names(topics: TopicNames) -> list[str] | None:
    """The topics asked for; None for all."""
    if topics is None or not isinstance(topics, str | os.PathLike):
        return None if topics is None else list(topics)
    return topics_from(topics)


def topics_from(path: str | os.PathLike[str]) -> list[str]:
    """Topic names from a file of topics, or the first field of every line."""
    from leadline.io.topics import read_topics

    return list(read_topics(path))


TOPICS_SHOWN = 3
"""Topics that a message names."""


@dataclass(frozen=True)
class NoisyJudge:
    """A judge's name, and its labels in the form of judgments, on a scale of its own."""

    name: str
    labels: Qrels


def noisy_judges(what: Any, reading: Reading) -> list[NoisyJudge]:
    """One judge for every file or table; {judge: labels} gives them names.

    >>> [judge.name for judge in noisy_judges({"clicks": {"1": {"a": 3}}}, Reading())]
    ['clicks']
    """
    if what is None:
        return []
    # What the people's grades are to be read as says nothing of another scale.
    own = replace(reading, map_grades=None, subtopics=False, fractions=True)
    return [
        NoisyJudge(named.name.removesuffix(".qrels"), qrels_from(named.what, own))
        for named in runs_from(what, reading.notices)
    ]


def check_topics(judges: Iterable[NoisyJudge], topics: Sequence[str]) -> None:
    """An InputError if a judge has no label on any of the topics: it would count for nothing."""
    for judge in judges:
        labelled = judge.labels.judged_topics
        if set(topics).isdisjoint(labelled):
            have, want = (", ".join(list(some)[:TOPICS_SHOWN]) for some in (labelled, topics))
            message = f"has no topic in common with the runs: labels have {have}, the runs {want}"
            raise InputError.of(judge.labels.name or judge.name, "no-topics", message)
