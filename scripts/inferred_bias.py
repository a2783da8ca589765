"""Measure how far estimates from sampled pools lie from the complete scores, over many draws.

    python scripts/inferred_bias.py COLLECTION [--draws 400] [--step 10] [--write]

All judged documents of a collection folder are the pool. Each is drawn anew with its probability,
every measure is estimated from what was drawn, and the mean over draws is set beside the score with
all of it judged. Prints the table; --write keeps it in docs/results/inferred-bias.md.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import leadline
from leadline.data.arrays import Floats
from leadline.data.lists import Lists
from leadline.data.pool import Pool
from leadline.data.scores import Scores
from leadline.io.collection import Collection

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "inferred-bias.md"
HEAD = """# Bias of estimates from sampled pools

Written by `python scripts/inferred_bias.py {name} --draws {draws} --step {step} --write`.

"""
COMPLETE = {
    "infAP": "AP",
    "xinfAP": "AP",
    "statAP": "AP",
    "infNDCG": "nDCG",
    "infNDCG@10": "nDCG@10",
    "HorvitzThompson(of=P@10)": "P@10",
    "HorvitzThompson(of=NumRel)": "NumRel",
}
DESIGNS = {"10%": (0.1, 0.1), "30%": (0.3, 0.3), "first 10, and 10%": (1.0, 0.1)}
"""Probability of documents that some run has in its first 10, and of all others."""


@dataclass(frozen=True)
class Row:
    """One measure under one design, as shares of the runs' mean complete score; the coverage."""

    bias: float
    bias_as_zero: float
    deviation: float
    error: float
    coverage: float


def draw(read: Collection, near: float, far: float, seed: int) -> Lists:
    """The runs as one draw of the judgments sees them."""
    judged = read.judgments.judged
    first = read.runs.best_rank <= 10
    inclusion = np.where(judged, np.where(first, near, far), 0.0)
    number = np.random.default_rng([seed, round(1000 * near), round(1000 * far)])
    member = number.random(len(judged)) < inclusion
    stratum = np.where(judged, 0 if near == far else np.where(first, 0, 1), -1)
    pool = Pool(read.runs.pairs, member, inclusion, stratum, "a draw", seed)
    return Lists.of(read.runs, pool.restrict(read.judgments))


def row(truth: Scores, draws: list[Scores]) -> Row:
    """What the draws tell, of the mean over runs; undefined topics are left out of each mean."""
    complete = truth.mean()
    values: Floats = np.stack([each.mean() for each in draws])
    zeros = np.stack([np.nan_to_num(each.value).mean(axis=1) for each in draws])
    errors = np.stack([each.mean_error() for each in draws])
    return Row(
        float(values.mean() / complete.mean() - 1),
        float(zeros.mean() / complete.mean() - 1),
        float(values.std(axis=0).mean() / complete.mean()),
        float(np.sqrt((errors**2).mean(axis=0)).mean() / complete.mean()),
        float((abs(values - complete) <= 1.96 * errors + 1e-9).mean()),
    )


def table(read: Collection, n_draws: int) -> str:
    """The table as Markdown."""
    whole = Lists.of(read.runs, read.judgments)
    lines = [
        "| drawn | measure | bias | bias, undefined as 0 | deviation | standard error | covered |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, (near, far) in DESIGNS.items():
        found: dict[str, list[Scores]] = {measure: [] for measure in COMPLETE}
        for seed in range(n_draws):
            lists = draw(read, near, far, seed)
            for measure, scores in found.items():
                scores.append(leadline.parse_measure(measure).score(lists))
            print(f"\r{name}: {seed + 1} of {n_draws}", end="", file=sys.stderr)
        print(file=sys.stderr)
        for measure, scores in found.items():
            made = row(leadline.parse_measure(COMPLETE[measure]).score(whole), scores)
            lines.append(
                f"| {name} | `{measure}` | {made.bias:+.1%} ± {made.deviation / n_draws**0.5:.1%} "
                f"| {made.bias_as_zero:+.1%} | {made.deviation:.1%} | {made.error:.1%} "
                f"| {made.coverage:.0%} |"
            )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the table, and keep it if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--step", type=int, default=10, help="every so many runs")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    paths = sorted((asked.collection / "runs").iterdir())[:: asked.step]
    made = table(leadline.read(asked.collection / "qrels.txt.gz", paths), asked.draws)
    print(made, end="")
    if asked.write:
        head = HEAD.format(draws=asked.draws, step=asked.step, name=asked.collection.name)
        RESULTS.write_text(head + made, encoding="utf-8")


if __name__ == "__main__":
    main()
