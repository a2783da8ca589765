"""Scores of runs on topics, each with the interval that is certain to hold it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from leadline.data.arrays import Bools, Floats, freeze
from leadline.data.mean_estimate import MeanEstimate

if TYPE_CHECKING:
    import polars as pl

    from leadline.data.lists import Lists


SCORE_NOISE = 1e-12
"""Scores that differ by less are equal: sums of the same numbers differ in their last digits."""

OverTopics = Literal["mean", "sum", "geometric mean"]
"""What the row `all` has: the mean over topics, the sum of counts, the geometric mean."""

LEAST_GEOMETRIC = 1e-5
"""A lower score counts as this in a geometric mean, which one score of 0 would make 0."""

MOST_ROWS = 20_000
"""Rows that Python writes sooner than polars is loaded."""


@dataclass(frozen=True, eq=False)
class Scores:
    """value, lower, upper [runs, topics] of one measure.

    NaN in `value` means undefined: such a topic is left out of means, never counted as 0. Its
    `lower` and `upper` then tell what it could be once a relevant document is found, and the
    interval of the mean allows for that. NaN in `lower` and `upper` means that there is no
    interval. `judged` is the share of the ranks which the measure looks at that was judged.
    `standard_error` is there for measures that are estimated from a sample of the pool, `of_mean`
    where means are estimated as a whole and are no means of what single topics score.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measure: str
    value: Floats
    lower: Floats
    upper: Floats
    judged: Floats
    obtained: str = "judged"
    standard_error: Floats | None = None
    of_mean: MeanEstimate | None = None
    over_topics: OverTopics = "mean"

    def __post_init__(self) -> None:
        shape = (len(self.runs), len(self.topics))
        freeze(self, np.float64, shape, "value", "lower", "upper", "judged", "standard_error")
        slack = SCORE_NOISE * np.maximum(1.0, np.abs(self.value))
        with np.errstate(invalid="ignore"):
            if (self.lower > self.value + slack).any() or (self.value > self.upper + slack).any():
                raise ValueError(f"a score of {self.measure} lies outside its interval")

    @classmethod
    def of_lists(
        cls,
        lists: "Lists",
        measure: str,
        value: Floats,
        judged: Floats,
        lower: Floats | None = None,
        upper: Floats | None = None,
        *,
        obtained: str = "judged",
        error: Floats | None = None,
        over_topics: OverTopics = "mean",
    ) -> "Scores":
        """Scores from one number a list, run after run; without ends there is no interval."""
        shape = lists.start.shape
        none = np.full(shape, np.nan)
        return cls(
            lists.runs,
            lists.topics,
            measure,
            value.reshape(shape),
            none if lower is None else lower.reshape(shape),
            none if upper is None else upper.reshape(shape),
            judged.reshape(shape),
            obtained,
            None if error is None else error.reshape(shape),
            over_topics=over_topics,
        )

    def estimated(
        self, value: Floats, name: str, error: Floats | None, of_mean: MeanEstimate | None
    ) -> "Scores":
        """Scores that are estimated, inside the intervals of these; `name` tells how."""
        return replace(
            self,
            # Sums in another order differ in the last digits.
            value=np.clip(value, self.lower, self.upper),
            obtained=name,
            standard_error=error,
            of_mean=of_mean,
        )

    @property
    def residual(self) -> Floats:
        """Width of the interval: how much the unjudged documents could still change."""
        width: Floats = self.upper - self.lower
        return width

    def midpoint(self) -> Floats:
        """Middle of the interval."""
        middle: Floats = (self.lower + self.upper) / 2
        return middle

    def projected(self) -> Floats:
        """base + residual * base / (1 - residual): what is unjudged is as good as what is judged.

        For measures whose scores lie between 0 and 1. NaN where nothing was judged (residual 1).
        Moffat, Webber and Zobel, SIGIR 2007.
        """
        left = 1 - self.residual
        some = left > SCORE_NOISE
        share: Floats = np.divide(self.lower, left, out=np.full_like(left, np.nan), where=some)
        projected: Floats = self.lower + self.residual * share
        return projected

    def mean(self) -> Floats:
        """Mean over the topics on which the measure is defined; NaN where there is none.

        Of counts it is the sum, and of scores that multiply the geometric mean.
        """
        if self.of_mean is not None:
            return np.clip(self.of_mean.value, self.mean_lower(), self.mean_upper())
        return self._over_topics(self.value, mean_over_topics)

    @property
    def estimated_mean(self) -> MeanEstimate | None:
        """`of_mean` with its values within the bounds, as `mean` has them."""
        return None if self.of_mean is None else replace(self.of_mean, value=self.mean())

    def _over_topics(self, score: Floats, mean: Callable[[Floats], Floats]) -> Floats:
        """What the row `all` has, where the mean of other scores is taken so."""
        if self.over_topics == "mean":
            return mean(score)
        if self.over_topics == "geometric mean":
            logarithm: Floats = np.log(np.maximum(score, LEAST_GEOMETRIC))
            return np.exp(mean(logarithm))
        counted = ~np.isnan(score)
        return np.where(counted.any(axis=1), np.where(counted, score, 0.0).sum(axis=1), np.nan)

    def mean_error(self) -> Floats:
        """The standard error of `mean`; topics are independent where nothing else is known."""
        if self.of_mean is not None:
            return self.of_mean.standard_error
        if self.standard_error is None:
            return np.full(len(self.runs), np.nan)
        defined = ~np.isnan(self.value)
        n = np.sqrt(np.maximum(defined.sum(axis=1), 1))
        error: Floats = np.sqrt(_mean(np.nan_to_num(self.standard_error) ** 2, defined)) / n
        # A topic of unknown error counted as 0 would make the mean look more exact than it is.
        error[(np.isnan(self.standard_error) & defined).any(axis=1)] = np.nan
        # That of a sum is n times that of a mean.
        return error * n**2 if self.over_topics == "sum" else error

    def mean_lower(self) -> Floats:
        """The least that the mean can become, whichever undefined topics come to count."""
        # Not -x, which would make -0.0 of 0.
        defined = ~np.isnan(self.value)
        return self._over_topics(self.lower, lambda low: 0.0 - furthest_mean(-low, defined))

    def mean_upper(self) -> Floats:
        """The most that the mean can become, whichever undefined topics come to count."""
        defined = ~np.isnan(self.value)
        return self._over_topics(self.upper, lambda high: furthest_mean(high, defined))

    def mean_judged(self) -> Floats:
        """The share judged, mean over the topics on which there is something to judge."""
        return _mean(self.judged, ~np.isnan(self.judged))

    def columns(self, per_topic: bool = True) -> dict[str, list[str] | Floats]:
        """run, topic, measure, value, lower, upper, judged; topic `all`, the mean, comes last.

        A column standard_error follows where the measure has one. NaN stands for what is undefined.
        """
        means = {
            "value": self.mean(),
            "lower": self.mean_lower(),
            "upper": self.mean_upper(),
            "judged": self.mean_judged(),
        }
        if self.standard_error is not None or self.of_mean is not None:
            means["standard_error"] = self.mean_error()
        run, topic = list(self.runs), ["all"] * len(self.runs)
        if per_topic:
            run = [name for name in self.runs for _ in self.topics] + run
            topic = list(self.topics) * len(self.runs) + topic
            by_topic = {"standard_error": np.full(self.value.shape, np.nan), **self._arrays}
            means = {
                name: np.concatenate([by_topic[name].ravel(), mean]) for name, mean in means.items()
            }
        return {"run": run, "topic": topic, "measure": [self.measure] * len(run), **means}

    def frame(self, per_topic: bool = True) -> "pl.DataFrame":
        """The same columns as a polars frame, null where something is undefined."""
        return scores_frame([self], per_topic)

    def over(self, topics: tuple[str, ...]) -> "Scores":
        """The same scores over these topics, in this order; NaN where there was none."""
        place = {topic: at for at, topic in enumerate(topics)}
        column = [place[topic] for topic in self.topics]

        def spread(array: Floats) -> Floats:
            wide = np.full((len(self.runs), len(topics)), np.nan)
            wide[:, column] = array
            return wide

        return self._with(spread, topics)

    @staticmethod
    def beside(parts: "list[Scores]") -> "Scores":
        """One table of the same measure and runs for the topics of all parts."""
        first = parts[0]
        if any(part.runs != first.runs or part.measure != first.measure for part in parts):
            raise ValueError("only scores of one measure for the same runs can stand side by side")
        topics = tuple(topic for part in parts for topic in part.topics)
        return _joined(parts, first.runs, topics, axis=1)

    def without(self, gone: Bools) -> "Scores":
        """The same scores, undefined where `gone` is true."""
        return self._with(lambda array: np.where(gone, np.nan, array), self.topics)

    def where_known(self, known: Bools, other: float | None) -> "Scores":
        """Return the same scores with `other`, or undefined, where they are not known to count.

        The bounds still tell what a score can become.
        """
        if other is None:
            return replace(self, value=np.where(known, self.value, np.nan))
        with np.errstate(invalid="ignore"):
            lower, upper = np.minimum(self.lower, other), np.maximum(self.upper, other)
        return replace(
            self,
            value=np.where(known, self.value, other),
            lower=np.where(known, self.lower, lower),
            upper=np.where(known, self.upper, upper),
        )

    def zeroed(self) -> "Scores":
        """Return the same scores with 0 where they are undefined, as trec_eval has it."""
        undefined = np.isnan(self.value)
        with np.errstate(invalid="ignore"):
            lower, upper = np.minimum(self.lower, 0.0), np.maximum(self.upper, 0.0)
        return replace(
            self,
            value=np.where(undefined, 0.0, self.value),
            lower=np.where(undefined, lower, self.lower),
            upper=np.where(undefined, upper, self.upper),
        )

    def _with(self, change: Callable[[Floats], Floats], topics: tuple[str, ...]) -> "Scores":
        changed: dict[str, Any] = {name: change(array) for name, array in self._arrays.items()}
        return replace(self, topics=topics, of_mean=None, **changed)

    def averaged(self) -> "Scores":
        """These scores with their mean over topics, of which differences are means too."""
        if self.over_topics == "geometric mean":
            raise ValueError(
                f"{self.measure} is a geometric mean over topics, and a difference of two such is "
                "no mean of differences: name the measure itself, AP for GMAP"
            )
        return replace(self, over_topics="mean")

    def of_runs(self, chosen: Sequence[int]) -> "Scores":
        """Those of some runs, in this order."""
        rows = np.array(chosen, np.int64)
        changed: dict[str, Any] = {name: array[rows] for name, array in self._arrays.items()}
        runs, of_mean = tuple(self.runs[run] for run in chosen), self.of_mean
        if of_mean is not None:
            of_mean = of_mean.of_runs(rows)
        return replace(self, runs=runs, of_mean=of_mean, **changed)

    @property
    def _arrays(self) -> dict[str, Any]:
        """What there is for each run and topic, by name."""
        names = ("value", "lower", "upper", "judged", "standard_error")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    @staticmethod
    def stack(parts: "list[Scores]") -> "Scores":
        """One table of the same measure and topics for the runs of all parts."""
        first = parts[0]
        if any(p.topics != first.topics or p.measure != first.measure for p in parts):
            raise ValueError("only scores of one measure over the same topics can be stacked")
        return _joined(parts, tuple(run for part in parts for run in part.runs), first.topics, 0)


