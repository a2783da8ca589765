"""How often the 95% intervals of Regression and Predicted hold the complete score.

    python -m scripts.error_coverage [COLLECTION...] [--depths 5 10 20 30] [--measures M...]
                                     [--adjusted GROUPS] [--together] [--pairings N]
                                     [--pooled] [--judged] [--parts N] [--topics N]

A collection's judgments are taken for complete: what is not judged is not relevant. With --judged,
the judged documents are the whole corpus instead: lists go without the others, so that people gave
every grade there is. The judgments of a pool of all runs to a depth are kept, and what Regression
says of every run's mean score and of every difference is compared with the truth, also among the
20 best runs. With --adjusted, so many groups are left out of the pool, one at a time, and Predicted
puts their runs right: mean scores, those that are not in doubt, differences of runs of the group,
and from pooled runs; then two groups at a time for differences of new runs of different groups.
--together takes all that from two groups at a time, which is a third of the work, and --pairings
pairs the groups anew so many times.
Errors of one collection's runs go together, and all of them hold or few do: with --parts, shares
are those of so many draws of half of the topics (at most --topics) and 24 runs. Errors were
developed on robust2004_pooled42. The collections lie beside the project's folder, or in
LEADLINE_DATA; simulated/mixed and the league's others may be named too.
"""

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import leadline
from leadline.completions.adjuster import PoolBias, unjudged_doubts
from leadline.completions.estimator import Evidence
from leadline.completions.predicted import Predicted
from leadline.completions.regression import Regression
from leadline.data.arrays import Bools, Floats
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.runs import Runs
from leadline.io.collection import Collection
from leadline.lab.benchmark.simulated import SIMULATED, simulated
from leadline.measures.measure import Weighted, parse_measure
from leadline.pooling.strategies import Depth
from leadline.pooling.without import DrawnPool

COLLECTIONS = ("robust2004_pooled42", "trec8_adhoc", "trec_covid_round1")
MEASURES = ("RBP(p=0.8)", "RBP(p=0.95)", "P@10")
DEPTHS = (5, 10, 20, 30)
DEEPEST = 100
"""Lists of parts, and of judged documents, are cut to this rank."""

N_BEST = 20
N_RUNS = 24
"""Of a part."""

Z = 1.96


@dataclass(frozen=True)
class Held:
    """How far above what was told the truth lies, and between which ends it was told to lie."""

    short: Floats
    low: Floats
    high: Floats

    @classmethod
    def normal(cls, short: Floats, error: Floats) -> "Held":
        """With ends at 1.96 standard errors each way."""
        return cls(short, -Z * error, Z * error)

    @property
    def share(self) -> float:
        """That of the 95% intervals which hold the truth."""
        held = (self.low - 1e-12 <= self.short) & (self.short <= self.high + 1e-12)
        return float(held.mean())

    @property
    def rmse(self) -> float:
        """Root mean square of the errors."""
        return float(np.sqrt((self.short**2).mean()))

    @property
    def wider(self) -> float:
        """How many times as wide intervals are as errors of this size need."""
        half = (self.high - self.low) / 2
        return float(np.sqrt((half**2).mean()) / Z / max(self.rmse, 1e-12))

    @classmethod
    def together(cls, parts: Sequence["Held"]) -> "Held":
        """Those of several parts."""
        names = ("short", "low", "high")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    def only(self, some: Bools) -> "Held":
        """Those of some."""
        return Held(self.short[some], self.low[some], self.high[some])

    def words(self) -> str:
        """Share, error and width in a cell of a table."""
        if not len(self.short):
            return "none"
        return f"{100 * self.share:.1f}% ({self.rmse:.4f}, x{self.wider:.1f}) of {len(self.short)}"


def complete(known: Judgments) -> Judgments:
    """All pairs judged: those that were not as not relevant."""
    grade = np.where(known.judged, known.grade, 0).astype(np.int16)
    return Judgments(known.pairs, np.ones(len(grade), np.bool_), grade)


