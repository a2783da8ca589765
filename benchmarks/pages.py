"""A report against the evaluation in it: time, memory, and the size of the page.

The evaluation alone says what reading and scoring cost; what the report takes more goes into all
pairs of runs, groups left out, orders, and the page.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.process import measure, module

MEASURES = ("-m", "RBP(p=0.8)", "-m", "nDCG@10", "-m", "P@10")


def main() -> None:
    """Print both times, their ratio, and the page's size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collection", type=Path, help="a collection folder")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        page, scores = Path(folder) / "report.html", Path(folder) / "scores.csv"
        inputs = (str(asked.collection.resolve()), *MEASURES)
        whole = measure(module("leadline", "report", *inputs, "-o", str(page)))
        alone = measure(module("leadline", "evaluate", *inputs, "-o", str(scores)))
        size = page.stat().st_size / 1e6
    for name, found in (("report", whole), ("evaluate", alone)):
        print(f"{name}: {found.seconds:.1f} s, {found.cpu:.1f} s cpu, {found.peak_mb:.0f} MB")
    print(f"ratio {whole.cpu / alone.cpu:.1f} by cpu; page {size:.2f} MB")


if __name__ == "__main__":
    sys.exit(main())
