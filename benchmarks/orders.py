"""Method C of Leadline against rbp-eval's, end to end: read the runs, choose so many judgments.

rbp-eval refreshes its weights once a batch of five judgments per topic, Leadline after every one.
"""

import argparse
import gzip
import sys
import tempfile
from pathlib import Path

from benchmarks.process import measure

OURS = """
import sys
from leadline.api.next_judgments import next_judgments
next_judgments(sys.argv[1], sys.argv[2:-1], "MoffatC(p=0.8)", budget=int(sys.argv[-1]),
               answers=sys.argv[1], ties="float32")
"""
THEIRS = """
import sys
from rbp_eval.cli.minavgerr import main
main(["-p", "0.8", "-W", "residual-and-midpoint-cubed", "-J", sys.argv[-1], "-Q", sys.argv[1],
      "-j", "/dev/null", *sys.argv[2:-1]])
"""


def plain(folder: Path, target: Path) -> list[str]:
    """The qrels and runs of a collection as plain files, which is all that rbp-eval reads."""
    paths = [folder / "qrels.txt.gz", *sorted((folder / "runs").iterdir())]
    for path in paths:
        (target / path.stem).write_bytes(gzip.decompress(path.read_bytes()))
    return [str(target / path.stem) for path in paths]


def main() -> None:
    """Print both times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collection", type=Path, help="a collection folder with gzipped files")
    parser.add_argument("--budget", type=int, default=20_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = plain(asked.collection, Path(folder))
        for name, code in (("leadline", OURS), ("rbp-eval", THEIRS)):
            found = measure([sys.executable, "-c", code, *files, str(asked.budget)])
            print(f"{name}: {found.seconds:.1f} s, {found.peak_mb:.0f} MB")


if __name__ == "__main__":
    main()
