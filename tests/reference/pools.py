"""Pools: which (topic, doc) pairs of several runs are to be judged.

``runs`` holds one dict per run: topic -> ranking of distinct docs, best first. A pool is a dict
pair -> (stratum, inclusion probability) of its members. Strata count from 1.
"""

import hashlib
import math

Runs = list[dict[str, list[str]]]
Pair = tuple[str, str]
Pool = dict[Pair, tuple[int, float]]


def u(seed: int, topic: str, doc: str) -> float:
    """A number in [0, 1) from the first 53 bits of BLAKE2b-64 of seed, topic and doc."""
    text = f"{seed}\x1f{topic}\x1f{doc}"
    digest = hashlib.blake2b(text.encode("utf-8"), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) / 2**53


def best_ranks(runs: Runs) -> dict[Pair, int]:
    """pair -> its best rank over all runs."""
    best: dict[Pair, int] = {}
    for run in runs:
        for topic, ranking in run.items():
            for rank, doc in enumerate(ranking, start=1):
                pair = topic, doc
                best[pair] = min(rank, best.get(pair, rank))
    return best


def stratum_of(rank: int, sizes: list[int]) -> int | None:
    """j with s_1 + ... + s_(j-1) < rank <= s_1 + ... + s_j; None beyond the last."""
    last_rank = 0
    for j, size in enumerate(sizes, start=1):
        last_rank += size
        if rank <= last_rank:
            return j
    return None


def stratified(runs: Runs, strata: list[tuple[int, float]], seed: int) -> Pool:
    """A pair is in the stratum of its best rank, and a member when u < the stratum's rate."""
    pool = {}
    sizes = [size for size, _ in strata]
    for (topic, doc), rank in best_ranks(runs).items():
        stratum = stratum_of(rank, sizes)
        if stratum is not None:
            rate = strata[stratum - 1][1]
            if u(seed, topic, doc) < rate:
                pool[topic, doc] = (stratum, rate)
    return pool


def depth(runs: Runs, d: int) -> Pool:
    """The union of the first d docs of every run."""
    pool = {}
    for run in runs:
        for topic, ranking in run.items():
            for doc in ranking[:d]:
                pool[topic, doc] = (1, 1.0)
    return pool


def sampled(runs: Runs, d: int, rate: float, seed: int) -> Pool:
    """The members of depth(d) with u < rate."""
    pool = {}
    for topic, doc in depth(runs, d):
        if u(seed, topic, doc) < rate:
            pool[topic, doc] = (1, rate)
    return pool


def two_strata(runs: Runs, d: int, deep: int, rate: float, seed: int) -> Pool:
    """All of the first d ranks, a sample of those from there to ``deep``."""
    return stratified(runs, [(d, 1.0), (deep - d, rate)], seed)


def increasing_splits(total: int, step: int, above: int = 0) -> list[list[int]]:
    """All strictly increasing lists of sizes > above with this sum.

    All sizes but the last are multiples of step, and so is the last when the total is one.
    """
    splits = []
    if total > above:
        splits.append([total])
    for first in range(step, total, step):
        if first > above:
            for rest in increasing_splits(total - first, step, first):
                splits.append([first, *rest])
    return splits


def logistic_area(start: float, end: float, depth: int) -> float:
    """Integral from start to end of 1 / (1 + exp(b1 (x - b0))), b1 = 10 / depth, b0 = depth / 2."""
    b1 = 10 / depth
    b0 = depth / 2

    def integral(x: float) -> float:
        return x - math.log(1 + math.exp(b1 * (x - b0))) / b1

    return integral(end) - integral(start)


def rates(sizes: list[int]) -> list[float]:
    """The rate of every stratum: the first is 1, what that takes is taken from the others.

    r_n = [r'_n - (s_1 - r'_1) * r'_n / sum_{i>=2} r'_i] / s_n, with r'_n the area under the
    logistic over stratum n. A single stratum keeps r'_1 / s_1.
    """
    areas = []
    start = 0
    for size in sizes:
        areas.append(logistic_area(start, start + size, sum(sizes)))
        start += size
    if len(sizes) == 1:
        return [areas[0] / sizes[0]]
    taken = sizes[0] - areas[0]
    others = sum(areas[1:])
    result = [1.0]
    for size, area in zip(sizes[1:], areas[1:], strict=True):
        result.append((area - taken * area / others) / size)
    return result


def stratifications(depth: int, step: int) -> list[list[tuple[int, float]]]:
    """All stratifications of this depth, by number of strata, then by their sizes."""
    splits = sorted(increasing_splits(depth, step), key=lambda sizes: (len(sizes), sizes))
    return [list(zip(sizes, rates(sizes), strict=True)) for sizes in splits]
