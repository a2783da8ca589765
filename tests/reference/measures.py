"""Retrieval measures, written for reading rather than for speed.

Shared conventions:

- ``ranking`` holds distinct doc ids, best first; rank i counts from 1.
- ``grades`` holds the judged docs of one topic, and only those. A doc that is not in it is
  unjudged and has gain 0.
- A doc is relevant when it is judged and its grade is at least ``rel``; R is the number of
  relevant docs in ``grades``, retrieved or not.
- ``k`` keeps the first k ranks; None keeps the whole list. Ranks past the end of a short list
  hold nothing relevant.
- An undefined value is NaN.
"""

import math
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet

Gains = str | Sequence[tuple[int, float]]

# trec_eval's INFAP_EPSILON.
INFAP_EPSILON = 0.00001


def is_relevant(doc: str, grades: dict[str, int], rel: int = 1) -> bool:
    """Whether doc is judged with grade >= rel."""
    return doc in grades and grades[doc] >= rel


def count_relevant(docs: list[str], grades: dict[str, int], rel: int = 1) -> int:
    """|{d in docs : d judged, grade(d) >= rel}|."""
    count = 0
    for doc in docs:
        if is_relevant(doc, grades, rel):
            count += 1
    return count


def num_ret(ranking: list[str], grades: dict[str, int]) -> float:
    """Length of the list."""
    return float(len(ranking))


def num_rel(ranking: list[str], grades: dict[str, int], rel: int = 1) -> float:
    """R = |{d judged : grade(d) >= rel}|, retrieved or not."""
    return float(count_relevant(list(grades), grades, rel))


def num_rel_ret(ranking: list[str], grades: dict[str, int], rel: int = 1) -> float:
    """Relevant docs in the list."""
    return float(count_relevant(ranking, grades, rel))


def condensed(ranking: list[str], grades: dict[str, int]) -> list[str]:
    """The ranking without its unjudged docs, order kept."""
    return [doc for doc in ranking if doc in grades]


def judged(ranking: list[str], grades: dict[str, int], k: int | None = None) -> float:
    """(judged docs in the first k) / min(k, n) for a list of n docs; NaN for an empty list."""
    top = ranking[:k]
    if not top:
        return math.nan
    return len(condensed(top, grades)) / len(top)


def precision(
    ranking: list[str], grades: dict[str, int], k: int | None = None, rel: int = 1
) -> float:
    """(relevant in the first k) / k; without k, / length of the list, and 0 if it is empty."""
    if k is not None:
        return count_relevant(ranking[:k], grades, rel) / k
    if not ranking:
        return 0.0
    return count_relevant(ranking, grades, rel) / len(ranking)


def recall(ranking: list[str], grades: dict[str, int], k: int | None = None, rel: int = 1) -> float:
    """(relevant in the first k) / R; NaN if R = 0."""
    total = count_relevant(list(grades), grades, rel)
    if total == 0:
        return math.nan
    return count_relevant(ranking[:k], grades, rel) / total


def rprec(ranking: list[str], grades: dict[str, int], rel: int = 1) -> float:
    """(relevant in the first R) / R; NaN if R = 0."""
    total = count_relevant(list(grades), grades, rel)
    if total == 0:
        return math.nan
    return count_relevant(ranking[:total], grades, rel) / total


def rr(ranking: list[str], grades: dict[str, int], k: int | None = None, rel: int = 1) -> float:
    """1 / (rank of the first relevant doc within k); 0 if there is none."""
    for rank, doc in enumerate(ranking[:k], start=1):
        if is_relevant(doc, grades, rel):
            return 1 / rank
    return 0.0


def success(
    ranking: list[str], grades: dict[str, int], k: int | None = None, rel: int = 1
) -> float:
    """1 if any of the first k docs is relevant, else 0."""
    return 1.0 if count_relevant(ranking[:k], grades, rel) > 0 else 0.0


def ap(ranking: list[str], grades: dict[str, int], k: int | None = None, rel: int = 1) -> float:
    """(1/R) * sum over relevant ranks i <= k of (relevant in the first i) / i; NaN if R = 0.

    The divisor stays R under a cut-off: trec_eval's map and map_cut.
    """
    total = count_relevant(list(grades), grades, rel)
    if total == 0:
        return math.nan
    score = 0.0
    for rank, doc in enumerate(ranking[:k], start=1):
        if is_relevant(doc, grades, rel):
            score += count_relevant(ranking[:rank], grades, rel) / rank
    return score / total


