"""How far off scores and differences are that so many judgments tell, design by design.

    python -m scripts.budget_trials [COLLECTION...] [--budgets 200 400 800 1600] [--draws 200]
                                    [--measure NAME] [--designs NAME...] [--cheap FILE...]

A collection's judgments are taken for complete: a pair that is not among them answers 0 and costs a
judgment. Every design spends the same budget on every draw: root mean square errors of differences
among the 20 best runs and of all scores, Kendall's tau of all runs, and how many of the 95%
intervals hold the truth, give or take one Monte Carlo error. The collections lie beside the
project's folder, or in LEADLINE_DATA; trec_dl21_half is the one that designs were developed on.
"""

import argparse
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import leadline
from leadline.comparison.rank_correlation import kendall
from leadline.designs.designed import Designed
from leadline.estimators.assisted import assisted, covariance, drawn_pairs, shrunk
from leadline.estimators.evidence import Evidence
from leadline.estimators.inferred_rbp import InfRBP
from leadline.estimators.pair_weights import PairWeights, last_rank
from leadline.estimators.regression import Regression
from leadline.measures.measure import parse_measure
from leadline.measures.weighted import Weighted
from leadline.pools.depth import Depth
from leadline.pools.stratified import TwoStrata
from leadline.tables.arrays import Bools, Floats
from leadline.tables.draw import draw_pairs
from leadline.tables.judgments import Judgments
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs
from leadline.tables.scores import MeanEstimate, Scores

MEASURES = {
    "trec_dl21_half": "SDCG(gains=linear)@10",
    "robust2004_pooled42": "RBP(p=0.8)",
    "trec8_adhoc": "RBP(p=0.8)",
    "trec_covid_round1": "RBP(p=0.8)",
}
BUDGETS = (200, 400, 800, 1600)
N_BEST = 20
Z = 1.96
FEWER = 10
"""A design that hardly depends on chance, or is dear, is drawn so many times less often."""

HEAD = (
    "| design | judgments | rmse of differences | hold | rmse of scores | hold | tau | "
    "largest bias, in errors | draws |\n" + "|---" * 9 + "|"
)

Answer = tuple[int, MeanEstimate]
"""How many judgments were made, and what is said of the mean scores."""


@dataclass(frozen=True, eq=False)
class Task:
    """Scores to be found out."""

    runs: Runs
    answers: Judgments
    weights: PairWeights
    measure: Weighted

    @classmethod
    def of(cls, folder: Path, measure: Weighted, cheap: list[str] | None = None) -> "Task":
        """From a collection, and perhaps the labels of cheap judges."""
        collection = leadline.read(folder, cheap=cheap)
        runs, known = collection.runs, collection.judgments
        everything = np.ones(len(runs.pairs), np.bool_)
        answers = Judgments(runs.pairs, everything, known.grade, max_grade=known.max_grade)
        return cls(runs, answers, PairWeights.of(runs, measure), measure)

    @property
    def truth(self) -> Floats:
        """The mean scores by all answers."""
        table = self.measure.gain(self.answers.max_grade)
        return self.weights.scores(table[self.answers.grade[self.weights.pair]])

    def evidence(self, pool: Pool) -> Evidence:
        """What the answers inside a pool tell."""
        return Evidence(self.measure, self.runs, pool.restrict(self.answers), pool)

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
    """Designed in batches, with Assisted, as it is and shrunk."""
    design = Designed(n=n, measure=str(task.measure))
    pool = None
    for _ in range(design.batches):
        pool = design.extended(task.weights, seed, task.answers, pool)
    assert pool is not None
    sample = drawn_pairs(task.evidence(pool), task.weights, seed)
    yield "Designed + Assisted", (len(pool), assisted(task.weights, sample))
    yield "the same, shrunk", (len(pool), shrunk(task.weights, sample))


def evenly(task: Task, n: int, seed: int) -> Iterator[tuple[str, Answer]]:
    """An even sample of what the measure looks at, with Horvitz and Thompson's estimate."""
    pair = task.weights.pair
    chance = np.full(len(pair), min(1.0, n / len(pair)))
    member = draw_pairs(seed, task.runs.pairs, pair) < chance
    gain = task.measure.gain(task.answers.max_grade)[task.answers.grade[pair]]
    told = np.where(member, gain / chance, 0.0)
    spread = covariance(task.weights, told**2 * (1 - chance))
    answer = MeanEstimate(task.weights.scores(told), spread)
    yield "Sampled + Horvitz-Thompson", (int(member.sum()), answer)


def two_strata(task: Task, n: int, seed: int) -> Iterator[tuple[str, Answer]]:
    """Half of the budget on the first ranks, the rest sampled from those below, with InfRBP."""
    deep = last_rank(task.measure, int(task.runs.length.max()))
    sizes = [len(Depth(d).pool(task.runs)) for d in range(1, deep + 1)]
    d = int(np.searchsorted(sizes, n / 2, side="right"))
    if d == 0 or d >= deep:
        return
    rate = min(1.0, (n - sizes[d - 1]) / (sizes[-1] - sizes[d - 1]))
    pool = TwoStrata(d, deep, rate).pool(task.runs, seed)
    yield "TwoStrata + InfRBP", (len(pool), _mean(InfRBP().gains(task.evidence(pool)).scores("")))


