"""How far off average precision is that so many judgments tell: statAP and xinfAP.

    python -m scripts.ap_trials [COLLECTION...] [--budgets 200 400 800 1600] [--draws 20]
                                [--record FILE]

The columns are those of scripts.budget_trials, whose designs estimate sums of weights and gains and
not AP. A collection's judgments are taken for complete: a pair that is not among them answers 0 and
costs a judgment. statAP has its own chances: those of a document follow the mean over runs of
1/2N (1 + 1/r + 1/(r+1) + ... + 1/N), r its rank and N = 100, as its paper weighs ranks; drawn one
by one. xinfAP has half of the budget on the first ranks and an even sample of the rest to depth
100, of all where the first rank is dearer than that. Lists are cut at 100.
"""

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import leadline
from leadline.data.arrays import Floats
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.pool import Pool
from leadline.data.runs import Runs
from leadline.lab.benchmark.entrants.pools import half_first
from leadline.lab.benchmark.entrants.samples import by_prior
from leadline.measures.measure import parse_measure
from leadline.pooling.strategies import Depth
from scripts.budget_trials import BUDGETS, HEAD, MEASURES, Outcome, Record, row, topic_mean

DEEPEST = 100
RELEVANT = {"trec_dl21_half": 2}
"""From which grade on a document counts as relevant, where it is not 1."""


@dataclass(frozen=True, eq=False)
class Course:
    """A collection whose average precision is to be found out."""

    runs: Runs
    answers: Judgments
    rel: int

    @classmethod
    def of(cls, folder: Path) -> "Course":
        """From a collection's folder."""
        read = leadline.read(folder)
        runs, known = read.runs.cut(DEEPEST), read.judgments
        everything = np.ones(len(runs.pairs), np.bool_)
        answers = Judgments(runs.pairs, everything, known.grade, max_grade=known.max_grade)
        return cls(runs, answers, RELEVANT.get(folder.name, 1))

    def truth(self) -> Floats:
        """The mean AP of the first hundred of every run, R counting those of all runs."""
        lists = Lists.of(self.runs, Depth(DEEPEST).pool(self.runs).restrict(self.answers))
        return np.nan_to_num(parse_measure(f"AP(rel={self.rel})").score(lists).value).mean(axis=1)

    def outcome(self, pool: Pool, measure: str, truth: Floats) -> Outcome:
        """What a measure tells from the answers inside a pool."""
        scores = parse_measure(measure).score(Lists.of(self.runs, pool.restrict(self.answers)))
        return Outcome.of((len(pool), topic_mean(scores)), truth)


RIVALS: dict[str, tuple[Callable[[Runs, int, int], Pool], str]] = {
    "by prior + statAP": (by_prior, "statAP"),
    "TwoStrata + xinfAP": (half_first, "xinfAP"),
}


def main() -> None:
    """Print a table for each collection and budget."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("collections", nargs="*", default=list(MEASURES))
    parser.add_argument("--budgets", nargs="+", type=int, default=BUDGETS)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--record", type=Path, help="a csv file: draws that it has are not redone")
    asked = parser.parse_args()
    beside = Path(os.environ.get("LEADLINE_DATA", Path(__file__).parents[2] / "shared" / "data"))
    record = Record(asked.record)
    for name in asked.collections:
        course = Course.of(beside / name)
        truth = course.truth()
        for n in asked.budgets:
            print(f"\n{name}, AP(rel={course.rel}), {n} judgments\n\n{HEAD}")
            for title, (draw, measure) in RIVALS.items():
                key = name, "AP", n, title
                done = {seed for some in record.of(key).values() for seed in some["seed"]}
                for seed in sorted({*range(asked.draws)} - done):
                    told = course.outcome(
                        draw(course.runs, n, seed), f"{measure}(rel={course.rel})", truth
                    )
                    record.add(key, seed, title, told)
                for kind, some in record.of(key).items():
                    print(row(kind, some), flush=True)


if __name__ == "__main__":
    main()
