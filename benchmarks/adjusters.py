"""Adjusters against their plain twins, which rebuild pools: seconds and peak memory.

    python -m benchmarks.adjusters COLLECTION [--depth 10] [--draws 2]

Both put right the same new run (the last of the collection) in the same process, one after the
other; "draws" is what webber09 does: ours scores all new runs in four ways, Regression among them,
the twin rebuilds pools for WebberSystems with one new run and so many draws, scaled to all of them.
"""

import argparse
import resource
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import leadline
from leadline.completions.adjuster import UnpooledRuns, adjusters
from leadline.io.collection import Collection
from leadline.lab.papers.runner import Setting
from leadline.lab.papers.webber09_plan import Draws, newcomers, sample, setup
from leadline.measures.precision import P
from leadline.pooling.strategies import Depth
from leadline.pooling.without import DrawnPool
from tests.reference import adjuster_experiments as plain_draws
from tests.reference import adjusters as plain
from tests.reference import measures as plain_measures


def seconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def as_dicts(read: Collection) -> tuple[dict[str, plain.Run], plain.Qrels]:
    """Runs and judgments as the twins want them."""
    runs, pairs = read.runs, read.runs.pairs
    names = pairs.frame()["doc"].to_list()
    listed = {
        name: {
            topic: [names[p] for p in runs.pair[runs.start[r, t] : runs.stop[r, t]]]
            for t, topic in enumerate(pairs.topics)
        }
        for r, name in enumerate(runs.names)
    }
    qrels: plain.Qrels = {topic: {} for topic in pairs.topics}
    for pair in np.flatnonzero(read.judgments.judged).tolist():
        topic = pairs.topics[pairs.topic[pair]]
        qrels[topic][names[pair]] = int(read.judgments.grade[pair])
    return listed, qrels


def main() -> None:
    """Print a line for each adjuster."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collection", type=Path)
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--draws", type=int, default=2)
    options = parser.parse_args()
    read = leadline.read(options.collection)
    listed, qrels = as_dicts(read)
    depth, topics = options.depth, list(read.runs.pairs.topics)
    last = np.arange(len(listed)) == len(listed) - 1
    *pooled_names, new_name = listed
    pooled, new = {name: listed[name] for name in pooled_names}, listed[new_name]
    known = read.judgments.only(read.runs.only(~last).best_rank <= depth)
    in_pool = {
        topic: {
            doc: grade
            for doc, grade in qrels[topic].items()
            if doc in plain.pooled_docs(pooled.values(), topic, depth)
        }
        for topic in topics
    }

    def score(ranking: list[str], judged: dict[str, int]) -> float:
        return plain_measures.precision(ranking, judged, 10)

    of = (pooled, new, in_pool, depth, topics, score)
    twins: dict[str, Callable[[], object]] = {
        "WebberSystems": lambda: plain.systems(*of),
        "WebberLeaveOneOut": lambda: plain.webber_runs(*of),
        "Lipani(merge=replace)": lambda: plain.lipani(pooled, new, in_pool, 10, topics, "replace"),
    }
    print(f"{options.collection.name}: {len(listed)} runs, P@10, pool of depth {depth}")
    for name, twin in twins.items():
        drawn = DrawnPool(Depth(depth), read.runs)
        bias = UnpooledRuns(P(k=10), read.runs, known, contributing=~last, drawn=drawn)
        ours = seconds(lambda name=name, bias=bias: adjusters.parse(name).amounts(bias))
        theirs = seconds(twin)
        print(f"{name:22} {ours:8.3f} s  twin {theirs:8.2f} s  {theirs / ours:7.0f} times")
    _draws(options, listed, qrels, topics)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of all of it: {peak:.0f} MB")


def _draws(
    options: argparse.Namespace,
    listed: dict[str, plain.Run],
    qrels: plain.Qrels,
    topics: list[str],
) -> None:
    setting = Setting(str(options.collection))
    on = setup(setting.folder, None)
    names = on.runs.names
    group = newcomers(setting)[0]
    chosen = sample(group.pooled, 10, 100, len(names), np.random.default_rng(0))

    def score(ranking: list[str], judged: dict[str, int]) -> float:
        return plain_measures.rbp(ranking, judged, 0.8, 10) / (1 - 0.8**10)

    some = [
        plain_draws.Draw([names[run] for run in np.flatnonzero(row)], names[group.new[0]])
        for row in chosen[: options.draws]
    ]
    ours = seconds(lambda: Draws.of(on, chosen, group.new))
    theirs = seconds(lambda: plain_draws.systems_errors(listed, qrels, 10, some, topics, score))
    scaled = theirs / len(some) * len(chosen) * len(group.new)
    print(
        f"{'100 draws of 10 runs':22} {ours:8.3f} s  twin {scaled:8.0f} s  "
        f"{scaled / ours:7.0f} times ({len(some)} draws, scaled)"
    )


if __name__ == "__main__":
    main()
