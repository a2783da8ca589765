"""The experiments with which the adjusters were published, by literally rebuilding every pool.

Conventions as in ``adjusters``. ``truth`` holds the original judgments; a pooled doc that they
lack counts as judged non-relevant, so that the only unjudged docs are those outside the pool.
Nothing is drawn at random here: the draws are given.
"""

from collections.abc import Callable
from typing import NamedTuple

from .adjusters import Qrels, Run, Score, from_topics, mean, mean_score, systems, topic_score
from .pools import Pair

Pooler = Callable[[list[Run]], set[Pair]]
Corrector = Callable[[dict[str, Run], Run, Qrels], float]


def judge(pool: set[Pair], truth: Qrels) -> Qrels:
    """The pool's judgments: the grade in truth, 0 where truth has none."""
    qrels: Qrels = {topic: {} for topic in truth}
    for topic, doc in pool:
        qrels.setdefault(topic, {})[doc] = truth.get(topic, {}).get(doc, 0)
    return qrels


def depth_pool(runs: list[Run], depth: int) -> set[Pair]:
    """The union of the first ``depth`` docs of every run, as pairs."""
    return {(topic, doc) for run in runs for topic in run for doc in run[topic][:depth]}


def best_runs(
    runs: dict[str, Run], truth: Qrels, topics: list[str], score: Score, share: float = 0.75
) -> list[str]:
    """Names of the round(share N) runs with the highest mean score; equal runs by name."""
    value = {name: mean_score(run, topics, truth, score) for name, run in runs.items()}
    return sorted(runs, key=lambda name: (-value[name], name))[: round(share * len(runs))]


def webber_by_rebuilding(
    pooled: dict[str, Run],
    new: Run,
    truth: Qrels,
    pooler: Pooler,
    topics: list[str],
    score: Score,
) -> float:
    """The score of new with Eq. 2 of Lipani et al. (2016) added, for any way of pooling.

    g(r_p, Q^(R_p)) - g(r_p, Q^(R_p without r_p)), each pool built anew, averaged over r_p.
    """
    full = judge(pooler(list(pooled.values())), truth)
    betas = []
    for name, run in pooled.items():
        others = [other for other_name, other in pooled.items() if other_name != name]
        without = judge(pooler(others), truth)
        betas.append(mean_score(run, topics, full, score) - mean_score(run, topics, without, score))
    return mean_score(new, topics, full, score) + mean(betas)


def leave_one_organisation_out(
    runs: dict[str, Run],
    group_of: dict[str, str],
    truth: Qrels,
    reference: Pooler,
    pooler: Pooler,
    topics: list[str],
    score: Score,
    corrector: Corrector,
) -> float:
    """The mean absolute error of Lipani et al. (2016), Figs. 1 to 3, over all of runs.

    True scores come from the reference pool of all runs. For each group the pool is rebuilt
    from the runs of the other groups and judged; ``corrector(pooled, run, qrels)`` then gives
    the score of each of the group's runs, errors being taken of means over topics. A group
    without which nothing would be pooled is not left out.
    """
    true_qrels = judge(reference(list(runs.values())), truth)
    errors = []
    for group in sorted(set(group_of.values())):
        pooled = {name: run for name, run in runs.items() if group_of[name] != group}
        if not pooled:
            continue
        qrels = judge(pooler(list(pooled.values())), truth)
        for name, run in runs.items():
            if group_of[name] == group:
                true = mean_score(run, topics, true_qrels, score)
                errors.append(abs(true - corrector(pooled, run, qrels)))
    return mean(errors)


class Draw(NamedTuple):
    """One sample of runs to pool, and the newcomer."""

    pooled: list[str]
    new: str


def split(
    runs: dict[str, Run], truth: Qrels, depth: int, draw: Draw
) -> tuple[dict[str, Run], Run, Qrels, Qrels]:
    """The pooled runs, the new one, and the judgments of the pools with and without it."""
    pooled = {name: runs[name] for name in draw.pooled}
    new = runs[draw.new]
    with_new = judge(depth_pool([*pooled.values(), new], depth), truth)
    without_new = judge(depth_pool(list(pooled.values()), depth), truth)
    return pooled, new, with_new, without_new


def biases(
    runs: dict[str, Run],
    truth: Qrels,
    depth: int,
    draws: list[Draw],
    topics: list[str],
    score: Score,
    condensed: bool = False,
) -> list[float]:
    """Figure 1 of Webber and Park (2009): partial - true mean score of each draw's newcomer."""
    result = []
    for draw in draws:
        _, new, with_new, without_new = split(runs, truth, depth, draw)
        true = mean_score(new, topics, with_new, score, condensed)
        result.append(mean_score(new, topics, without_new, score, condensed) - true)
    return result


def systems_errors(
    runs: dict[str, Run],
    truth: Qrels,
    depth: int,
    draws: list[Draw],
    topics: list[str],
    score: Score,
    condensed: bool = False,
) -> tuple[float, float]:
    """Table 1 of Webber and Park (2009): mean absolute error, raw and adjusted by Algorithm 1.

    The error is that of the mean over all topics. The qrels that Algorithm 1 sees are those of the
    pool without the newcomer.
    """
    raw, adjusted = [], []
    for draw in draws:
        pooled, new, with_new, without_new = split(runs, truth, depth, draw)
        true = mean_score(new, topics, with_new, score, condensed)
        result = systems(pooled, new, without_new, depth, topics, score, condensed)
        raw.append(abs(true - result.unadjusted))
        adjusted.append(abs(true - result.adjusted))
    return mean(raw), mean(adjusted)


def topics_errors(
    runs: dict[str, Run],
    truth: Qrels,
    depth: int,
    draws: list[Draw],
    common: list[list[list[str]]],
    topics: list[str],
    score: Score,
    condensed: bool = False,
) -> tuple[float, float, float]:
    """Algorithm 3 of Webber and Park (2009): mean absolute error unadjusted, mixed, adjusted.

    ``common[i]`` lists the samples of common topics for draw i. All errors are of the mean over
    all N topics (for Table 2's adjusted columns the paper's text and numbers differ). The mixed
    error is averaged over the samples as well; in expectation it is (N - n) / N of the unadjusted
    one when all biases have one sign.
    """
    unadjusted, mixed, adjusted = [], [], []
    for draw, samples in zip(draws, common, strict=True):
        _, new, with_new, without_new = split(runs, truth, depth, draw)
        labels = {t: topic_score(new, t, without_new, score, condensed) for t in topics}
        true = {t: topic_score(new, t, with_new, score, condensed) for t in topics}
        target = mean(true.values())
        for sample in samples:
            result = from_topics(labels, {t: true[t] for t in sample})
            unadjusted.append(abs(target - result.unadjusted))
            mixed.append(abs(target - result.mixed))
            adjusted.append(abs(target - result.adjusted))
    return mean(unadjusted), mean(mixed), mean(adjusted)


def adjusting_beats_sampling(labels: dict[str, float], true: dict[str, float]) -> bool:
    """Whether sigma_a^2 (Eq. 4) < sigma_t^2 (Eq. 5), both over all N topics, with a = A.

    The paper finds it so in each of its 500 draws of systems.
    """
    adjustment = mean(true[t] - labels[t] for t in true)
    centre = mean(true.values())
    of_adjusted = mean((true[t] - (labels[t] + adjustment)) ** 2 for t in true)
    of_true = mean((true[t] - centre) ** 2 for t in true)
    return of_adjusted < of_true