def gain_table(gains: Gains, rel: int, max_grade: int) -> list[float]:
    """Gains of the grades 0..max_grade; 0 for grade 0 and for every grade g < rel, else

    - 'binary': 1
    - 'grade': g
    - 'exp2': 2^g - 1
    - 'linear': g / max_grade
    - 'exp2_scaled': (2^g - 1) / 2^max_grade
    - [(grade, gain), ...]: the gain of the highest listed grade <= g, 0 if there is none.

    ValueError for an unknown name or a listed grade above max_grade.
    """
    table = []
    for grade in range(max_grade + 1):
        gain = _gain(gains, grade, max_grade)
        table.append(gain if grade >= rel and grade > 0 else 0.0)
    return table


def _gain(gains: Gains, grade: int, max_grade: int) -> float:
    """Gain of one grade before the rel threshold; the formulas are those of gain_table."""
    if not isinstance(gains, str):
        return _listed_gain(gains, grade, max_grade)
    if gains == "binary":
        return 1.0
    if gains == "grade":
        return float(grade)
    if gains == "exp2":
        return 2.0**grade - 1
    if gains == "linear":
        # A scale with the single grade 0 has no top to divide by.
        return grade / max_grade if max_grade > 0 else 0.0
    if gains == "exp2_scaled":
        return (2.0**grade - 1) / 2.0**max_grade
    raise ValueError(f"unknown gains {gains!r}")


def _listed_gain(listed: Sequence[tuple[int, float]], grade: int, max_grade: int) -> float:
    """gain(max {g listed : g <= grade}); 0 if no listed grade is that low."""
    gain = 0.0
    for listed_grade, listed_gain in sorted(listed):
        if listed_grade > max_grade:
            raise ValueError(f"listed grade {listed_grade} is above max_grade {max_grade}")
        if listed_grade <= grade:
            gain = listed_gain
    return gain


def _top_of_scale(grades: dict[str, int], gains: Gains, max_grade: int | None) -> int:
    """max_grade if given, else the highest grade judged or listed.

    ValueError without max_grade for gains that depend on it: guessing the top from the
    judgments would let one more judgment change every other doc's gain.
    """
    if max_grade is not None:
        return max_grade
    if gains in ("linear", "exp2_scaled"):
        raise ValueError(f"gains {gains!r} need max_grade")
    listed = [] if isinstance(gains, str) else [grade for grade, _ in gains]
    return max([0, *grades.values(), *listed])


def judged_gains(
    grades: dict[str, int], gains: Gains, rel: int, max_grade: int | None
) -> dict[str, float]:
    """gain_table[grade(d)] for each judged doc d; ValueError for a grade off 0..max_grade."""
    top = _top_of_scale(grades, gains, max_grade)
    table = gain_table(gains, rel, top)
    gain_of = {}
    for doc, grade in grades.items():
        if not 0 <= grade <= top:
            raise ValueError(f"grade {grade} of {doc!r} is not in 0..{top}")
        gain_of[doc] = table[grade]
    return gain_of


def ranked_gains(
    ranking: list[str],
    grades: dict[str, int],
    k: int | None,
    gains: Gains,
    rel: int,
    max_grade: int | None,
) -> list[float]:
    """Gain at each of the first k ranks of the list, 0 for an unjudged doc."""
    gain_of = judged_gains(grades, gains, rel, max_grade)
    return [gain_of.get(doc, 0.0) for doc in ranking[:k]]


def discounted_sum(gain_list: list[float]) -> float:
    """sum over ranks i of gain_i / log2(i + 1)."""
    score = 0.0
    for rank, gain in enumerate(gain_list, start=1):
        score += gain / math.log2(rank + 1)
    return score


def dcg(
    ranking: list[str],
    grades: dict[str, int],
    k: int | None = None,
    gains: Gains = "grade",
    rel: int = 1,
    max_grade: int | None = None,
) -> float:
    """sum over ranks i <= k of gain_i / log2(i + 1)."""
    return discounted_sum(ranked_gains(ranking, grades, k, gains, rel, max_grade))