def judged_corpus(collection: Collection) -> Collection:
    """The collection whose documents are those that were judged: lists without the others."""
    runs = collection.runs
    kept = collection.judgments.judged[runs.pair]
    length = np.bincount(runs.entries.list[kept], minlength=runs.start.size)
    shape = runs.start.shape
    cut = Runs.trusted(runs.pairs, runs.names, runs.pair[kept], length.reshape(shape), runs.group)
    return replace(collection, runs=cut)


def parts(collection: Collection, n: int, most: int | None = None) -> Iterator[Collection]:
    """The collection, or n draws of half of its topics, so many at most, and some of its runs."""
    if not n:
        yield collection
    topics, n_runs = collection.runs.pairs.topics, len(collection.runs.names)
    for draw in range(n):
        random = np.random.default_rng(draw)
        n_topics = min(len(topics) // 2, most or len(topics))
        half = random.choice(len(topics), n_topics, replace=False)
        part = collection.on(topics[at] for at in np.sort(half).tolist())
        chosen = np.sort(random.choice(n_runs, min(N_RUNS, n_runs), replace=False))
        yield replace(part, runs=part.runs.only(chosen))


def true_means(runs: Runs, measure: Weighted, truth: Judgments) -> Floats:
    """The mean score of every run by the complete judgments."""
    return measure.score(Lists.of(runs, truth)).mean_lower()


def of_regression(runs: Runs, known: Judgments, measure: Weighted, depth: int) -> dict[str, Held]:
    """means, differences, and both among the best 20 runs; nothing where no error is told."""
    truth = complete(known)
    pool = Depth(depth).pool(runs)
    evidence = Evidence(measure, runs, pool.restrict(truth), pool)
    scores = Regression().gains(evidence).scores("Regression")
    if scores.of_mean is None:
        return {}
    true = true_means(runs, measure, truth)
    short, gap_error = true - scores.mean(), scores.of_mean.difference_error()
    held = {}
    for which, chosen in (("", np.arange(len(true))), (" of the best", np.argsort(-true)[:N_BEST])):
        first, second = (chosen[side] for side in np.triu_indices(len(chosen), 1))
        held[f"means{which}"] = Held.normal(short[chosen], scores.mean_error()[chosen])
        gaps = short[first] - short[second]
        held[f"differences{which}"] = Held.normal(gaps, gap_error[first, second])
    return held


def of_predicted(
    runs: Runs,
    known: Judgments,
    measure: Weighted,
    depth: int,
    n_groups: int,
    together: bool = False,
    pairings: int = 1,
) -> dict[str, Held]:
    """Runs of some groups, each left out of the pool in turn, then two of them at a time.

    Or all of it from two at a time, if `together`; groups are paired anew so many times.
    """
    told: dict[str, list[Held]] = {}
    groups = list(dict.fromkeys(runs.group))
    orders = [
        np.random.default_rng(seed).permutation(groups)[:n_groups] for seed in range(pairings)
    ]
    names = orders[0]
    pairs = [sorted(pair) for each in orders for pair in zip(each[::2], each[1::2], strict=False)]
    two = list(dict.fromkeys(map(tuple, pairs)))
    for left_out in two if together else [*((name,) for name in names), *two]:
        group = np.array(runs.group, object)
        new: Bools = np.isin(group, np.array(left_out, object))
        if new.all():
            continue
        for what, held in _left_out(runs, complete(known), measure, depth, new).items():
            if together or (what == "differences of two groups") == (len(left_out) == 2):
                told.setdefault(what, []).append(held)
    return {what: Held.together(each) for what, each in told.items()}


def _left_out(
    runs: Runs, truth: Judgments, measure: Weighted, depth: int, new: Bools
) -> dict[str, Held]:
    """What Predicted says of runs that had no part in the pool."""
    judgments = Depth(depth).pool(runs.only(~new)).restrict(truth)
    drawn = DrawnPool(Depth(depth), runs)
    evidence = PoolBias(measure, runs, judgments, contributing=~new, new=new, drawn=drawn)
    adjusted = Predicted().adjust(evidence)
    named = dict(zip(runs.names, true_means(runs, measure, truth), strict=True))
    means = Held(
        np.array([named[run] for run in adjusted.runs]) - adjusted.adjusted,
        adjusted.pred_lower - adjusted.adjusted,
        adjusted.pred_upper - adjusted.adjusted,
    )
    told = zip(adjusted.doubts, adjusted.unjudged, strict=True)
    sure = np.array([len(why) == len(unjudged_doubts(share)) for why, share in told], np.bool_)
    gaps = Predicted().differences(evidence, adjusted, np.random.default_rng(0))
    first, second = gaps.pairs
    true = np.array([named[run] for run in gaps.runs])
    _, low, high = gaps.means.differences(first, second)
    gap = gaps.difference
    apart = Held(true[first] - true[second] - gap, low - gap, high - gap)
    group = np.array([runs.group[runs.names.index(run)] for run in gaps.runs], object)
    pooled = second >= gaps.n_new
    kin: Bools = group[first] == group[second]
    return {
        "means": means,
        "not in doubt": means.only(sure),
        "differences of a group": apart.only(~pooled & kin),
        "differences from pooled runs": apart.only(pooled),
        "differences of two groups": apart.only(~pooled & ~kin),
    }


def main() -> None:
    """Print a table: share of intervals that hold, error, and how much wider than it they are."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("collections", nargs="*", default=COLLECTIONS)
    parser.add_argument("--depths", nargs="+", type=int, default=DEPTHS)
    parser.add_argument("--measures", nargs="+", default=MEASURES)
    parser.add_argument("--pooled", action="store_true", help="only runs marked as pooled")
    parser.add_argument("--judged", action="store_true", help="only documents that are judged")
    parser.add_argument("--parts", type=int, default=0, metavar="N")
    parser.add_argument("--topics", type=int, default=None, metavar="N", help="of a part at most")
    parser.add_argument("--adjusted", type=int, default=0, metavar="GROUPS")
    parser.add_argument("--together", action="store_true", help="groups two at a time alone")
    parser.add_argument("--pairings", type=int, default=1, metavar="N", help="of groups")
    asked = parser.parse_args()
    beside = Path(__file__).parents[2] / "shared" / "data"
    for name in asked.collections:
        folder = Path(os.environ.get("LEADLINE_DATA", beside)) / name
        if name in SIMULATED:
            collection = simulated(name)
        elif folder.is_dir():
            cut = DEEPEST if asked.parts or asked.judged else None
            collection = leadline.read(folder, depth=cut)
        else:
            print(f"left out: {folder} is not there")
            continue
        if asked.pooled:
            collection = replace(collection, runs=collection.runs.only(collection.pooled))
        if asked.judged:
            collection = judged_corpus(collection)
        for text in asked.measures:
            measure = parse_measure(text)
            assert isinstance(measure, Weighted)
            for depth in asked.depths:
                if measure.depth is not None and measure.depth <= depth and not asked.adjusted:
                    continue
                told: dict[str, list[Held]] = {}
                for part in parts(collection, asked.parts, asked.topics):
                    given = part.runs, part.judgments, measure, depth
                    held = (
                        of_predicted(*given, asked.adjusted, asked.together, asked.pairings)
                        if asked.adjusted
                        else of_regression(*given)
                    )
                    for what, each in held.items():
                        told.setdefault(what, []).append(each)
                row = " | ".join(
                    f"{what} {Held.together(each).words()}" for what, each in told.items()
                )
                print(f"| {name} {text} | {depth} | {row or 'no error told'} |", flush=True)


if __name__ == "__main__":
    main()
