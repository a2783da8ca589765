"""reproduce: a paper's tables and figures on a collection, ours beside what it printed."""

from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated

import polars as pl

from leadline.api.result import Result
from leadline.api.shared_options import OUTPUT_FOLDER, Dask, Seed, Workers
from leadline.io.inputs import collection_inputs
from leadline.io.problems import Notices, Progress
from leadline.io.write import write_whole
from leadline.lab.papers.runner import WRITTEN, Setting, all_there, files_of, key_of, load
from leadline.options import Argument, Option
from leadline.simulate import KeptCells, digest, run_cells

CHOICES = ("reference_depth", "groups", "newcomers", "k", "theta", "mu", "p")
"""Options that a paper may not take."""


@dataclass(frozen=True, eq=False, repr=False)
class Reproduction(Result):
    """The files that hold the results, what is worth saying, and whether they were there before."""

    files: tuple[Path, ...]
    lines: tuple[str, ...]
    cached: bool
    notices: Notices = field(default_factory=Notices)

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The paper's tables and figures by name, as the files have them."""
        return {file.stem: pl.read_csv(file) for file in self.files if file.suffix == ".csv"}

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Columns table, file: what was written."""
        names = {"table": [file.stem for file in self.files], "file": list(map(str, self.files))}
        return pl.DataFrame(names, schema={"table": pl.String, "file": pl.String})


def reproduce(
    paper: Annotated[str, Argument()],
    collection: Annotated[str | Path, Argument()],
    folder: Annotated[str | Path, OUTPUT_FOLDER],
    workers: Workers = 1,
    quick: bool = False,
    *,
    seed: Seed = 0,
    reference_depth: int | None = None,
    groups: Annotated[str | Path | None, Option(metavar="FILE")] = None,
    newcomers: str | None = None,
    k: int | None = None,
    theta: float | None = None,
    mu: float | None = None,
    p: str | None = None,
    dask: Dask = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Write a paper's tables, figures and report.html to a folder.

    A second call with the same collection, options and version finds everything there.

    paper: name of the paper; `leadline list experiments` lists papers and their options.
    collection: a collection folder.
    folder: folder to write to; it is created if it does not exist.
    workers, dask: as for `evaluate`. Workers of a cluster read the collection by its path.
    quick: fewer repetitions; the same runs, topics and tables. For moffat07 certainty is looked for
        within 5,000 judgments instead of 20,000, and ties of DepthFirst are drawn 5 times instead
        of 20; for lu17 there are 3 two-strata pools instead of 10.
    seed: random seed.
    reference_depth: depth of the pool whose scores count as true. Some papers have none.
    groups: table of groups to use instead of groups.tsv, with the columns run and group.
    newcomers: type of the runs that count as unpooled, or their names.
    k: cut-off of the measures, 20 in the paper. For hui17.
    theta: patience of ABSrb and DELTArb, 0.8 in the paper. For hui17.
    mu: smoothing of the language models in words, 2500 in the paper. For hui17.
    p: percentages of the judgments to keep, for instance 1,5,10; 1 to 50 in the paper. For hui17.
    progress: called with how many parts are done, and of how many.
    """
    module = load(paper)
    if workers < 1:
        raise ValueError(f"`workers` must be at least 1, not {workers}")
    source = Path(collection)
    collection_inputs(source)
    table = None if groups is None else Path(groups)
    if table is not None and not table.is_file():
        raise ValueError(f"{table}: there is no such table of groups")
    where = None if table is None else str(table.resolve())
    setting = Setting(
        str(source.resolve()), quick, seed, reference_depth, where, newcomers, k, theta, mu, p
    )
    for name in CHOICES:
        if getattr(setting, name) is not None and name not in module.OPTIONS:
            takes = ", ".join(f"`{each}`" for each in module.OPTIONS) or "none"
            raise ValueError(f"{paper} does not take `{name}`: of such options it takes {takes}")
    out = Path(folder)
    if out.exists() and not out.is_dir():
        raise ValueError(f"{out}: is a file, not a folder to write to")
    out.mkdir(parents=True, exist_ok=True)
    content = None if table is None else table.read_text(encoding="utf-8")
    key = {**asdict(setting), "folder": None, "groups": content, "paper": paper}
    with KeptCells(out, key_of(source, key)) as kept:
        digests = kept.cells.get(WRITTEN, {})
        cached = all_there(out, digests)
        try:
            results = run_cells(
                module.cells(setting),
                workers=workers,
                dask=dask,
                seed=seed,
                kept=kept,
                progress=progress,
            )
        finally:
            module.forget()
        frames = module.frames(results, setting)
        if not cached:
            texts = files_of(module, results, frames, setting)
            for name, text in texts.items():
                write_whole(out / name, text)
            digests = {name: digest([text.encode()]) for name, text in texts.items()}
            kept.keep(WRITTEN, digests)
    files = tuple(out / name for name in digests)
    return Reproduction(files, tuple(module.lines(results, frames)), cached)
