"""One hierarchical model of the relevance of unjudged documents."""

from dataclasses import dataclass, field
from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.completions.document_design import DEEPEST_BEST_RANK, DocumentDesign
from leadline.completions.draw import N_DRAWS, Completions, draw_completions
from leadline.completions.hierarchical_logistic import EffectBlock, HierarchicalLogistic
from leadline.completions.named_random import Keys
from leadline.completions.prior import (
    FEW_GROUPS,
    Coefficients,
    RelevancePrior,
    default_prior,
)
from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.judgments import Judgments
from leadline.data.labels import NoisyLabels
from leadline.data.runs import UNRANKED, Runs

if TYPE_CHECKING:
    from leadline.completions.unpooled_groups import UnpooledGroups

DEEP = 100
"""Lists are cut to this rank by default. Verbs that use the model read so many ranks at least."""

MOST_GRADES = 32
"""Every grade has a regression of its own."""

FEW_JUDGMENTS = 100
"""With fewer judgments the prior, from other collections, says most."""

COLD_ITERATIONS, WARM_ITERATIONS = 40, 4
"""A warm fit to few new judgments need not converge: the next one continues."""

FEW_NEW, FEWEST_NEW = 0.2, 0.02
"""New judgments are few as a share of those before; so few that only means are fitted anew."""

MOST_KEPT = 4
"""Models of the same runs that are kept."""

ROWS_PER_TOPIC, FEWEST_ROWS = 300, 15_000
"""A regression is fitted to at most so many judged documents, whichever is more."""

FURTHER_GRADE = 0.5
"""Prior scale of the effects of a further grade, as a share of that of the first."""

PER_TOPIC = ("topic", "slope", "topic bend", "list")


@dataclass(frozen=True, eq=False)
class FittedThreshold:
    """The regression of P(grade >= `least`) on the judged `pair`s, or on a sample of them.

    Its effects are added to those of the threshold `below`, if there is one. Its scales were learnt
    from `n_learnt` judged documents.
    """

    least: int
    pair: Int64s
    outcome: Floats
    sample: "RowSample"
    n_learnt: int
    fit: HierarchicalLogistic
    below: "FittedThreshold | None" = None

    @property
    def fitted_logit(self) -> Floats:
        """The mean logits of the rows that it is fitted to."""
        return self.fit.logit() - self.sample.offset

    def logit(self, X: Any, Z: Any, start: Int64s) -> Floats:
        """Return the mean logits of other rows, sorted by topic."""
        at: Floats = np.asarray(X @ self.fit.g.astype(X.dtype), np.float64)
        if self.below is not None:
            at += self.below.logit(X, Z, start)
        for topic, (begin, end) in enumerate(pairwise(start.tolist())):
            at[begin:end] += Z[begin:end] @ self.fit.l[topic].astype(Z.dtype)
        return at


