"""A collection with two runs that are set against each other, by name or from files."""

import os
from pathlib import Path
from typing import Any

from leadline.collection.collection import Collection
from leadline.collection.inputs import NamedRun, collection_inputs, is_collection, runs_from
from leadline.collection.read import read
from leadline.files.problems import InputError, Notices


def read_two(
    qrels: Any, runs: Any, baseline: Any, new: Any, **how: Any
) -> tuple[Collection, str, str]:
    """The collection with both among its runs, and their names.

    Each is the name of one of the runs, or a run in any form that `evaluate` takes. A file that has
    the name of another run is called so with (new) or (baseline) behind it, as where a build makes
    the same file again. `runs` may be empty; `how` is for `read`.
    """
    if is_collection(qrels):
        collection = read(qrels, runs, **how)
        for role, name in (("baseline", baseline), ("new", new)):
            if name not in collection.runs.names:
                raise ValueError(f"`{role}`: no run is named {name}{_there(collection.runs.names)}")
        return collection, baseline, new
    folder = None
    if runs is None:
        folder = Path(qrels)
        qrels, runs = collection_inputs(folder)
    left_out = Notices()
    own = {run.name: run for run in runs_from(runs, left_out)} if runs != [] else {}
    names = []
    for role, given in (("baseline", baseline), ("new", new)):
        run = _run(role, given, own)
        if run.name in own and own[run.name] is not run:
            run = NamedRun(f"{run.name} ({role})", run.what)
        own[run.name] = run
        names.append(run.name)
    everything = {name: run.what for name, run in own.items()}
    collection = read(qrels, everything, folder=folder, **how)
    collection.notices.problems += left_out.problems
    return collection, names[0], names[1]


def _run(role: str, given: Any, own: dict[str, NamedRun]) -> NamedRun:
    """The run that a name or a file stands for, one of our own if it is one."""
    if isinstance(given, str | os.PathLike):
        text = os.fspath(given)
        if text in own:
            return own[text]
        if text != "-" and not Path(text).exists():
            message = f"is no file, and no run is named so{_there(own)}"
            raise InputError.of(text, "no-run", f"{message} (`{role}`)")
    several = runs_from(given)
    if len(several) != 1:
        raise ValueError(f"`{role}` must be one run, not {len(several)}")
    run = several[0]
    same = own.get(run.name)
    if same is not None and _same_file(same.what, run.what):
        return same
    return run


def _same_file(one: Any, other: Any) -> bool:
    paths = [Path(each) for each in (one, other) if isinstance(each, str | os.PathLike)]
    return len(paths) == 2 and all(path.exists() for path in paths) and paths[0].samefile(paths[1])


def _there(names: Any) -> str:
    some = list(names)[:5]
    return f"; there are {', '.join(some)}{', ...' if len(names) > 5 else ''}" if some else ""
