"""Measures estimated from a sampled pool: Leadline beside trec_eval's infAP and sample_eval.

    python -m benchmarks.inferred [--quick] [--rounds N]

The data set runs40, of whose judgments the first 10 ranks of every run and one in ten of the others
are kept. Leadline gives standard errors with every estimate; the others have none. NIST's
sample_eval.pl takes part if the environment variable SAMPLE_EVAL names it. AP and nDCG by Leadline
on the same files tell what estimating costs.
"""

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

from benchmarks import datasets
from benchmarks.datasets import FULL, QUICK, DataSet, data_set
from benchmarks.process import Measurement, measure, module

SAMPLE = """
import sys
import polars as pl
import leadline
qrels, target, *runs = sys.argv[1:]
pool = leadline.pool(qrels, runs, "TwoStrata(d=10, deep=100, rate=0.1)", undrawn=True)
known = pl.read_csv(qrels, separator=" ", has_header=False, infer_schema=False,
                    new_columns=["topic", "zero", "doc", "grade"])
lines = known.join(pool.frame, on=["topic", "doc"], maintain_order="left")
grade = pl.when("drawn").then("grade").otherwise(pl.lit("-1"))
lines.select("topic", "zero", "doc", "stratum", grade=grade).write_csv(
    target + "/strata", separator=" ", include_header=False)
lines.select("topic", "zero", "doc", grade=grade).write_csv(
    target + "/plain", separator=" ", include_header=False)
"""
LEADLINE = """
import sys
import leadline
names, qrels, *runs = sys.argv[1:]
frame = leadline.evaluate(qrels, runs, names.split())
print(frame["value"].mean())
"""
PYTREC_EVAL = """
import sys
import pytrec_eval
qrels, *runs = sys.argv[1:]
with open(qrels) as file:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), {"infAP"})
means = []
for run in runs:
    with open(run) as file:
        scores = evaluator.evaluate(pytrec_eval.parse_run(file))
    means.append(sum(each["infAP"] for each in scores.values()) / len(scores))
print(sum(means) / len(means))
"""


def commands(files: DataSet, target: Path) -> dict[str, list[list[str]]]:
    """What each tool runs, one process after the other."""
    runs = [str(run) for run in files.runs]
    strata, plain = str(target / "strata"), str(target / "plain")

    def python(code: str, *given: str) -> list[list[str]]:
        return [[sys.executable, "-c", code, *given, *runs]]

    found = {
        "leadline AP nDCG": python(LEADLINE, "AP nDCG", str(files.qrels)),
        "leadline xinfAP infNDCG": python(LEADLINE, "xinfAP infNDCG", strata),
        "leadline statAP": python(LEADLINE, "statAP", strata),
        "leadline infAP": python(LEADLINE, "infAP", plain),
        "pytrec_eval infAP": python(PYTREC_EVAL, plain),
    }
    script = os.environ.get("SAMPLE_EVAL")
    if script:
        found["sample_eval"] = [["perl", script, strata, run] for run in runs]
    else:
        print("sample_eval.pl is left out: SAMPLE_EVAL does not name it")
    return found


def main() -> None:
    """Print medians of all tools, and how many times those of Leadline's xinfAP they are."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small data, one round")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="default: bench-data")
    given = parser.parse_args()
    rounds = given.rounds or (1 if given.quick else 3)
    where = (given.data or datasets.folder(given.quick)).resolve()
    flags = ["--quick"] if given.quick else []
    measure(module("benchmarks.generate", *flags, "--data", str(where), "runs40"))
    files = data_set("runs40", QUICK if given.quick else FULL, where)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder)
        measure([sys.executable, "-c", SAMPLE, str(files.qrels), folder, *map(str, files.runs)])
        asked = commands(files, target)
        found: dict[str, list[list[Measurement]]] = {name: [] for name in asked}
        for _ in range(rounds):
            for name, each in asked.items():
                found[name].append([measure(command) for command in each])
    print(f"\ninferred measures on {files.name} (runs: {len(files.runs)}, rounds: {rounds})")
    seconds = {
        name: statistics.median(sum(part.seconds for part in parts) for parts in turns)
        for name, turns in found.items()
    }
    unit = seconds["leadline xinfAP infNDCG"]
    print(f"{'tool':26}{'median s':>10}{'x xinfAP':>10}{'cpu s':>8}{'peak MB':>9}{'mean':>9}")
    for name, turns in found.items():
        cpu = statistics.median(sum(part.cpu for part in parts) for parts in turns)
        peak = max(part.peak_mb for parts in turns for part in parts)
        said = turns[0][0].output.split()
        mean = f"{float(said[0]):.4f}" if len(said) == 1 else ""
        print(
            f"{name:26}{seconds[name]:10.2f}{seconds[name] / unit:10.2f}{cpu:8.2f}{peak:9.0f}"
            f"{mean:>9}"
        )


if __name__ == "__main__":
    main()
