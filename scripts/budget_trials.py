"""How far off scores and differences are that so many judgments tell, design by design.

    python -m scripts.budget_trials [COLLECTION...] [--budgets 200 400 800 1600] [--draws 200]
                                    [--measure NAME] [--designs NAME...] [--labels FILE...]
                                    [--record FILE]

A collection's judgments are taken for complete: a pair that is not among them answers 0 and costs a
judgment. Every design spends the same budget on every draw: root mean square errors of differences
among the 20 best runs and of all scores, Kendall's tau of all runs, and how many of the 95%
intervals hold the truth, within one Monte Carlo error; of the run that leads, by how much its
score is too high, and how often its interval holds, with and without the correction for selection.
The collections lie beside the project's folder, or in LEADLINE_DATA; chances were developed on
trec_dl21_half, intervals on robust2004_pooled42. What stands in the record is not drawn again. With
--measure nDCG@10, WeightedSample alone is tried; the ideal that counts is that of what some run has
in its first ten. So it is with AP@10, or AP(rel=2)@10, drawn for by DCG of the same documents.
"""

import argparse
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import leadline
from leadline.completions.baselines import InfRBP
from leadline.completions.estimator import TrainingData
from leadline.completions.pair_weights import PairWeights, last_rank
from leadline.completions.regression import Regression
from leadline.completions.sample import (
    AssistedAP,
    AssistedNDCG,
    assisted,
    assisted_by_batches,
    mean_of_draws,
    places,
    precision_sums,
    shrunk,
    topic_sums,
)
from leadline.data.arrays import Bools, Floats
from leadline.data.draw import draw_pairs
from leadline.data.judgments import Judgments
from leadline.data.mean_estimate import MeanEstimate
from leadline.data.pool import Pool
from leadline.data.runs import Runs
from leadline.data.scores import Scores
from leadline.judging.weighted_sample import WeightedSample
from leadline.measures.ap import AP
from leadline.measures.dcg import discounts
from leadline.measures.measure import Measure, Weighted, parse_measure, parse_numerator
from leadline.pooling.strategies import Depth, TwoStrata
from leadline.stats.correlation import kendall

MEASURES = {
    "trec_dl21_half": "SDCG(gains=linear)@10",
    "robust2004_pooled42": "RBP(p=0.8)",
    "trec8_adhoc": "RBP(p=0.8)",
    "trec_covid_round1": "RBP(p=0.8)",
}
BUDGETS = (200, 400, 800, 1600)
N_BEST = 20
FEWER = 10
"""A design that hardly depends on chance is drawn so many times less often."""

HEAD = (
    "| design | judgments | rmse of differences | hold | rmse of scores | hold | tau | "
    "largest bias, in errors | leader too high by | in errors | hold | hold without correction | "
    "draws |\n" + "|---" * 13 + "|"
)

Answer = tuple[int, MeanEstimate]
"""How many judgments were made, and what is said of the mean scores."""


