"""Whether what was judged is what a model of the judged documents may be learnt from."""

from leadline.estimators.evidence import Evidence
from leadline.tables.runs import UNRANKED

MOST_BEYOND = 0.3
"""So many of the judged documents may lie deeper than the pool: residual runs, other sources."""

NEITHER = "judgments are neither a pool nor a sample"
ADVICE = (
    "judged documents are not like the others, and no error can be told; judge a pool "
    "(leadline pool --strategy 'Depth(d=10)'), or draw a sample ('Designed(...)', 'Sampled(...)') "
    "and estimate with Assisted; of judgments that the order Doubt chose, take the scores by its "
    "audit, which leadline order prints"
)


def shape_doubts(evidence: Evidence) -> tuple[str, ...]:
    """Why estimates by a model of the judged documents cannot be relied on; empty for a pool.

    Judgments that were drawn by chance, or that reach to a depth in all contributing runs, show
    what unjudged documents are like. Those that an order picked for what they decide do not.
    """
    judgments, pool = evidence.judgments, evidence.pool
    drawn = judgments.inclusion is not None
    if drawn or (pool is not None and bool((pool.inclusion[pool.member] < 1).any())):
        return ()
    best = evidence.contributors.runs.best_rank
    judged = best[judgments.judged & (best < UNRANKED)]
    try:
        depth = evidence.depth
    except ValueError:
        first = best == 1
        share = float(judgments.judged[first].mean()) if first.any() else 0.0
        seen = f"only {share:.0%} of the pooled runs' first documents are judged"
        return (f"{NEITHER} ({seen}): {ADVICE}",)
    beyond = float((judged > depth).mean()) if len(judged) else 0.0
    if beyond > MOST_BEYOND:
        seen = f"all runs are judged to depth {depth}, {beyond:.0%} of what is judged lies deeper"
        return (f"{NEITHER} ({seen}): {ADVICE}",)
    return ()
