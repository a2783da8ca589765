"""benchmark: every method asked the same questions, its answers held against the truth."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import polars as pl

from leadline.api.result import Result
from leadline.api.shared_options import OUTPUT_FOLDER, Dask, Seed, Workers
from leadline.io.inputs import collection_inputs
from leadline.io.problems import Notices, Progress
from leadline.io.write import write_whole
from leadline.lab.benchmark.play import (
    TASKS,
    BenchmarkSetting,
    benchmark_cells,
    cells_to_run,
    forget_all,
    is_rows,
    tasks_of,
)
from leadline.lab.benchmark.question import DrawSize, entrants_of, load_entrants
from leadline.lab.benchmark.simulated import SIMULATED
from leadline.lab.benchmark.tables import (
    cell_table,
    draw_table,
    manifest,
    refusals,
    tier_table,
    with_history,
)
from leadline.measures.measure import parse_measure
from leadline.options import Argument, Option
from leadline.simulate import KeptCells, run_cells

if TYPE_CHECKING:
    import altair as alt


MOST_DRAWS = 10_000
"""Of a cell: more would take weeks and tell nothing more."""


@dataclass(frozen=True, eq=False, repr=False)
class Benchmark(Result):
    """What every method came to; `tiers` who is ahead, `draws` every draw, `refused` who passed."""

    draws: pl.DataFrame
    tiers: pl.DataFrame
    refused: pl.DataFrame
    history: pl.DataFrame | None
    files: tuple[Path, ...]
    notices: Notices = field(default_factory=Notices)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Columns task, collection, seen, measure, method, budget, rmse, bias, tau, coverage, ...

        width, regret, judgments, seconds, further figures, draws and version.
        """
        return cell_table(self.draws)

    def chart(self) -> alt.TopLevelMixin:
        """How far each method is from the best, task by task."""
        from leadline.views.charts import benchmark_chart

        return benchmark_chart(self.tiers)

    def lines(self) -> list[str]:
        """For each task and measure who is in the first tier, and where our default stands."""
        told = []
        for (task, measure), part in self.tiers.filter(scope="all").group_by(
            ["task", "measure"], maintain_order=True
        ):
            first = ", ".join(part.filter(tier=1)["method"])
            ours = part.filter("default")
            stands = ""
            if len(ours) and ours["tier"][0] > 1:
                row = ours.row(0, named=True)
                stands = f"; {row['method']}, our default, is in tier {row['tier']}"
            told.append(f"{task}, {measure}: first tier {first}{stands}")
        return told