@dataclass(frozen=True, eq=False)
class Task:
    """Scores to be found out: of `measure`, or of the `share` that it is of its ideal."""

    runs: Runs
    answers: Judgments
    weights: PairWeights
    measure: Weighted
    share: Measure | None = None

    @classmethod
    def of(cls, folder: Path, measure: Measure, labels: list[str] | None = None) -> "Task":
        """From a collection, and perhaps the labels by noisy judges."""
        weighted = measure.numerator
        if isinstance(measure, AP):
            weighted = parse_numerator(f"DCG(gains=binary, rel={measure.rel})@{measure.k}")
        assert weighted is not None
        collection = leadline.read(folder, labels=labels)
        runs, known = collection.runs, collection.judgments
        everything = np.ones(len(runs.pairs), np.bool_)
        answers = Judgments(runs.pairs, everything, known.grade, max_grade=known.max_grade)
        share = None if measure == weighted else measure
        return cls(runs, answers, PairWeights.of(runs, weighted), weighted, share)

    @property
    def truth(self) -> Floats:
        """The mean scores by all answers."""
        table = self.measure.gain(self.answers.max_grade)
        gain = table[self.answers.grade[self.weights.pair]]
        if self.share is None:
            return self.weights.scores(gain)
        if isinstance(self.share, AP):
            assert self.measure.depth is not None
            sums, _ = precision_sums(gain, places(self.weights, self.measure.depth))
            relevant = np.bincount(self.weights.topic, gain, sums.shape[1])
            of_lists: Floats = (sums / np.maximum(relevant, 1.0)).mean(axis=1)
            return of_lists
        sums = topic_sums(self.weights, gain)
        ideal = np.zeros(sums.shape[1])
        for topic in range(len(ideal)):
            best = -np.sort(-gain[self.weights.topic == topic])[: self.measure.depth]
            ideal[topic] = best @ discounts(len(best))
        share = np.divide(sums, ideal, out=np.zeros(sums.shape), where=ideal > 0)
        mean: Floats = share.mean(axis=1)
        return mean

    def __str__(self) -> str:
        return str(self.share or self.measure)

    def evidence(self, pool: Pool) -> TrainingData:
        """What the answers inside a pool tell."""
        return TrainingData(self.measure, self.runs, pool.restrict(self.answers), pool)

    def pool(self, chance: Floats, member: Bools, name: str) -> Pool:
        """Some of the pairs that weigh something, with the chances of all these."""
        n = len(self.runs.pairs)
        inclusion, chosen = np.zeros(n), np.zeros(n, np.bool_)
        inclusion[self.weights.pair], chosen[self.weights.pair] = chance, member
        return Pool(
            self.runs.pairs,
            chosen,
            inclusion,
            np.where(inclusion > 0, 0, -1).astype(np.int16),
            name,
        )


def designed(task: Task, n: int, seed: int) -> Iterator[tuple[str, Answer]]:
    """WeightedSample in batches, with ModelAssisted, as it is, shrunk, and with design=."""
    design = WeightedSample(n=n, measure=str(task.measure))
    drawn = design.all_batches(task.weights, seed, task.answers)
    sample = design.sample(task.weights, task.answers, drawn, seed)
    n_drawn = int(drawn.drawn.sum())
    if task.share is not None:
        assert task.measure.depth is not None
        kind = AssistedAP if isinstance(task.share, AP) else AssistedNDCG
        found = kind.of(task.weights, sample, task.measure.depth)
        yield "WeightedSample + ModelAssisted", (n_drawn, found.of_mean)
        return
    yield "WeightedSample + ModelAssisted", (n_drawn, assisted(task.weights, sample))
    yield "the same, shrunk", (n_drawn, shrunk(task.weights, sample))
    draws = design.replayed(task.weights, seed, task.answers, drawn)
    added = assisted_by_batches(task.weights, draws, sample.gain)
    yield "the same, batches added up", (n_drawn, added)


def evenly(task: Task, n: int, seed: int) -> Iterator[tuple[str, Answer]]:
    """An even sample of what the measure looks at, with Horvitz and Thompson's estimate."""
    pair = task.weights.pair
    chance = np.full(len(pair), min(1.0, n / len(pair)))
    member = draw_pairs(seed, task.runs.pairs, pair) < chance
    gain = task.measure.gain(task.answers.max_grade)[task.answers.grade[pair]]
    rows = np.flatnonzero(member)
    part = task.weights.matrix[:, rows].toarray() * (gain / chance)[rows]
    answer = mean_of_draws(part.sum(axis=1), part, chance[rows])
    yield "UniformSample + Horvitz-Thompson", (int(member.sum()), answer)


