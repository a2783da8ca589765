"""correlate: how far two evaluations order the runs alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import polars as pl

from leadline.api.result import Result
from leadline.completions.estimator import estimators as by_name
from leadline.data.arrays import Floats
from leadline.io.problems import InputError, Notices
from leadline.io.score_table import ScoreTable, score_table
from leadline.measures.measure import Measure, parse_measure
from leadline.options import Argument, Option
from leadline.registry import NamingError
from leadline.stats.correlation import COUNTS, K, P, orderings, separations

if TYPE_CHECKING:
    import altair as alt
    from rich.console import RenderableType


Choice = str | Measure | Sequence[str | Measure] | None
"""One name for both tables, one for each, or None where a table holds only one."""


@dataclass(frozen=True, eq=False, repr=False)
class Correlation(Result):
    """Every statistic by name, and in `scores` what both tables score: run, a, b.

    `titles` tell by what a and b score.
    """

    statistics: dict[str, float]
    scores: pl.DataFrame
    titles: tuple[str, str] = ("a", "b")
    notices: Notices = field(default_factory=Notices)

    def chart(self) -> alt.TopLevelMixin:
        """A dot for each run at its place by either table; on the line both agree."""
        from leadline.views.result_charts import place_agreement

        return place_agreement(self.scores.rename(dict(zip("ab", self.titles, strict=True))))

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Columns statistic, value."""
        return pl.DataFrame(
            {
                "statistic": list(self.statistics),
                "value": pl.Series(self.statistics.values(), dtype=pl.Float64, strict=False),
            }
        ).with_columns(pl.col("value").fill_nan(None))

    def _texts(self) -> pl.DataFrame:
        """Counts as whole numbers, the rest with four digits."""
        texts = [
            "" if value is None else f"{value:.0f}" if name in COUNTS else f"{value:.4f}"
            for name, value in self.frame.iter_rows()
        ]
        return self.frame.with_columns(value=pl.Series(texts))

    def table(self) -> RenderableType:
        """Counts as whole numbers, the rest with four digits."""
        from leadline.views.tables import plain_table

        return plain_table(self._texts())

    def _repr_html_(self) -> str:
        """The same for a notebook."""
        from leadline.views.notebook import frame_html

        return frame_html(self._texts())


def correlate(
    scores_a: Annotated[Any, Argument()],
    scores_b: Annotated[Any, Argument()],
    *,
    measures: Annotated[Choice, Option("-m --measure", "MEASURE", many=True)] = None,
    estimators: Annotated[Choice, Option("-e --estimator", many=True)] = None,
    p: float = P,
    k: int = K,
) -> Correlation:
    """Columns statistic, value: how far two tables of scores order the same runs alike.

    Runs that only one table has are left out, and said. Where both tables have scores by topic, so
    have dist and discrimination.

    scores_a: scores written by `leadline evaluate` or `leadline estimate`; the reference, if one
        of the two is. In Python also their results, or {run: score}.
    scores_b: the scores to compare with them.
    measures: measure to compare, if tables hold several: one for both tables, or one for each.
    estimators: estimator to compare, if tables hold several: one for both, or one for each.
    p: persistence of rank-biased overlap.
    k: number of top runs whose drop in rank is reported.

    >>> result = correlate({"x": 0.5, "y": 0.4, "z": 0.1}, {"x": 0.3, "y": 0.2, "z": 0.1})
    >>> result.filter(statistic="kendall_tau_b")["value"].item()
    1.0
    """
    of_measure, of_estimator = _both(measures, "measure"), _both(estimators, "estimator")
    a, b = (
        score_table(scores, _spelled(measure, parse_measure), _spelled(estimator, by_name.parse))
        for scores, measure, estimator in zip(
            (scores_a, scores_b), of_measure, of_estimator, strict=True
        )
    )
    _check_estimators(a, b, of_estimator)
    notices = Notices()
    both = a.means.join(b.means, on="run", how="inner", suffix="_b", maintain_order="left")
    _warn_missing(a, b, len(both), notices)
    if len(both) < 2:
        raise InputError.of(
            "",
            "runs",
            f"to compare orderings takes two runs that both tables score, found {len(both)}",
        )
    statistics = orderings(both["value"].to_numpy(), both["value_b"].to_numpy(), p, k)
    tables = _by_topic(a.topics, b.topics, both["run"])
    if tables is not None:
        statistics |= separations(*tables)
    titles = a.title, b.title
    if a.title == b.title:
        titles = f"{a.title} ({a.name})", f"{b.title} ({b.name})"
    if titles[0] == titles[1]:
        titles = f"{a.title}, a", f"{b.title}, b"
    return Correlation(statistics, both.select("run", a="value", b="value_b"), titles, notices)


def _by_topic(a: pl.DataFrame, b: pl.DataFrame, runs: pl.Series) -> tuple[Floats, Floats] | None:
    """Both tables as runs x topics, over the topics that both have; None without such topics."""
    topics = a.join(b, on="topic", how="semi")["topic"].unique(maintain_order=True)
    if topics.is_empty():
        return None
    cells = pl.DataFrame({"run": runs}).join(pl.DataFrame({"topic": topics}), how="cross")
    shape = len(runs), len(topics)

    def table(rows: pl.DataFrame) -> Floats:
        joined = cells.join(rows, on=["run", "topic"], how="left", maintain_order="left")
        values: Floats = joined["value"].fill_null(float("nan")).to_numpy().reshape(shape)
        return values

    return table(a), table(b)


def _both(choice: Choice, what: str) -> tuple[Any, Any]:
    several = isinstance(choice, Sequence) and not isinstance(choice, str)
    names: list[Any] = list(choice) if several else [choice]  # type: ignore[arg-type]
    if len(names) > 2:
        raise ValueError(f"name one {what} for both tables or one for each, not {len(names)}")
    return (names[0], names[-1]) if names else (None, None)


def _check_estimators(a: ScoreTable, b: ScoreTable, names: tuple[Any, Any]) -> None:
    """Refuse an estimator that chooses nothing: no table has any, or that one has none."""
    without = [table for table in (a, b) if not table.has_estimators]
    two = names[0] != names[1]
    for table, name in zip((a, b), names, strict=True):
        if name is not None and not table.has_estimators and (two or len(without) == 2):
            hint = ". Name only the other table's" if len(without) == 1 else ""
            raise InputError.of(table.name, "estimator", f"has no estimators, so no {name}{hint}")


def _spelled(name: Any, parse: Callable[[Any], object]) -> str | None:
    """Return a measure's or estimator's name as tables have it; unknown names stay as they are."""
    if name is None:
        return None
    try:
        return str(parse(name))
    except NamingError:
        return str(name)


def _warn_missing(a: ScoreTable, b: ScoreTable, n_both: int, notices: Notices) -> None:
    for here, there in ((a, b), (b, a)):
        only = here.means.join(there.means, on="run", how="anti")["run"].to_list()
        if only:
            some = ", ".join(only[:5]) + (", ..." if len(only) > 5 else "")
            message = f"{len(only)} runs that the other table does not score are left out: {some}"
            notices.add(here.name, "warning", "runs", message)
