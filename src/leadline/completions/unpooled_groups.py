"""Effects of groups outside the pool, learnt from pooled groups that are left out in turn."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from leadline.completions.draw import centred
from leadline.completions.hierarchical_logistic import (
    EffectBlock,
    HierarchicalLogistic,
    expected_sigmoid,
)
from leadline.completions.named_random import combined, name_keys, normal
from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.runs import UNRANKED

if TYPE_CHECKING:
    from leadline.completions.model import FittedThreshold, RelevanceModel

MOST_LEFT_OUT = 20
"""Groups that are left out; of more, these are spread evenly over their names."""

REFIT_STEPS = 3
"""Newton steps without the judgments that a left-out group alone contributed."""

LEVEL_VARIANCE = 1.0
"""Of a run's level on documents that others returned too."""

CENTRING_STEPS = 6


@dataclass(frozen=True, eq=False)
class GroupEffects:
    """The regression of one grade on documents that only a left-out group contributed.

    logit = predicted without the group + a.x + group + run + (group, topic), with
    x = (1, predicted, log own rank, share of the group's runs, returned by no other, level).
    The level is that of the run on documents which others returned too.
    """

    coefficient: Floats
    root: Floats
    scales: dict[str, float]


@dataclass(frozen=True, eq=False)
class UnpooledGroups:
    """What documents of unpooled groups are expected to have beyond what pooled runs say of them.

    `effects` has one fit for each grade, None where no group contributed a document alone.
    `levels` are those of the new runs: for each grade, by run of `DocumentDesign.everyone`.
    """

    model: "RelevanceModel"
    effects: tuple[GroupEffects | None, ...]
    levels: tuple[Floats, ...]

    @classmethod
    def fit(cls, model: "RelevanceModel") -> "UnpooledGroups":
        """Leave pooled groups out in turn and learn from the documents that they alone brought."""
        left_out = [_LeftOut.of(model, group) for group in _chosen(model)]
        some = [each for each in left_out if each is not None]
        effects = tuple(
            _fit_effects(model, nth, [each for each in some if each.lost.any()])
            for nth in range(len(model.steps))
        )
        return cls(model, effects, _new_levels(model))

    def on(self, model: "RelevanceModel") -> "UnpooledGroups":
        """Return the same effects for a refitted model of the same runs, with new levels."""
        effects = self.effects + (self.effects[-1],) * (len(model.steps) - len(self.effects))
        return UnpooledGroups(model, effects[: len(model.steps)], _new_levels(model))

    @property
    def caveats(self) -> tuple[str, ...]:
        """Reasons not to rely on predictions for new groups."""
        if all(each is None for each in self.effects):
            return (
                "no pooled group contributed a document alone, so effects of new groups are those "
                "of other collections",
            )
        return ()

    def noise(self, n: int, seed: int) -> "UnpooledNoise":
        """Return drawn effects of the unpooled groups."""
        return UnpooledNoise(self, n, seed)


