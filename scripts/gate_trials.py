"""Error rates of the gate: random pairs of runs, half the topics, the new run's group unpooled.

    python -m scripts.gate_trials COLLECTION [--trials 200] [--depth 10] [--measure nDCG@10]
                                  [--alone] [--labels FILE...] [--output FILE.csv]

Each trial takes two random pooled runs of different groups, a baseline and a new run, half of the
topics, and judgments of a pool of that depth without the group of the new run. The truth is the
difference over all topics by all judgments. "worse" is wrong if the new run is not worse by more
than the margin, "not worse" if it is. Compared are a t interval with unjudged documents as
non-relevant, the gate without an estimator, and the usual t-test, which fails a run that is
significantly worse (p < .05, no margin) and passes all others. With --alone only the two runs are
known; with --labels the gate uses labels.

    python -m scripts.gate_trials --page FILE.csv...

writes docs/results/gate.csv and gate.md from the tables of several trials.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

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
RESULTS = Path(__file__).parents[1] / "docs" / "results"
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


def counts(done: list[Trial], collection: str, depth: int) -> pl.DataFrame:
    """Return a row for each way: verdicts, how many are wrong, and decided clear differences."""
    clear = [trial for trial in done if abs(trial.truth) > CLEAR]
    rows = []
    for way in WAYS:
        row: dict[str, object] = {"collection": collection, "depth": depth, "way": way}
        for verdict in ("worse", "not_worse"):
            given = [trial for trial in done if trial.said[way] == verdict]
            row[verdict] = len(given)
            row[f"{verdict}_wrong"] = sum(trial.wrong(way) for trial in given)
        row["undecided"] = sum(trial.said[way] == "undecided" for trial in done)
        row["clear"] = len(clear)
        row["clear_decided"] = sum(trial.said[way] != "undecided" for trial in clear)
        rows.append(row)
    return pl.DataFrame(rows)


def table(rows: pl.DataFrame) -> list[str]:
    """Return the counts as a table in Markdown."""
    lines = [
        "| collection | depth | way | worse | wrong | not worse | wrong | undecided | clear ones "
        "decided |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows.iter_rows(named=True):
        cells = [row["collection"], str(row["depth"]), row["way"]]
        for verdict in ("worse", "not_worse"):
            n, wrong = row[verdict], row[f"{verdict}_wrong"]
            cells += [str(n), f"{wrong} ({wrong / n if n else 0:.1%})"]
        share = f"{row['clear_decided'] / row['clear']:.0%} of {row['clear']}"
        lines.append(f"| {' | '.join([*cells, str(row['undecided']), share])} |")
    return lines


def summary(done: list[Trial]) -> str:
    """Return the model's errors and the coverage of the combined interval in a line."""
    off = np.array([each.expected - each.same_topics for each in done])
    error = np.array([each.error for each in done])
    return (
        f"unjudged documents alone: rmse {np.sqrt((off**2).mean()):.4f}, bias {off.mean():+.4f}, "
        f"median standard error {np.median(error):.4f}; combined_lower holds in "
        f"{np.mean([trial.above_least for trial in done]):.1%}, combined_upper in "
        f"{np.mean([trial.below_most for trial in done]):.1%}"
    )


def page(files: list[Path]) -> None:
    """Write docs/results/gate.csv and gate.md."""
    rows = pl.concat([pl.read_csv(file) for file in files])
    rows.write_csv(RESULTS / "gate.csv")
    lines = [
        "# The gate: error rates of its verdicts",
        "",
        "Written by `python -m scripts.gate_trials --page` from the tables of its trials: 200",
        "random pairs of pooled runs of different groups, half the topics, a pool without the",
        f"group of the new run; nDCG@10, margin {MARGIN}, confidence {CONFIDENCE:.0%}. Truth is",
        "the difference over all topics by all judgments; it is clear if its size exceeds",
        f"{CLEAR}.",
        "",
        *table(rows),
    ]
    (RESULTS / "gate.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collection", nargs="?")
    parser.add_argument("--page", type=Path, nargs="+", help="tables to write the page from")
    parser.add_argument("--output", type=Path, help="csv file for the counts")
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--measure", default="nDCG@10")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--labels", nargs="+", help="labels by noisy judges, as evidence")
    asked = parser.parse_args()
    if asked.page:
        page(asked.page)
        return
    collection = leadline.read(asked.collection, depth=100, labels=asked.labels)
    measure = parse_measure(asked.measure)
    done = trials(collection, measure, asked.depth, asked.trials, asked.alone)
    print(asked.collection, measure, f"depth {asked.depth}, {asked.trials} trials", end="")
    print(", the two runs alone" if asked.alone else "", *asked.labels or ())
    rows = counts(done, Path(asked.collection).name, asked.depth)
    if asked.output is not None:
        rows.write_csv(asked.output)
    print("\n".join([*table(rows), summary(done)]), flush=True)


if __name__ == "__main__":
    main()
