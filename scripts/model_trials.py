"""Accuracy, coverage and width of the relevance model beside today's Regression and Predicted.

    python -m scripts.model_trials [COLLECTION...] --priors FOLDER [--parts 6] [--depths 5 10 20]
                                   [--measures M...] [--new] [--few] [--output FILE.csv]

A collection's judged documents are the whole corpus: lists go without the others, so that every
grade is known. A part is half of the topics (at most 40) and 24 runs. The judgments of a pool of
its runs to a depth are kept, and both models predict mean scores and their differences. With --new,
two groups at a time have no part in the pool, and their runs' scores are predicted. With --few,
parts have 2 to 5 runs. FOLDER holds without_COLLECTION.json, the priors made without the collection
by `scripts.relevance_prior --leave-one-out`. One line a group of cells: collection, quantity,
measure and depth; coverage is that of 95% prediction intervals, with its Monte Carlo error over
parts. The ideal of nDCG and AP counts the documents that the runs of a part return.
"""

import argparse
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import leadline
from leadline.completions.adjuster import PoolBias
from leadline.completions.estimator import Evidence
from leadline.completions.model import RelevanceModel
from leadline.completions.predicted import Predicted
from leadline.completions.prior import RelevancePrior
from leadline.completions.regression import Regression
from leadline.data.arrays import Bools, Floats
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.runs import Runs
from leadline.io.collection import Collection
from leadline.measures.measure import Measure, parse_measure
from leadline.pooling.strategies import Depth
from leadline.pooling.without import DrawnPool

COLLECTIONS = ("trec8_adhoc", "robust2004_pooled42", "trec_covid_round1", "trec_dl21_half")
MEASURES = ("RBP(p=0.8)", "RBP(p=0.95)", "P@10", "P@30", "nDCG@10", "AP")
DEPTHS = (5, 10, 20)
DEEPEST = 100
N_RUNS = 24
N_DRAWS = 200
Z = 1.96


def data_folder() -> Path:
    """Return where the shared collections lie."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    return Path(os.environ.get("LEADLINE_DATA", beside))


def read_corpus(name: str) -> Collection:
    """Return a collection whose documents are the judged ones, lists cut to 100 of them."""
    collection = leadline.read(data_folder() / name, depth=2 * DEEPEST)
    runs = collection.runs
    kept = collection.judgments.judged[runs.pair]
    length = np.bincount(runs.entries.list[kept], minlength=runs.start.size)
    shape = runs.start.shape
    cut = Runs.trusted(runs.pairs, runs.names, runs.pair[kept], length.reshape(shape), runs.group)
    return replace(collection, runs=cut.cut(DEEPEST))


def part_of(collection: Collection, draw: int, n_runs: int = N_RUNS) -> Collection:
    """Return half of the topics, at most 40, and some of the runs."""
    topics, names = collection.runs.pairs.topics, collection.runs.names
    random = np.random.default_rng(draw)
    half = random.choice(len(topics), min(len(topics) // 2, 40), replace=False)
    part = collection.on(topics[at] for at in np.sort(half).tolist())
    chosen = np.sort(random.choice(len(names), min(n_runs, len(names)), replace=False))
    return replace(part, runs=part.runs.only(chosen))


def complete(known: Judgments) -> Judgments:
    """Return the judgments with every other pair as not relevant."""
    grade = np.where(known.judged, known.grade, 0).astype(np.int16)
    return Judgments(known.pairs, np.ones(len(grade), np.bool_), grade, max_grade=known.max_grade)


def true_means(runs: Runs, measure: Measure, full: Judgments) -> Floats:
    """Return mean scores where the corpus is what the runs return."""
    if measure.numerator is not measure:
        returned = np.zeros(len(runs.pairs), np.bool_)
        returned[runs.pair] = True
        grade = np.where(returned, full.grade, 0).astype(np.int16)
        full = Judgments(full.pairs, full.judged, grade, max_grade=full.max_grade)
    return measure.score(Lists.of(runs, full)).mean()


@dataclass(frozen=True)
class Predictions:
    """Errors (truth less estimate) of some quantities and the ends of their 95% intervals."""

    error: Floats
    low: Floats
    high: Floats

    @classmethod
    def of_draws(cls, truth: Floats, drawn: Floats) -> "Predictions":
        """Return those of draws [draws, quantities]."""
        mean = drawn.mean(axis=0)
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        return cls(truth - mean, low - mean, high - mean)

    @property
    def covered(self) -> float:
        """The share of intervals that hold the truth; NaN where there are none."""
        if np.isnan(self.low).any():
            return float("nan")
        inside = (self.low - 1e-9 <= self.error) & (self.error <= self.high + 1e-9)
        return float(inside.mean())

    @property
    def squares(self) -> float:
        """The mean square of the errors."""
        return float((self.error**2).mean())

    @property
    def width(self) -> float:
        """The mean width of the intervals."""
        return float((self.high - self.low).mean())


Told = dict[str, Predictions]


def model_estimates(model: RelevanceModel, measure: Measure, truth: Floats, which: Bools) -> Told:
    """Return means and differences of some runs by the model's completions."""
    drawn = model.draw(N_DRAWS).means(measure)
    return of_draws(drawn, truth, which)


