"""Measures of one ranking from a sample of judgments.

Shared conventions:

- ``ranking`` holds distinct docs of one topic, best first.
- ``strata`` is a dict doc -> stratum of every doc that could have been drawn, drawn or not.
- ``grades`` is a dict doc -> grade of the docs that were drawn and judged; all are in ``strata``.
- ``inclusion`` is a dict doc -> probability in (0, 1] with which a judged doc was drawn.
- A doc is relevant when its grade is at least ``rel``. An undefined value is NaN.

Inferred AP of a single sample (trec_eval's infAP) is ``measures.infap``.
"""

import math
from collections.abc import Callable
from typing import Literal, TypeVar

from .measures import infap as infap
from .measures import is_relevant

Stratum = TypeVar("Stratum", int, str)
Smoothing = Literal["trec_eval", "sample_eval"]

EPSILON = 0.00001
# What the sampled docs are divided by grows by this many epsilons.
EPSILONS_BELOW = {"trec_eval": 2, "sample_eval": 3}


def relevant_by_stratum(
    strata: dict[str, Stratum], grades: dict[str, int], rel: int = 1
) -> dict[Stratum, float]:
    """Estimated number of relevant docs of each stratum: N_s r_s / n_s, 0 if n_s = 0.

    N_s docs are in the stratum, n_s of them judged, r_s of these relevant.
    """
    estimates = {}
    for stratum in set(strata.values()):
        docs = [doc for doc in strata if strata[doc] == stratum]
        judged = [doc for doc in docs if doc in grades]
        relevant = [doc for doc in judged if is_relevant(doc, grades, rel)]
        estimates[stratum] = len(docs) * len(relevant) / len(judged) if judged else 0.0
    return estimates


def xinfap(
    ranking: list[str],
    strata: dict[str, Stratum],
    grades: dict[str, int],
    rel: int = 1,
    smoothing: Smoothing = "sample_eval",
) -> float:
    """Extended inferred AP of Yilmaz, Kanoulas and Aslam (SIGIR 2008), Section 4; NaN if R = 0.

    A relevant doc is drawn from stratum s with probability R_s / R, R_s as estimated by
    ``relevant_by_stratum``; in it, any of the r_s judged relevant docs; a doc that is not
    retrieved has precision 0. At rank k the expected precision is

        1/k + (1/k) * sum over strata s of N_s(k) * (r_s(k) + e) / (n_s(k) + 3e),

    with N_s(k), n_s(k), r_s(k) the docs of stratum s above rank k, those judged, those relevant.
    Docs outside all strata count as non-relevant. e = 0.00001 and the 3 are those of NIST's
    sample_eval; trec_eval's infAP, for one stratum, has 2.
    """
    relevant_in = relevant_by_stratum(strata, grades, rel)
    total = math.fsum(relevant_in.values())
    if total == 0:
        return math.nan
    score = 0.0
    for stratum, estimate in relevant_in.items():
        precisions = []
        for doc in grades:
            if strata[doc] == stratum and is_relevant(doc, grades, rel):
                precision = 0.0
                if doc in ranking:
                    above = ranking[: ranking.index(doc)]
                    precision = expected_precision(above, strata, grades, rel, smoothing)
                precisions.append(precision)
        if precisions:
            score += estimate / total * math.fsum(precisions) / len(precisions)
    return score


def expected_precision(
    above: list[str],
    strata: dict[str, Stratum],
    grades: dict[str, int],
    rel: int,
    smoothing: Smoothing,
) -> float:
    """The precision that ``xinfap`` expects at a relevant doc below those in ``above``."""
    k = len(above) + 1
    relevant_above = 0.0
    for stratum in set(strata.values()):
        docs = [doc for doc in above if doc in strata and strata[doc] == stratum]
        judged = [doc for doc in docs if doc in grades]
        relevant = [doc for doc in judged if is_relevant(doc, grades, rel)]
        share = (len(relevant) + EPSILON) / (len(judged) + EPSILONS_BELOW[smoothing] * EPSILON)
        relevant_above += len(docs) * share
    return 1 / k + relevant_above / k