def _joined(
    parts: list[Scores], runs: tuple[str, ...], topics: tuple[str, ...], axis: int
) -> Scores:
    tables = [part._arrays for part in parts]
    arrays: dict[str, Any] = {
        name: np.concatenate([each[name] for each in tables], axis) for name in tables[0]
    }
    return replace(parts[0], runs=runs, topics=topics, of_mean=None, **arrays)


def mean_over_topics(score: Floats) -> Floats:
    """Mean of each row over the topics on which it is defined; NaN where there is none.

    >>> mean_over_topics(np.array([[1.0, np.nan, 0.0], [np.nan, np.nan, np.nan]])).tolist()
    [0.5, nan]
    """
    return _mean(score, ~np.isnan(score))


def furthest_mean(end: Floats, defined: Bools) -> Floats:
    """By row, the largest mean of `end` over the defined topics and any of the undefined ones.

    NaN in `end` is a topic that cannot come to count.

    >>> furthest_mean(np.array([[0.4, 0.8, 0.1]]), np.array([[True, False, False]])).round(4)
    array([0.6])
    """
    best = _mean(end, defined)
    maybe = ~defined & ~np.isnan(end)
    if not maybe.any():
        return best
    # Best first: as long as another topic lifts the mean it comes along, and no longer.
    ordered = -np.sort(-np.where(maybe, end, -np.inf), axis=1)
    some = np.isfinite(ordered)
    total = np.where(defined, end, 0.0).sum(axis=1)[:, None]
    total = total + np.where(some, ordered, 0.0).cumsum(axis=1)
    n = defined.sum(axis=1)[:, None] + np.arange(1, end.shape[1] + 1)
    with_more = np.where(some, total / n, -np.inf).max(axis=1)
    furthest: Floats = np.where(np.isnan(best), with_more, np.maximum(best, with_more))
    return np.where(np.isfinite(furthest), furthest, np.nan)