def benchmark(
    collections: Annotated[
        str | Path | Iterable[str | Path], Argument(metavar="COLLECTION", many=True)
    ],
    *,
    task: Annotated[str | Iterable[str] | None, Option(many=True)] = None,
    measures: Annotated[Iterable[str], Option("-m --measure", "MEASURE", many=True)] = (),
    budgets: Annotated[Iterable[int], Option("--budget", many=True)] = (),
    methods: Annotated[Iterable[str], Option("--method", many=True)] = (),
    entrant: Annotated[str | Path | Iterable[str | Path], Option(metavar="FILE", many=True)] = (),
    draws: int = 5,
    share: float = 0.5,
    runs: int = 24,
    topics: int = 25,
    workers: Workers = 1,
    dask: Dask = None,
    seed: Seed = 0,
    folder: Annotated[str | Path | None, OUTPUT_FOLDER] = None,
    progress: Progress | None = None,
) -> Benchmark:
    """Columns task, collection, seen, measure, method, budget, and figures of every method.

    A collection's judgments are taken for complete: a pair that is not among them is not relevant.
    Every draw takes a random half of the topics, at most 25, and at most 24 of the runs, the same
    for all.

    collections: collection folders, simulated/mixed, simulated/families or simulated/newcomer.
    task: task to run: shallow, newcomer, scores, best, five, labels or diversity (a to f). The
        default is all tasks that the collections have the data for.
    measures: measures to use instead of the task's own.
    budgets: depths of pools or numbers of judgments, instead of the task's own.
    methods: run only these methods, named as in the column method.
    entrant: Python file that registers a method of yours.
    draws: number of random halves of each collection.
    share: share of the topics in a draw.
    runs: most runs in a draw.
    topics: most topics in a draw.
    workers, dask: as for `evaluate`; only seconds differ. Workers of a cluster read the
        collections by their paths.
    seed: random seed.
    folder: folder for tables, page and history. Cells that are there already are not run again.
    progress: called with how many cells are done, and of how many.
    """
    files = tuple(str(Path(file).resolve()) for file in _several(entrant))
    sources = tuple(dict.fromkeys(_source(each) for each in _several(collections)))
    if not sources:
        raise ValueError("name at least one collection: a folder, or simulated/mixed")
    if not 1 <= draws <= MOST_DRAWS:
        raise ValueError(f"`draws` must be between 1 and {MOST_DRAWS:,}, not {draws}")
    if workers < 1:
        raise ValueError(f"`workers` must be at least 1, not {workers}")
    wrong = next((each for each in budgets if each < 1), None)
    if wrong is not None:
        raise ValueError(f"`budgets` must be at least 1, not {wrong}")
    asked = [found.name for each in _several(task or ()) for found in tasks_of(each)]
    names = tuple(dict.fromkeys(asked))
    for file in files:
        load_entrants(file)
    setting = BenchmarkSetting(
        sources,
        names or tuple(each.name for each in TASKS),
        tuple(str(parse_measure(each)) for each in measures),
        tuple(budgets),
        files,
        tuple(methods),
        draws,
        seed,
        DrawSize(share, runs, topics),
    )
    _check_methods(setting)
    out = None if folder is None else Path(folder)
    if out is not None:
        if out.exists() and not out.is_dir():
            raise ValueError(f"{out}: is a file, not a folder to write to")
        out.mkdir(parents=True, exist_ok=True)
    cells = benchmark_cells(setting)
    if not cells:
        raise ValueError(
            f"no collection has what the task needs ({', '.join(setting.tasks)}): labels needs "
            "labels in judges/, diversity judgments per subtopic and texts, the others judgments "
            "of whole documents"
        )
    with ExitStack() as open_:
        open_.callback(forget_all)
        kept = None if out is None else open_.enter_context(KeptCells(out, sound=is_rows))
        results = run_cells(
            cells_to_run(cells, setting),
            workers=workers,
            dask=dask,
            seed=seed,
            kept=kept,
            progress=progress,
        )
    by_draw = draw_table(cells, results)
    if not len(by_draw):
        raise ValueError(
            "nobody could answer: the collections are too small for these budgets, or the measures "
            "too shallow for these depths; give other budgets"
        )
    tiers, refused = tier_table(by_draw, seed), refusals(cells, results)
    notices = Notices()
    history: pl.DataFrame | None = None
    written: tuple[Path, ...] = ()
    if out is not None:
        what = manifest(setting)
        history, worse = with_history(out, tiers, what)
        for line in worse:
            notices.add(str(out / "history.csv"), "warning", "worse", line)
        written = _write(out, Benchmark(by_draw, tiers, refused, history, ()), what)
    return Benchmark(by_draw, tiers, refused, history, written, notices)


def _several(given: Any) -> list[Any]:
    return [given] if isinstance(given, str | Path) else list(given)


def _source(given: str | Path) -> str:
    """A simulated collection's name, or a folder that holds a collection."""
    if str(given) in SIMULATED:
        return str(given)
    if str(given).startswith("simulated/"):
        raise ValueError(f"there is no {given}: choose one of {', '.join(SIMULATED)}")
    collection_inputs(Path(given))
    return str(Path(given).resolve())


def _check_methods(setting: BenchmarkSetting) -> None:
    """A ValueError if a method that is asked for takes no part."""
    known = {e.title for task in setting.tasks for e in entrants_of(task, setting.files)}
    for name in setting.only:
        if name not in known:
            choice = ", ".join(sorted(known))
            raise ValueError(f"no method named {name} takes part: choose of {choice}")


def _write(out: Path, result: Benchmark, what: dict[str, Any]) -> tuple[Path, ...]:
    """The tables, the manifest and the page."""
    from leadline.lab.benchmark.page import benchmark_page

    names = ", ".join(each["name"] for each in what["collections"])
    facts = [
        f"Played on {names}: {what['draws']} draw{'s' * (what['draws'] > 1)}, each a random "
        f"{what['share_of_topics']:.0%} of the topics, at most {what['most_topics']}, and at most "
        f"{what['most_runs']} runs; seed {what['seed']}, Leadline {what['leadline']}, program "
        f"{what['program'][:12]}.",
        "Intervals: collections resampled, with one draw in each. A pair that nobody judged is "
        "taken for not relevant.",
    ]
    titles = {task.name: task.title for task in TASKS}
    texts = {
        "benchmark.csv": result.frame.write_csv(),
        # How long it took is no result: all else is the same for any number of workers.
        "draws.csv": result.draws.drop("seconds").write_csv(),
        "tiers.csv": result.tiers.write_csv(),
        "refused.csv": result.refused.write_csv(),
        "manifest.json": json.dumps(what, indent=1) + "\n",
        "benchmark.html": benchmark_page(result.tiers, result.frame, titles, facts, result.history),
    }
    for name, text in texts.items():
        write_whole(out / name, text)
    return tuple(out / name for name in (*texts, "history.csv"))