def of_draws(drawn: Floats, truth: Floats, which: Bools) -> Told:
    """Return means of some runs, and their differences from each other and from all others."""
    drawn = np.nan_to_num(drawn)
    first, second = pairs_of(which)
    return {
        "means": Predictions.of_draws(truth[which], drawn[:, which]),
        "differences": Predictions.of_draws(
            truth[first] - truth[second], drawn[:, first] - drawn[:, second]
        ),
    }


def pairs_of(which: Bools) -> tuple[np.ndarray, np.ndarray]:
    """Return all pairs of runs of which one at least is among these."""
    first, second = np.triu_indices(len(which), 1)
    some = which[first] | which[second]
    return first[some], second[some]


def todays_estimates(
    part: Collection, known: Judgments, depth: int, measure: Measure, truth: Floats
) -> Told:
    """Return what Regression says of all runs."""
    pool = Depth(depth).pool(part.runs)
    evidence = Evidence(measure, part.runs, known, pool)
    scores = Regression().estimated(evidence).scores("Regression")
    gap = np.full((len(truth), len(truth)), np.nan)
    error = np.full(len(truth), np.nan)
    mean = scores.mean()
    if scores.of_mean is not None:
        error, gap = scores.mean_error(), scores.of_mean.difference_error()
    first, second = np.triu_indices(len(truth), 1)
    short = truth - mean
    return {
        "means": Predictions(short, -Z * error, Z * error),
        "differences": Predictions(
            short[first] - short[second], -Z * gap[first, second], Z * gap[first, second]
        ),
    }


def todays_adjusted(
    part: Collection, known: Judgments, depth: int, measure: Measure, truth: Floats, new: Bools
) -> Told:
    """Return what Predicted says of the new runs."""
    drawn = DrawnPool(Depth(depth), part.runs)
    evidence = PoolBias(measure, part.runs, known, contributing=~new, new=new, drawn=drawn)
    adjusted = Predicted().adjust(evidence)
    mine = truth[new]
    made = adjusted.adjusted
    told = {
        "means": Predictions(mine - made, adjusted.pred_lower - made, adjusted.pred_upper - made)
    }
    if measure.numerator is not measure:
        return told
    gaps = Predicted().differences(evidence, adjusted, np.random.default_rng(0))
    named = dict(zip(part.runs.names, truth, strict=True))
    true = np.array([named[run] for run in gaps.runs])
    first, second = gaps.pairs
    _, low, high = gaps.means.differences(first, second)
    gap = gaps.difference
    told["differences"] = Predictions(true[first] - true[second] - gap, low - gap, high - gap)
    return told


def left_out(part: Collection, draw: int) -> Iterator[Bools]:
    """Return masks of the runs of two groups at a time, two of them."""
    groups = sorted(set(part.runs.group))
    order = np.random.default_rng([5, draw]).permutation(len(groups))
    number = np.array([groups.index(group) for group in part.runs.group])
    for both in list(zip(order[::2], order[1::2], strict=False))[:2]:
        new = np.isin(number, both)
        if not new.all():
            yield new


