"""Novelty and diversity measures of one ranking, as ndeval computes them.

Shared conventions:

- ``ranking`` holds distinct docs, best first.
- ``judged`` is a dict doc -> subtopic -> grade of the judged docs of one topic. A doc is unjudged
  only if it is not in it at all; a subtopic that a doc's dict lacks is one it is not relevant to.
- A doc is relevant to a subtopic when its grade is at least ``rel``; grades above that make no
  difference, except where said. Subtopics without any relevant doc do not exist: m counts the
  others. A topic with m = 0 has no score (NaN).
- ``intents`` are the subtopics' probabilities, 1/m each if None; given ones must cover the m
  subtopics and are used as they are.
- Ranks past the end of a short list hold nothing relevant. Condense with ``condensed`` first.
"""

import math

Judged = dict[str, dict[str, int]]
Intents = dict[str, float]


def condensed(ranking: list[str], judged: Judged) -> list[str]:
    """The ranking without its unjudged docs, order kept."""
    return [doc for doc in ranking if doc in judged]


def subtopics_of(judged: Judged, rel: int = 1) -> list[str]:
    """The subtopics with at least one relevant doc."""
    found = set()
    for grades in judged.values():
        found |= {subtopic for subtopic, grade in grades.items() if grade >= rel}
    return sorted(found)


def covered(doc: str, judged: Judged, rel: int = 1) -> list[str]:
    """The subtopics to which a doc is relevant."""
    return sorted(s for s, grade in judged.get(doc, {}).items() if grade >= rel)


def probabilities(judged: Judged, rel: int, intents: Intents | None) -> Intents:
    """The probability of each subtopic, 1/m each unless given."""
    subtopics = subtopics_of(judged, rel)
    if intents is not None:
        return {subtopic: intents[subtopic] for subtopic in subtopics}
    return {subtopic: 1 / len(subtopics) for subtopic in subtopics}


def novel_gains(
    ranking: list[str], judged: Judged, alpha: float, rel: int, intents: Intents | None
) -> list[float]:
    """At each rank, the sum over the doc's subtopics of p_i (1 - alpha)^(times i came before).

    Clarke et al. (SIGIR 2008). The count is of the docs before the rank: Eq. 3 of Hui, Berberich
    and Mele (2017) prints C_i(r), Eq. 1 has C_i(r - 1), and ndeval counts before.
    """
    p = probabilities(judged, rel, intents)
    times = dict.fromkeys(p, 0)
    gains = []
    for doc in ranking:
        gain = 0.0
        for subtopic in covered(doc, judged, rel):
            gain += p[subtopic] * (1 - alpha) ** times[subtopic]
            times[subtopic] += 1
        gains.append(gain)
    return gains


def ideal_ranking(
    judged: Judged, alpha: float, rel: int = 1, intents: Intents | None = None
) -> list[str]:
    """All relevant docs, each time the one with the highest novel gain, as usual (greedy).

    Of docs with the same gain the last by docno comes first: it matters, since they differ in what
    they leave to gain, and this is the one that ndeval takes.
    """
    left = sorted((doc for doc in judged if covered(doc, judged, rel)), reverse=True)
    ranking: list[str] = []
    while left:
        best, best_gain = left[0], -1.0
        for doc in left:
            gain = novel_gains([*ranking, doc], judged, alpha, rel, intents)[-1]
            if gain > best_gain * (1 + 1e-12):
                best, best_gain = doc, gain
        ranking.append(best)
        left.remove(best)
    return ranking


def discounted(gains: list[float], discount: str) -> float:
    """sum over ranks r of gain / log2(r + 1) ("log2"), or gain / r ("rank")."""
    score = 0.0
    for r, gain in enumerate(gains, start=1):
        score += gain / math.log2(r + 1) if discount == "log2" else gain / r
    return score


def best_conceivable(k: int, alpha: float, discount: str) -> float:
    """The score of k docs that are each relevant to every subtopic: ndeval's ideal ideal gain."""
    return discounted([(1 - alpha) ** r for r in range(k)], discount)


def alpha_dcg(
    ranking: list[str],
    judged: Judged,
    k: int,
    alpha: float = 0.5,
    rel: int = 1,
    intents: Intents | None = None,
    scaled: bool = True,
) -> float:
    """(sum over ranks r <= k of novel gain / log2(r + 1)) / (the best conceivable sum).

    With p_i = 1/m the best conceivable list scores sum of (1 - alpha)^(r-1) / log2(r + 1), 1.5185
    for k = 5 and alpha = 1/2. With scaled=False nothing is divided by (nor is it in the paper).
    """
    if not subtopics_of(judged, rel):
        return math.nan
    score = discounted(novel_gains(ranking[:k], judged, alpha, rel, intents), "log2")
    return score / best_conceivable(k, alpha, "log2") if scaled else score


def alpha_ndcg(
    ranking: list[str],
    judged: Judged,
    k: int,
    alpha: float = 0.5,
    rel: int = 1,
    intents: Intents | None = None,
) -> float:
    """alpha-DCG@k over that of the greedy ideal ranking."""
    if not subtopics_of(judged, rel):
        return math.nan
    ideal = ideal_ranking(judged, alpha, rel, intents)
    return alpha_dcg(ranking, judged, k, alpha, rel, intents) / alpha_dcg(
        ideal, judged, k, alpha, rel, intents
    )


