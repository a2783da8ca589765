"""The league's tables: one row a draw, one row a cell, and the manifest of what was played."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

import leadline
from leadline.experiments.cache import digest, input_parts, program_parts
from leadline.leagues.entrant import entrants_of
from leadline.leagues.figures import FIGURES
from leadline.leagues.play import NOT_PLAYED_WITH, LeagueCell, LeagueSetting
from leadline.leagues.simulated import SIMULATED

CELL = ("task", "collection", "seen", "measure", "method", "budget")
PROMISED = ("rmse", "bias", "tau", "coverage", "width", "regret", "judgments", "seconds")
MORE = tuple(name for name in FIGURES if name not in PROMISED)
ROOTS = ("rmse", "gap_rmse", "list_rmse")
"""Errors: of several draws the root of the mean square is told."""

TEXT = ("task", "collection", "measure", "method", "version")


def draw_table(cells: list[LeagueCell], results: Mapping[str, Any]) -> pl.DataFrame:
    """A row for every draw of every cell that was answered, with its figures."""
    rows = [
        {
            "task": cell.task,
            "collection": cell.collection,
            "seen": cell.seen,
            "measure": cell.measure,
            "method": cell.entrant.title,
            "version": cell.entrant.version,
            "draw": cell.draw,
            **row,
        }
        for cell in cells
        for row in results[cell.key]
        if "why" not in row
    ]
    whole = {"draw": pl.Int64, "budget": pl.Int64, "seen": pl.Boolean}
    numbers = dict.fromkeys((*FIGURES, "judgments", "seconds"), pl.Float64)
    schema = {**dict.fromkeys(TEXT, pl.String), **whole, **numbers}
    order = [*CELL, "version", "draw", *PROMISED, *MORE]
    return pl.DataFrame(rows, schema=schema).select(order)


def refusals(cells: list[LeagueCell], results: Mapping[str, Any]) -> pl.DataFrame:
    """Who could not answer what, and why: columns task, measure, method, why, each once."""
    told = [
        (cell.task, cell.measure, cell.entrant.title, row["why"].splitlines()[0])
        for cell in cells
        for row in results[cell.key]
        if "why" in row
    ]
    columns = dict.fromkeys(("task", "measure", "method", "why"), pl.String)
    return pl.DataFrame(sorted(set(told)), schema=columns, orient="row")


def cell_table(draws: pl.DataFrame) -> pl.DataFrame:
    """A row for every task, collection, measure, method and budget: all draws together."""

    def together(name: str) -> pl.Expr:
        return (pl.col(name) ** 2).mean().sqrt() if name in ROOTS else pl.col(name).mean()

    names = [*PROMISED, *MORE]
    each = [together(name).alias(name) for name in names]
    count = pl.len().alias("draws")
    keys = [*CELL, "version"]
    table = draws.group_by(keys, maintain_order=True).agg(*each, count)
    return table.select(*CELL, *names, "draws", "version")


def manifest(setting: LeagueSetting) -> dict[str, Any]:
    """What was played, with digests of everything that can change an answer."""
    collections = [
        {
            "name": source if source in SIMULATED else Path(source).resolve().name,
            "digest": source if source in SIMULATED else digest(input_parts(Path(source))),
        }
        for source in setting.sources
    ]
    entrants = {
        each.title: {
            "entrant": str(each),
            "version": each.version,
            "developed_on": list(each.developed_on),
        }
        for task in setting.tasks
        for each in entrants_of(task, setting.files)
        if not setting.only or each.title in setting.only
    }
    return {
        "leadline": leadline.__version__,
        "program": digest(program_parts(NOT_PLAYED_WITH)),
        "seed": setting.seed,
        "draws": setting.draws,
        "share_of_topics": setting.how.share,
        "most_runs": setting.how.runs,
        "most_topics": setting.how.topics,
        "tasks": list(setting.tasks),
        "measures": list(setting.measures),
        "budgets": list(setting.budgets),
        "collections": collections,
        "entrants": dict(sorted(entrants.items())),
        "files": {Path(file).name: digest([Path(file).read_bytes()]) for file in setting.files},
    }