class UnpooledNoise:
    """Drawn effects: a ~ posterior, group ~ t_df sigma_group, run and (group, topic) normal."""

    def __init__(self, unpooled: UnpooledGroups, n: int, seed: int) -> None:
        self.unpooled, self.n, self.seed = unpooled, n, seed
        design = unpooled.model.design
        new = ~design.is_pooled
        names = np.array(design.everyone.group, object)
        self.groups = {group: new & (names == group) for group in sorted(set(names[new]))}

    def moved(
        self, nth: int, pair: Int64s, mean: Floats, z: npt.NDArray[np.float32]
    ) -> npt.NDArray[np.float32]:
        """Return drawn logits of documents, moved where an unpooled group ranks them.

        `mean` are their logits at the mean effects. A document that pooled runs rank as high as
        the group does belongs to the pooled runs.
        """
        model = self.unpooled.model
        effects = self.unpooled.effects[nth] or _prior_effects(model)
        depth, best = model.judged_depth, model.design.best[pair]
        keys = [f"coefficient {at}" for at in range(len(effects.coefficient))]
        normals = normal(name_keys(keys), self.n, self.seed, "unpooled")
        a = effects.coefficient[:, None] + effects.root @ normals
        move = np.zeros(z.shape)
        count, shift, variance = np.zeros(len(pair)), np.zeros(len(pair)), np.zeros(len(pair))
        for group, mine in self.groups.items():
            own, share = _own_ranks(model, mine, pair)
            row = np.flatnonzero(own < best)
            if not len(row):
                continue
            even = model.design.even_shares(pair[row], mine)
            level = even @ self.unpooled.levels[nth][mine]
            x = _known(mean[row], own[row], share[row], best[row], level, depth)
            move[row] += x @ a + self._group(group, effects, pair[row])
            move[row] += even @ self._runs(mine, effects)
            count[row] += 1
            shift[row] += x @ effects.coefficient
            variance[row] += effects.scales["group"] ** 2 + effects.scales["list"] ** 2
            variance[row] += effects.scales["run"] ** 2 * (even**2).sum(axis=1)
        row = np.flatnonzero(count)
        if not len(row):
            return z
        target, _ = expected_sigmoid(
            mean[row] + shift[row] / count[row], variance[row] / count[row] ** 2
        )
        z = z.copy()
        added = z[row] + (move[row] / count[row][:, None]).astype(np.float32)
        z[row] = centred(added, target, CENTRING_STEPS)
        return z

    def _group(self, group: str, effects: GroupEffects, pair: Int64s) -> Floats:
        """[rows, draws]: the effect of a new group and those of its topics."""
        model, key = self.unpooled.model, name_keys([group])
        df = model.prior.unpooled.df
        deviate = normal(key, self.n, self.seed, "new group")
        number = int(key[0] >> np.uint64(1))
        wide = np.random.default_rng([self.seed, 2, number]).chisquare(df, self.n) / df
        topics = combined(key, model.design.topic_keys)
        lists = normal(topics, self.n, self.seed, "new group and topic")
        of_group: Floats = effects.scales["group"] * deviate / np.sqrt(wide)
        return of_group + effects.scales["list"] * lists[model.design.topic[pair]]

    def _runs(self, mine: Bools, effects: GroupEffects) -> Floats:
        """[runs of the group, draws]."""
        everyone = self.unpooled.model.design.everyone
        names = [everyone.names[run] for run in np.flatnonzero(mine)]
        return effects.scales["run"] * normal(name_keys(names), self.n, self.seed, "new run")


@dataclass(frozen=True, eq=False)
class _LeftOut:
    """A pooled group taken for new: judged documents it returns, and what others say of them.

    `lost` are those that would not have been judged without it.
    """

    group: int
    runs: Int64s
    pair: Int64s
    predicted: tuple[Floats, ...]
    best: Int64s
    own: Int64s
    share: Floats
    even: Floats
    lost: Bools
    kept: Bools

    @classmethod
    def of(cls, model: "RelevanceModel", group: int) -> "_LeftOut | None":
        design = model.design
        without = design.group_number == group
        mine = np.zeros(len(design.is_pooled), np.bool_)
        mine[np.flatnonzero(design.is_pooled)[without]] = True
        own, share = _own_ranks(model, mine)
        pair = design.ordered(model.judgments.judged & (own < UNRANKED))
        if not len(pair) or without.all():
            return None
        depth = model.judged_depth
        best = design.best_without(pair, without)
        hidden = np.zeros(len(design.runs.pairs), np.bool_)
        hidden[pair[best > depth]] = True
        X, Z = model.matrices(pair, without)
        start = design.starts(pair)
        predicted = tuple(_predicted(step, hidden, X, Z, start) for step in model.steps)
        return cls(
            group,
            np.flatnonzero(mine),
            pair,
            predicted,
            best,
            own[pair],
            share[pair],
            design.even_shares(pair, mine),
            (best > depth) & (own[pair] <= depth),
            best <= depth,
        )


def _predicted(
    step: "FittedThreshold", hidden: Bools, X: Floats, Z: Floats, start: Int64s
) -> Floats:
    """Mean logits by the step fitted without the hidden pairs, its factors used again."""
    fit, gone = step.fit, hidden[step.pair]
    if not gone.any():
        return step.logit(X, Z, start)
    was = fit.g, fit.l, fit.weight
    fit.weight = np.where(gone, 0.0, 1.0)
    for _ in range(REFIT_STEPS):
        fit.newton_step(step.outcome)
    logit = step.logit(X, Z, start)
    fit.g, fit.l, fit.weight = was
    return logit


def _chosen(model: "RelevanceModel") -> list[int]:
    n = len(model.design.groups)
    return sorted(set(np.linspace(0, n - 1, min(MOST_LEFT_OUT, n)).round().astype(int).tolist()))


def _own_ranks(
    model: "RelevanceModel", mine: Bools, pair: Int64s | None = None
) -> tuple[Int64s, Floats]:
    """The best rank of pairs by some runs, UNRANKED for none, and the share that return them."""
    runs = model.design.everyone.only(mine)
    own = runs.best_rank.astype(np.int64)
    share = np.bincount(runs.pair, minlength=len(own)) / max(int(mine.sum()), 1)
    return (own, share) if pair is None else (own[pair], share[pair])