def cells(
    name: str, asked: argparse.Namespace, prior: RelevancePrior
) -> Iterator[tuple[tuple[str, str, int], Predictions, Predictions | None]]:
    """Yield (quantity, measure, depth), the model's predictions and today's, part by part."""
    collection = read_corpus(name)
    measures = [parse_measure(text) for text in asked.measures]
    for draw in range(asked.first, asked.first + asked.parts):
        n_runs = 2 + draw % 4 if asked.few else N_RUNS
        part = part_of(collection, draw, n_runs)
        full = complete(part.judgments)
        everyone = np.ones(len(part.runs.names), np.bool_)
        for depth in asked.depths:
            for new in left_out(part, draw) if asked.new else [~everyone]:
                known = Depth(depth).pool(part.runs.only(~new)).restrict(full)
                source = replace(part, judgments=known)
                model = RelevanceModel.fit(source, pooled=~new, prior=prior)
                completions = model.draw(N_DRAWS)
                which = new if asked.new else everyone
                for measure in measures:
                    truth = np.nan_to_num(true_means(part.runs, measure, full))
                    if not asked.new and (measure.depth or DEEPEST) <= depth:
                        continue
                    ours = of_draws(completions.means(measure), truth, which)
                    theirs: Told = {}
                    if not asked.alone:
                        told = part, known, depth, measure, truth
                        theirs = (
                            todays_adjusted(*told, new) if asked.new else (todays_estimates(*told))
                        )
                    for quantity in ours:
                        what = f"new {quantity}" if asked.new else quantity
                        yield (what, str(measure), depth), ours[quantity], theirs.get(quantity)


def summary(told: list[Predictions]) -> tuple[float, float, float, float]:
    """Return rmse, coverage, its Monte Carlo error and width over parts."""
    covered = np.array([each.covered for each in told])
    error = covered.std(ddof=1) / np.sqrt(len(covered)) if len(covered) > 1 else np.nan
    return (
        float(np.sqrt(np.mean([each.squares for each in told]))),
        100 * float(covered.mean()),
        100 * float(error),
        float(np.mean([each.width for each in told])),
    )


HEADER = (
    "collection,quantity,measure,depth,parts,rmse,rmse_today,rmse_ratio,coverage,mc_error,"
    "coverage_today,mc_error_today,width,width_today,width_ratio"
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("collections", nargs="*", default=COLLECTIONS)
    parser.add_argument("--priors", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--parts", type=int, default=6)
    parser.add_argument("--first", type=int, default=0, help="the first part's number")
    parser.add_argument("--depths", nargs="+", type=int, default=DEPTHS)
    parser.add_argument("--measures", nargs="+", default=MEASURES)
    parser.add_argument("--new", action="store_true", help="runs of unpooled groups")
    parser.add_argument("--few", action="store_true", help="parts of 2 to 5 runs")
    parser.add_argument("--alone", action="store_true", help="without today's models")
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    lines = [HEADER]
    print(HEADER, flush=True)
    for name in asked.collections:
        prior = RelevancePrior.read(asked.priors / f"without_{name}.json")
        assert name not in prior.collections
        ours, theirs = defaultdict(list), defaultdict(list)
        started = time.perf_counter()
        for key, mine, today in cells(name, asked, prior):
            ours[key].append(mine)
            if today is not None:
                theirs[key].append(today)
        for key in sorted(ours):
            new = summary(ours[key])
            old = summary(theirs[key]) if key in theirs else (np.nan,) * 4
            quantity, measure, depth = key
            numbers = [new[0], old[0], new[0] / old[0], *new[1:3], *old[1:3], new[3], old[3]]
            numbers.append(new[3] / old[3])
            shown = ",".join(f"{number:.4g}" for number in numbers)
            lines.append(f"{name},{quantity},{measure},{depth},{len(ours[key])},{shown}")
            print(lines[-1], flush=True)
        print(f"{name}: {time.perf_counter() - started:.0f} s", file=sys.stderr)
    if asked.output is not None:
        asked.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
