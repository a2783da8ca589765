"""The benchmark in short: small enough for every test run, the same every time."""

import sys
from functools import cache
from pathlib import Path

import polars as pl

import leadline
from leadline.io.datasets import COLLECTION
from leadline.lab.benchmark.benchmark import Benchmark
from leadline.lab.benchmark.question import entrants_of

PLAYED = {
    "shallow": ("RBP(p=0.95)", 5),
    "newcomer": ("RBP(p=0.8)", 5),
    "scores": ("RBP(p=0.8)", 100),
    "best": ("RBP(p=0.8)", 100),
    "five": ("RBP(p=0.8)", 100),
}
"""The measure and the budget of each task."""

SLOW = ("TwoStage", "WebberLeaveOneOut", "Lipani(merge=replace)")
SOURCES = ["simulated/mixed", "simulated/newcomer", str(COLLECTION)]


@cache
def played(task: tuple[str, ...], measure: str, budget: int, workers: int = 1) -> Benchmark:
    """By everybody but the slow ones."""
    everybody = [each.title for each in entrants_of(task[0]) if each.title not in SLOW]
    return leadline.benchmark(
        SOURCES,
        task=task,
        measures=[measure],
        budgets=[budget],
        methods=everybody,
        draws=2,
        share=0.25,
        runs=12,
        workers=workers,
    )


def tiers(task: str) -> pl.DataFrame:
    """The tiers of a task, on two simulated collections and the bundled one."""
    # Tasks that are played alike are played together, once.
    alike = tuple(name for name in PLAYED if PLAYED[name] == PLAYED[task] and name != "newcomer")
    result = played(alike if task in alike else (task,), *PLAYED[task])
    return result.tiers.filter(scope="all", task=task)


if __name__ == "__main__":
    name, folder = sys.argv[1:]
    played((name,), *PLAYED[name]).draws.write_parquet(Path(folder) / "draws.parquet")
