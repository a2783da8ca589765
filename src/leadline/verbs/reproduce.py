"""reproduce: a paper's tables and figures on a collection, ours beside what it printed."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from leadline.collection.inputs import collection_inputs
from leadline.experiments.cache import Cache, key_of
from leadline.experiments.papers import Setting, load
from leadline.experiments.runner import run_cells


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
    reference_depth: int | None = None,
    groups: str | Path | None = None,
    newcomers: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Reproduced:
    """Write a paper's tables, figures and report.html to a folder.

    A second call with the same collection, options and version finds everything there. `quick` cuts
    repeats, never runs, topics or tables. With several workers, a script that calls this needs the
    usual `if __name__ == "__main__":`, because each worker imports it. `reference_depth`, `groups`
    and `newcomers` are for the papers that `leadline.list("experiments")` shows them for.
    """
    module = load(paper)
    if workers < 1:
        raise ValueError(f"workers must be at least 1, not {workers}")
    source = Path(collection)
    collection_inputs(source)
    table = None if groups is None else Path(groups)
    if table is not None and not table.is_file():
        raise ValueError(f"{table}: there is no such table of groups")
    where = None if table is None else str(table.resolve())
    setting = Setting(str(source.resolve()), quick, seed, reference_depth, where, newcomers)
    for name in ("reference_depth", "groups", "newcomers"):
        if getattr(setting, name) is not None and name not in module.OPTIONS:
            takes = [f"--{each.replace('_', '-')}" for each in module.OPTIONS]
            raise ValueError(
                f"{paper} does not heed --{name.replace('_', '-')}: "
                f"of such options it takes {', '.join(takes) or 'none'}"
            )
    out = Path(folder)
    if out.exists() and not out.is_dir():
        raise ValueError(f"{out}: is a file, not a folder to write to")
    out.mkdir(parents=True, exist_ok=True)
    content = None if table is None else table.read_text(encoding="utf-8")
    key = {**asdict(setting), "folder": None, "groups": content, "paper": paper}
    cache = Cache(out, key_of(source, key))
    cached = cache.whole()
    try:
        results = run_cells(
            module.cells(setting),
            workers=workers,
            seed=seed,
            known=cache.cells,
            keep=cache.keep,
            progress=progress,
        )
    finally:
        module.forget()
    if not cached:
        cache.write(module.files(results, setting))
    files = tuple(out / name for name in cache.files)
    return Reproduced(files, tuple(module.lines(results, setting)), cached)
