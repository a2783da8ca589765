"""reproduce: a paper's tables and figures on a collection, ours beside what it printed."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from leadline.experiments.cache import Cache, key_of
from leadline.experiments.runner import run_cells
from leadline.formats.inputs import collection_inputs

PAPERS = {"moffat07": "leadline.experiments.moffat07"}
"""A module each: cells(folder, quick), files(results, name, quick), lines(results), forget()."""


@dataclass(frozen=True)
class Reproduced:
    """The files that hold the results, what is worth saying, and whether they were there before."""

    files: tuple[Path, ...]
    lines: tuple[str, ...]
    cached: bool


def reproduce(
    paper: str,
    collection: str | Path,
    folder: str | Path,
    workers: int = 1,
    quick: bool = False,
    *,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Reproduced:
    """Write a paper's tables, figures and report.html to a folder.

    A second call with the same collection, options and version finds everything there. `quick` cuts
    repeats, never runs, topics or tables. With several workers, a script that calls this needs the
    usual `if __name__ == "__main__":`, because each worker imports it.
    """
    if paper not in PAPERS:
        raise ValueError(f"there is no paper named {paper}: choose one of {', '.join(PAPERS)}")
    if workers < 1:
        raise ValueError(f"workers must be at least 1, not {workers}")
    source = Path(collection)
    collection_inputs(source)
    out = Path(folder)
    if out.exists() and not out.is_dir():
        raise ValueError(f"{out}: is a file, not a folder to write to")
    out.mkdir(parents=True, exist_ok=True)
    cache = Cache(out, key_of(source, {"paper": paper, "quick": quick, "seed": seed}))
    module = import_module(PAPERS[paper])
    cells = module.cells(str(source.resolve()), quick)
    cached = cache.whole()
    try:
        results = run_cells(
            cells,
            workers=workers,
            seed=seed,
            known=cache.cells,
            keep=cache.keep,
            progress=progress,
        )
    finally:
        module.forget()
    if not cached:
        cache.write(module.files(results, source.resolve().name, quick))
    files = tuple(out / name for name in cache.files)
    return Reproduced(files, tuple(module.lines(results)), cached)
