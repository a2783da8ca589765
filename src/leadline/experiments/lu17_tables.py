"""The tables and figures of lu17 as frames, one for each csv file."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from leadline.comparison.distance import kendall_distance
from leadline.experiments.lu17_plan import ESTIMATORS, SAMPLED, THETA, THRESHOLDS
from leadline.experiments.papers import Frames, Setting, typed_frame

Results = dict[str, Any]
FIGURE5 = (20, 60)
NAMES = ("estimator", "estimator_a", "estimator_b", "topic")
COUNTS = ("depth", "repeat", "documents")
ERRORS = ("depth", "estimator", "theta", "rmse", "acc")


def _frame(rows: Sequence[Sequence[Any]], *columns: str) -> pl.DataFrame:
    return typed_frame(rows, columns, NAMES, COUNTS)


def frames(results: Results, setting: Setting) -> Frames:
    """Every csv file by its name, without the ending."""
    return {
        "table1": table1(results),
        "table1_two_strata": two_strata(results),
        "table2": table2(results),
        "table2_sdcg": table2(results, "sdcg"),
        "table3": table3(results),
        "figure3": figure3(results),
        "figure3_theta": thresholds(results),
        "figure4": figure4(results),
        "figure5": figure5(results),
        "figure6": figure6(results),
        "reliability": reliability(results),
    }


def draws(results: Results) -> dict[int, Any]:
    """The two-strata pools by number."""
    return {
        int(name.split()[1]): cell for name, cell in results.items() if name.startswith("draw ")
    }


def table1(results: Results) -> pl.DataFrame:
    """Judgments a topic and the percentage relevant."""
    every = results["everything"]
    rows = [(d, *every["table1"][str(d)]) for d in (*every["depths"], every["depth"])]
    return _frame(rows, "depth", "judged", "relevant_percent")


def two_strata(results: Results) -> pl.DataFrame:
    """The same of every two-strata pool."""
    rows = [(number, *cell["counts"]) for number, cell in sorted(draws(results).items())]
    return _frame(rows, "repeat", "judged", "relevant_percent")


def mixed(
    results: Results, depth: int, name: str, theta: float, part: str = ""
) -> tuple[float, float]:
    """RMSE and percentage of zeros where only topics with gamma above theta are adjusted."""
    cell, lowest = results[f"pool {depth} {name}"], results[f"pool {depth} LB"]
    if part:
        cell, lowest = cell[part], lowest[part]
    chosen = np.array(results["everything"]["gamma"][str(depth)]) > theta
    if theta == 0:
        chosen[:] = True
    rms = np.where(chosen, cell["rms"], lowest["rms"])
    zeros = np.where(chosen, cell["zeros"], lowest["zeros"])
    return float(rms.mean()), float(100 * zeros.mean())


def thetas(adjustable: bool) -> tuple[float | None, ...]:
    """The thresholds of an estimator; None for one that has none."""
    return (0.0, THETA) if adjustable else (None,)


def table2(results: Results, part: str = "") -> pl.DataFrame:
    """RMSE and Acc% of every estimator at three depths."""
    rows = [
        (depth, name, theta, *mixed(results, depth, name, theta or 0.0, part))
        for depth in results["everything"]["depths"]
        for name in ESTIMATORS
        for theta in thetas(results[f"pool {depth} {name}"]["adjustable"])
    ]
    return _frame(rows, *ERRORS)


def table3(results: Results) -> pl.DataFrame:
    """RMSE and Acc% with each run's own group not pooled; empty with one group only."""
    depth = results["everything"]["depths"][0]
    parts = [cell for name, cell in results.items() if name.startswith("without ") and cell]
    rows = []
    for name in ESTIMATORS if parts else ():
        for theta in ("0", str(THETA)):
            if theta not in parts[0][name]:
                continue
            error = np.array([row for cell in parts for row in cell[name][theta]])
            rmse = float(np.sqrt((error**2).mean(axis=0)).mean())
            shown = float(theta) if str(THETA) in parts[0][name] else None
            rows.append((depth, name, shown, rmse, float(100 * (error == 0).mean())))
    return _frame(rows, *ERRORS)


def figure3(results: Results) -> pl.DataFrame:
    """gamma of every topic at every depth."""
    every = results["everything"]
    rows = [
        (depth, topic, value)
        for depth in (*every["all_depths"], every["depth"])
        for topic, value in zip(every["topics"], every["gamma"][str(depth)], strict=True)
    ]
    return _frame(rows, "depth", "topic", "gamma")


def thresholds(results: Results) -> pl.DataFrame:
    """RMSE at the first depth by threshold."""
    depth = results["everything"]["depths"][0]
    names = [name for name in ESTIMATORS if results[f"pool {depth} {name}"]["adjustable"]]
    rows = [
        (theta, name, mixed(results, depth, name, theta)[0])
        for name in ("LB", *names)
        for theta in THRESHOLDS
    ]
    return _frame(rows, "theta", "estimator", "rmse")


def figure4(results: Results) -> pl.DataFrame:
    """Distance from the reference's ordering at every depth."""
    columns = ("tau_distance", "dist", "dist_sigma", "discrimination")
    rows = [
        (depth, name, *(results[f"pool {depth} {name}"][column] for column in columns))
        for depth in results["everything"]["all_depths"]
        for name in ESTIMATORS
    ]
    return _frame(rows, "depth", "estimator", *columns)


def figure5(results: Results) -> pl.DataFrame:
    """Distance between the orderings of two estimators."""
    known = results["everything"]["all_depths"]
    depths = [depth for depth in FIGURE5 if depth in known] or [known[0]]
    rows = [
        (depth, one, other, kendall_distance(*_means(results, depth, one, other)))
        for depth in depths
        for one, other in combinations(ESTIMATORS, 2)
    ]
    return _frame(rows, "depth", "estimator_a", "estimator_b", "tau_distance")


def _means(results: Results, depth: int, one: str, other: str) -> tuple[Any, Any]:
    return tuple(np.array(results[f"pool {depth} {name}"]["mean"]) for name in (one, other))  # type: ignore[return-value]


def figure6(results: Results) -> pl.DataFrame:
    """Distance from the reference's ordering with two-strata pools."""
    columns = ("tau_distance", "dist", "dist_sigma")
    rows = [
        (name, number, *(cell[name][column] for column in columns))
        for name in SAMPLED
        for number, cell in sorted(draws(results).items())
    ]
    return _frame(rows, "estimator", "repeat", *columns)


def reliability(results: Results) -> pl.DataFrame:
    """Estimated and true gain of documents that only the reference judged."""
    rows = [
        (depth, name, *row)
        for depth in results["everything"]["depths"]
        for name in ESTIMATORS
        for row in results[f"pool {depth} {name}"].get("reliability", ())
    ]
    return _frame(rows, "depth", "estimator", "estimated", "relevant", "documents")