def two_strata(task: Task, n: int, seed: int) -> Iterator[tuple[str, Answer]]:
    """Half of the budget on the first ranks, the rest sampled from those below, with InfRBP."""
    deep = last_rank(task.measure, int(task.runs.length.max()))
    sizes = [len(Depth(d).pool(task.runs)) for d in range(1, deep + 1)]
    d = max(1, int(np.searchsorted(sizes, n / 2, side="right")))
    if sizes[0] >= n or d >= deep:
        return
    rate = min(1.0, (n - sizes[d - 1]) / (sizes[-1] - sizes[d - 1]))
    pool = TwoStrata(d, deep, rate).pool(task.runs, seed)
    yield (
        "TwoStrata + InfRBP",
        (len(pool), topic_mean(InfRBP().gains(task.evidence(pool)).scores(""))),
    )


def depth_pool(task: Task, n: int, seed: int) -> Iterator[tuple[str, Answer]]:
    """The pairs with the best ranks, of equals as chance has it, with Regression."""
    pair = task.weights.pair
    order = np.lexsort((draw_pairs(seed, task.runs.pairs, pair), task.runs.best_rank[pair]))
    member = np.zeros(len(pair), np.bool_)
    member[order[:n]] = True
    pool = task.pool(member.astype(np.float64), member, f"the first {n} pairs")
    scores = Regression().gains(task.evidence(pool)).scores("Regression")
    unknown = np.full((len(task.runs.names),) * 2, np.nan)
    mean = scores.of_mean or MeanEstimate(scores.mean(), unknown)
    yield "depth pool + Regression", (len(pool), mean)


def topic_mean(scores: Scores) -> MeanEstimate:
    """Errors of lists as if they were independent."""
    error = scores.mean_error()
    return MeanEstimate(scores.mean(), np.diag(np.nan_to_num(error) ** 2))


DESIGNS: dict[str, Callable[[Task, int, int], Iterator[tuple[str, Answer]]]] = {
    "designed": designed,
    "evenly": evenly,
    "two_strata": two_strata,
    "depth_pool": depth_pool,
}
SELDOM = ("depth_pool",)


@dataclass(frozen=True)
class Outcome:
    """One draw: judgments, squared errors, shares of intervals that hold, tau, and each error."""

    judgments: int
    difference_square: float
    difference_held: float
    score_square: float
    score_held: float
    tau: float
    leader_off: float
    leader_deviations: float
    leader_held: float
    leader_held_alone: float
    off: str

    @classmethod
    def of(cls, answer: Answer, truth: Floats) -> "Outcome":
        """Against the truth."""
        n, told = answer
        best = np.argsort(-truth, kind="stable")[:N_BEST]
        one, other = (best[side] for side in np.triu_indices(len(best), 1))
        off = told.value - truth
        gap = off[one] - off[other]
        leader = int(told.value.argmax())
        low, high = told.interval()
        return cls(
            n,
            float((gap**2).mean()),
            _held(gap, told.difference_margin()[one, other]),
            float((off**2).mean()),
            _held(off, told.margin()),
            float(kendall(told.value, truth)),
            float(off[leader]),
            float(off[leader] / max(told.standard_error[leader], 1e-12)),
            _inside(truth[leader], low[leader], high[leader]),
            _held(off[[leader]], told.margin()[[leader]]),
            " ".join(f"{each:.6f}" for each in off),
        )


def _held(off: Floats, margin: Floats) -> float:
    """The share of intervals that hold the truth; NaN where none was offered."""
    return float((np.abs(off) <= margin + 1e-12).mean()) if np.isfinite(margin).all() else np.nan


def _inside(truth: float, low: float, high: float) -> float:
    """1 if an interval holds the truth, 0 if not, NaN where none was offered."""
    return float(low - 1e-12 <= truth <= high + 1e-12) if np.isfinite([low, high]).all() else np.nan


