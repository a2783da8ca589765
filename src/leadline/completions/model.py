"""One hierarchical model of the relevance of unjudged documents."""

from dataclasses import dataclass, field
from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.completions.document_design import DocumentDesign
from leadline.completions.draw import N_DRAWS, Completions, draw_completions
from leadline.completions.hierarchical_logistic import EffectBlock, HierarchicalLogistic
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
"""A warm fit need not converge: the next one continues."""

FURTHER_GRADE = 0.5
"""Prior scale of the effects of a further grade, as a share of that of the first."""

PER_TOPIC = ("topic", "slope", "topic bend", "list")


@dataclass(frozen=True, eq=False)
class FittedThreshold:
    """The regression of P(grade >= `least`) on the judged `pair`s.

    Its effects are added to those of the threshold `below`, if there is one.
    """

    least: int
    pair: Int64s
    outcome: Floats
    fit: HierarchicalLogistic
    below: "FittedThreshold | None" = None

    def logit(self, X: Any, Z: Any, start: Int64s) -> Floats:
        """Return the mean logits of other rows, sorted by topic."""
        at: Floats = np.asarray(X @ self.fit.g.astype(X.dtype), np.float64)
        if self.below is not None:
            at += self.below.logit(X, Z, start)
        for topic, (begin, end) in enumerate(pairwise(start.tolist())):
            at[begin:end] += Z[begin:end] @ self.fit.l[topic].astype(Z.dtype)
        return at


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
    kept: dict[tuple[int, int], Completions] = field(default_factory=dict, repr=False, init=False)

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

        The last one is kept with the runs.
        """
        everyone = np.ones(len(runs.names), np.bool_)
        mask = everyone if pooled is None else np.asarray(pooled, np.bool_)
        asked = (mask.tobytes(), tuple(sorted(features or ())), deep)
        kept = runs.kept.get(cls)
        if kept is None or not judgments.same(kept[0]) or kept[1] != asked:
            source = SimpleNamespace(runs=runs, judgments=judgments)
            model = cls.fit(source, pooled=mask, features=features, deep=deep)
            kept = runs.kept[cls] = (judgments, asked, model)
        return kept[2]

    def draw(self, n: int = N_DRAWS, seed: int = 0) -> Completions:
        """Return n completions: grades of all pairs, judged ones as they are.

        Drawn once for all that ask.
        """
        if (n, seed) not in self.kept:
            self.kept.clear()
            self.kept[n, seed] = draw_completions(self, n, seed)
        return self.kept[n, seed]

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
    X, Z = design.matrices(pair, coefficients.rotation)
    start = design.starts(pair)
    given = [least for least in np.unique(grade).tolist() if least > 0]
    if not given:
        given = list(range(1, judgments.max_grade + 1)) if not len(pair) else [1]
    if len(given) > MOST_GRADES:
        raise ValueError(
            f"{len(given)} different grades are more than the {MOST_GRADES} that can be modelled: "
            "merge some with `map_grades`"
        )
    known = {} if warm is None else {step.least: step.fit for step in warm.steps}
    steps: list[FittedThreshold] = []
    for nth, least in enumerate(given):
        below = steps[-1] if steps else None
        offset = None if below is None else below.logit(X, Z, start)
        fit = HierarchicalLogistic(X, Z, start, *_priors(design, coefficients, nth), offset)
        earlier = known.get(least)
        is_warm = earlier is not None and earlier.g.shape == fit.g.shape
        if earlier is not None and is_warm:
            _start_from(fit, earlier)
        outcome = (grade >= least).astype(np.float64)
        fit.fit(outcome, WARM_ITERATIONS if is_warm else COLD_ITERATIONS)
        fit.prepare()
        steps.append(FittedThreshold(least, pair, outcome, fit, below))
    return tuple(steps)


def _start_from(fit: HierarchicalLogistic, earlier: HierarchicalLogistic) -> None:
    fit.g = earlier.g.copy()
    if earlier.l.shape == fit.l.shape:
        fit.l = earlier.l.copy()
    for block, was in zip(fit.blocks, earlier.blocks, strict=True):
        block.variance = was.variance


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