def ndcg(
    ranking: list[str],
    grades: dict[str, int],
    k: int | None = None,
    gains: Gains = "grade",
    rel: int = 1,
    max_grade: int | None = None,
) -> float:
    """DCG@k / IDCG@k; IDCG@k is the DCG of the k highest gains judged for the topic.

    Without k the ideal list is every judged doc. NaN if IDCG@k = 0.
    """
    best_first = sorted(judged_gains(grades, gains, rel, max_grade).values(), reverse=True)
    ideal = discounted_sum(best_first[:k])
    if ideal == 0:
        return math.nan
    return dcg(ranking, grades, k, gains, rel, max_grade) / ideal


def sdcg(
    ranking: list[str],
    grades: dict[str, int],
    k: int,
    gains: Gains = "binary",
    rel: int = 1,
    max_grade: int | None = None,
) -> float:
    """DCG@k / (sum over ranks i = 1..k of 1 / log2(i + 1)), whatever the list's length."""
    return dcg(ranking, grades, k, gains, rel, max_grade) / discounted_sum([1.0] * k)


def rbp(
    ranking: list[str],
    grades: dict[str, int],
    p: float,
    k: int | None = None,
    norm: bool = False,
    gains: Gains = "binary",
    rel: int = 1,
    max_grade: int | None = None,
) -> float:
    """(1 - p) * sum over ranks i <= k of gain_i * p^(i - 1); with norm, divided by 1 - p^k.

    The division makes the k weights sum to 1. ValueError for norm without k.
    """
    score = 0.0
    for rank, gain in enumerate(ranked_gains(ranking, grades, k, gains, rel, max_grade), start=1):
        score += (1 - p) * p ** (rank - 1) * gain
    if not norm:
        return score
    if k is None:
        raise ValueError("norm needs k")
    return score / (1 - p**k)


def insq(
    ranking: list[str],
    grades: dict[str, int],
    t: float,
    k: int | None = None,
    gains: Gains = "binary",
    rel: int = 1,
    max_grade: int | None = None,
) -> float:
    """Sum over ranks i <= k of gain_i * w_i, w_i = 1 / (i + 2t - 1)^2 / S, 2t a whole number.

    S = pi^2 / 6 - (1 / 1^2 + ... + 1 / (2t - 1)^2), so that all weights sum to 1.
    """
    score = 0.0
    for rank, gain in enumerate(ranked_gains(ranking, grades, k, gains, rel, max_grade), start=1):
        score += gain / (rank + 2 * t - 1) ** 2 / squares_after(2 * t - 1)
    return score


def adaptive(
    ranking: list[str],
    grades: dict[str, int],
    continues: Callable[[int, float, float], float],
    last: int,
    max_grade: int | None = None,
) -> float:
    """Sum of P_i g_i over sum of P_i, rank by rank down to `last`; gains are grade over best grade.

    `continues` gives C_i from the rank, its gain and the gain so far.
    """
    listed = ranked_gains(ranking, grades, last, "linear", 1, max_grade)
    reached, earned, read, so_far = 1.0, 0.0, 0.0, 0.0
    for rank in range(1, last + 1):
        gain = listed[rank - 1] if rank <= len(listed) else 0.0
        so_far += gain
        earned += reached * gain
        read += reached
        reached *= continues(rank, gain, so_far)
        if reached == 0:
            break
    return earned / read


def squares_after(n: float) -> float:
    """1 / (n + 1)^2 + 1 / (n + 2)^2 + ... for a whole number n."""
    return math.pi**2 / 6 - sum(1 / i**2 for i in range(1, int(n) + 1))


def err(
    ranking: list[str],
    grades: dict[str, int],
    k: int | None = None,
    gains: Gains = "exp2_scaled",
    rel: int = 1,
    max_grade: int | None = None,
) -> float:
    """sum over ranks r <= k of (1/r) * gain_r * product over i < r of (1 - gain_i)."""
    gain_list = ranked_gains(ranking, grades, k, gains, rel, max_grade)
    score = 0.0
    for rank, gain in enumerate(gain_list, start=1):
        reached = math.prod(1 - earlier for earlier in gain_list[: rank - 1])
        score += gain * reached / rank
    return score


def bpref(ranking: list[str], grades: dict[str, int], rel: int = 1) -> float:
    """(1/R) * sum over retrieved relevant docs of 1 - min(n, R) / min(N, R); NaN if R = 0.

    n is the number of judged non-relevant docs above the doc (the term is 1 if n = 0), N the
    number of all judged non-relevant docs, retrieved or not.
    """
    total = count_relevant(list(grades), grades, rel)
    if total == 0:
        return math.nan
    total_non = len(grades) - total
    non_above = 0
    score = 0.0
    for doc in condensed(ranking, grades):
        if not is_relevant(doc, grades, rel):
            non_above += 1
        elif non_above == 0:
            score += 1.0
        else:
            score += 1 - min(non_above, total) / min(total_non, total)
    return score / total


