"""How long a batch of the order LikelyWinner and a plan take.

python -m benchmarks.likely [COLLECTION] [--judgments 800] [--budget 400]

Without a collection trec8_adhoc is taken, beside the project's folder or in LEADLINE_DATA, or the
bundled one if it is not there. On TREC-8 a batch should take less than half a second, a plan less
than a minute.
"""

import argparse
import os
import time
from pathlib import Path

import leadline
from leadline.io.collection import Collection
from leadline.io.datasets import COLLECTION
from leadline.judging.likely_winner import LikelyWinner

MOST_BATCH, MOST_PLAN = 0.5, 60.0


def usual() -> Path:
    """TREC-8 if it is there."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("LEADLINE_DATA", beside)) / "trec8_adhoc"
    return folder if folder.is_dir() else COLLECTION


def batches(collection: Collection, n: int) -> list[tuple[float, float]]:
    """(seconds, processor seconds) of each question that chose a batch by the model."""
    stepper = LikelyWinner().start(collection.runs)
    grade = collection.judgments.grade
    found, before = [], 0
    for _ in range(n):
        began = time.perf_counter(), time.process_time()
        chosen = stepper.next()
        took = time.perf_counter() - began[0], time.process_time() - began[1]
        if not chosen:
            break
        state = stepper.likely
        assert state is not None
        if state.n_judged != before:
            before = state.n_judged
            found.append(took)
        stepper.tell(chosen[0].pair, int(grade[chosen[0].pair]))
    return found


def main() -> None:
    """Print both, with what they should take at most."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("collection", nargs="?", type=Path, default=None)
    parser.add_argument("--judgments", type=int, default=800)
    parser.add_argument("--budget", type=int, default=400)
    asked = parser.parse_args()
    folder = asked.collection or usual()
    collection = leadline.read(folder)
    took = batches(collection, asked.judgments)
    worst, mean = max(wall for wall, _ in took), sum(wall for wall, _ in took) / len(took)
    processor = max(each for _, each in took)
    print(
        f"{folder.name}: {len(took)} batches of LikelyWinner, mean {mean:.2f} s, worst "
        f"{worst:.2f} s "
        f"({processor:.2f} s of processor); at most {MOST_BATCH} s"
    )
    for question in ("best", "scores"):
        began = time.perf_counter(), time.process_time()
        leadline.plan(collection, budget=asked.budget, question=question)  # type: ignore[arg-type]
        wall, processor = time.perf_counter() - began[0], time.process_time() - began[1]
        print(
            f"{folder.name}: plan, {question}: {wall:.1f} s ({processor:.1f} s of processor); "
            f"at most {MOST_PLAN:g} s"
        )


if __name__ == "__main__":
    main()
