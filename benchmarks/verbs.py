"""How long verbs take for two large runs, against evaluate, and how much memory they hold.

    python -m benchmarks.verbs [--quick] [--rounds N] [--data FOLDER] [--source SRC ...]

Every measurement is a fresh process; verbs take turns. With --source, another checkout's src is
measured beside this one, so that a change can be told from a slow moment of the machine.
"""

import argparse
import sys
from pathlib import Path
from statistics import median

from benchmarks import datasets
from benchmarks.datasets import FULL, QUICK, ROOT, data_set
from benchmarks.process import Measurement, measure, module
from benchmarks.report import table

START = "import sys, leadline; qrels, *runs = sys.argv[1:]; "
CALLS = {
    "evaluate": "leadline.evaluate(qrels, runs, 'RBP(p=0.8)')",
    "pool": "leadline.pool(qrels, runs, 'Depth(d=10)')",
    "compare": "leadline.compare(qrels, runs, 'RBP(p=0.8)')",
    "compare P@10": "leadline.compare(qrels, runs, 'P@10')",
    "estimate LowerBound": "leadline.estimate(qrels, runs, 'RBP(p=0.8)', 'LowerBound')",
    "estimate Regression": "leadline.estimate(qrels, runs, 'RBP(p=0.8)', 'Regression')",
    "next": "leadline.next(qrels, runs, 'DepthFirst(p=0.8)', budget=10)",
}
FIRST = "evaluate"


def main() -> None:
    """Print a table: seconds, how many times evaluate's, processor time, peak memory."""
    given = arguments()
    where = (given.data or datasets.folder(given.quick)).resolve()
    flags = ["--quick"] if given.quick else []
    # By a process of its own, because this one must stay small: see datasets.py.
    measure(module("benchmarks.generate", *flags, "--data", str(where), "big-two"))
    files = data_set("big-two", QUICK if given.quick else FULL, where)
    sources = [ROOT / "src", *given.source]
    taken: dict[tuple[str, Path], list[Measurement]] = {}
    for _ in range(given.rounds or (1 if given.quick else 3)):
        for verb in (verb for verb in CALLS if verb == FIRST or verb in given.verbs):
            command = [sys.executable, "-c", START + CALLS[verb], str(files.qrels)]
            for source in sources:
                took = measure([*command, *map(str, files.runs)], {"PYTHONPATH": str(source)})
                taken.setdefault((verb, source), []).append(took)
    rows = []
    for (verb, source), rounds in taken.items():
        seconds = [each.seconds for each in rounds]
        evaluate = median(each.seconds for each in taken[FIRST, source])
        row = [f"{median(seconds):.2f}", f"{min(seconds):.2f}", f"{median(seconds) / evaluate:.2f}"]
        row += [f"{median(each.cpu for each in rounds):.2f}"]
        rows.append([verb, *row, f"{max(each.peak_mb for each in rounds):.0f}"])
        if len(sources) > 1:
            rows[-1].append(str(source))
    columns = ["verb", "median s", "min s", "x evaluate", "cpu s", "peak MB", "source"]
    print(table(columns[: len(rows[0])], rows))


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small data, one round")
    parser.add_argument("--rounds", type=int, help="default: 3")
    parser.add_argument("--verbs", nargs="+", choices=CALLS, default=list(CALLS), metavar="VERB")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="default: bench-data")
    parser.add_argument("--source", type=Path, nargs="+", default=[], metavar="SRC")
    return parser.parse_args()


if __name__ == "__main__":
    main()