def infap(
    ranking: list[str], grades: dict[str, int], pooled_unjudged: AbstractSet[str], rel: int = 1
) -> float:
    """(1/R) * sum over retrieved relevant docs of the expected precision at the doc; NaN if R = 0.

    For the relevant doc with j docs above it: 1 if j = 0, else

        1/(j+1) + j/(j+1) * (r + n + u)/j * (r + e)/(r + n + 2e)

    where r, n and u count the docs above it that are relevant, judged non-relevant, and pooled
    but unjudged, and e = 0.00001. A doc both judged and in pooled_unjudged counts as judged.
    """
    total = count_relevant(list(grades), grades, rel)
    if total == 0:
        return math.nan
    score = 0.0
    for j, doc in enumerate(ranking):
        if is_relevant(doc, grades, rel):
            score += _expected_precision(ranking[:j], grades, pooled_unjudged, rel)
    return score / total


def _expected_precision(
    above: list[str], grades: dict[str, int], pooled_unjudged: AbstractSet[str], rel: int
) -> float:
    """The term of infap for a relevant doc below the docs in above."""
    j = len(above)
    if j == 0:
        return 1.0
    r = count_relevant(above, grades, rel)
    n = len(condensed(above, grades)) - r
    u = len([doc for doc in above if doc not in grades and doc in pooled_unjudged])
    pooled_share = (r + n + u) / j
    relevant_share = (r + INFAP_EPSILON) / (r + n + 2 * INFAP_EPSILON)
    return 1 / (j + 1) + j / (j + 1) * pooled_share * relevant_share


def interpolated_precision(
    ranking: list[str], grades: dict[str, int], recall: float, rel: int = 1, added: float = 0.9
) -> float:
    """Best precision at any rank by which floor(recall R + added) relevant docs are found."""
    total = count_relevant(list(grades), grades, rel)
    if total == 0:
        return math.nan
    needed = math.floor(recall * total + added)
    best = 0.0
    for i in range(1, len(ranking) + 1):
        found = count_relevant(ranking[:i], grades, rel)
        if found >= needed:
            best = max(best, found / i)
    return best


def interpolated_ap(
    ranking: list[str], grades: dict[str, int], points: int = 11, rel: int = 1
) -> float:
    """Mean interpolated precision over recall 0, 1/(points-1), ... 1."""
    total = 0.0
    for level in range(points):
        total += interpolated_precision(ranking, grades, level / (points - 1), rel)
    return total / points


def set_f(ranking: list[str], grades: dict[str, int], beta: float = 1.0, rel: int = 1) -> float:
    """(1 + beta^2) P R / (beta^2 P + R) of the list as a set; 0 where nothing relevant is in it."""
    share = recall(ranking, grades, rel=rel)
    if math.isnan(share) or share == 0:
        return share
    correction = count_relevant(ranking, grades, rel) / len(ranking)
    return (1 + beta**2) * correction * share / (beta**2 * correction + share)


def set_ap(ranking: list[str], grades: dict[str, int], rel: int = 1) -> float:
    """P times R of the list as a set."""
    share = recall(ranking, grades, rel=rel)
    if math.isnan(share) or not ranking:
        return share
    return share * count_relevant(ranking, grades, rel) / len(ranking)


def utility(
    ranking: list[str], grades: dict[str, int], a: float = 1.0, b: float = -1.0, rel: int = 1
) -> float:
    """a for every relevant doc in the list, b for every other one."""
    total = 0.0
    for doc in ranking:
        total += a if is_relevant(doc, grades, rel) else b
    return total


def num_nonrel_ret(ranking: list[str], grades: dict[str, int], rel: int = 1) -> float:
    """Docs in the list judged with grade < rel."""
    return float(sum(1 for doc in ranking if doc in grades and grades[doc] < rel))


def unjudged(ranking: list[str], grades: dict[str, int], k: int) -> float:
    """(docs in the first k that nobody judged) / k."""
    return sum(1 for doc in ranking[:k] if doc not in grades) / k