def depth_pool(task: Task, n: int, seed: int) -> Iterator[tuple[str, Answer]]:
    """The pairs with the best ranks, of equals as chance has it, with Regression."""
    pair = task.weights.pair
    order = np.lexsort((draw_pairs(seed, task.runs.pairs, pair), task.runs.best_rank[pair]))
    member = np.zeros(len(pair), np.bool_)
    member[order[:n]] = True
    pool = task.pool(member.astype(np.float64), member, f"the first {n} pairs")
    scores = Regression().gains(task.evidence(pool)).scores("Regression")
    assert scores.of_mean is not None
    yield "depth pool + Regression", (len(pool), scores.of_mean)


def _mean(scores: Scores) -> MeanEstimate:
    """Errors of lists as if they were independent."""
    error = scores.mean_error()
    return MeanEstimate(scores.mean(), np.diag(np.nan_to_num(error) ** 2))


DESIGNS: dict[str, Callable[[Task, int, int], Iterator[tuple[str, Answer]]]] = {
    "designed": designed,
    "evenly": evenly,
    "two_strata": two_strata,
    "depth_pool": depth_pool,
}
SELDOM = ("two_strata", "depth_pool")


@dataclass(frozen=True, eq=False)
class Outcome:
    """One draw: judgments, squared errors, tau, and the shares of intervals that hold."""

    judgments: int
    off: Floats
    figures: tuple[float, ...]

    @classmethod
    def of(cls, answer: Answer, truth: Floats) -> "Outcome":
        """Against the truth."""
        n, told = answer
        best = np.argsort(-truth, kind="stable")[:N_BEST]
        one, other = (best[side] for side in np.triu_indices(len(best), 1))
        off = told.value - truth
        gap = off[one] - off[other]
        gap_error = told.difference_error()[one, other]
        return cls(
            n,
            off,
            (
                float((gap**2).mean()),
                float((np.abs(gap) <= Z * gap_error + 1e-12).mean()),
                float((off**2).mean()),
                float((np.abs(off) <= Z * told.standard_error + 1e-12).mean()),
                float(kendall(told.value, truth)),
            ),
        )


def row(name: str, outcomes: list[Outcome]) -> str:
    """A line of the table."""
    figure = np.array([outcome.figures for outcome in outcomes])
    mean = figure.mean(axis=0)
    doubt = figure.std(axis=0, ddof=min(1, len(figure) - 1)) / len(figure) ** 0.5
    judgments = np.mean([outcome.judgments for outcome in outcomes])
    off = np.array([outcome.off for outcome in outcomes])
    error = off.std(axis=0, ddof=min(1, len(off) - 1)) / len(off) ** 0.5
    bias = float(np.abs(off.mean(axis=0) / np.maximum(error, 1e-12)).max())
    return (
        f"| {name} | {judgments:.0f} | {mean[0] ** 0.5:.4f} | "
        f"{100 * mean[1]:.1f} ± {100 * doubt[1]:.1f} | {mean[2] ** 0.5:.4f} | "
        f"{100 * mean[3]:.1f} ± {100 * doubt[3]:.1f} | {mean[4]:.3f} | {bias:.1f} | {len(off)} |"
    )


def trials(task: Task, design: str, n: int, draws: int) -> list[str]:
    """The rows of a design at a budget."""
    truth = task.truth
    outcomes: dict[str, list[Outcome]] = {}
    for seed in range(max(1, draws // FEWER) if design in SELDOM else draws):
        for name, answer in DESIGNS[design](task, n, seed):
            outcomes.setdefault(name, []).append(Outcome.of(answer, truth))
    return [row(name, some) for name, some in outcomes.items()]


def main() -> None:
    """Print a table for each collection and budget."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("collections", nargs="*", default=list(MEASURES))
    parser.add_argument("--budgets", nargs="+", type=int, default=BUDGETS)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--measure", help="another than the collection's usual one")
    parser.add_argument("--designs", nargs="+", default=list(DESIGNS))
    parser.add_argument("--cheap", nargs="+", help="labels of cheap judges, as evidence")
    asked = parser.parse_args()
    beside = Path(os.environ.get("LEADLINE_DATA", Path(__file__).parents[2] / "shared" / "data"))
    for name in asked.collections:
        measure = parse_measure(asked.measure or MEASURES.get(name, "RBP(p=0.8)"))
        assert isinstance(measure, Weighted)
        task = Task.of(beside / name, measure, asked.cheap)
        for n in asked.budgets:
            print(f"\n{name}, {measure}, {n} of {len(task.weights.pair)} pairs\n")
            print(
                "| design | judgments | rmse of differences | hold | rmse of scores | hold |",
                end="",
            )
            print(" tau | largest bias, in errors | draws |\n" + "|---" * 9 + "|")
            for design in asked.designs:
                print("\n".join(trials(task, design, n, asked.draws)), flush=True)


if __name__ == "__main__":
    main()
