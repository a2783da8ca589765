"""Caveats: reasons not to rely on a compared pair of runs."""

import numpy as np

from leadline.intervals.joint import Joint
from leadline.tables.arrays import Floats, Int64s
from leadline.tables.scores import SCORE_NOISE

FEW_TOPICS = 25
"""Fewer topics than this make orderings of runs unstable: Buckley and Voorhees, SIGIR 2000."""

UNJUDGED = 1 / 3

FLIP = "sign could flip"
SHORT = "lists end early"
FEW = "few topics"
THIRD = "more than a third unjudged"
CAVEATS = (FLIP, SHORT, FEW, THIRD)


def caveats(
    joint: Joint, first: Int64s, second: Int64s, difference: Floats, n_topics: Int64s
) -> tuple[str, ...]:
    """Return the caveats of each pair, joined by `; `; empty without any.

    - sign could flip: a completion of the judgments puts the other run ahead, or ahead of its equal
    - lists end early: what lies beyond the end of one run's lists outweighs the difference
    - few topics: fewer than 25
    - more than a third unjudged: of what the measure looks at, for one of the runs
    """
    size = np.abs(difference) + SCORE_NOISE
    lower, upper = joint.lower[first, second], joint.upper[first, second]

    def worse(each: Floats) -> Floats:
        found: Floats = np.maximum(each[first], each[second])
        return found

    with np.errstate(invalid="ignore"):
        up, down = upper > SCORE_NOISE, lower < -SCORE_NOISE
        ahead, behind = difference > SCORE_NOISE, difference < -SCORE_NOISE
        holds = {
            FLIP: (ahead & down) | (behind & up) | (~ahead & ~behind & (up | down)),
            SHORT: worse(joint.tail) > size,
            FEW: n_topics < FEW_TOPICS,
            THIRD: worse(joint.unjudged) > UNJUDGED + SCORE_NOISE,
        }
        # Runs with the same lists have the same score whatever is judged.
        alike = (lower == 0) & (upper == 0)
    for reason in (FLIP, SHORT):
        holds[reason] = holds[reason] & ~alike
    return tuple(
        "; ".join(reason for reason, each in holds.items() if each[row])
        for row in range(len(first))
    )
