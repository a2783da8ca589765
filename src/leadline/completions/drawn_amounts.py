"""What unjudged documents might add to scores: a model, levels and documents drawn together."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from leadline.completions.level_spread import DEGREES
from leadline.completions.prediction import Prediction
from leadline.completions.run_effects import LIST_SCALE
from leadline.data.arrays import Bools, Floats, Int64s

LIGHT = 0.001
"""Entries that weigh so little of what a run has open, all together, are not drawn one by one."""

CELLS = 1 << 21
"""Entries times draws that are held at once."""


def drawn_amounts(told: Prediction, misfit: Floats, random: np.random.Generator) -> Floats:
    """[draws, runs] of what unjudged documents add to mean scores, one for each `misfit`.

    In draw k the level of new run r lies sqrt(misfit_k^2 + error_r^2) times Student's t from what
    is told, that of a pooled one error_r times a normal number, that of a list LIST_SCALE times
    another from its run's; coefficients and levels of topics are those of a drawn model. Every
    document has one chance, whoever returns it: it reaches a grade where that is less than its
    probability in the list. The lightest entries of a run add in proportion to what the others do.
    """
    from scipy.sparse import csr_array

    n, n_runs, n_new = len(misfit), len(told.names), len(told.new)
    of_model, *seeds = random.integers(2**63, size=3).tolist()
    draws = _RunDraws(told.new, n, seeds[0], DEGREES), _RunDraws(told.beside, n, seeds[1])
    runs = np.concatenate([of.runs for of in draws])
    steps = []
    for step, (level, error) in zip(told.model.steps, told.levels, strict=True):
        scale = np.repeat(error[:, None], n, axis=1)
        scale[:n_new] = np.hypot(error[:n_new, None], misfit)
        # Every step is given the same chances: the grades of a document go together.
        model = step.drawn(n, np.random.default_rng(of_model))
        steps.append((step, model, level[:, None] + scale * runs))
    heavy = _heavy(told)
    amounts = np.zeros((n_runs, n))
    for topics, parts in _blocks(told, heavy, n):
        lists = LIST_SCALE * np.concatenate([of.lists(len(topics)) for of in draws], axis=1)
        for entry in parts:
            pair, first, at = np.unique(told.pair[entry], return_index=True, return_inverse=True)
            row, run = told.entries.row[entry], told.run[entry]
            topic = told.entries.list[entry] % told.n_topics
            in_new = np.isin(pair, told.pair[entry[run < n_new]])
            chance = np.empty((len(pair), n))
            for of, own in zip(draws, (in_new, ~in_new), strict=True):
                chance[own] = of.documents(int(own.sum()))
            gain, least = np.zeros((len(entry), n)), np.full((len(entry), n), np.inf)
            for step, model, moved in steps:
                known = step.standard(row[first]) @ model.coefficient.T
                known += model.level[:, topic[first]].T + step.logit[row[first]][:, None] - chance
                z = moved[run]
                z += lists[topic - topics.start, run]
                z += known[at]
                # No better grade is likelier than a lesser one.
                np.minimum(least, z, out=least)
                gain += step.rise * (least > 0)
            weight = told.entries.weight[entry] / told.n_topics
            cells = weight, (run, np.arange(len(entry)))
            amounts += csr_array(cells, shape=(n_runs, len(entry))) @ gain
    weight, of_heavy = told.mean(1.0), told.mean(heavy.astype(np.float64))
    amounts *= np.divide(weight, of_heavy, out=np.ones(n_runs), where=of_heavy > 0)[:, None]
    expected = told.amounts()
    # A level that moves up and down alike makes rare documents likelier on average. New runs are
    # better than told more often than worse; errors of pooled ones were shown to hold around it.
    amounts[n_new:] += (expected[n_new:] - amounts[n_new:].mean(axis=1))[:, None]
    drawn: Floats = amounts.T
    return drawn


class _RunDraws:
    """Chances of some runs, which may come in any order; no others beside them change these."""

    def __init__(
        self, names: tuple[str, ...], n: int, seed: int, degrees: float | None = None
    ) -> None:
        # A stream for each kind: how much is asked for at once changes nothing.
        of_runs, self._lists, self._documents = (
            np.random.default_rng([seed, kind]) for kind in range(3)
        )
        self._place = np.argsort(np.argsort(np.array(names, object), kind="stable"))
        self._n, size = n, (len(names), n)
        if degrees is None:
            self.runs: Floats = of_runs.standard_normal(size)[self._place]
        else:
            self.runs = of_runs.standard_t(degrees, size)[self._place]

    def lists(self, n_topics: int) -> Floats:
        """[topics, runs, draws]: normal numbers of the next topics' lists."""
        own = self._lists.standard_normal((n_topics, len(self._place), self._n))
        return own[:, self._place]

    def documents(self, number: int) -> Floats:
        """[documents, draws]: logits of uniform numbers."""
        return self._documents.logistic(size=(number, self._n))


def _heavy(told: Prediction) -> Bools:
    """The entries of each run that make up all of its open weight but a thousandth."""
    weight, run = told.entries.weight, told.run
    order = np.lexsort((-weight, run))
    total = np.bincount(run, weight, len(told.names))
    before = np.cumsum(weight[order]) - weight[order]
    first = np.searchsorted(run[order], np.arange(len(told.names)))
    start = np.append(before, 0.0)[first]
    enough = before - start[run[order]] >= (1 - LIGHT) * total[run[order]]
    # What weighs as much as one that is kept is kept.
    least = np.full(len(told.names), np.inf)
    np.minimum.at(least, run[order][~enough], weight[order][~enough])
    heavy: Bools = weight >= least[run]
    return heavy


def _blocks(
    told: Prediction, some: Bools, n_draws: int
) -> Iterator[tuple[range, Iterator[Int64s]]]:
    """Topics that follow each other, and some of the entries of their lists in parts.

    As many topics, and entries of a part, as have few enough cells; none cuts a pair in two.
    """
    entry = np.flatnonzero(some)
    entry = entry[np.lexsort((told.pair[entry], told.entries.list[entry] % told.n_topics))]
    topic = told.entries.list[entry] % told.n_topics
    size = max(1, CELLS // max(1, len(told.names) * n_draws))
    for begin in range(0, told.n_topics, size):
        topics = range(begin, min(begin + size, told.n_topics))
        first, last = np.searchsorted(topic, [topics.start, topics.stop])
        yield topics, _parts(entry[first:last], told.pair, max(1, CELLS // max(1, n_draws)))


def _parts(entry: Int64s, pair: Int64s, size: int) -> Iterator[Int64s]:
    """The entries, so many at a time or a few more: those of a pair stay together."""
    _, first, number = np.unique(pair[entry], return_index=True, return_inverse=True)
    # Pairs are numbered by topic, so they are in order already.
    begin = np.unique(first[number] // size, return_index=True)[1]
    for one, next_one in pairwise([*begin.tolist(), len(entry)]):
        yield entry[one:next_one]
