"""A pool to audit a noisy judge: what single groups return, most from where favour would show."""

from dataclasses import dataclass

import numpy as np

from leadline.completions.pair_weights import PairWeights
from leadline.data.arrays import Bools, Floats
from leadline.data.draw import draw_bytes
from leadline.data.judgments import Judgments
from leadline.data.pool import Pool
from leadline.data.runs import Runs
from leadline.judging.weighted_sample import chances
from leadline.labels.favour import ROUGHLY, OwnedDocuments
from leadline.measures.measure import parse_numerator
from leadline.pooling.strategies import PoolStrategy, Strata, pools

EVEN_SHARE, EVEN_OF_SCORES = 0.05, 0.2
"""Of what is drawn for groups, and for scores: drawn evenly from all pairs."""

NEVER_OFF = 0.01
"""Whatever its labels, a group stays as suspect as that."""

MOST_EVIDENCE = 30.0
"""Natural logarithm of the largest likelihood ratio."""


@pools.register
@dataclass(frozen=True)
class AuditSample(PoolStrategy):
    """n judgments in batches to audit labels, most where favour of a group would be visible.

    Formula: pi_bp = .95 min(1, k sqrt(sum_G c_G a_Gp^2)) + .05 (1 - scores) n_b / P

    a_Gp is A_G / N_G where group G alone returns p, N_G the number of such documents and A_G what
    they weigh in the mean score of its runs; A_G / M_G where p is one of the M_G documents that one
    other group alone returns. c_G = 1 at first, then the likelihood of a favour of `gain` over none
    by the labels (--labels) and by what was judged. Of n, two shares go into the first batch, one
    into every other. The share `scores` of each is drawn for scores, by the root mean square of W
    over all runs: more of it tells more of the bias of single runs, and finds less favour. What a
    label says of its own pair has no part in the chance of that pair but through its group. Ours:
    see docs/methods/audit.md.
    """

    in_batches = True

    n: int
    measure: str = "SDCG(gains=linear)@10"
    batches: int = 4
    gain: float = 0.05
    scores: float = 0.1

    def __post_init__(self) -> None:
        if not 0 < self.scores < 1:
            raise ValueError(f"scores, a share, must lie between 0 and 1, not {self.scores}")
        if self.n < 1 or self.batches < 1:
            raise ValueError("n and batches must be at least 1")
        if not 0 < self.gain < float("inf"):
            raise ValueError(f"gain must be more than 0, not {self.gain}")

    @property
    def layers(self) -> Strata:
        """None: chances differ from pair to pair."""
        return ()

    def next_batch(
        self, runs: Runs, seed: int, judgments: Judgments | None, previous: Pool | None
    ) -> Pool:
        """The pairs drawn so far and in the next batch, with their chances."""
        batch = 1 if previous is None else previous.n_batches + 1
        if batch > self.batches:
            raise ValueError(f"all {self.batches} batches of {self} were drawn before")
        runs = runs.by_name
        weights = PairWeights.of(runs, parse_numerator(self.measure))
        owned = OwnedDocuments.of(weights, runs.group)
        pair, pairs = weights.pair, runs.pairs
        number = np.zeros(len(pairs), np.int16)
        if previous is not None:
            if previous.batch is None or judgments is None:
                raise ValueError("the previous pool has no column batch: not drawn by AuditSample")
            number[:] = previous.batch
            left = int((previous.member & ~judgments.judged).sum())
            if left:
                raise ValueError(f"{left} pairs sampled so far are not judged: judge them first")
        missed = np.ones(len(pair))
        # Chances of earlier batches follow from what was judged before each.
        for at in range(1, batch + 1):
            before = (number[pair] > 0) & (number[pair] < at)
            now = self._chances(weights, owned, judgments, before, 1 - missed)
            missed *= 1 - now
        new = (draw_bytes(seed, weights.names, batch) < now) & (number[pair] == 0)
        number[pair[new]] = batch
        inclusion = np.zeros(len(pairs))
        inclusion[pair] = 1 - missed
        stratum = np.where(inclusion > 0, 0, -1).astype(np.int16)
        unknown = np.full(len(pairs), np.nan)
        return Pool(pairs, number > 0, inclusion, stratum, str(self), seed, number, unknown)

    def pool(self, runs: Runs, seed: int = 0) -> Pool:
        """The first batch."""
        return self.next_batch(runs, seed, None, None)

    def _chances(
        self,
        weights: PairWeights,
        owned: OwnedDocuments,
        judgments: Judgments | None,
        drawn: Bools,
        chance: Floats,
    ) -> Floats:
        """Of the batch that follows on these pairs."""
        share = 1 / (self.batches + 1)
        suspect = owned.tested.astype(np.float64)
        if judgments is not None and drawn.any():
            ratio = self._likelihood(weights, owned, judgments, drawn, chance)
            suspect *= ratio / max(float(ratio.sum()), 1e-300) + NEVER_OFF
        else:
            share *= 2
        single = owned.member.any(axis=0)
        mine = np.maximum(owned.member.sum(axis=1), 1)
        others = np.maximum(single.sum() - owned.member.sum(axis=1), 1)
        side = np.where(owned.member, (owned.own / mine)[:, None], (owned.own / others)[:, None])
        worth = np.sqrt(suspect @ np.where(single, side, 0.0) ** 2)
        n = self.n * share
        of_groups = chances(worth, ~drawn, (1 - self.scores) * n, EVEN_SHARE)
        of_scores = chances(weights.size(), ~drawn, self.scores * n, EVEN_OF_SCORES)
        # Drawn for either; a few are drawn for both.
        return 1 - (1 - of_groups) * (1 - of_scores)

    def _likelihood(
        self,
        weights: PairWeights,
        owned: OwnedDocuments,
        judgments: Judgments,
        drawn: Bools,
        chance: Floats,
    ) -> Floats:
        """Of a favour of `gain` for each group over none, by the judge that speaks most for it."""
        labels = weights.runs.pairs.labels
        if labels is None:
            raise ValueError(
                "AuditSample follows a judge's labels after its first batch: give `labels`"
            )
        most = np.full(len(owned.names), -np.inf)
        rise = self.gain / np.maximum(owned.own, 1e-300)
        grade = judgments.grade[weights.pair].astype(np.int64)
        for label in labels.grade:
            of_label = parse_numerator(self.measure).gain(max(1, int(label.max())))
            of_pair = label[weights.pair].astype(np.int64)
            raised, gain = owned.raised(of_pair, of_label, grade, drawn, chance)
            favours = raised.favours(gain, ROUGHLY)
            made = [each.likelihood_of(by) for each, by in zip(favours, rise, strict=True)]
            most = np.maximum(most, made)
        return np.where(owned.tested, np.exp(np.clip(most, -MOST_EVIDENCE, MOST_EVIDENCE)), 0.0)
