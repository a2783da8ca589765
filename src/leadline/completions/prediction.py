"""What a model says of ranks that nobody judged, in new runs and in pooled ones beside them."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from leadline.completions.adjuster import PoolBias
from leadline.completions.features import FLOOR, RankFeatures
from leadline.completions.gain_model import GainModel, fit_gain_model
from leadline.completions.regression import effect_depth, last_open
from leadline.completions.run_effects import EFFECT_DEPTH, judged_tops, run_levels
from leadline.completions.score_draws import UnjudgedEntries
from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.runs import Runs


@dataclass(frozen=True, eq=False)
class Prediction:
    """Expected gains of the unjudged documents of runs.

    `new` runs come first, `beside` them pooled ones. `levels` are each step's levels of the runs
    and their errors: of new ones without their misfit, which nothing here tells. `pair` is the pair
    of every entry.
    """

    new: tuple[str, ...]
    beside: tuple[str, ...]
    n_topics: int
    model: GainModel
    levels: tuple[tuple[Floats, Floats], ...]
    entries: UnjudgedEntries
    pair: Int64s

    @classmethod
    def of(
        cls, evidence: PoolBias, *, beside: bool = False, among: Bools | None = None
    ) -> "Prediction":
        """Of the new runs, with the pooled ones beside them if asked for.

        A pooled run's ranks beyond which no more lies than a hundredth of the open weight are left
        out. With `among`, only unjudged documents that are so marked count.
        """
        teachers, judgments, measure = evidence.contributors, evidence.judgments, evidence.weighted
        tables = [evidence.new_runs(measure.depth)]
        tops = [judged_tops(evidence.new_runs(EFFECT_DEPTH), judgments)]
        if beside:
            tables.append(teachers.top(max(1, last_open(evidence))))
            tops.append(judged_tops(teachers.top(effect_depth(evidence)), judgments))
        open_ = ~judgments.judged if among is None else among & ~judgments.judged
        entries, pair = _listed(evidence, tables, open_)
        # No other pair has a say, and features are what takes longest.
        asked = judgments.judged.copy()
        asked[pair] = True
        pairs = np.flatnonzero(asked)
        feature = RankFeatures(teachers.postings_of(pairs), np.ones(len(teachers)), FLOOR)
        model = fit_gain_model(evidence, feature, pairs)
        levels = []
        for step in model.steps:
            told = []
            for at, (runs, (known, of)) in enumerate(zip(tables, tops, strict=True)):
                row, run = np.searchsorted(pairs, known), of // max(evidence.n_topics, 1)
                seen = step.logit[row], step.relevant[row], run
                told.append(run_levels(*seen, len(runs.names), new=at == 0))
            level, error = (np.concatenate(each) for each in zip(*told, strict=True))
            levels.append((level, error))
        return cls(
            tables[0].names,
            tables[1].names if beside else (),
            evidence.n_topics,
            model,
            tuple(levels),
            replace(entries, row=np.searchsorted(pairs, pair)),
            pair,
        )

    @property
    def knows(self) -> bool:
        """Whether judged documents differ in any grade; where all are alike, nothing tells how
        far from these the others may be."""
        return any(step.knows for step in self.model.steps)

    @property
    def names(self) -> tuple[str, ...]:
        """Those of all runs."""
        return (*self.new, *self.beside)

    @cached_property
    def run(self) -> Int64s:
        """The run of every entry."""
        run: Int64s = self.entries.list // np.int64(max(self.n_topics, 1))
        return run

    @cached_property
    def gain(self) -> Floats:
        """The expected gain of every entry."""
        return self.model.gains(self.entries.row, [level[self.run] for level, _ in self.levels])

    def mean(self, gain: Floats | float) -> Floats:
        """What gains of the entries add to the mean score of each run."""
        sums = np.bincount(self.run, self.entries.weight * gain, len(self.names))
        mean: Floats = sums / self.n_topics
        return mean

    def amounts(self) -> Floats:
        """What the expected ones add."""
        return self.mean(self.gain)


def _listed(
    evidence: PoolBias, tables: list[Runs], chosen: Bools
) -> tuple[UnjudgedEntries, Int64s]:
    """The entries that hold chosen pairs, one table's after the other's, and these pairs."""
    lists, weight, pair = [], [], []
    n_lists = 0
    for runs in tables:
        entry = np.flatnonzero(chosen[runs.pair])
        weights = evidence.weighted.weights(int(runs.length.max(initial=1)))
        lists.append(n_lists + runs.entries.list[entry].astype(np.int64))
        weight.append(weights[runs.entries.rank[entry] - 1])
        pair.append(runs.pair[entry].astype(np.int64))
        n_lists += runs.start.size
    pairs = np.concatenate(pair)
    entries = UnjudgedEntries(np.concatenate(lists), np.concatenate(weight), pairs, n_lists)
    return entries, pairs