@dataclass(frozen=True, eq=False)
class RowSample:
    """Some of many judged rows, drawn by outcome, so that a fit takes no longer than it must.

    Of at most `most` rows half are those that reach the grade, or all of these where they are
    fewer. The others are drawn with probability r(x) = min(1, c / best rank): where few documents
    reach the grade the others say little. With logit P(y = 1) as an offset log(r1(x) / r0(x)) more,
    the likelihood given that a row was drawn has the same effects (Prentice & Pyke, 1979, doi
    10.1093/biomet/66.3.403; Fithian & Hastie, 2014, doi 10.1214/14-AOS1220). `weight` is the
    inverse probability of the rows.

    >>> best, key = np.array([1, 1, 2, 4]), np.array([1, 3, 2, 4], np.uint64) << np.uint64(61)
    >>> sample = RowSample.of(np.array([1.0, 0.0, 0.0, 0.0]), best, key, 2)
    >>> sample.kept.tolist(), sample.weight.round(2).tolist()
    ([True, True, False, False], [1.0, 2.0])
    """

    kept: Bools
    offset: Floats
    weight: Floats

    @classmethod
    def of(cls, outcome: Floats, best: Int64s, key: Keys, most: int) -> "RowSample":
        """Draw by the documents' keys; all rows where they are no more than `most`."""
        n, yes = len(outcome), outcome > 0
        if n <= most:
            return cls(np.ones(n, np.bool_), np.zeros(n), np.ones(n))
        n_yes = int(yes.sum())
        most_yes = min(n_yes, max(most // 2, most - (n - n_yes)))
        # Keys are evenly spread, so their first bits are a uniform number.
        number = (key >> np.uint64(11)).astype(np.float64) / 2.0**53
        kept = np.zeros(n, np.bool_)
        rate = np.ones((2, n))
        for value, size, many in ((0, most - most_yes, ~yes), (1, most_yes, yes)):
            depth = np.minimum(best, DEEPEST_BEST_RANK) if value == 0 else np.ones(n)
            place = number * depth
            if size < many.sum():
                limit = np.partition(place[many], size)[size]
                rate[value] = np.minimum(1.0, limit / depth)
                kept |= many & (place < limit)
            else:
                kept |= many
        offset = np.log(rate[1] / rate[0])
        return cls(kept, offset[kept], 1 / rate[outcome.astype(np.int64), np.arange(n)][kept])


@dataclass(frozen=True, eq=False)
class RelevanceModel:
    """P(grade >= g) of every document that some run returns in its first ranks.

    Formula, for document p of topic t and each grade g that was given:

        logit P(grade_p >= g) = level + x_p.b + o_p.c + h_p.d                  the collection
            + sum_r s_rp v_r + sum_G s_Gp w_G + sum_r 1[r returns p] f_r       runs and groups
            + u_t + k_t e_p + h_p.d_t + sum_r s_rp l_rt                        topics and lists

    with rank features x, labels and other features o, bends h in the logarithm of the best rank,
    and shares s_rp = 30 / (30 + rank): see `DocumentDesign`. b ~ N(b0, s^2 B0) with b0 and B0 from
    other collections; every other block of effects is N(0, sigma_block^2), sigma learnt. A further
    grade adds effects near 0 to those of the grade below it. Documents of unpooled groups differ
    by effects learnt from pooled groups left out: see `UnpooledGroups`.

    The likelihood is conditional on the ranks, so a random sample of a pool, a pool judged in part
    by rank and judgments chosen one by one need no weights.
    """

    design: DocumentDesign
    judgments: Judgments
    prior: RelevancePrior
    steps: tuple[FittedThreshold, ...]
    caveats: tuple[str, ...] = ()
    unpooled: "UnpooledGroups | None" = None
    kept: dict[tuple[int, int, bytes], Completions] = field(
        default_factory=dict, repr=False, init=False
    )

    @classmethod
    def fit(
        cls,
        source: Any,
        *,
        pooled: Bools | None = None,
        labels: NoisyLabels | None = None,
        features: dict[str, Floats] | None = None,
        warm: "RelevanceModel | None" = None,
        prior: RelevancePrior | None = None,
        deep: int = DEEP,
        new_groups: bool = True,
    ) -> "RelevanceModel":
        """Fit to a collection or evidence: anything with `runs` and `judgments`.

        Args:
            pooled: mask over the runs that made the pool; by default those that the collection
                marks, or that the evidence names as contributing.
            labels: judgments by a language model or another noisy judge; by default those that
                were read with the collection.
            features: other numbers of every pair by name, as similarity of texts.
            warm: a model of the same runs, from which the fit starts.
            prior: by default the one that ships.
            deep: lists are cut to this rank; documents below it count as not relevant.
            new_groups: learn the effects of unpooled groups, where there are such runs.
        """
        runs: Runs = source.runs
        judgments: Judgments = source.judgments
        mask = _pooled(source) if pooled is None else np.asarray(pooled, np.bool_)
        if not mask.any():
            raise ValueError("no run is marked as pooled: mark at least one")
        said = runs.pairs.labels if labels is None else labels
        if warm is not None and warm.design.runs is runs and (warm.design.pooled == mask).all():
            design = warm.design
        else:
            design = DocumentDesign(runs, mask, deep, said, features or {})
        prior = prior or (default_prior() if warm is None else warm.prior)
        coefficients = prior.coefficients(len(design.groups))
        steps = _fit_steps(design, judgments, coefficients, warm)
        caveats = _caveats(design, judgments)
        model = cls(design, judgments, prior, steps, caveats)
        if mask.all() or not new_groups:
            return model
        from leadline.completions.unpooled_groups import UnpooledGroups

        kept = None if warm is None else warm.unpooled
        unpooled = UnpooledGroups.fit(model) if kept is None else kept.on(model)
        caveats += unpooled.caveats
        return cls(design, judgments, prior, steps, caveats, unpooled)

    @classmethod
    def of(
        cls,
        runs: Runs,
        judgments: Judgments,
        pooled: Bools | None = None,
        features: dict[str, Floats] | None = None,
        deep: int = DEEP,
    ) -> "RelevanceModel":
        """Return the model of these judgments, fitted once for all that ask.

        The last few are kept with the runs.
        """
        everyone = np.ones(len(runs.names), np.bool_)
        mask = everyone if pooled is None else np.asarray(pooled, np.bool_)
        asked = (mask.tobytes(), tuple(sorted(features or ())), deep)
        kept: list[tuple[Any, RelevanceModel]] = runs.kept.setdefault(cls, [])
        for at, (what, model) in enumerate(kept):
            if what == asked and judgments.same(model.judgments):
                kept.append(kept.pop(at))
                return model
        source = SimpleNamespace(runs=runs, judgments=judgments)
        model = cls.fit(source, pooled=mask, features=features, deep=deep)
        kept[:] = [*kept[1 - MOST_KEPT :], (asked, model)]
        return model

    def draw(self, n: int = N_DRAWS, seed: int = 0, *, inside: Bools | None = None) -> Completions:
        """Return n completions: grades of all pairs, or of those `inside`, judged ones as they are.

        Drawn once for all that ask.
        """
        asked = (n, seed, b"" if inside is None else np.packbits(inside).tobytes())
        if asked not in self.kept:
            self.kept.clear()
            rows = None
            if inside is not None:
                rows = self.design.ordered(inside & self.design.returned & ~self.judgments.judged)
            self.kept[asked] = draw_completions(self, n, seed, rows)
        return self.kept[asked]

    @property
    def rotation(self) -> Floats:
        """What rank features are multiplied by."""
        return self.prior.coefficients(len(self.design.groups)).rotation

    def matrices(self, pair: Int64s, without: Bools | None = None) -> tuple[Floats, Floats]:
        """Return X and Z of ordered pairs: see `DocumentDesign.matrices`."""
        return self.design.matrices(pair, self.rotation, without)

    @property
    def open(self) -> Int64s:
        """The unjudged pairs that some run returns, by topic name."""
        return self.design.ordered(self.design.returned & ~self.judgments.judged)

    def probability(self, pair: Int64s, least: int = 1) -> Floats:
        """Return P(grade >= least) of ordered pairs at the mean effects."""
        from scipy.special import expit

        step = next(step for step in self.steps if step.least >= least)
        X, Z = self.matrices(pair)
        p: Floats = expit(step.logit(X, Z, self.design.starts(pair)))
        return p

    @property
    def judged_depth(self) -> int:
        """The deepest best rank of a judged pair that pooled runs return, at least 1."""
        best = self.design.best[self.judgments.judged]
        return max(1, int(best[best < UNRANKED].max(initial=1)))


def _pooled(source: Any) -> Bools:
    for name in ("pooled_runs", "pooled"):
        found = getattr(source, name, None)
        if found is not None:
            return np.asarray(getattr(found, "mask", found), np.bool_)
    return np.ones(len(source.runs.names), np.bool_)


def _fit_steps(
    design: DocumentDesign,
    judgments: Judgments,
    coefficients: Coefficients,
    warm: RelevanceModel | None,
) -> tuple[FittedThreshold, ...]:
    """A regression for each grade that was given; for grade 1 where none was."""
    # What unpooled runs alone return would say of the pooled ones' documents that no one saw them.
    pair = design.ordered(judgments.judged & (design.best < UNRANKED))
    grade = judgments.grade[pair]
    given = [least for least in np.unique(grade).tolist() if least > 0]
    if not given:
        given = list(range(1, judgments.max_grade + 1)) if not len(pair) else [1]
    if len(given) > MOST_GRADES:
        raise ValueError(
            f"{len(given)} different grades are more than the {MOST_GRADES} that can be modelled: "
            "merge some with `map_grades`"
        )
    most = max(FEWEST_ROWS, ROWS_PER_TOPIC * len(design.topics))
    key = design.pair_keys(pair) if len(pair) > most else np.zeros(len(pair), np.uint64)
    samples = [
        RowSample.of((grade >= least).astype(np.float64), design.best[pair], key, most)
        for least in given
    ]
    some = np.any([sample.kept for sample in samples], axis=0)
    pair, grade = pair[some], grade[some]
    X, Z = _matrices(design, pair, coefficients, warm)
    start = design.starts(pair)
    known = {} if warm is None else {step.least: step for step in warm.steps}
    steps: list[FittedThreshold] = []
    for nth, (least, sample) in enumerate(zip(given, samples, strict=True)):
        row = np.flatnonzero(sample.kept[some])
        below = steps[-1] if steps else None
        offset = sample.offset
        if below is not None:
            offset = offset + below.logit(X, Z, start)[row]
        blocks, mean = _priors(design, coefficients, nth)
        at = design.starts(pair[row])
        rows = (X, Z) if len(row) == len(X) else (X[row], Z[row])
        fit = HierarchicalLogistic(*rows, at, blocks, mean, offset)
        outcome = (grade[row] >= least).astype(np.float64)
        earlier, n_learnt = known.get(least), len(some)
        if earlier is None or earlier.fit.g.shape != fit.g.shape:
            fit.fit(outcome, COLD_ITERATIONS)
        else:
            place = np.full(len(design.topic), -1, np.int64)
            place[earlier.pair] = np.arange(len(earlier.pair))
            fit.start_from(earlier.fit, place[pair[row]])
            new = abs(len(some) - earlier.n_learnt)
            if new <= FEWEST_NEW * earlier.n_learnt:
                fit.fit_means(outcome, WARM_ITERATIONS)
                n_learnt = earlier.n_learnt
            else:
                few = new <= FEW_NEW * earlier.n_learnt
                fit.fit(outcome, WARM_ITERATIONS if few else COLD_ITERATIONS)
        steps.append(FittedThreshold(least, pair[row], outcome, sample, n_learnt, fit, below))
    return tuple(steps)


def _matrices(
    design: DocumentDesign, pair: Int64s, coefficients: Coefficients, warm: RelevanceModel | None
) -> tuple[Floats, Floats]:
    """Return X and Z of ordered pairs, reusing rows of the warm model if it has half of them."""
    if warm is None or warm.design is not design:
        return design.matrices(pair, coefficients.rotation)
    step = warm.steps[0]
    place = np.full(len(design.topic), -1, np.int64)
    place[step.pair] = np.arange(len(step.pair))
    place = place[pair]
    known = place >= 0
    same = np.array_equal(warm.rotation, coefficients.rotation)
    if not same or 2 * known.sum() < len(known):
        return design.matrices(pair, coefficients.rotation)
    added = design.matrices(pair[~known], coefficients.rotation)
    tables = []
    for earlier, new in zip((step.fit.X, step.fit.Z), added, strict=True):
        table = earlier[np.maximum(place, 0)]
        table[~known] = new
        tables.append(table)
    return tables[0], tables[1]


def _priors(
    design: DocumentDesign, coefficients: Coefficients, nth: int
) -> tuple[list[EffectBlock], Floats]:
    """Blocks of effects with the prior of their scales, and the prior mean of the shared ones.

    A further grade has effects near those of the grade below it, at a lower level.
    """
    at, own_at = design.columns, design.own_columns
    fixed = float("inf")
    shrink = FURTHER_GRADE if nth else 1.0
    blocks = [
        EffectBlock("level", 0, 1, coefficients.level_variance, fixed),
        EffectBlock("feature", at["feature"].start, at["feature"].stop, shrink**2, 4.0),
    ]
    for name in (*at, *own_at):
        if name in ("level", "feature"):
            continue
        own = name in PER_TOPIC
        columns = (own_at if own else at)[name]
        variance = (shrink * coefficients.scales[name]) ** 2
        blocks.append(EffectBlock(name, columns.start, columns.stop, variance, per_topic=own))
    mean = np.zeros(at["bend"].stop)
    if nth:
        mean[0] = -coefficients.grade_step
        return blocks, mean
    mean[0] = coefficients.level
    mean[at["feature"]] = coefficients.rotated_mean
    return blocks, mean


def _caveats(design: DocumentDesign, judgments: Judgments) -> tuple[str, ...]:
    """Reasons not to rely on the intervals."""
    caveats = []
    n_groups, n_judged = len(design.groups), int((judgments.judged & design.returned).sum())
    if n_groups == 1:
        caveats.append(
            "all pooled runs are of one group, so effects of groups are those of other "
            "collections: prediction intervals are wide"
        )
    elif n_groups <= FEW_GROUPS:
        caveats.append(
            f"only {n_groups} groups were pooled, so coefficients rest on other collections: "
            "prediction intervals are wide"
        )
    if not n_judged:
        caveats.append("nothing is judged, so predictions rest on other collections alone")
    elif n_judged < FEW_JUDGMENTS:
        caveats.append(
            f"only {n_judged} judged documents: predictions rest mostly on other collections"
        )
    return tuple(caveats)
