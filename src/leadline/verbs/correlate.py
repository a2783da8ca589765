"""correlate: how far two evaluations order the runs alike."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from leadline.comparison.correlation import orderings, separations
from leadline.comparison.leaders import K
from leadline.comparison.overlap import P
from leadline.files.problems import InputError, Notices
from leadline.formats.score_table import ScoreTable, score_table
from leadline.measures.measure import measures
from leadline.naming.spec import NamingError
from leadline.tables.arrays import Floats

Choice = str | Sequence[str] | None
"""One name for both tables, one for each, or None where a table holds only one."""


@dataclass(frozen=True)
class Correlated:
    """Every statistic by name, and what should be said about them."""

    statistics: dict[str, float]
    notices: Notices = field(default_factory=Notices)

    def frame(self) -> pl.DataFrame:
        """Columns statistic, value."""
        return pl.DataFrame(
            {
                "statistic": list(self.statistics),
                "value": pl.Series(self.statistics.values(), dtype=pl.Float64, strict=False),
            }
        ).with_columns(pl.col("value").fill_nan(None))


def correlate(scores_a: Any, scores_b: Any, **options: Any) -> pl.DataFrame:
    """Columns statistic, value: how far two tables of scores order the same runs alike.

    Tables are what `evaluate` gives, files of it, or {run: score}. Options are those of
    `correlate_scores`.

    >>> frame = correlate({"x": 0.5, "y": 0.4, "z": 0.1}, {"x": 0.3, "y": 0.2, "z": 0.1})
    >>> frame.filter(statistic="kendall_tau_b")["value"].item()
    1.0
    """
    return correlate_scores(scores_a, scores_b, **options).frame()


def correlate_scores(
    scores_a: Any,
    scores_b: Any,
    *,
    measure: Choice = None,
    estimator: Choice = None,
    p: float = P,
    k: int = K,
) -> Correlated:
    """The same with notices.

    Where a statistic has a truth, it is `scores_a`. `measure` and `estimator` choose rows, one name
    for both tables or one for each. p is that of RBO, k the number of leaders. Runs that only one
    table has are left out, and said. Where both tables have scores by topic, so have dist and
    discrimination.
    """
    of_a, of_b = (
        _both(each, what) for each, what in ((measure, "measure"), (estimator, "estimator"))
    )
    a = score_table(scores_a, _spelled(of_a[0]), of_b[0])
    b = score_table(scores_b, _spelled(of_a[1]), of_b[1])
    notices = Notices()
    both = a.means.join(b.means, on="run", how="inner", suffix="_b", maintain_order="left")
    _say_missing(a, b, len(both), notices)
    if len(both) < 2:
        raise InputError.of(
            "",
            "runs",
            f"to compare orderings takes two runs that both tables score, found {len(both)}",
        )
    found = orderings(both["value"].to_numpy(), both["value_b"].to_numpy(), p, k)
    tables = _by_topic(a.topics, b.topics, both["run"])
    if tables is not None:
        found |= separations(*tables)
    return Correlated(found, notices)


def _by_topic(a: pl.DataFrame, b: pl.DataFrame, runs: pl.Series) -> tuple[Floats, Floats] | None:
    """Both tables as runs x topics, over the topics that both have; None without such topics."""
    topics = a.join(b, on="topic", how="semi")["topic"].unique(maintain_order=True)
    if topics.is_empty():
        return None
    cells = pl.DataFrame({"run": runs}).join(pl.DataFrame({"topic": topics}), how="cross")
    shape = len(runs), len(topics)

    def table(rows: pl.DataFrame) -> Floats:
        joined = cells.join(rows, on=["run", "topic"], how="left", maintain_order="left")
        made: Floats = joined["value"].fill_null(float("nan")).to_numpy().reshape(shape)
        return made

    return table(a), table(b)


def _both(choice: Choice, what: str) -> tuple[str | None, str | None]:
    if choice is None or isinstance(choice, str):
        return choice, choice
    names = list(choice)
    if len(names) > 2:
        raise ValueError(f"name one {what} for both tables or one for each, not {len(names)}")
    return (names[0], names[-1]) if names else (None, None)


def _spelled(name: str | None) -> str | None:
    """A measure's name as tables have it; names that are not ours stay as they are."""
    if name is None:
        return None
    try:
        return str(measures.parse(name))
    except NamingError:
        return name


def _say_missing(a: ScoreTable, b: ScoreTable, n_both: int, notices: Notices) -> None:
    for here, there in ((a, b), (b, a)):
        only = here.means.join(there.means, on="run", how="anti")["run"].to_list()
        if only:
            some = ", ".join(only[:5]) + (", ..." if len(only) > 5 else "")
            message = f"{len(only)} runs that the other table does not score are left out: {some}"
            notices.add(here.name, "warning", "runs", message)