def err_ia(
    ranking: list[str],
    judged: Judged,
    k: int,
    alpha: float = 0.5,
    rel: int = 1,
    intents: Intents | None = None,
) -> float:
    """(sum over ranks r <= k of novel gain / r) / (the same of the best conceivable list).

    ndeval makes grades binary. A relevant doc stops the reader with chance R = alpha: the sum over
    i of p_i sum over r of R/r (1 - R)^(before), divided by its best, .6885 for k = 5 and R = 1/2;
    the first R cancels.
    """
    if not subtopics_of(judged, rel):
        return math.nan
    score = discounted(novel_gains(ranking[:k], judged, alpha, rel, intents), "rank")
    return score / best_conceivable(k, alpha, "rank")


def nerr_ia(
    ranking: list[str],
    judged: Judged,
    k: int,
    alpha: float = 0.5,
    rel: int = 1,
    intents: Intents | None = None,
) -> float:
    """ERR-IA@k over that of the greedy ideal ranking."""
    if not subtopics_of(judged, rel):
        return math.nan
    ideal = ideal_ranking(judged, alpha, rel, intents)
    return err_ia(ranking, judged, k, alpha, rel, intents) / err_ia(
        ideal, judged, k, alpha, rel, intents
    )


def err_ia_as_printed(
    ranking: list[str],
    judged: Judged,
    k: int,
    max_grade: int,
    rel: int = 1,
    intents: Intents | None = None,
) -> float:
    """Eq. 2 of Hui et al. (2017): sum_i p_i sum_r (1/r) R_i(r) prod_(j<r) (1 - R_i(j)).

    R = (2^g - 1) / 2^max_grade, 0 for grades below rel. Not divided by anything.
    """
    if not subtopics_of(judged, rel):
        return math.nan
    score = 0.0
    for subtopic, p in probabilities(judged, rel, intents).items():
        still_reading = 1.0
        for r, doc in enumerate(ranking[:k], start=1):
            grade = judged.get(doc, {}).get(subtopic, 0)
            stops = (2**grade - 1) / 2**max_grade if grade >= rel else 0.0
            score += p * still_reading * stops / r
            still_reading *= 1 - stops
    return score


def nrbp(
    ranking: list[str],
    judged: Judged,
    alpha: float = 0.5,
    beta: float = 0.5,
    rel: int = 1,
    intents: Intents | None = None,
) -> float:
    """(1 - (1 - alpha) beta) sum over all ranks r of beta^(r-1) * novel gain.

    Clarke, Kolla and Vechtomova (ICTIR 2009).
    """
    if not subtopics_of(judged, rel):
        return math.nan
    score = 0.0
    for r, gain in enumerate(novel_gains(ranking, judged, alpha, rel, intents), start=1):
        score += beta ** (r - 1) * gain
    return (1 - (1 - alpha) * beta) * score


def nnrbp(
    ranking: list[str],
    judged: Judged,
    alpha: float = 0.5,
    beta: float = 0.5,
    rel: int = 1,
    intents: Intents | None = None,
) -> float:
    """NRBP over that of the greedy ideal ranking."""
    if not subtopics_of(judged, rel):
        return math.nan
    ideal = ideal_ranking(judged, alpha, rel, intents)
    return nrbp(ranking, judged, alpha, beta, rel, intents) / nrbp(
        ideal, judged, alpha, beta, rel, intents
    )


def strec(ranking: list[str], judged: Judged, k: int, rel: int = 1) -> float:
    """Subtopic recall: subtopics with a relevant doc in the first k, over m."""
    subtopics = subtopics_of(judged, rel)
    if not subtopics:
        return math.nan
    found = {subtopic for doc in ranking[:k] for subtopic in covered(doc, judged, rel)}
    return len(found) / len(subtopics)


def p_ia(
    ranking: list[str], judged: Judged, k: int, rel: int = 1, intents: Intents | None = None
) -> float:
    """sum over subtopics i of p_i * (docs relevant to i in the first k) / k."""
    if not subtopics_of(judged, rel):
        return math.nan
    score = 0.0
    for subtopic, p in probabilities(judged, rel, intents).items():
        relevant = [doc for doc in ranking[:k] if subtopic in covered(doc, judged, rel)]
        score += p * len(relevant) / k
    return score


def ap_ia(
    ranking: list[str], judged: Judged, rel: int = 1, intents: Intents | None = None
) -> float:
    """MAP-IA of one topic: sum over subtopics i of p_i * AP of the whole ranking for i."""
    if not subtopics_of(judged, rel):
        return math.nan
    score = 0.0
    for subtopic, p in probabilities(judged, rel, intents).items():
        total = len([doc for doc in judged if subtopic in covered(doc, judged, rel)])
        found = 0
        precisions = 0.0
        for r, doc in enumerate(ranking, start=1):
            if subtopic in covered(doc, judged, rel):
                found += 1
                precisions += found / r
        score += p * precisions / total
    return score
