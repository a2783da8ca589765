"""How sure it is which of two runs is better: certain, likely or open, and by which model."""

from typing import Literal, get_args

import numpy as np

from leadline.completions.model import RelevanceModel
from leadline.completions.winner import ScorePosterior
from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.measures.measure import Measure, Weighted

Certainty = Literal["certain", "likely", "open"]
CERTAINTY: tuple[Certainty, ...] = get_args(Certainty)
MEANING: dict[Certainty, str] = {
    "certain": "no judgment can change it",
    "likely": "a model of the judgments gives it at least the required probability",
    "open": "judging may well change it",
}

LIKELY = 0.95
"""The probability from which something is likely, unless another was asked for."""

WITHIN = 0.01
"""A run that is better by no more than this does no harm to who is named best."""

MOST_MODELLED = 1_000
"""Topics and runs together, beyond which a model would take longer than it is worth."""


def score_posterior(
    runs: Runs, judgments: Judgments, measure: Measure, pooled: Bools | None = None
) -> ScorePosterior | None:
    """What a model of these judgments says of all scores; None where there is no such model.

    There is one for weighted measures whose gains lie between 0 and 1, where something was judged
    and topics and runs are not too many.
    """
    if not isinstance(measure, Weighted) or not modelled(runs, measure):
        return None
    if measure.gain(judgments.max_grade).max() > 1 or not judgments.judged.any():
        return None
    return ScorePosterior.of(RelevanceModel.of(runs, judgments, pooled).draw(), measure)


def modelled(runs: Runs, measure: Measure) -> bool:
    """Whether scores are sums over documents, and topics and runs not too many for a model."""
    few = len(runs.pairs.topics) + len(runs.names) <= MOST_MODELLED
    return few and isinstance(measure, Weighted) and not measure.judged_only


def certainty_of(certain: Bools, ahead: Floats, confidence: float) -> tuple[Certainty, ...]:
    """Return the word for each pair of runs.

    By whether it is certain which is better, and the probability that the first is `ahead` (NaN
    if it is not known).

    >>> import numpy as np
    >>> certain, ahead = np.array([True, False, False, False]), np.array([0.6, 0.97, 0.02, np.nan])
    >>> certainty_of(certain, ahead, 0.95)
    ('certain', 'likely', 'likely', 'open')
    """
    with np.errstate(invalid="ignore"):
        likely = np.maximum(ahead, 1 - ahead) >= confidence
    return tuple(np.where(certain, "certain", np.where(likely, "likely", "open")).tolist())


def chance_ahead(posterior: ScorePosterior, first: Int64s, second: Int64s) -> Floats:
    """Return the probability that the first run of each pair is better than the second."""
    chance = np.full(len(first), np.nan)
    for run in np.unique(second).tolist():
        rows = second == run
        chance[rows] = posterior.ahead(run)[first[rows]]
    return chance


def chance_of_best(probability: float, within: float = WITHIN) -> str:
    """The probability that a run is best, with the tolerance that it allows for.

    >>> chance_of_best(0.97)
    'probability 0.97 that no run is better by more than 0.01'
    """
    return f"probability {probability:.2f} that no run is better by more than {within:g}"
