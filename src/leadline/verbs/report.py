"""report: one self-contained page about a collection, to send to somebody else."""

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import Any, get_args

import polars as pl

from leadline.collection.collection import Collection
from leadline.collection.inputs import TopicNames, collection_inputs, expand
from leadline.comparison.correction import Correct
from leadline.comparison.hypothesis_test import tests
from leadline.files.problems import Notices
from leadline.formats import pool_csv
from leadline.formats.score_table import estimate_table
from leadline.measures.measure import Measure, measures
from leadline.presentation.pages.collection_report import collection_report
from leadline.presentation.pages.sources import Origin
from leadline.verbs.evaluate import DEFAULT
from leadline.verbs.pool import read_topics
from leadline.verbs.report_facts import Progress, ReportOptions, report_facts

AnyPath = str | os.PathLike[str]


@dataclass(frozen=True)
class Reported:
    """The page, and what should be said about the input."""

    page: str
    notices: Notices


def report(
    qrels: Any,
    runs: Any = None,
    measures: Sequence[str | Measure] | str | Measure = DEFAULT,
    **options: Any,
) -> str:
    """The page as text; write it to a file that ends in .html.

    Inputs as for `evaluate`; `qrels` may be None where nothing is judged yet. Options are those of
    `make_report`. The same input and options give the same page.
    """
    return make_report(qrels, runs, measures, **options).page


def make_report(
    qrels: Any,
    runs: Any = None,
    measures: Sequence[str | Measure] | str | Measure = DEFAULT,
    *,
    title: str | None = None,
    test: str = "wilcoxon",
    correct: str = "holm",
    level: float = 0.05,
    pool_depth: int | None = None,
    pool: AnyPath | pl.DataFrame | None = None,
    estimates: AnyPath | Sequence[AnyPath] = (),
    topics: TopicNames = None,
    seed: int = 0,
    command: str | None = None,
    progress: Progress | None = None,
    reading: Progress | None = None,
    **options: Any,
) -> Reported:
    """The same with all notices.

    `pool` restricts what counts as judged. `pool_depth` is the depth to which the runs were pooled,
    if what was judged does not show it. `estimates` are csv files of `leadline estimate`. Other
    options are those of `read`.
    """
    wanted = parse_measures(measures)
    check(correct, level, pool_depth, seed)
    chosen = tests.parse(test)
    tables = [estimates] if isinstance(estimates, str | os.PathLike) else list(estimates)
    frames = [estimate_table(path) for path in tables]
    read = read_topics(qrels, runs, topics, progress=reading, **options)
    if pool is not None:
        read = replace(read, judgments=pool_csv.restrict_pairs(read.judgments, pool))
    say_nothing_judged(read)
    origin = _origin(qrels, runs, [*tables, pool])
    said = {
        "title": title,
        "test": test,
        "correct": correct,
        "level": level,
        "pool_depth": pool_depth,
        "pool": pool,
        "estimates": estimates,
        "topics": topics,
        "seed": seed,
        **options,
    }
    asked = ReportOptions(
        wanted,
        chosen,
        correct,  # type: ignore[arg-type]
        level,
        seed,
        pool_depth,
        pl.concat(frames) if frames else None,
    )
    heading = title or f"Report: {read.folder.resolve().name if read.folder else 'runs compared'}"
    made_by = command or _in_python(qrels, runs, wanted, said)
    facts = report_facts(read, asked, heading, origin, made_by, progress)
    return Reported(collection_report(facts), read.notices)


def parse_measures(names: Sequence[str | Measure] | str | Measure) -> tuple[Measure, ...]:
    """The measures that names stand for, each once."""
    asked = [names] if isinstance(names, str | Measure) else list(names)
    found = [measures.parse(name) if isinstance(name, str) else name for name in asked]
    if not found:
        raise ValueError("a report needs a measure")
    return tuple({str(measure): measure for measure in found}.values())


def check(correct: str, level: float, pool_depth: int | None, seed: int) -> None:
    """A ValueError if an option makes no sense, before anything slow is done."""
    if correct not in get_args(Correct):
        raise ValueError(f"expected one of {', '.join(get_args(Correct))}, not {correct!r}")
    if not 0 < level < 1:
        raise ValueError(f"the level must lie between 0 and 1, not {level}")
    if pool_depth is not None and pool_depth < 1:
        raise ValueError(f"the pool's depth must be at least 1, not {pool_depth}")
    if seed < 0:
        raise ValueError(f"the seed must not be negative, it is {seed}")


def say_nothing_judged(read: Collection) -> None:
    """Note that intervals say all there is to say."""
    if not read.judgments.judged.any():
        message = "no document of these runs was judged: intervals are as wide as can be"
        read.notices.add("", "warning", "nothing-judged", message)


def _origin(qrels: Any, runs: Any, others: Iterable[Any]) -> Origin:
    """What was read, by name, with a digest of all that are files."""
    if runs is None:
        judged, folder = collection_inputs(qrels, need_qrels=False)
        files = [*folder.iterdir(), Path(qrels) / "groups.tsv"]
        files += [judged] if judged is not None else []
        names = _named(judged), _named(folder)
    else:
        given = [runs] if isinstance(runs, str | os.PathLike) else runs
        several = given if isinstance(given, list | tuple) else []
        paths = [os.fspath(each) for each in several if isinstance(each, str | os.PathLike)]
        files = [Path(file) for path in paths for file in expand(path)]
        files += [Path(qrels)] if isinstance(qrels, str | os.PathLike) else []
        names = _named(qrels), _named(runs)
    files += [Path(each) for each in others if isinstance(each, str | os.PathLike)]
    return Origin(*names, _digest(files))


def _named(what: object) -> str:
    """The input as a reader would call it."""
    if what is None:
        return "none"
    if isinstance(what, str | os.PathLike):
        return os.fspath(what)
    if isinstance(what, list | tuple) and all(isinstance(each, str | os.PathLike) for each in what):
        return " ".join(os.fspath(each) for each in what)
    return f"a {type(what).__name__} given in Python"


def _digest(files: Iterable[Path]) -> str:
    """One text for the names and contents of these files; empty where there is none."""
    there = sorted({file for file in files if file.is_file()}, key=lambda file: file.name)
    hashed = hashlib.blake2b(digest_size=16)
    for file in there:
        content = file.read_bytes()
        hashed.update(f"{file.name}\0{len(content)}\0".encode())
        hashed.update(content)
    return hashed.hexdigest() if there else ""


def _in_python(qrels: Any, runs: Any, wanted: tuple[Measure, ...], said: dict[str, Any]) -> str:
    """The call that made the page, with the options that are not as usual."""
    usual = {name: each.default for name, each in signature(make_report).parameters.items()}
    usual |= {"ranks": "score", "lenient": False, "map_grades": None}
    options = [f"{name}={_shown(x)}" for name, x in said.items() if not _same(x, usual.get(name))]
    names = [str(measure) for measure in wanted]
    inputs = [_shown(qrels)] if runs is None else [_shown(qrels), _shown(runs)]
    return f"leadline.report({', '.join([*inputs, f'measures={names!r}', *options])})"


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and not isinstance(one, pl.DataFrame) and bool(one == other)


def _shown(what: Any) -> str:
    """A value as it stands in a call; a table by its kind only."""
    if isinstance(what, os.PathLike):
        return repr(os.fspath(what))
    if isinstance(what, list | tuple):
        return f"[{', '.join(map(_shown, what))}]"
    return repr(what) if what is None or isinstance(what, str | int | float) else "..."
