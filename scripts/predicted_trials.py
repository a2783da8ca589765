"""How far Predicted is off, and how often its interval holds the score by all judgments.

    python -m scripts.predicted_trials COLLECTION [--depth 10] [--every 1] [-m nDCG@10 ...]

Every so many groups leave the pool of that depth in turn; their runs are adjusted and compared with
what all judgments say, beside the score as judged. One row a measure.
"""

import argparse
from pathlib import Path

import numpy as np

import leadline
from leadline.completions.adjuster import PoolBias
from leadline.completions.predicted import Predicted
from leadline.data.lists import Lists
from leadline.measures.measure import parse_measure
from leadline.pooling.strategies import Depth
from leadline.pooling.without import DrawnPool

DEEPEST = 100


def trials(folder: Path, depth: int, every: int, names: list[str]) -> None:
    """Print the table."""
    read = leadline.read(folder, depth=DEEPEST)
    group = np.array(read.runs.group, object)
    pooled = read.pooled
    left_out = sorted(set(group[pooled]))[::every]
    print("measure,runs,rmse_unadjusted,rmse_adjusted,bias_adjusted,coverage,width")
    for name in names:
        measure = parse_measure(name)
        truth = measure.score(Lists.of(read.runs, read.judgments)).mean()
        rows: list[np.ndarray] = []
        for each in left_out:
            new, rest = pooled & (group == each), pooled & (group != each)
            inside = read.runs.only(rest).best_rank <= depth
            evidence = PoolBias(
                measure,
                read.runs,
                read.judgments.only(inside),
                contributing=rest,
                new=new,
                drawn=DrawnPool(Depth(depth), read.runs, 0),
            )
            made = Predicted().adjust(evidence)
            columns = (made.unadjusted, made.adjusted, made.pred_lower, made.pred_upper, truth[new])
            rows += [np.array(row) for row in zip(*columns, strict=True)]
        before, after, low, high, true = np.array(rows).T
        held = ((low - 1e-9 <= true) & (true <= high + 1e-9)).mean()
        numbers = (
            np.sqrt(((before - true) ** 2).mean()),
            np.sqrt(((after - true) ** 2).mean()),
            (after - true).mean(),
            held,
            (high - low).mean(),
        )
        print(f"{name},{len(true)}," + ",".join(f"{number:.4f}" for number in numbers), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("-m", "--measures", nargs="+", default=["nDCG@10", "AP"])
    given = parser.parse_args()
    trials(given.collection, given.depth, given.every, given.measures)
