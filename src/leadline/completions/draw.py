"""Completions: grades for all unjudged documents, drawn jointly from a relevance model."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from leadline.completions.named_random import combined, name_keys, normal, uniform
from leadline.data.arrays import Floats, Int16s, Int64s
from leadline.data.judgments import Judgments
from leadline.data.lists import CompleteBlock
from leadline.data.runs import Runs
from leadline.measures.measure import Measure, Weighted

if TYPE_CHECKING:
    from leadline.completions.model import FittedThreshold, RelevanceModel

Float32s = npt.NDArray[np.float32]

CELLS = 1 << 22
"""Numbers in a block of topics: rows times draws."""

N_DRAWS = 200
"""Completions that every verb draws."""

CENTRING_STEPS, NEAR = 20, 0.01
"""Centring ends where every mean was so near to its target, in logits, before the last move."""

MOST_MOVED = 4.0
"""Logits in a step of the centring, so that it does not leave the range of the draws."""

SMALLEST = 1e-30

POSTERIOR_SHARE = 0.7
"""Weight of E sigma(z) against sigma(E z) in the mean probability of a document."""


@dataclass(frozen=True, eq=False)
class Completions:
    """`drawn` [open pairs, draws]: a grade for every unjudged `pair` that some run returns.

    Pairs are in ascending order. Judged pairs have their grade in every completion; unjudged pairs
    that no run returns in its first ranks have grade 0.
    """

    runs: Runs
    judgments: Judgments
    pair: Int64s
    drawn: Int16s
    caveats: tuple[str, ...] = ()

    def __len__(self) -> int:
        return int(self.drawn.shape[1])

    @property
    def grade(self) -> Int16s:
        """[draws, pairs]: a grade for every pair; large, for small collections and tests."""
        table = np.tile(self.judgments.grade, (len(self), 1))
        table[:, self.pair] = self.drawn.T
        return table

    @cached_property
    def counts(self) -> Int64s:
        """[draws, topics, grades]: how many documents have each grade from 1 on; 0 not counted."""
        pairs, n_grades = self.runs.pairs, self.judgments.max_grade + 1
        judged = self.judgments.counts.copy()
        judged[:, 0] = 0
        counts = np.tile(judged, (len(self), 1, 1))
        topic = pairs.topic[self.pair]
        present, first = np.unique(topic, return_index=True)
        for grade in range(1, n_grades) if len(first) else ():
            of_topic = np.add.reduceat(self.drawn == grade, first, axis=0, dtype=np.int64)
            counts[:, present, grade] += of_topic.T
        return counts

    def scores(self, measure: Measure, runs: Runs | None = None) -> Floats:
        """Return the measure [draws, runs, topics] in every completion, NaN where undefined.

        `runs` are scored if given, over the same pairs: the model's own without it.
        """
        scored = self.runs if runs is None else runs
        if measure.needs != "judgments" or measure.judged_only or not measure.bounded:
            raise ValueError(
                f"{measure} has no bounds by judgments alone, so completions cannot be scored: "
                "use nDCG@k, AP, Recall@k, RR, ERR@k, RBP, P@k, DCG@k or SDCG@k"
            )
        weighted = measure.numerator
        if weighted is None:
            return self._scores_by_rank(measure, scored)
        total = self._weighted_sums(weighted, scored)
        if weighted is measure:
            return total
        n, n_topics = len(self), len(scored.pairs.topics)
        counts = self.counts.reshape(n * n_topics, -1)
        ideal = measure.ideals(counts, self.judgments.max_grade)[0].reshape(n, 1, n_topics)
        ratio: Floats = np.divide(total, ideal, out=np.full(total.shape, np.nan), where=ideal > 0)
        return ratio

    def mean_gain(self, table: Floats) -> Floats:
        """Return the mean gain of every pair, with the gain of each grade; judged ones keep it."""
        gain: Floats = np.where(self.judgments.judged, table[self.judgments.grade], 0.0)
        total = np.zeros(len(self.pair))
        for grade in range(1, len(table)):
            total += (table[grade] - table[0]) * (self.drawn == grade).sum(axis=1)
        gain[self.pair] = table[0] + total / len(self)
        return gain

    def first_grades(self, n: int, pair: Int64s) -> Int16s:
        """Return the grades [pairs, n] of some pairs in the first completions."""
        grades = np.where(self.judgments.judged, self.judgments.grade, np.int16(0))[pair]
        table = np.repeat(grades[:, None], min(n, len(self)), axis=1)
        column = self._column(pair)
        table[column >= 0] = self.drawn[column[column >= 0], :n]
        return table

    def sums(self, matrix: Any, table: Floats, pair: Int64s) -> Floats:
        """Return `matrix` [rows, pairs] times the gains of some pairs: [draws, rows]."""
        known = np.where(self.judgments.judged, table[self.judgments.grade], 0.0)[pair]
        column = self._column(pair)
        at = np.flatnonzero(column >= 0)
        drawn = table.astype(np.float32)[self.drawn[column[at]]]
        total: Floats = (matrix @ known)[:, None] + matrix[:, at] @ drawn
        return total.T

    def means(self, measure: Measure, runs: Runs | None = None) -> Floats:
        """Return mean scores [draws, runs] over the topics on which the measure is defined."""
        scores = self.scores(measure, runs)
        defined = ~np.isnan(scores)
        n = defined.sum(axis=2)
        total = np.where(defined, scores, 0.0).sum(axis=2)
        mean: Floats = np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0)
        return mean

    def _weighted_sums(self, measure: Weighted, runs: Runs) -> Floats:
        """Sum of weight times gain; the tail beyond a list's end adds nothing."""
        from scipy.sparse import csr_array

        cut = runs.cut(measure.depth)
        n_runs, n_topics = cut.start.shape
        weight = measure.weights(int(cut.length.max(initial=1)))[cut.entries.rank - 1]
        gain = measure.gain(self.judgments.max_grade)
        judged = self.judgments.judged[cut.pair]
        known = gain[self.judgments.grade[cut.pair]] * judged
        base = np.bincount(cut.entries.list, weight * known, n_runs * n_topics)
        total = np.empty((len(self), n_runs * n_topics))
        entry = np.flatnonzero(~judged)
        column = self._column(cut.pair[entry])
        entry, column = entry[column >= 0], column[column >= 0]
        lists = cut.entries.list[entry]
        matrix = csr_array(
            (weight[entry].astype(np.float32), (lists, column)),
            shape=(n_runs * n_topics, len(self.pair)),
        )
        # Gains are looked up in single precision, draws in blocks, so that memory is bounded.
        table = gain.astype(np.float32)
        step = max(1, CELLS // max(1, len(self.pair)))
        for begin in range(0, len(self), step):
            part = slice(begin, begin + step)
            total[part] = (matrix @ table[self.drawn[:, part]]).T
        total += base
        return total.reshape(len(self), n_runs, n_topics)

    def _column(self, pair: Any) -> Int64s:
        """The row of `drawn` of each pair, -1 for those that are not drawn."""
        if not len(self.pair):
            return np.full(len(pair), -1, np.int64)
        at = np.minimum(np.searchsorted(self.pair, pair), len(self.pair) - 1)
        return np.where(self.pair[at] == pair, at, -1)

    def _scores_by_rank(self, measure: Measure, runs: Runs) -> Floats:
        """Score lists with all grades known, some topics at a time."""
        cut = runs.cut(measure.depth)
        n_runs, n_topics = cut.start.shape
        n, width = len(self), max(1, int(cut.length.max(initial=1)))
        value = np.full((n, n_runs * n_topics), np.nan)
        flat_start, flat_length = cut.start.ravel(), cut.length.ravel()
        step = max(1, CELLS // (n * width))
        for begin in range(0, n_runs * n_topics, step):
            lists = np.arange(begin, min(begin + step, n_runs * n_topics))
            inside = np.arange(width) < flat_length[lists][:, None]
            entry = np.where(inside, flat_start[lists][:, None] + np.arange(width), 0)
            pair = cut.pair[entry[inside]]
            grade = np.zeros((n, len(lists), width), np.int16)
            column = self._column(pair)
            at = np.flatnonzero(inside)
            flat = grade.reshape(n, -1)
            flat[:, at] = self.judgments.grade[pair]
            flat[:, at[column >= 0]] = self.drawn[column[column >= 0]].T
            counts = self.counts[:, lists % n_topics]
            block = CompleteBlock.of(
                grade.reshape(n * len(lists), width),
                np.tile(flat_length[lists], n),
                counts.reshape(n * len(lists), -1),
            )
            scored = measure.interval(block, self.judgments.max_grade)[0]
            value[:, lists] = scored.reshape(n, -1)
        return value.reshape(n, n_runs, n_topics)


def draw_completions(
    model: "RelevanceModel", n: int, seed: int, rows: Int64s | None = None
) -> Completions:
    """Draw n completions: effects from their joint posterior, widened, then every grade.

    In draw i the grade of document p is the largest g with u_pi < P_i(grade_p >= g), u uniform.
    P_i is that of drawn effects and of drawn effects of unpooled groups. Deviations of effects are
    multiplied by the prior's `widening`, except a topic's own level, slope and bends, given the
    other effects: errors that topics do not share vanish in means, but would spread ideals. Draws
    are centred for every document, so that the mean probability stays
    (E sigma(z))^.7 (sigma(E z))^.3, z drawn from the posterior as it is. E sigma(z) alone is too
    high for the many rare documents of deep ranks, sigma(E z) too low for topics with few relevant
    documents.
    Random numbers belong to the names of topics, documents, runs and groups. Drawn are all unjudged
    pairs that some run returns, or those of `rows`, ordered.
    """
    if n < 1:
        raise ValueError(f"the number of draws must be at least 1, not {n}")
    design = model.design
    rows = model.open if rows is None else rows
    drawn = np.zeros((len(rows), n), np.int16)
    effects = [_Effects(model, step, n, seed) for step in model.steps]
    unpooled = None if model.unpooled is None else model.unpooled.noise(n, seed)
    for topics, part in _topic_blocks(design.starts(rows), n):
        pair = rows[part]
        if not len(pair):
            continue
        X, Z = (table.astype(np.float32) for table in model.matrices(pair))
        start = design.starts(pair)
        chance = uniform(design.pair_keys(pair), n, seed, "document")
        least = np.ones((len(pair), n), np.float32)
        z = np.zeros((len(pair), n), np.float32)
        wide = np.zeros((len(pair), n), np.float32)
        for nth, effect in enumerate(effects):
            effect.add(z, wide, X, Z, start, topics)
            mean = model.steps[nth].logit(X, Z, start)
            centre = mean.astype(np.float32)[:, None]
            expected = _sigmoid(centre + z).mean(axis=1)
            target = expected**POSTERIOR_SHARE * _sigmoid(centre[:, 0]) ** (1 - POSTERIOR_SHARE)
            at = centred(centre + wide, target)
            if unpooled is not None:
                at = unpooled.moved(nth, pair, mean, at)
            np.minimum(least, _sigmoid(at), out=least)
            drawn[part][chance < least] = model.steps[nth].least
    order = np.argsort(rows, kind="stable")
    return Completions(design.runs, model.judgments, rows[order], drawn[order], model.caveats)


def centred(z: Float32s, target: Any, steps: int = CENTRING_STEPS) -> Float32s:
    """Return logits [rows, draws] moved row by row until their mean probability is the target.

    Newton's method for the logit of the mean, nearly linear in the move, begun where the probit
    approximation of the mean has it. Rows that are there are left alone.
    """
    wanted = _logit(target)
    variance = z.var(axis=1)
    shift = (wanted * (1 + np.pi / 8 * variance) ** 0.25 - z.mean(axis=1)).astype(np.float32)
    moved: Float32s = z + shift[:, None]
    row, at = np.arange(len(z)), moved
    for _ in range(steps):
        q = _sigmoid(at)
        mean = q.mean(axis=1)
        slope = np.einsum("ij,ij->i", q, 1 - q) / np.float32(q.shape[1])
        slope = np.maximum(slope, SMALLEST) / np.maximum(mean * (1 - mean), SMALLEST)
        short = wanted[row] - _logit(mean)
        move = np.clip(short / slope, -MOST_MOVED, MOST_MOVED).astype(np.float32)
        far = np.abs(short) >= NEAR
        moved[row] += move[:, None]
        if not far.any():
            break
        row = row[far]
        at = moved[row]
    return moved


def _logit(p: Any) -> Any:
    inside = np.clip(p, SMALLEST, 1 - 1e-7)
    return np.log(inside / (1 - inside)).astype(np.float32)


class _Effects:
    """Drawn deviations of the effects of one grade's regression from their means."""

    def __init__(self, model: "RelevanceModel", step: "FittedThreshold", n: int, seed: int) -> None:
        self.step, self.n, self.seed = step, n, seed
        self._widening = np.float32(model.prior.widening)
        names, own = model.design.effect_names
        self._own_keys, self._topic_keys = name_keys(own), model.design.topic_keys
        self._lists = model.design.own_columns["list"].start
        # All grades have the same numbers: the grades of a document go together.
        self._shared = step.fit.draw_shared(normal(name_keys(names), n, seed, "effect"))

    def add(
        self, z: Float32s, wide: Float32s, X: Float32s, Z: Float32s, start: Int64s, topics: slice
    ) -> None:
        """Add the deviations of logits [rows, draws] of the rows of some topics, and wide ones."""
        common: Float32s = X @ self._shared.astype(np.float32)
        for topic in range(topics.start, topics.stop):
            part = slice(int(start[topic]), int(start[topic + 1]))
            if part.stop == part.start:
                continue
            keys = combined(self._topic_keys[topic], self._own_keys)
            noise = normal(keys, self.n, self.seed, "topic effect")
            response, noise = self.step.fit.draw_own(topic, noise, self._shared)
            response[self._lists :] += noise[self._lists :]
            common[part] += Z[part] @ response.astype(np.float32)
            own = Z[part, : self._lists] @ noise[: self._lists].astype(np.float32)
            z[part] += own
            wide[part] += own
        z += common
        wide += self._widening * common


def _topic_blocks(start: Int64s, n: int) -> Iterator[tuple[slice, slice]]:
    """Topics that follow each other, and their rows: few enough for n draws."""
    begin, n_topics = 0, len(start) - 1
    while begin < n_topics:
        most = start[begin] + CELLS // max(1, n)
        end = int(np.searchsorted(start, most, side="right")) - 1
        end = min(max(end, begin + 1), n_topics)
        yield slice(begin, end), slice(int(start[begin]), int(start[end]))
        begin = end


def _sigmoid(z: Any) -> Any:
    """1 / (1 + exp(-z)), several times as fast as scipy's in single precision."""
    p = np.negative(z)
    with np.errstate(over="ignore"):
        np.exp(p, out=p)
    p += 1
    return np.reciprocal(p, out=p)