def _mean(array: Floats, counted: Bools) -> Floats:
    """Mean of each row's counted cells; NaN where there is none."""
    n = counted.sum(axis=1)
    total = np.where(counted, array, 0.0).sum(axis=1)
    mean: Floats = np.divide(total, n, out=np.full(len(array), np.nan), where=n > 0)
    return mean


def scores_frame(scores: "Sequence[Scores]", per_topic: bool) -> "pl.DataFrame":
    """The columns of all scores, one measure after the other."""
    import polars as pl

    text = dict.fromkeys(("run", "topic", "measure"), pl.String)
    parts = [pl.DataFrame(each.columns(per_topic), schema_overrides=text) for each in scores]
    return pl.concat(parts, how="diagonal").with_columns(pl.col(pl.Float64).fill_nan(None))


def scores_rows(
    scores: "Sequence[Scores]", per_topic: bool
) -> tuple[list[str], Iterator[tuple[str | float | None, ...]]]:
    """The names of the same columns and their rows, without polars, which is slow to load."""
    tables = [each.columns(per_topic) for each in scores]
    names = list(dict.fromkeys(name for table in tables for name in table))

    def rows(table: dict[str, list[str] | Floats]) -> Iterator[tuple[str | float | None, ...]]:
        nothing = [None] * len(table["run"])
        cells = [_plain(table[name]) if name in table else nothing for name in names]
        return zip(*cells, strict=True)

    return names, chain.from_iterable(map(rows, tables))


