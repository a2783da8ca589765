"""The league in short: small enough for every test run, the same every time."""

from functools import cache

import polars as pl

import leadline
from leadline.demo import COLLECTION
from leadline.leagues.entrant import entrants_of

PLAYED = {
    "shallow": ("RBP(p=0.95)", 5),
    "newcomer": ("RBP(p=0.8)", 5),
    "scores": ("RBP(p=0.8)", 100),
    "best": ("RBP(p=0.8)", 100),
    "five": ("RBP(p=0.8)", 100),
}
"""The measure and the budget of each task."""

SLOW = ("Lb", "WebberRuns", "Lipani(merge=replace)")
SOURCES = ["simulated/mixed", "simulated/newcomer", str(COLLECTION)]


@cache
def _tiers(task: tuple[str, ...], measure: str, budget: int) -> pl.DataFrame:
    everybody = [each.title for each in entrants_of(task[0]) if each.title not in SLOW]
    result = leadline.league(
        SOURCES,
        task=task,
        measures=[measure],
        budgets=[budget],
        methods=everybody,
        draws=2,
        share=0.25,
        runs=12,
    )
    return result.tiers.filter(scope="all")


def tiers(task: str) -> pl.DataFrame:
    """The tiers of a task, on two simulated collections and the bundled one."""
    # Tasks that are played alike are played together, once.
    alike = tuple(name for name in PLAYED if PLAYED[name] == PLAYED[task] and name != "newcomer")
    return _tiers(alike if task in alike else (task,), *PLAYED[task]).filter(task=task)
