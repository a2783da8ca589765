"""How the order of the runs depends on who estimates their scores."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from leadline.comparison.correlation import orderings
from leadline.comparison.tiers import places
from leadline.files.problems import Notices
from leadline.tables.arrays import Floats


@dataclass(frozen=True, eq=False)
class EstimatedMeans:
    """An estimator's name and its mean score of every run, NaN where it has none."""

    name: str
    value: Floats

    @property
    def places(self) -> list[int | None]:
        """Place of each run, 1 the best; equals share the better place."""
        return places(self.value)


def estimated_means(
    table: pl.DataFrame, measure: str, runs: tuple[str, ...], notices: Notices
) -> tuple[EstimatedMeans, ...]:
    """The estimates of one measure for these runs, in the order of the table.

    `table` has the columns run, measure, estimator, value.
    """
    estimates = []
    of_measure = table.filter(pl.col("measure") == measure)
    for (name,), rows in of_measure.group_by("estimator", maintain_order=True):
        of_run = dict(rows.select("run", "value").iter_rows())
        if not set(of_run) & set(runs):
            raise ValueError(f"{name} estimates {measure} for none of these runs")
        value = np.array([of_run.get(run) for run in runs], np.float64)
        missing = int(np.isnan(value).sum())
        if missing:
            message = f"has no estimate of {measure} for {missing} of {len(runs)} runs"
            notices.add(str(name), "warning", "estimates", message)
        estimates.append(EstimatedMeans(str(name), value))
    return tuple(estimates)


def agreement(first: EstimatedMeans, second: EstimatedMeans) -> dict[str, float]:
    """How far two estimates order the runs alike, on the runs that both have."""
    both = ~np.isnan(first.value) & ~np.isnan(second.value)
    if both.sum() < 2:
        return {}
    return orderings(first.value[both], second.value[both])
