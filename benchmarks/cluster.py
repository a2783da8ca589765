"""The same results here and on a cluster of local worker processes, and the time of both.

python -m benchmarks.cluster PAPER COLLECTION replays a paper; without, evaluate on --million lines
of text in four runs. Each on 1, 2 and 4 workers (--workers), and on 2 of which one is killed in the
middle while another joins.
"""

import argparse
import logging
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from distributed import LocalCluster

import leadline
from benchmarks.large import lists

RUNS, DEPTH = 4, 1000
Work = Callable[[str | None], dict[str, bytes]]


def replayed(paper: str, collection: str, quick: bool) -> Work:
    """The csv files of a paper, made anew each time."""

    def work(dask: str | None) -> dict[str, bytes]:
        with tempfile.TemporaryDirectory() as folder:
            leadline.reproduce(paper, collection, folder, quick=quick, dask=dask)
            return {file.name: file.read_bytes() for file in sorted(Path(folder).glob("*.csv"))}

    return work


def evaluated(folder: Path, million: float) -> Work:
    """Scores of runs with so many lines together."""
    random, n_topics = np.random.default_rng(1), max(1, int(million * 1e6 / RUNS / DEPTH))
    (folder / "runs").mkdir()
    judged: dict[str, int] = {}
    tag = pl.lit("x").alias("tag")
    for run in range(RUNS):
        with (folder / "runs" / f"{run}.run").open("ab") as file:
            for begin in range(0, n_topics, 1000):
                topics = np.arange(begin, min(n_topics, begin + 1000))
                rows = lists(topics, DEPTH, random)
                fields = ("topic", pl.lit("Q0"), "doc", pl.lit(1).alias("rank"), "score", tag)
                rows.select(fields).write_csv(
                    file, include_header=False, separator=" ", float_precision=6
                )
                for topic, doc in rows.gather_every(50).select("topic", "doc").iter_rows():
                    judged[f"{topic} 0 {doc}"] = len(judged) % 3
    lines = (f"{pair} {grade}\n" for pair, grade in judged.items())
    (folder / "qrels").write_text("".join(lines))

    def work(dask: str | None) -> dict[str, bytes]:
        result = leadline.evaluate(
            folder / "qrels", folder / "runs", ["AP", "nDCG@10", "RBP(p=0.8)"], dask=dask
        )
        return {"scores": result.encoded("csv")}

    return work


def disturb(cluster: LocalCluster, seconds: float) -> threading.Thread:
    """After so long kill a worker, and let another join."""

    def work() -> None:
        time.sleep(seconds)
        os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
        cluster.scale(3)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def timed(work: Work, dask: str | None) -> tuple[dict[str, bytes], float]:
    """What comes of it, and the seconds that it took."""
    begin = time.monotonic()
    found = work(dask)
    return found, time.monotonic() - begin


def main() -> None:
    """Print a line for each number of workers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paper", nargs="?")
    parser.add_argument("collection", nargs="?")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--million", type=float, default=28.0)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if asked.paper:
            work = replayed(asked.paper, asked.collection, asked.quick)
        else:
            work = evaluated(Path(folder), asked.million)
        here, alone = timed(work, None)
        print(f"{'one process':>28} {alone:8.1f} s", flush=True)
        for n_workers, disturbed in [*((n, False) for n in asked.workers), (2, True)]:
            with LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            ) as cluster:
                if disturbed:
                    disturb(cluster, alone / 4)
                there, seconds = timed(work, cluster.scheduler_address)
            same = "identical" if there == here else "DIFFERENT"
            label = f"{n_workers} workers{', one killed' if disturbed else ''}"
            times = f"{seconds:8.1f} s  {seconds / alone:5.2f} of one process"
            print(f"{label:>28} {times}  {same}", flush=True)


if __name__ == "__main__":
    main()
