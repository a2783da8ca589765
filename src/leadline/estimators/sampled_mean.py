"""Means estimated from draws that are independent of each other, with what they leave open."""

import numpy as np

from leadline.tables.arrays import Floats
from leadline.tables.mean_estimate import MeanEstimate

TYPICAL_DEGREES = 10.0
"""So many degrees of freedom the model of errors counts for; chosen on robust2004_pooled42."""

NOTHING = 1e-12
"""Of what two runs have by themselves: their difference has none."""


def mean_of_draws(
    score: Floats, part: Floats, inclusion: Floats, typical: Floats | None = None
) -> MeanEstimate:
    """Scores with errors, from the part [runs, draws] that each draw adds to them, divided by pi.

    Variance V = sum over draws of part^2 (1 - pi), for a difference of part_a - part_b. `typical`
    is how large the parts are by a model of errors: what it makes of a score's V counts as ten
    degrees of freedom beside those by which V is known, so that a few lucky draws do not make a
    score look certain, nor a few heavy ones hopeless. Differences go by what was drawn alone.
    """
    missed = 1 - inclusion
    variance = _variances(part, missed)
    known = degrees(variance, part, missed)
    if typical is not None:
        own, alone = np.diag(known), np.diag(variance)
        share = np.where(np.isinf(own), 1.0, 1 / (1 + TYPICAL_DEGREES / np.maximum(own, 1e-9)))
        np.fill_diagonal(variance, share * alone + (1 - share) * (typical**2 @ missed))
        np.fill_diagonal(known, own + TYPICAL_DEGREES)
    alone = np.diag(variance)
    covariance = (alone[:, None] + alone - variance) / 2
    np.fill_diagonal(covariance, alone)
    return MeanEstimate(score, covariance, known)


def _variances(part: Floats, missed: Floats) -> Floats:
    """[runs, runs]: of scores on the diagonal, of differences beside it."""
    together = (part * missed) @ part.T
    own = np.diag(together)
    variance: Floats = np.maximum(own[:, None] + own - 2 * together, 0.0)
    np.fill_diagonal(variance, own)
    return variance


def degrees(variance: Floats, part: Floats, missed: Floats) -> Floats:
    """[runs, runs]: by how many degrees of freedom variances are known, Satterthwaite's 2 V^2 / U.

    U is the variance of V, as much as was drawn tells: the sum over draws of part^4 (1 - pi)^3, for
    a difference of part_a - part_b. Few heavy draws make few degrees.
    """
    square, weight = part**2, missed**3
    even = (square * weight) @ square.T
    odd = (square * part * weight) @ part.T
    own = np.diag(even)
    together = own[:, None] + own
    of_variance = together - 4 * (odd + odd.T) + 6 * even
    np.fill_diagonal(of_variance, own)
    # Sums of the same terms differ in their last digits.
    known: Floats = np.full(variance.shape, np.inf)
    np.divide(2 * variance**2, of_variance, out=known, where=of_variance > NOTHING * together)
    return known
