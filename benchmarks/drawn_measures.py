"""How far estimates of nDCG and AP from a shallow pool are off, beside what else is done.

python -m benchmarks.drawn_measures ../shared/data/robust2004_pooled42 --depths 5,10,20
"""

import argparse

import numpy as np

import leadline
from leadline.completions.estimator import TrainingData, estimators
from leadline.data.lists import Lists
from leadline.measures.measure import parse_measure
from leadline.pooling.strategies import Depth

CONDENSED = {"nDCG@10": "nDCG(judged_only=true)@10", "AP": "AP(judged_only=true)"}
METHODS = ("LowerBound", "condensed", "ShareBootstrap", "Regression")


def main() -> None:
    """A line for each measure and depth: the error of mean scores of the pooled runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collection")
    parser.add_argument("--depths", default="5,10,20")
    parser.add_argument("--deep", type=int, default=100, help="the depth of the whole pool")
    asked = parser.parse_args()
    collection = leadline.read(asked.collection)
    runs = collection.runs.only(collection.pooled)
    print("measure depth", *METHODS, "share_of_best coverage differences", sep=" ")
    for name, condensed in CONDENSED.items():
        measure = parse_measure(name)
        truth = measure.score(Lists.of(runs, collection.judgments)).mean()
        for depth in map(int, asked.depths.split(",")):
            pool = Depth(depth).pool(runs)
            known = pool.restrict(collection.judgments)
            evidence = TrainingData(measure, runs, known, pool)
            means = {}
            for method in METHODS:
                if method == "condensed":
                    means[method] = parse_measure(condensed).score(Lists.of(runs, known)).mean()
                    continue
                spelt = f"Regression(deep={asked.deep})" if method == "Regression" else method
                scores = estimators.parse(spelt).estimated(evidence).scores(method)
                means[method] = scores.mean()
            error = {each: float(np.sqrt(((m - truth) ** 2).mean())) for each, m in means.items()}
            share = error["Regression"] / min(error[each] for each in METHODS[:-1])
            figures = " ".join(f"{error[each]:.4f}" for each in METHODS)
            line = f"{name} {depth} {figures} {share:.0%}"
            if scores.of_mean is not None:
                off = np.abs(scores.mean() - truth)
                between = np.abs(np.subtract.outer(scores.mean() - truth, scores.mean() - truth))
                pairs = np.triu_indices(len(truth), 1)
                held = between[pairs] <= 1.96 * scores.of_mean.difference_error()[pairs] + 1e-12
                line += f" {(off <= 1.96 * scores.mean_error()).mean():.2f} {held.mean():.2f}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
