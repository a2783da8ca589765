"""The table and figures of lipani16 as frames, one for each csv file."""

from typing import Any

import numpy as np
import polars as pl

from leadline.experiments.lipani16_plan import CORRECTORS, CUTOFFS, reference_depth, strategies
from leadline.experiments.papers import Frames, Setting
from leadline.pools.strategy import PoolStrategy

Results = dict[str, Any]
KEYS = {"figure1": "depth", "figure2": "rate", "figure3": "stratification"}


def frames(results: Results, setting: Setting) -> Frames:
    """Every csv file by its name, without the ending."""
    made = {"table1": table1(results)}
    for figure, pools in strategies(reference_depth(setting)).items():
        made[figure] = _errors(results, figure, pools)
    made["errors"] = _by_organisation(results)
    return made


def table1(results: Results) -> pl.DataFrame:
    """Expected pool sizes per run, as if (100, 50) gave 50; t-test against the row above."""
    from scipy import stats

    rows = []
    pools = results["sizes"]["pools"]
    half = sum(size for size, _ in pools[0][0]) / 2
    whole = sum(pools[0][1])
    before: list[float] | None = None
    for layers, topics in pools:
        p = None
        if before is not None and np.ptp(np.subtract(topics, before)) > 0:
            p = float(stats.ttest_rel(topics, before).pvalue)
        sizes = " ".join(str(size) for size, _ in layers)
        percents = " ".join(str(round(100 * rate)) for _, rate in layers)
        rows.append((sizes, percents, half * sum(topics) / whole, p))
        before = topics
    schema = {"sizes": pl.String, "percents": pl.String, "judged_per_run": pl.Float64}
    return pl.DataFrame(rows, schema={**schema, "p": pl.Float64}, orient="row")


def label(figure: str, strategy: PoolStrategy) -> int | float | str:
    """What tells a figure's pools apart."""
    (size, rate), *others = strategy.layers
    if figure == "figure1":
        return size
    if figure == "figure2":
        return rate
    return " ".join(f"({size},{round(100 * rate)})" for size, rate in [(size, rate), *others])


def _errors(results: Results, figure: str, pools: list[PoolStrategy]) -> pl.DataFrame:
    rows = []
    for cutoff in CUTOFFS:
        cells = [cell for name, cell in results.items() if name.startswith(f"P@{cutoff} ")]
        for strategy in pools:
            for corrector in map(str, CORRECTORS):
                errors = np.concatenate(
                    [cell["errors"][str(strategy)][corrector] for cell in cells]
                )
                rows.append(
                    (f"P@{cutoff}", label(figure, strategy), corrector, np.abs(errors).mean())
                )
    return pl.DataFrame(rows, schema=["measure", KEYS[figure], "corrector", "mae"], orient="row")


def _by_organisation(results: Results) -> pl.DataFrame:
    """The signed errors behind the means, by organisation."""
    rows = []
    for name, cell in results.items():
        if name == "sizes":
            continue
        measure, group = name.split(" ", 1)
        for pool, by_corrector in cell["errors"].items():
            for corrector, errors in by_corrector.items():
                rows.append((measure, group, pool, corrector, float(np.mean(errors))))
    columns = ["measure", "group", "pool", "corrector", "mean_error"]
    return pl.DataFrame(rows, schema=columns, orient="row")