def _plain(column: list[str] | Floats) -> Sequence[str | float | None]:
    """Texts, or numbers with None for NaN."""
    if isinstance(column, list):
        return column
    return [None if number != number else number for number in column.tolist()]


def scores_csv(scores: "Sequence[Scores]", per_topic: bool) -> str | None:
    """The columns of all scores as polars writes them, without it; None if they are very many."""
    n_topics = len(scores[0].topics) + 1 if per_topic else 1
    if sum(len(each.runs) for each in scores) * n_topics > MOST_ROWS:
        return None
    names, rows = scores_rows(scores, per_topic)
    lines = (",".join(map(_csv_cell, row)) for row in rows)
    return "\n".join([",".join(names), *lines, ""])


def _csv_cell(cell: str | float | None) -> str:
    """A text, or the shortest decimal that is this number, empty for None.

    >>> _csv_cell(0.1), _csv_cell(1e-05), _csv_cell(2.5e-06), _csv_cell("a,b")
    ('0.1', '0.00001', '2.5e-6', '"a,b"')
    """
    if isinstance(cell, str):
        quoted = cell.replace('"', '""')
        return f'"{quoted}"' if any(sign in cell for sign in ',"\n\r') else cell
    if cell is None:
        return ""
    text = repr(cell)
    if not text.endswith(("e-05", "e-06", "e-07", "e-08", "e-09")):
        return text
    digits, power = text.split("e-0")
    if power != "5":
        return f"{digits}e-{power}"
    sign = "-" if digits.startswith("-") else ""
    return f"{sign}0.0000{digits.lstrip('-').replace('.', '')}"