def row(name: str, outcomes: pl.DataFrame) -> str:
    """A line of the table."""
    n = outcomes.height
    mean = outcomes.mean().row(0, named=True)

    def held(what: str) -> str:
        doubt = float(outcomes[what].std() or 0.0) / n**0.5  # type: ignore[arg-type]
        share = mean[what]
        return "" if np.isnan(share) else f"{100 * share:.1f} ± {100 * doubt:.1f}"

    off = np.array([[float(each) for each in line.split()] for line in outcomes["off"]])
    error = off.std(axis=0, ddof=min(1, n - 1)) / n**0.5
    bias = np.abs(off.mean(axis=0) / np.maximum(error, 1e-12)).max()
    return (
        f"| {name} | {mean['judgments']:.0f} | {mean['difference_square'] ** 0.5:.4f} | "
        f"{held('difference_held')} | {mean['score_square'] ** 0.5:.4f} | {held('score_held')} | "
        f"{mean['tau']:.3f} | {bias:.1f} | {mean['leader_off']:+.4f} | "
        f"{mean['leader_deviations']:+.1f} | {held('leader_held')} | {held('leader_held_alone')} | "
        f"{n} |"
    )


Key = tuple[str, str, int, str]
"""Collection, measure, budget and design."""


class Record:
    """What was drawn so far, kept in a file where one is named."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.rows: list[dict[str, Any]] = []
        if file is not None and file.exists():
            self.rows = pl.read_csv(file, schema_overrides={"off": pl.String}).to_dicts()

    def add(self, key: Key, seed: int, name: str, outcome: Outcome) -> None:
        """One more draw."""
        collection, measure, budget, design = key
        where = {"collection": collection, "measure": measure, "budget": budget, "design": design}
        new = {**where, "seed": seed, "name": name, **asdict(outcome)}
        self.rows.append(new)
        if self.file is not None:
            begun = self.file.exists()
            with self.file.open("a") as out:
                out.write(pl.DataFrame([new]).write_csv(include_header=not begun))

    def of(self, key: Key) -> dict[str, pl.DataFrame]:
        """The draws of a design, by the name of what was estimated."""
        mine = [
            row
            for row in self.rows
            if key == (row["collection"], row["measure"], row["budget"], row["design"])
        ]
        names = dict.fromkeys(row["name"] for row in mine)
        return {name: pl.DataFrame([r for r in mine if r["name"] == name]) for name in names}


def trials(task: Task, design: str, n: int, draws: int, record: Record, name: str) -> list[str]:
    """The rows of a design at a budget."""
    key = name, str(task), n, design
    done = {seed for some in record.of(key).values() for seed in some["seed"]}
    truth = task.truth
    for seed in range(max(1, draws // FEWER) if design in SELDOM else draws):
        if seed not in done:
            for kind, answer in DESIGNS[design](task, n, seed):
                record.add(key, seed, kind, Outcome.of(answer, truth))
    return [row(kind, some) for kind, some in record.of(key).items()]


def main() -> None:
    """Print a table for each collection and budget."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("collections", nargs="*", default=list(MEASURES))
    parser.add_argument("--budgets", nargs="+", type=int, default=BUDGETS)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--measure", help="another than the collection's usual one")
    parser.add_argument("--designs", nargs="+", default=list(DESIGNS), choices=list(DESIGNS))
    parser.add_argument("--labels", nargs="+", help="labels by noisy judges, as evidence")
    parser.add_argument("--record", type=Path, help="a csv file: draws that it has are not redone")
    asked = parser.parse_args()
    beside = Path(os.environ.get("LEADLINE_DATA", Path(__file__).parents[2] / "shared" / "data"))
    record = Record(asked.record)
    for name in asked.collections:
        measure = parse_measure(asked.measure or MEASURES.get(name, "RBP(p=0.8)"))
        task = Task.of(beside / name, measure, asked.labels)
        for n in asked.budgets:
            print(f"\n{name}, {measure}, {n} of {len(task.weights.pair)} pairs\n\n{HEAD}")
            for design in ["designed"] if task.share else asked.designs:
                print("\n".join(trials(task, design, n, asked.draws, record, name)), flush=True)


if __name__ == "__main__":
    main()
