"""Rows of the relevance model: what the ranks, labels and texts say of topic-document pairs."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from leadline.completions.hierarchical_logistic import SINGLE
from leadline.completions.named_random import Keys, combined, name_keys
from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.labels import NoisyLabels
from leadline.data.runs import UNRANKED, Runs

ABSENT = 2000.0
"""The rank that counts for a run that does not return the document."""

FLOOR = 0.01
"""Added to geometric sums, which would otherwise tell a document at rank 80 from one at 90."""

PLACES = (1, 2, 3, 5)
"""Best, second, third and fifth best rank."""

REFERENCE_DEPTH = 30
"""Features are standardised over the pairs that some pooled run ranks so high."""

KNOTS = (2, 5, 10, 20, 40)
"""Best ranks at which the effect of the best rank may bend."""

DEEPEST_BEST_RANK = 200
"""The best rank of documents that no pooled run returns, for the bends."""

FADE = 30.0
"""A run with a document at rank i has the share FADE / (FADE + i) in it."""

FEATURES = (
    "log mean 1/(60+rank)",
    "log(floor + mean .95^rank)",
    "log(floor + mean .8^rank)",
    "mean log rank",
    "share of groups",
    "log(1 + groups with it in the first 30)",
    "mean 30/(30+rank)",
    "log best rank",
    "log second rank",
    "log third rank",
    "log fifth rank",
)
SLOPE = 1
"""The feature whose effect differs from topic to topic."""


def group_weights(group: tuple[str, ...]) -> Floats:
    """Return the weight of each run where the runs of a group count together as one."""
    number = np.unique(np.array(group, dtype=np.str_), return_inverse=True)[1]
    weight: Floats = 1 / np.bincount(number)[number]
    return weight


@dataclass(frozen=True, eq=False)
class DocumentDesign:
    """Matrices X (effects of the whole collection) and Z (effects of a topic) for any pairs.

    Columns of X: level; rank features; labels and other features; runs, by the share
    30/(30+rank), centred over runs; groups, by the largest share of their runs; runs, 1 where they
    return the pair; bends max(0, log(best rank / knot)). Columns of Z: level, one rank feature,
    bends, runs by share. Runs are those of `pooled`, in the order of their names; topics are in
    the order of their names too. Lists are cut to `deep`.
    """

    runs: Runs
    pooled: Bools
    deep: int = 100
    labels: NoisyLabels | None = None
    other: dict[str, Floats] = field(default_factory=dict)

    @cached_property
    def everyone(self) -> Runs:
        """All runs in the order of their names, cut."""
        return self.runs.by_name.cut(self.deep)

    @cached_property
    def is_pooled(self) -> Bools:
        """Which of `everyone` are pooled."""
        order = sorted(range(len(self.runs.names)), key=self.runs.names.__getitem__)
        return np.asarray(self.pooled, np.bool_)[order]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the pooled runs."""
        return tuple(np.array(self.everyone.names, object)[self.is_pooled].tolist())

    @cached_property
    def group(self) -> tuple[str, ...]:
        """The group of each pooled run."""
        return tuple(np.array(self.everyone.group, object)[self.is_pooled].tolist())

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups that were pooled."""
        return tuple(sorted(set(self.group)))

    @cached_property
    def group_number(self) -> Int64s:
        """The number of each pooled run's group."""
        return np.array([self.groups.index(name) for name in self.group], np.int64)

    @cached_property
    def returned(self) -> Bools:
        """Pairs that some run, pooled or not, returns."""
        return self.everyone.best_rank < UNRANKED

    @cached_property
    def best(self) -> Int64s:
        """The best rank by pooled runs, UNRANKED where none returns the pair."""
        return self.everyone.only(self.is_pooled).best_rank.astype(np.int64)

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """Topics in the order of their names."""
        return tuple(sorted(self.runs.pairs.topics))

    @cached_property
    def topic(self) -> Int64s:
        """The number of each pair's topic in that order."""
        place = {name: at for at, name in enumerate(self.topics)}
        number = np.array([place[name] for name in self.runs.pairs.topics], np.int64)
        return number[self.runs.pairs.topic]

    def ordered(self, mask: Bools) -> Int64s:
        """Return the pairs of a mask by topic name, then by document name."""
        pair = np.flatnonzero(mask)
        return pair[np.argsort(self.topic[pair], kind="stable")]

    def starts(self, pair: Int64s) -> Int64s:
        """Return the first row of each topic, and the number of rows, for ordered pairs."""
        return np.searchsorted(self.topic[pair], np.arange(len(self.topics) + 1))

    @cached_property
    def topic_keys(self) -> Keys:
        """A key for the random numbers of each topic."""
        return name_keys(self.topics)

    def pair_keys(self, pair: Int64s) -> Keys:
        """Return a key for the random numbers of each pair."""
        key, known = self._pair_keys
        new = pair[~known[pair]]
        key[new] = combined(self.topic_keys[self.topic[new]], self.runs.pairs.docs_of(new).keys(2))
        known[new] = True
        keys: Keys = key[pair]
        return keys

    @cached_property
    def _pair_keys(self) -> tuple[Keys, Bools]:
        """Keys of pairs, and for which pairs they were worked out so far."""
        n = len(self.topic)
        return np.zeros(n, np.uint64), np.zeros(n, np.bool_)

    @cached_property
    def n_features(self) -> int:
        """Rank features."""
        return len(FEATURES)

    @cached_property
    def n_other(self) -> int:
        """Columns of labels and of other features."""
        return int(self._others(np.zeros(1, np.int64)).shape[1])

    @cached_property
    def columns(self) -> dict[str, slice]:
        """Columns of X by block."""
        widths = {
            "level": 1,
            "feature": self.n_features,
            "other": self.n_other,
            "run": len(self.names),
            "group": len(self.groups),
            "flat": len(self.names),
            "bend": len(KNOTS),
        }
        return _slices(widths)

    @cached_property
    def own_columns(self) -> dict[str, slice]:
        """Columns of Z by block."""
        widths = {"topic": 1, "slope": 1, "topic bend": len(KNOTS), "list": len(self.names)}
        return _slices(widths)

    @cached_property
    def effect_names(self) -> tuple[list[str], list[str]]:
        """A name for every effect, shared and a topic's own."""
        runs, groups = self.names, self.groups
        shared = ["level", *FEATURES, *(f"other {at}" for at in range(self.n_other))]
        shared += [f"run {name}" for name in runs] + [f"group {name}" for name in groups]
        shared += [f"flat {name}" for name in runs] + [f"bend {knot}" for knot in KNOTS]
        own = ["topic", "slope", *(f"topic bend {knot}" for knot in KNOTS)]
        return shared, own + [f"list {name}" for name in runs]

    @cached_property
    def _standard(self) -> tuple[Floats, Floats]:
        """Mean and deviation of features over what pooled runs rank high, judged or not."""
        pair = self.ordered(self.best <= REFERENCE_DEPTH)
        raw = self._raw(pair, self._weight, self._weight.sum())
        if not len(raw):
            return np.zeros(self.n_features), np.ones(self.n_features)
        deviation = raw.std(axis=0)
        return raw.mean(axis=0), np.where(deviation > 1e-9, deviation, 1.0)

    @cached_property
    def _weight(self) -> Floats:
        return group_weights(self.group)

    def _entries(self, pair: Int64s) -> tuple[Int64s, Int64s, Int64s]:
        """Row, pooled run and rank of the entries of some pairs."""
        postings = self.everyone.postings.of(pair).by(self.is_pooled)
        return postings.pair, postings.run.astype(np.int64), postings.rank.astype(np.int64)

    def _raw(self, pair: Int64s, weight: Floats, total: float) -> Floats:
        """Rank features by runs with a weight, as if the weights added up to `total`."""
        row, run, rank = self._entries(pair)
        kept = weight[run] > 0
        row, run, rank = row[kept], run[kept], rank[kept]
        n = len(pair)
        by_entry = weight[run] * (total / max(weight.sum(), 1e-9))
        table = np.arange(1, self.deep + 1, dtype=np.float64)
        present = np.bincount(row, by_entry, n)

        def sums(of_rank: Floats, of_absent: float) -> Floats:
            there = np.bincount(row, by_entry * of_rank[rank - 1], n)
            return there + (total - present) * of_absent

        count = np.bincount(row, minlength=n)
        first = np.append(0, np.cumsum(count))[:-1]
        ordered = np.sort(row * (self.deep + 1) + rank) - row * (self.deep + 1)
        places = []
        for place in PLACES:
            at = np.full(n, ABSENT)
            some = count >= place
            at[some] = ordered[first[some] + place - 1]
            places.append(np.log(at))
        return np.stack(
            [
                np.log(sums(1 / (60 + table), 1 / (60 + ABSENT)) / total),
                np.log(FLOOR + sums(0.95**table, 0.0) / total),
                np.log(FLOOR + sums(0.8**table, 0.0) / total),
                sums(np.log(table), float(np.log(ABSENT))) / total,
                present / total,
                np.log1p(sums((table <= 30).astype(np.float64), 0.0)),
                sums(FADE / (FADE + table), 0.0) / total,
                *places,
            ],
            axis=1,
        )

    def _others(self, pair: Int64s) -> Floats:
        """Labels, a column a grade but for the lowest, and other features, standardised."""
        parts: list[Floats] = [] if self.labels is None else self.labels.columns(pair)
        for name in sorted(self.other):
            table = np.asarray(self.other[name], np.float64).reshape(len(self.runs.pairs), -1)
            deviation = table.std(axis=0)
            shown = (table[pair] - table.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
            parts += list(shown.T)
        return np.stack(parts, axis=1) if parts else np.zeros((len(pair), 0))

    def features(self, pair: Int64s, without: Bools | None = None) -> Floats:
        """Return standardised rank features; `without` some pooled runs they keep their scale."""
        weight, total = self._weight, float(self._weight.sum())
        if without is not None:
            weight = np.zeros(len(self.names))
            rest = np.flatnonzero(~without)
            weight[rest] = group_weights(tuple(self.group[run] for run in rest))
        mean, deviation = self._standard
        return (self._raw(pair, weight, total) - mean) / deviation

    def best_without(self, pair: Int64s, without: Bools) -> Int64s:
        """Return the best rank of some pairs by the pooled runs that are left."""
        row, run, rank = self._entries(pair)
        best = np.full(len(pair), UNRANKED, np.int64)
        kept = ~without[run]
        np.minimum.at(best, row[kept], rank[kept])
        return best

    def matrices(
        self, pair: Int64s, rotation: Floats, without: Bools | None = None
    ) -> tuple[Floats, Floats]:
        """Return X and Z of ordered pairs; rank features are multiplied by `rotation`.

        `without` some pooled runs the matrices are as if these had returned none of the pairs.
        """
        n, n_runs, n_groups = len(pair), len(self.names), len(self.groups)
        kind = np.float32 if n > SINGLE else np.float64
        row, run, rank = self._entries(pair)
        best = self.best[pair]
        if without is not None:
            kept = ~without[run]
            row, run, rank = row[kept], run[kept], rank[kept]
            best = self.best_without(pair, without)
        share = FADE / (FADE + rank)
        at, own_at = self.columns, self.own_columns
        X = np.zeros((n, at["bend"].stop), kind)
        Z = np.zeros((n, own_at["list"].stop), kind)
        feature = self.features(pair, without)
        X[:, 0] = Z[:, 0] = 1.0
        X[:, at["feature"]] = feature @ rotation
        X[:, at["other"]] = self._others(pair)
        Z[:, own_at["slope"].start] = feature[:, SLOPE]
        bend = np.log(np.minimum(best, DEEPEST_BEST_RANK)[:, None] / np.array(KNOTS))
        X[:, at["bend"]] = Z[:, own_at["topic bend"]] = np.maximum(0.0, bend)
        by_run = np.zeros((n, n_runs), kind)
        by_run[row, run] = share
        by_group = np.zeros((n, n_groups), kind)
        np.maximum.at(by_group, (row, self.group_number[run]), share.astype(kind))
        flat = np.zeros((n, n_runs), kind)
        flat[row, run] = 1.0
        X[:, at["run"]] = Z[:, own_at["list"]] = by_run - by_run.mean(axis=1, keepdims=True)
        X[:, at["group"]] = by_group - by_group.mean(axis=1, keepdims=True)
        X[:, at["flat"]] = flat - flat.mean(axis=1, keepdims=True)
        return X, Z

    def even_shares(self, pair: Int64s, runs: Bools | None = None) -> Floats:
        """Return [pairs, runs]: the same share for each run that returns a pair, 1 together.

        `runs` is a mask over `everyone`; the pooled ones without it.
        """
        which = self.is_pooled if runs is None else runs
        postings = self.everyone.postings.of(pair).by(which)
        count = np.diff(postings.start)
        table = np.zeros((len(pair), int(which.sum())))
        table[postings.pair, postings.run] = 1 / count[postings.pair]
        return table


def _slices(widths: dict[str, int]) -> dict[str, slice]:
    ends = np.cumsum(list(widths.values())).tolist()
    return {name: slice(end - widths[name], end) for name, end in zip(widths, ends, strict=True)}
