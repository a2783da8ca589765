"""Time of the relevance model: cold fit, warm refit, draws and scores.

    python -m benchmarks.model COLLECTION [--judged 1000] [--depth 30] [--draws 200] [--repeat 3]

Cold: all judgments of the collection, with the runs that it marks as pooled. Warm: all runs cut to
a depth, so many judgments at random and a refit after 20 more, from the fit before. Draws and
scores are those of the warm model. Medians of processor time in seconds, and of wall time in
brackets; peak memory of the process at the end. Set OPENBLAS_NUM_THREADS=1 for one thread.
"""

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import leadline
from leadline.completions.model import RelevanceModel
from leadline.measures.measure import parse_measure


def timed(what: str, work: Callable[[], Any], repeat: int) -> Any:
    """Print the median time of some work and return what it gave last."""
    processor, wall, result = [], [], None
    for _ in range(repeat):
        began = time.process_time(), time.perf_counter()
        result = work()
        processor.append(time.process_time() - began[0])
        wall.append(time.perf_counter() - began[1])
    print(f"{what:<44} {statistics.median(processor):7.2f} ({statistics.median(wall):.2f})")
    return result


def main() -> None:
    """Print one line for each piece of work."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("collection", type=Path)
    parser.add_argument("--judged", type=int, default=1000)
    parser.add_argument("--depth", type=int, default=30)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=3)
    asked = parser.parse_args()
    read = leadline.read(asked.collection, depth=100)
    n_judged = int(read.judgments.judged.sum())
    cold = timed(
        f"cold fit, {n_judged:,} judgments",
        lambda: RelevanceModel.fit(read, new_groups=False),
        asked.repeat,
    )
    print("  iterations", [step.fit.n_iterations for step in cold.steps])
    timed(f"{asked.draws} draws of {len(cold.open):,} documents", lambda: cold.draw(asked.draws), 1)
    if not read.pooled.all():
        timed("cold fit with effects of new groups", lambda: RelevanceModel.fit(read), 1)
    runs = read.runs.cut(asked.depth)
    inside = np.flatnonzero(runs.best_rank <= asked.depth)
    order = np.random.default_rng(0).permutation(inside)
    everyone = np.ones(len(runs.names), np.bool_)

    def first(n: int) -> SimpleNamespace:
        kept = np.zeros(len(runs.pairs), np.bool_)
        kept[order[:n]] = True
        return SimpleNamespace(runs=runs, judgments=read.judgments.only(kept))

    before = timed(
        f"cold fit, {asked.judged} judgments, depth {asked.depth}",
        lambda: RelevanceModel.fit(first(asked.judged), pooled=everyone),
        1,
    )
    more = first(asked.judged + 20)
    warm = timed(
        "warm refit after 20 more",
        lambda: RelevanceModel.fit(more, pooled=everyone, warm=before),
        asked.repeat,
    )
    print("  iterations", [step.fit.n_iterations for step in warm.steps])
    drawn = timed(
        f"{asked.draws} draws of {len(warm.open):,} documents",
        lambda: warm.draw(asked.draws),
        asked.repeat,
    )
    for text in ("RBP(p=0.8)", "nDCG@10", "AP"):
        measure = parse_measure(text)
        timed(f"scores of {text}", lambda measure=measure: drawn.scores(measure), asked.repeat)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"peak memory {peak} MB")


if __name__ == "__main__":
    main()
