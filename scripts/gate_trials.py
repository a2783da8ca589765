"""How often a gate is right: random pairs of runs, half the topics, the newcomer's group unpooled.

python -m scripts.gate_trials COLLECTION [--trials 200] [--depth 10] [--measure nDCG@10] [--alone]
                              [--labels FILE...]

Each trial takes two pooled runs of different groups by chance, one as the baseline and one as the
newcomer, half of the topics, and judgments of a pool of that depth to which the newcomer's group
gave nothing. The truth is the difference over all topics by all judgments. "worse" is wrong if the
newcomer is not worse by more than the margin, "not worse" if it is. Beside it: what a t interval
says that counts unjudged documents as worthless, the gate without an estimator, and the usual
t-test, which fails a run that is significantly worse (p < .05, no margin) and passes all others.
With --alone no other run is known but the two, with --labels the gate has a judge's labels.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import leadline
from leadline.completions.estimator import TrainingData
from leadline.completions.regression import model_doubts, relevance_model
from leadline.data.arrays import Floats, Int64s
from leadline.data.lists import Lists
from leadline.io.collection import Collection
from leadline.measures.measure import Measure, parse_measure
from leadline.stats.gate import MeanDifference, RunPair, Verdict, verdicts
from leadline.stats.mean_uncertainty import MeanUncertainty, TopicVariance, WorstCompletion

MARGIN = 0.01
CONFIDENCE = 0.95
CLEAR = 0.05
"""A difference that a gate should decide."""

WAYS = ("gate", "gate without an estimator", "t interval, unjudged = 0", "t-test, unjudged = 0")


@dataclass(frozen=True)
class Trial:
    """What each way says, the true difference, and those of the same topics: all judged, as judged.

    `expected` and `error` are the model's, of the same topics; `above_least` and `below_most` tell
    whether the bounds hold for the truth.
    """

    said: dict[str, Verdict]
    truth: float
    same_topics: float
    judged: float
    expected: float
    error: float
    above_least: bool
    below_most: bool

    def wrong(self, way: str) -> bool:
        """Whether a verdict does not hold."""
        worse = self.truth < -MARGIN
        return self.said[way] == ("not_worse" if worse else "worse")


def truths(collection: Collection, measure: Measure) -> Floats:
    """[runs, topics]: scores by all judgments."""
    lists = Lists.of(collection.runs.cut(measure.last_rank), collection.judgments)
    return measure.score(lists).value


def half(collection: Collection, random: np.random.Generator) -> tuple[Collection, Int64s]:
    """The collection on half of its topics, by chance, and their numbers."""
    topics = collection.runs.pairs.topics
    kept = np.sort(random.choice(len(topics), len(topics) // 2, replace=False))
    return collection.on([topics[at] for at in kept.tolist()]), kept


def trial(
    collection: Collection, scores: Floats, measure: Measure, depth: int, alone: bool, seed: int
) -> Trial:
    """One pair of runs."""
    random = np.random.default_rng([18, seed])
    group = np.array(collection.runs.group, object)
    pooled = np.flatnonzero(collection.pooled)
    first = int(random.choice(pooled))
    second = int(random.choice(pooled[group[pooled] != group[first]]))
    part, kept = half(collection, random)
    contributing = collection.pooled & (group != group[second])
    judgments = part.judgments.only(part.runs.only(contributing).best_rank <= depth)
    runs, names = part.runs, part.runs.names
    if alone:
        runs = runs.only(np.array([first, second]))
        contributing = np.array([True, False])
    evidence = TrainingData(measure, runs, judgments, contributing=contributing)
    model = not model_doubts(evidence, relevance_model(evidence))
    newcomer = RunPair(evidence, names[first], names[second], measure.last_rank, model)
    differences = newcomer.differences(measure)
    drawn = newcomer.drawn_differences(measure)
    both = MeanDifference(differences, drawn if model else None).both
    doubts: Sequence[MeanUncertainty] = (
        both,
        WorstCompletion(differences),
        TopicVariance.of(differences.value),
    )
    said = [verdicts([doubt], MARGIN, CONFIDENCE, "none", "not_worse")[0] for doubt in doubts]
    said.append("worse" if doubts[-1].interval(CONFIDENCE)[1] < 0 else "not_worse")
    means = np.nanmean(scores, axis=1)
    truth = float(means[second] - means[first])
    least, most = both.bounds(CONFIDENCE)
    by_draw = np.nanmean(drawn, axis=1)
    return Trial(
        dict(zip(WAYS, said, strict=True)),
        truth,
        float(np.nanmean(scores[second, kept] - scores[first, kept])),
        float(np.nanmean(differences.value)),
        float(by_draw.mean()),
        float(by_draw.std(ddof=1)),
        least <= truth,
        truth <= most,
    )


def trials(
    collection: Collection, measure: Measure, depth: int, n: int, alone: bool = False
) -> list[Trial]:
    """n of them."""
    scores = truths(collection, measure)
    return [trial(collection, scores, measure, depth, alone, seed) for seed in range(n)]


def table(done: list[Trial]) -> list[str]:
    """A line for each way: shares of verdicts, how many are wrong, and of clear ones how many."""
    clear = [each for each in done if abs(each.truth) > CLEAR]
    lines = [
        "| way | worse | of these wrong | not worse | of these wrong | undecided "
        f"| decided of {len(clear)} clear ones |",
        "|---|---|---|---|---|---|---|",
    ]
    for way in WAYS:
        cells = []
        for verdict in ("worse", "not_worse"):
            these = [each for each in done if each.said[way] == verdict]
            wrong = sum(each.wrong(way) for each in these)
            share = wrong / len(these) if these else 0.0
            cells += [f"{len(these)}", f"{wrong} ({share:.1%})"]
        undecided = sum(each.said[way] == "undecided" for each in done)
        decided = np.mean([each.said[way] != "undecided" for each in clear]) if clear else np.nan
        lines.append(f"| {way} | {' | '.join(cells)} | {undecided} | {decided:.0%} |")
    off = np.array([each.expected - each.same_topics for each in done])
    error = np.array([each.error for each in done])
    lines.append(
        f"judgment doubt alone: rmse {np.sqrt((off**2).mean()):.4f}, bias {off.mean():+.4f}, "
        f"median error told {np.median(error):.4f}; the truth is at least what the gate says in "
        f"{np.mean([each.above_least for each in done]):.1%}, at most in "
        f"{np.mean([each.below_most for each in done]):.1%}"
    )
    return lines


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collection")
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--measure", default="nDCG@10")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--labels", nargs="+", help="labels of cheap judges, as evidence")
    asked = parser.parse_args()
    collection = leadline.read(asked.collection, depth=100, labels=asked.labels)
    measure = parse_measure(asked.measure)
    done = trials(collection, measure, asked.depth, asked.trials, asked.alone)
    print(asked.collection, measure, f"depth {asked.depth}, {asked.trials} trials", end="")
    print(", the two runs alone" if asked.alone else "", *asked.labels or ())
    print("\n".join(table(done)), flush=True)


if __name__ == "__main__":
    main()