def _known(
    predicted: Floats, own: Int64s, share: Floats, best: Int64s, level: Floats, depth: int
) -> Floats:
    """x of documents: see `GroupEffects`."""
    return np.column_stack(
        [
            np.ones(len(predicted)),
            np.clip(predicted + 3, -4, 4) / 2,
            np.log(np.minimum(own, 2 * depth) / depth),
            share - 0.5,
            best == UNRANKED,
            level,
        ]
    )


def _level(predicted: Floats, outcome: Floats) -> float:
    """The level that fits documents best, with prior N(0, LEVEL_VARIANCE)."""
    from scipy.special import expit

    level = 0.0
    for _ in range(15):
        p = expit(predicted + level)
        slope = float((p - outcome).sum()) + level / LEVEL_VARIANCE
        move = slope / (float((p * (1 - p)).sum()) + 1 / LEVEL_VARIANCE)
        level -= float(np.clip(move, -1, 1))
        if abs(move) < 1e-6:
            break
    return level


def _levels(predicted: Floats, outcome: Floats, even: Floats) -> Floats:
    """The level of each run, by the documents that it returns."""
    return np.array([_level(predicted[of], outcome[of]) for of in (even > 0).T])


def _new_levels(model: "RelevanceModel") -> tuple[Floats, ...]:
    design = model.design
    judged = design.ordered(model.judgments.judged & design.returned)
    even = design.even_shares(judged, ~design.is_pooled)
    some = even.any(axis=1)
    pair, even = judged[some], even[some]
    X, Z = model.matrices(pair)
    start = design.starts(pair)
    levels = []
    for step in model.steps:
        outcome = (model.judgments.grade[pair] >= step.least).astype(np.float64)
        of_run = np.zeros(len(design.is_pooled))
        of_run[~design.is_pooled] = _levels(step.logit(X, Z, start), outcome, even)
        levels.append(of_run)
    return tuple(levels)


def _prior_effects(model: "RelevanceModel") -> GroupEffects:
    scales = model.prior.unpooled
    mean = np.array(scales.coefficient)
    root = np.diag([1.0, *[scales.slope] * (len(mean) - 1)])
    return GroupEffects(mean, root, {"group": scales.group, "run": scales.run, "list": scales.list})


def _fit_effects(
    model: "RelevanceModel", nth: int, left_out: list[_LeftOut]
) -> GroupEffects | None:
    """Fit one grade's regression to all left-out groups together."""
    if not left_out:
        return None
    design, step, scales = model.design, model.steps[nth], model.prior.unpooled
    depth, n_all = model.judged_depth, len(design.is_pooled)
    pairs, known, offsets, outcomes, groups, runs = [], [], [], [], [], []
    for at, each in enumerate(left_out):
        outcome = (model.judgments.grade[each.pair] >= step.least).astype(np.float64)
        predicted, kept, lost = each.predicted[nth], each.kept, each.lost
        level = each.even @ _levels(predicted[kept], outcome[kept], each.even[kept])
        pairs.append(each.pair[lost])
        offsets.append(predicted[lost])
        outcomes.append(outcome[lost])
        groups.append(np.full(int(lost.sum()), at))
        wide = np.zeros((int(lost.sum()), n_all))
        wide[:, each.runs] = each.even[lost]
        runs.append(wide)
        x = _known(predicted, each.own, each.share, each.best, level, depth)
        known.append(x[lost])
    pair = np.concatenate(pairs)
    order = np.lexsort((pair, design.topic[pair]))
    of_group = np.eye(len(left_out))[np.concatenate(groups)[order]]
    X = np.hstack([np.concatenate(known)[order], of_group, np.concatenate(runs)[order]])
    q, g = len(scales.coefficient), len(left_out)
    fixed = float("inf")
    blocks = [
        EffectBlock("fixed", 0, 1, 1.0, fixed),
        EffectBlock("slope", 1, q, scales.slope**2, 3.0),
        EffectBlock("group", q, q + g, scales.group**2),
        EffectBlock("run", q + g, q + g + n_all, scales.run**2),
        EffectBlock("list", 0, g, scales.list**2, per_topic=True),
    ]
    mean = np.zeros(X.shape[1])
    mean[:q] = scales.coefficient
    offset = np.concatenate(offsets)[order]
    fit = HierarchicalLogistic(X, of_group, design.starts(pair[order]), blocks, mean, offset)
    fit.fit(np.concatenate(outcomes)[order])
    root = np.linalg.cholesky(fit.covariance(q)).astype(np.float64)
    learnt = {name: float(np.sqrt(fit.block(name).variance)) for name in ("group", "run", "list")}
    return GroupEffects(fit.g[:q].copy(), root, learnt)
