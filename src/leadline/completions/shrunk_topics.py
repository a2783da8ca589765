"""Common topics on top of the better of two partial scores, shrunk."""

from dataclasses import dataclass, replace

import numpy as np

from leadline.completions.adjuster import (
    Adjusted,
    Adjuster,
    UnpooledRuns,
    adjusters,
    without_interval,
)
from leadline.completions.pooling_bias import WebberTopics, both_scores
from leadline.data.arrays import Floats
from leadline.io.problems import Progress


@adjusters.register
@dataclass(frozen=True)
class ShrunkTopics(Adjuster):
    """WebberTopics on raw or condensed lists, whichever varies less; condensed ones shrunk.

    Formula: adjusted = u + a * max(0, 1 - se^2 / a^2), a = mean over common topics of (t_i - u_i)

    u are scores on condensed lists where the squared standard error se^2 of a is the smaller one,
    on average over the new runs. Elsewhere it is WebberTopics without a slope: u is the score with
    unjudged documents irrelevant, and a is added in full. Wide pools need little correction on
    condensed lists, and a correction that is smaller than its error does harm. No interval: that of
    a shrunk correction was not tried.

    Webber and Park's closing remark, SIGIR 2009: any partial score can be corrected so.
    """

    # The base is chosen for all new runs together.
    joint = True
    needs_common = True

    def check(self, evidence: UnpooledRuns) -> None:
        """It learns from common topics of new runs, whose lists can be condensed."""
        WebberTopics().check(evidence)
        if evidence.weighted.judged_only:
            raise ValueError(f"{self} condenses lists itself: name {evidence.measure} without it")

    def amounts(self, evidence: UnpooledRuns) -> Floats:
        """What to add to the raw mean scores."""
        return self._seen(evidence)[0]

    def _seen(self, evidence: UnpooledRuns) -> tuple[Floats, bool, float, float]:
        """The amounts, whether lists are condensed, and both standard errors."""
        raw, true, n_all = both_scores(evidence)
        measure = replace(evidence.weighted, judged_only=True)  # type: ignore[type-var]
        condensed, _, _ = both_scores(evidence.but(measure=measure))
        n = true.shape[1]
        left = (n_all - n) / n_all

        def learnt(partial: Floats) -> tuple[Floats, Floats]:
            short = true - partial[:, :n]
            spread = short.var(axis=1, ddof=1) if n > 1 else np.full(len(short), np.inf)
            return short.mean(axis=1), left * spread / n

        (full, raw_error), (a, error) = learnt(raw), learnt(condensed)
        better = bool(error.mean() < raw_error.mean())
        told = better, float(np.sqrt(raw_error.mean())), float(np.sqrt(error.mean()))
        if not better:
            return full, *told
        share = np.divide(error, a**2, out=np.ones_like(a), where=a != 0)
        kept = a * np.maximum(0.0, 1 - share)
        return condensed.mean(axis=1) + kept - raw.mean(axis=1), *told

    def corrected(
        self, evidence: UnpooledRuns, random: np.random.Generator, progress: Progress | None
    ) -> Adjusted:
        """Mean scores without an interval; unadjusted ones by the pool alone, as WebberTopics."""
        raw, _, _ = both_scores(evidence)
        table = without_interval(self, evidence)
        # Judgments outside the pool do not count, so runs that are judged there need it too.
        return replace(table, unadjusted=raw.mean(axis=1), adjustment=self.amounts(evidence))

    def explain(self, evidence: UnpooledRuns) -> list[str]:
        """Of the choice."""
        _, better, raw, condensed = self._seen(evidence)
        base = "condensed lists, shrunk" if better else "raw lists"
        return [
            "ShrunkTopics: assumes that the common topics are a random sample of all",
            f"{base}: the correction's standard error is {raw:.4f} on raw lists and "
            f"{condensed:.4f} on condensed ones",
        ]
