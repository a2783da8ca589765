"""How long anytime-valid intervals take after a batch, and how much memory.

python -m benchmarks.anytime [COLLECTION] [--judgments 800] [--batches 20]

Without a collection trec8_adhoc is taken, where it is, else the bundled one. For the scores of all
runs, one batch should take less than half a second.
"""

import argparse
import time
import tracemalloc
from pathlib import Path

import numpy as np

import leadline
from benchmarks.likely import usual
from leadline.completions.anytime import (
    ENTRIES,
    IntervalBets,
    WealthProcess,
    anytime_scores,
    record_batches,
)
from leadline.completions.pair_weights import PairWeights
from leadline.data.judgments import Judgments
from leadline.judging.weighted_sample import WeightedSample
from leadline.measures.measure import parse_numerator

MEASURE, MOST = "RBP(p=0.8)@10", 0.5


def main() -> None:
    """Print seconds for a batch, for all differences, and the peak memory of each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("collection", nargs="?", type=Path, default=None)
    parser.add_argument("--judgments", type=int, default=800)
    parser.add_argument("--batches", type=int, default=20)
    asked = parser.parse_args()
    collection = leadline.read(asked.collection or usual())
    known, measure = collection.judgments, parse_numerator(MEASURE)
    every = np.ones(len(known.judged), np.bool_)
    grade = np.where(known.judged, known.grade, 0)
    answers = Judgments(known.pairs, every, grade, max_grade=known.max_grade)
    weights = PairWeights.of(collection.runs, measure)
    design = WeightedSample(asked.judgments, MEASURE, batches=asked.batches)
    drawn = design.all_batches(weights, 0, answers)
    record = drawn.record(weights, asked.judgments)
    assert record is not None
    scores = anytime_scores(weights, measure, answers, record)
    n = len(collection.runs.names)
    reached = np.ones(len(record.pair), np.bool_)
    wealth = WealthProcess(scores.matrix, IntervalBets(), record.planned, reached, scores.scale)
    took = []
    tracemalloc.start()
    for batch in record_batches(record, scores.low, scores.high):
        began = time.perf_counter()
        wealth.add(batch)
        wealth.interval()
        took.append(time.perf_counter() - began)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    print(
        f"scores of {n} runs, {len(record.pair):,} pairs: a batch takes {max(took):.3f} s at most"
    )
    print(f"  {max(took) / MOST:.2f} of what it should take; peak {peak:.0f} MiB")
    tracemalloc.reset_peak()
    first, second = np.triu_indices(n, 1)
    began = time.perf_counter()
    scores.interval(first, second)
    seconds = time.perf_counter() - began
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    print(f"all {len(first):,} differences, {asked.batches} batches: {seconds:.1f} s")
    print(f"  {seconds / asked.batches:.2f} s a batch; peak {peak:.0f} MiB")
    print(f"  blocks of about {ENTRIES:,} weights bound the memory")


if __name__ == "__main__":
    main()
