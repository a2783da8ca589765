"""Accuracy, coverage and width of the relevance model, beside those of former models.

    python -m scripts.model_trials [COLLECTION...] --priors FOLDER [--parts 6] [--depths 5 10 20]
                                   [--measures M...] [--new | --better] [--few] [--judged 0.8]
                                   [--rival FILE.csv] [--output FILE.csv]

A collection's judged documents are the whole corpus: lists go without the others, so that every
grade is known. A part is half of the topics (at most 40) and 24 runs. The judgments of a pool of
its runs to a depth are kept, and the model predicts mean scores and their differences. With --new,
two groups at a time have no part in the pool, and their runs' scores are predicted; with --better,
the weaker half of the runs is pooled and the best sixth is new. With --few, parts have 2 to 5 runs.
With --judged that share of the pool is judged, at random.
FOLDER holds without_COLLECTION.json, the priors made without the collection by
`scripts.relevance_prior --leave-one-out`. One line a group of cells: collection, quantity, measure
and depth; coverage is that of 95% prediction intervals, with its Monte Carlo error over parts;
`rmse_zero` is the error where unjudged documents count as not relevant. The ideal of nDCG and AP
counts the documents that the runs of a part return. FILE.csv of --rival has the columns rmse_rival,
coverage_rival and width_rival of the same cells, measured with another version.

    python -m scripts.model_trials --page FILE.csv...

writes docs/results/model.csv and model.md from the tables of several trials, named by their files.
"""

import argparse
import csv
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, product
from pathlib import Path

import numpy as np

import leadline
from leadline.completions.model import RelevanceModel
from leadline.completions.prior import RelevancePrior
from leadline.data.arrays import Bools, Floats
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.runs import Runs
from leadline.io.collection import Collection
from leadline.measures.measure import Measure, parse_measure
from leadline.pooling.strategies import Depth

COLLECTIONS = ("trec8_adhoc", "robust2004_pooled42", "trec_covid_round1", "trec_dl21_half")
MEASURES = ("RBP(p=0.8)", "RBP(p=0.95)", "P@10", "P@30", "nDCG@10", "AP")
DEPTHS = (5, 10, 20)
DEEPEST = 100
N_RUNS = 24
N_DRAWS = 200


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


def left_out(part: Collection, draw: int) -> Iterator[Bools]:
    """Return masks of the runs of two groups at a time, two of them."""
    groups = sorted(set(part.runs.group))
    order = np.random.default_rng([5, draw]).permutation(len(groups))
    number = np.array([groups.index(group) for group in part.runs.group])
    for both in list(zip(order[::2], order[1::2], strict=False))[:2]:
        new = np.isin(number, both)
        if not new.all():
            yield new