def infndcg(
    ranking: list[str], strata: dict[str, Stratum], grades: dict[str, int], k: int = 1000
) -> float:
    """Inferred nDCG of Yilmaz, Kanoulas and Aslam (SIGIR 2008), Section 5, as in sample_eval.

    The gain is the grade (0 for grades below 0), the discount log2(rank + 1). DCG is the sum over
    strata of (docs of the stratum in the first k) * (mean discounted gain of those judged), 0 where
    none is. The ideal list holds, highest grade first, round(sum over strata of N_s n_s(g) / n_s)
    docs of each grade g > 0, cut at k; halves round up. NaN if it is empty.
    """
    dcg = 0.0
    for stratum in set(strata.values()):
        gains = []
        n_docs = 0
        for rank, doc in enumerate(ranking[:k], start=1):
            if doc in strata and strata[doc] == stratum:
                n_docs += 1
                if doc in grades:
                    gains.append(max(grades[doc], 0) / math.log2(rank + 1))
        if gains:
            dcg += n_docs * math.fsum(gains) / len(gains)
    ideal: list[int] = []
    for grade in sorted({grade for grade in grades.values() if grade > 0}, reverse=True):
        of_grade = {doc: int(found == grade) for doc, found in grades.items()}
        estimate = math.fsum(relevant_by_stratum(strata, of_grade).values())
        ideal += [grade] * math.floor(estimate + 0.5)
    best = math.fsum(grade / math.log2(rank + 1) for rank, grade in enumerate(ideal[:k], start=1))
    return dcg / best if best > 0 else math.nan


def statap(
    ranking: list[str],
    grades: dict[str, int],
    inclusion: dict[str, float],
    rel: int = 1,
    own: Literal["estimated", "known"] = "estimated",
) -> float:
    """statAP of Aslam and Pavlu (2007): (1/R) sum over relevant docs d of P(rank of d) / pi_d.

    R = sum over judged relevant docs of 1/pi; P(k) = (1/k) sum of the same over those in the first
    k. With own="known" the doc at rank k counts 1 in its own P(k), not 1/pi: if docs are drawn
    independently R * statAP is then unbiased, as it is not by the published formula. NaN if R = 0.
    """
    total = total_relevant(grades, inclusion, rel)
    if total == 0:
        return math.nan
    score = 0.0
    for k, doc in enumerate(ranking, start=1):
        if is_relevant(doc, grades, rel):
            in_first_k = 1.0 if own == "known" else 1 / inclusion[doc]
            for earlier in ranking[: k - 1]:
                if is_relevant(earlier, grades, rel):
                    in_first_k += 1 / inclusion[earlier]
            score += in_first_k / k / inclusion[doc]
    return score / total


def total(values: dict[str, float], inclusion: dict[str, float]) -> float:
    """Horvitz and Thompson (1952): the sum over drawn docs of value / pi, unbiased."""
    return math.fsum(value / inclusion[doc] for doc, value in values.items())


def standard_error(values: dict[str, float], inclusion: dict[str, float]) -> float:
    """Of ``total``, if docs are drawn independently: sqrt(sum of (1 - pi) (value / pi)^2).

    The unbiased estimate of the variance sum over all docs of (1 - pi) / pi * value^2.
    """
    variance = 0.0
    for doc, value in values.items():
        pi = inclusion[doc]
        variance += (1 - pi) * (value / pi) ** 2
    return math.sqrt(variance)


def relevance_values(grades: dict[str, int], rel: int = 1) -> dict[str, float]:
    """1 for a relevant doc, else 0: their total is the number of relevant docs."""
    return {doc: float(is_relevant(doc, grades, rel)) for doc in grades}


def total_relevant(grades: dict[str, int], inclusion: dict[str, float], rel: int = 1) -> float:
    """Estimated number of relevant docs."""
    return total(relevance_values(grades, rel), inclusion)


def weighted_values(
    ranking: list[str],
    grades: dict[str, int],
    weight: Callable[[int], float],
    gain_of: Callable[[int], float],
) -> dict[str, float]:
    """weight(rank) * gain_of(grade) for the judged docs of a ranking.

    Their total is any measure of this form: DCG with 1 / log2(rank + 1), RBP with (1-p) p^(rank-1).
    """
    values = {}
    for rank, doc in enumerate(ranking, start=1):
        if doc in grades:
            values[doc] = weight(rank) * gain_of(grades[doc])
    return values


def total_dcg(
    ranking: list[str],
    grades: dict[str, int],
    inclusion: dict[str, float],
    k: int | None = None,
    gain_of: Callable[[int], float] = float,
) -> float:
    """Estimated DCG@k: sum over judged docs in the first k of gain / (pi log2(rank + 1))."""
    values = weighted_values(ranking[:k], grades, lambda rank: 1 / math.log2(rank + 1), gain_of)
    return total(values, inclusion)
