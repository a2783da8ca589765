"""All pairs of 129 runs on 50 topics: Leadline against scipy, pair by pair.

scipy is asked for some of the pairs and its time scaled to all of them; both must agree there.
With a collection, the whole of `leadline compare` is timed too, from files to table.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from scipy import stats

from benchmarks.process import measure
from leadline.stats.significance import tests

DRAWS = 10_000
RUNS, TOPICS = 129, 50
WHOLE = """
import sys
from leadline.api.compare import compare
compare(sys.argv[1], None, "RBP(p=0.8)", test=sys.argv[2], correct="bh").frame
"""


def scipy_p(name: str, a: np.ndarray, b: np.ndarray) -> float:
    """The two-tailed p of one pair."""
    if name == "wilcoxon":
        found = stats.wilcoxon(a, b, correction=True, method="asymptotic")
    elif name == "t":
        found = stats.ttest_rel(a, b)
    else:
        found = stats.permutation_test(
            (a, b),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=DRAWS,
            rng=np.random.default_rng(0),
        )
    return float(found.pvalue)


def main() -> None:
    """Print times, ratios and peak memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collection", type=Path, nargs="?", help="a collection folder")
    parser.add_argument("--sample", type=int, default=100, help="pairs that scipy is asked for")
    asked = parser.parse_args()
    random = np.random.default_rng(1)
    scores = random.beta(1, 2, (RUNS, TOPICS)) * random.uniform(0.6, 1, (RUNS, 1))
    first, second = np.triu_indices(RUNS, 1)
    chosen = random.choice(len(first), asked.sample, replace=False)
    total = 0.0
    for name in ("wilcoxon", "t", "randomisation"):
        test = tests.parse(name)
        begin = time.perf_counter()
        p = test.between(scores, scores, first, second, 2, np.random.default_rng(0))
        ours = time.perf_counter() - begin
        total += ours
        begin = time.perf_counter()
        theirs = [scipy_p(name, scores[first[at]], scores[second[at]]) for at in chosen]
        peer = (time.perf_counter() - begin) * len(first) / len(chosen)
        off = float(np.abs(p[chosen] - theirs).max())
        slack = 0.03 if name == "randomisation" else 1e-10
        if off > slack:
            sys.exit(f"{name}: p-values differ by {off}")
        print(f"{name}: {ours:.2f} s, scipy about {peer:.1f} s, {peer / ours:.0f} times as long")
    print(f"{len(first):,} pairs by all three: {total:.1f} s")
    if asked.collection is not None:
        for name in ("wilcoxon", "t", f"randomisation(n={DRAWS})", "bootstrap", "tukey"):
            found = measure([sys.executable, "-c", WHOLE, str(asked.collection), name])
            print(f"{asked.collection.name}, {name}: {found.seconds:.1f} s, {found.peak_mb:.0f} MB")


if __name__ == "__main__":
    main()
