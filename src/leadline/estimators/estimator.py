"""What every estimator is: a named thing that gives a gain to every unjudged entry of the lists."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from leadline.measures.weighted import Weighted
from leadline.naming.registry import Named, Registry
from leadline.tables.arrays import Bools, Floats, Int64s, frozen
from leadline.tables.documents import WordCounts
from leadline.tables.judgments import Judgments
from leadline.tables.lists import Lists
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs
from leadline.tables.scores import Scores


@dataclass(frozen=True, eq=False)
class Estimated:
    """A gain for every entry of the runs, in the measure's own gains.

    `gain` is aligned with `runs.pair`: what is judged keeps its gain. `tail` [runs, topics] is the
    gain of a unit of weight beyond the end of a list. `standard_error` [runs, topics] is that of
    the score, where the method knows one.
    """

    gain: Floats
    tail: Floats
    standard_error: Floats | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "gain", frozen(self.gain, np.float64, self.gain.shape, "gain"))
        object.__setattr__(self, "tail", frozen(self.tail, np.float64, self.tail.shape, "tail"))
        if self.standard_error is not None:
            error = frozen(self.standard_error, np.float64, self.tail.shape, "standard_error")
            object.__setattr__(self, "standard_error", error)


class Estimator(Named):
    """A frozen dataclass with fields as parameters; a subclass says what unjudged documents gain.

    Gains lie between 0 and the largest gain of the measure, so estimates lie in the interval that
    is certain.
    """

    @property
    def reads(self) -> bool:
        """Whether it needs the words of the documents."""
        return False

    @abstractmethod
    def gains(
        self,
        measure: Weighted,
        runs: Runs,
        judgments: Judgments,
        pool: Pool | None = None,
        contributing: Bools | None = None,
        words: WordCounts | None = None,
    ) -> Estimated:
        """A gain for every entry.

        `judgments` are those that are known, `pool` how they were chosen. Only `contributing` runs,
        all without it, teach anything: the others are scored by what these say. `words` has what
        the documents say, in the order of `runs.pairs.docs`, for an estimator that `reads`.
        """


estimators: Registry[Estimator] = Registry("estimator", "leadline.estimators")


def known_gains(measure: Weighted, judgments: Judgments) -> tuple[Floats, float]:
    """The gain of every pair, 0 where it was not judged, and the largest gain there is."""
    table = measure.gain(judgments.max_grade)
    gain: Floats = table[: judgments.max_grade + 1][judgments.grade]
    return gain, float(table.max())


def list_of(runs: Runs) -> Int64s:
    """For every entry, its list: the position in the flattened (run, topic) grid."""
    order = np.argsort(runs.start.ravel(), kind="stable")
    return np.repeat(order, (runs.stop - runs.start).ravel()[order])


def entry_weights(measure: Weighted, runs: Runs) -> Floats:
    """The weight of every entry's rank."""
    rank = runs.entries.rank
    return measure.weights(int(rank.max(initial=1)))[rank - 1]


def tail_weights(measure: Weighted, runs: Runs) -> Floats:
    """[runs, topics]: the weight that stays open beyond the end of each list."""
    length = runs.stop - runs.start
    return measure.tail(length.ravel()).reshape(length.shape)


def list_sums(runs: Runs, amount: Floats) -> Floats:
    """[runs, topics]: the sum of an amount over the entries of each list."""
    sums = np.bincount(list_of(runs), weights=amount, minlength=runs.start.size)
    return sums.astype(np.float64, copy=False).reshape(runs.start.shape)


def filled(
    measure: Weighted, runs: Runs, judgments: Judgments, guess: Floats, tail: Floats
) -> Estimated:
    """What is judged keeps its gain, everything else takes the guess made for its entry."""
    known, most = known_gains(measure, judgments)
    judged = judgments.judged[runs.pair]
    gain = np.where(judged, known[runs.pair], np.clip(guess, 0.0, most))
    return Estimated(gain, np.broadcast_to(np.clip(tail, 0.0, most), runs.start.shape))


def estimated_scores(
    measure: Weighted, runs: Runs, judgments: Judgments, estimated: Estimated, name: str
) -> Scores:
    """Scores with every gain as estimated, inside the interval that is certain.

    The measure need not be the one that the gains were estimated with.
    """
    if measure.judged_only:
        raise ValueError(f"{measure} leaves unjudged documents out: there is nothing to estimate")
    certain = measure.score(Lists.of(runs, judgments))
    value = list_sums(runs, entry_weights(measure, runs) * estimated.gain)
    value = value + tail_weights(measure, runs) * estimated.tail
    # Sums in another order differ in the last digits.
    value = np.clip(value, certain.lower, certain.upper)
    return Scores(
        certain.runs,
        certain.topics,
        certain.measure,
        value,
        certain.lower,
        certain.upper,
        certain.judged,
        name,
        estimated.standard_error,
    )