def much_better(part: Collection, full: Judgments) -> Bools:
    """Return which runs are new where they are the best sixth, by their true RBP(p=0.8)."""
    score = true_means(part.runs, parse_measure("RBP(p=0.8)"), full)
    n = len(score)
    new = np.zeros(n, np.bool_)
    new[np.argsort(-score, kind="stable")[: max(1, n // 6)]] = True
    return new


def weaker_half(part: Collection, full: Judgments) -> Collection:
    """Return the part with the weaker half and the best sixth of its runs."""
    score = true_means(part.runs, parse_measure("RBP(p=0.8)"), full)
    order = np.argsort(-score, kind="stable")
    n = len(order)
    kept = np.sort(np.append(order[: max(1, n // 6)], order[n - n // 2 :]))
    return replace(part, runs=part.runs.only(kept))


def cells(
    name: str, asked: argparse.Namespace, prior: RelevancePrior
) -> Iterator[tuple[tuple[str, str, int], Predictions, Floats]]:
    """Yield (quantity, measure, depth), predictions and the errors of unjudged = 0, by part."""
    collection = read_corpus(name)
    measures = [parse_measure(text) for text in asked.measures]
    for draw in range(asked.first, asked.first + asked.parts):
        n_runs = 2 + draw % 4 if asked.few else N_RUNS
        part = part_of(collection, draw, n_runs)
        full = complete(part.judgments)
        if asked.better:
            part = weaker_half(part, full)
        everyone = np.ones(len(part.runs.names), np.bool_)
        masks = [~everyone]
        if asked.new:
            masks = list(left_out(part, draw))
        elif asked.better:
            masks = [much_better(part, full)]
        for depth, new in product(asked.depths, masks):
            known = Depth(depth).pool(part.runs.only(~new)).restrict(full)
            if asked.judged < 1:
                luck = np.random.default_rng([7, draw]).random(len(known.judged))
                known = known.only(luck < asked.judged)
            source = replace(part, judgments=known)
            completions = RelevanceModel.fit(source, pooled=~new, prior=prior).draw(N_DRAWS)
            which = new if new.any() else everyone
            for measure in measures:
                ideal = measure.numerator is not measure
                judged = not new.any() and not ideal and asked.judged == 1
                if judged and (measure.depth or DEEPEST) <= depth:
                    continue
                truth = np.nan_to_num(true_means(part.runs, measure, full))
                zero = truth - np.nan_to_num(measure.score(Lists.of(part.runs, known)).mean())
                told = of_draws(completions.means(measure), truth, which)
                first, second = pairs_of(which)
                plain = {"means": zero[which], "differences": zero[first] - zero[second]}
                for quantity, predictions in told.items():
                    what = f"new {quantity}" if new.any() else quantity
                    yield (what, str(measure), depth), predictions, plain[quantity]


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


KEY = ("collection", "quantity", "measure", "depth")
RIVAL = ("rmse_rival", "coverage_rival", "width_rival")
HEADER = (*KEY, "parts", "rmse", "rmse_zero", "coverage", "mc_error", "width", *RIVAL)


def read_rival(path: Path | None) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return another version's rmse, coverage and width by cell; empty without a file."""
    if path is None:
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {tuple(row[key] for key in KEY): tuple(row[key] for key in RIVAL) for row in rows}


def table(asked: argparse.Namespace) -> Iterator[tuple[object, ...]]:
    """Yield the rows of the table, collection by collection."""
    rival = read_rival(asked.rival)
    for name in asked.collections:
        prior = RelevancePrior.read(asked.priors / f"without_{name}.json")
        if name in prior.collections:
            raise SystemExit(f"the prior in {asked.priors} was made with {name}: leave it out")
        told, zero = defaultdict(list), defaultdict(list)
        for key, predictions, plain in cells(name, asked, prior):
            told[key].append(predictions)
            zero[key].append(float((plain**2).mean()))
        for key in sorted(told):
            rmse, covered, error, width = summary(told[key])
            numbers = (rmse, np.mean(zero[key]) ** 0.5, covered, error, width)
            cell = (name, *map(str, key))
            shown = (f"{number:.4g}" for number in numbers)
            yield *cell, len(told[key]), *shown, *rival.get(cell, ("",) * len(RIVAL))


KINDS = ("sums", "nDCG@10", "AP")
PAGE = """# The relevance model: errors and coverage

Written by `python -m scripts.model_trials --page`. Parts of four collections whose judged documents
are the corpus; priors are made without the collection. Sums are RBP(p=0.8), RBP(p=0.95), P@10 and
P@30. Ratios are to the models of commit 3c993f1 on the same parts: geometric means over measures
and pool depths 5, 10 and 20, in brackets the largest. Coverage is that of 95% prediction intervals,
in brackets the least of a measure and depth with its Monte Carlo error over parts. The last column
is the error as a share of that of unjudged = 0, smallest to largest.

"""
COLUMNS = (
    "trial",
    "collection",
    "quantity",
    "measures",
    "rmse ratio",
    "coverage, %",
    "coverage before, %",
    "width ratio",
    "of unjudged = 0",
)


def page(files: list[Path], folder: Path) -> None:
    """Write the cells of all trials as csv, and their means as a page."""
    rows: list[dict[str, str]] = []
    for path in files:
        with path.open(encoding="utf-8", newline="") as file:
            rows += [{"trial": path.stem, **row} for row in csv.DictReader(file)]
    with (folder / "model.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["trial", *HEADER], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    groups: dict[tuple[str, ...], list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        kind = row["measure"] if row["measure"] in KINDS else "sums"
        groups[row["trial"], row["collection"], row["quantity"], kind].append(row)
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    lines += ["| " + " | ".join((*key, *_figures(own))) + " |" for key, own in groups.items()]
    (folder / "model.md").write_text(PAGE + "\n".join(lines) + "\n", encoding="utf-8")


def _figures(rows: list[dict[str, str]]) -> list[str]:
    def numbers(name: str) -> Floats:
        return np.array([float(row[name] or "nan") for row in rows])

    def mean_ratio(name: str, other: str) -> tuple[str, Floats]:
        ratio = numbers(name) / np.where(numbers(other) > 0, numbers(other), np.nan)
        known = ratio[ratio > 0]
        return (f"{np.exp(np.log(known).mean()):.2f}" if len(known) else "", known)

    rmse, ratios = mean_ratio("rmse", "rmse_rival")
    width, _ = mean_ratio("width", "width_rival")
    _, of_zero = mean_ratio("rmse", "rmse_zero")
    coverage, error, before = (numbers(n) for n in ("coverage", "mc_error", "coverage_rival"))
    least = int(coverage.argmin())
    known = before[~np.isnan(before)]
    return [
        f"{rmse} ({ratios.max():.2f})" if rmse else "",
        f"{coverage.mean():.1f} ({coverage[least]:.0f} ± {error[least]:.0f})",
        f"{known.mean():.1f} ({known.min():.0f})" if len(known) else "",
        width,
        f"{of_zero.min():.2f} to {of_zero.max():.2f}" if len(of_zero) else "",
    ]


def main() -> None:
    """Print the table, or write the page of several."""
    if sys.argv[1:2] == ["--page"]:
        page([Path(name) for name in sys.argv[2:]], Path(__file__).parents[1] / "docs" / "results")
        return
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("collections", nargs="*", default=COLLECTIONS)
    parser.add_argument("--priors", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--parts", type=int, default=6)
    parser.add_argument("--first", type=int, default=0, help="the first part's number")
    parser.add_argument("--depths", nargs="+", type=int, default=DEPTHS)
    parser.add_argument("--measures", nargs="+", default=MEASURES)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--new", action="store_true", help="runs of unpooled groups")
    which.add_argument("--better", action="store_true", help="unpooled runs better than the pool")
    parser.add_argument("--few", action="store_true", help="parts of 2 to 5 runs")
    parser.add_argument("--judged", type=float, default=1.0, help="share of the pool")
    parser.add_argument("--rival", type=Path, metavar="FILE.csv")
    parser.add_argument("--output", type=Path, metavar="FILE.csv")
    asked = parser.parse_args()
    with Path(asked.output or os.devnull).open("w", encoding="utf-8", newline="") as file:
        for row in chain([HEADER], table(asked)):
            for stream in (sys.stdout, file):
                csv.writer(stream, lineterminator="\n").writerow(row)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
