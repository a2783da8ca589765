"""Time per line and peak memory of evaluate on partitioned Parquet, whole and scattered.

python -m benchmarks.large --million 100 --memory 1GB writes so many lines to bench-data/ and
evaluates them in a process of its own.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl

MEASURES = ("AP", "nDCG@10", "RBP(p=0.8)")
DEPTH = 1000
FILE_ROWS = 2_000_000
EVALUATE = """
import json, resource, sys, time
import leadline
folder, memory = sys.argv[1], sys.argv[2] or None
begin, wall = time.process_time(), time.monotonic()
result = leadline.evaluate(folder + "/qrels.parquet", folder + "/runs", {measures}, memory=memory)
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps(dict(
    processor=time.process_time() - begin,
    wall=time.monotonic() - wall,
    peak_mb=used.ru_maxrss / 1024,
    scores=result.frame["value"].to_list(),
)))
"""


def lists(topics: np.ndarray, depth: int, random: np.random.Generator) -> pl.DataFrame:
    """Rows of these topics, best first; documents are drawn from 8 million, each once in a list."""
    n = len(topics)
    # The number of documents is prime, so no step repeats one.
    first = random.integers(0, 8_000_000, n)
    step = 2 * random.integers(1, 1_000_000, n) * 5 + 3
    number = (first[:, None] + step[:, None] * np.arange(depth)) % 8_000_009
    score = np.tile(np.linspace(30, 1, depth), (n, 1)) + first[:, None] / 8e6
    return pl.DataFrame(
        {
            "topic": np.repeat(topics, depth),
            "doc": number.ravel(),
            "score": score.ravel(),
        }
    ).with_columns(
        topic=pl.format("q{}", "topic"),
        doc=pl.format("D{}", pl.col("doc").cast(pl.String).str.zfill(8)),
    )


def write(folder: Path, million: float, n_topics: int, scattered: bool) -> None:
    """One run of so many lines over the topics, in files of two million, and 20 judgments a topic.

    Scattered: the halves of every list stand in files far apart, topics in any order.
    """
    random = np.random.default_rng(1)
    depth = max(1, int(million * 1e6 / n_topics))
    runs = folder / "runs" / "run=generated"
    runs.mkdir(parents=True)
    per_file = max(1, FILE_ROWS // depth)
    judged = []
    for number, begin in enumerate(range(0, n_topics, per_file)):
        topics = np.arange(begin, min(n_topics, begin + per_file))
        frame = lists(topics, depth, random)
        if scattered:
            odd = frame.with_row_index("row").with_columns(half=pl.col("row") % 2)
            for half in (0, 1):
                part = odd.filter(pl.col("half") == half).drop("row", "half")
                # Any order: the hash of a name.
                part = part.sort(pl.col("topic").hash(7), maintain_order=True)
                part.write_parquet(runs / f"{half}-{number:05}.parquet")
        else:
            frame.write_parquet(runs / f"{number:05}.parquet")
        chosen = frame.filter(pl.int_range(pl.len()).over("topic") % max(1, depth // 20) == 0)
        judged.append(
            chosen.select("topic", "doc", grade=pl.col("doc").hash(3) % 3).cast({"grade": pl.Int16})
        )
    pl.concat(judged).write_parquet(folder / "qrels.parquet")


def measured(folder: Path, memory: str) -> dict[str, object]:
    """What one process took to evaluate it."""
    code = EVALUATE.format(measures=list(MEASURES))
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder), memory],
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, object] = json.loads(done.stdout)
    return found


def main() -> None:
    """Print a table: lines, layout, nanoseconds a line, peak memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--million", type=float, nargs="+", default=[7.0])
    parser.add_argument("--topics", type=int, default=None, help="one for every 1,000 lines")
    parser.add_argument("--memory", default="")
    parser.add_argument("--keep", action="store_true", help="leave the data for another time")
    asked = parser.parse_args()
    print(f"{'lines':>12} {'layout':>10} {'ns/line cpu':>12} {'ns/line wall':>13} {'peak MB':>8}")
    for million in asked.million:
        n_topics = asked.topics or max(1, int(million * 1e6) // DEPTH)
        scores = []
        for layout in ("in order", "scattered"):
            folder = Path("bench-data") / f"large-{million:g}-{n_topics}-{layout.replace(' ', '-')}"
            if not folder.exists():
                write(folder, million, n_topics, layout == "scattered")
            found = measured(folder, asked.memory)
            lines = million * 1e6
            print(
                f"{int(lines):>12,} {layout:>10} {found['processor'] / lines * 1e9:>12.0f} "
                f"{found['wall'] / lines * 1e9:>13.0f} {found['peak_mb']:>8.0f}",
                flush=True,
            )
            scores.append(found["scores"])
            if not asked.keep:
                shutil.rmtree(folder)
        same = scores[0] == scores[1]
        print(f"{'':>12} the same scores in both layouts: {'yes' if same else 'NO'}")


if __name__ == "__main__":
    os.environ.setdefault("POLARS_MAX_THREADS", "2")
    main()
