"""Write the data sets of the benchmark: always the same files for the same sizes.

    python -m benchmarks.generate [--quick] [--data FOLDER] [NAME ...]

Files that are there already with the same sizes are kept. Every topic has a relevant document and
is in every run: tools define the score of other topics in different ways, and the benchmark first
checks that they agree.
"""

import argparse
import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from benchmarks.datasets import FULL, NAMES, QUICK, DataSet, Size, data_set, folder

SEED = 20260
DECIMALS = 4
"""Few enough that some neighbours tie, as in real runs."""

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def docnos(n: int) -> pl.Series:
    """n different names in the style of TREC's newswire."""
    i = pl.int_range(n)
    style, at = i % 3, i // 3
    date = pl.format("{}{}89", _padded(1 + at % 12, 2), _padded(1 + at // 12 % 28, 2))
    quarter = 911 + at % 4 + 10 * (at // 4 % 4)
    name = (
        pl.when(style == 0)
        .then(pl.format("FT{}-{}", quarter, at // 16))
        .when(style == 1)
        .then(pl.format("LA{}-{}", date, _padded(at // 336, 4)))
        .otherwise(pl.format("FBIS{}-{}", 3 + at % 2, at // 2))
    )
    return pl.select(name.alias("doc")).to_series()


def _padded(number: pl.Expr, width: int) -> pl.Expr:
    return number.cast(pl.String).str.zfill(width)


def write_lines(path: Path, columns: list[pl.Series | Ints | Floats | str]) -> None:
    """Columns as lines of fields; a text stands on every line."""
    fields = [
        pl.lit(pl.Series(column) if isinstance(column, np.ndarray) else column).alias(str(at))
        for at, column in enumerate(columns)
    ]
    pl.select(fields).write_csv(
        path, include_header=False, separator=" ", quote_style="never", float_precision=DECIMALS
    )


def write_run(path: Path, topic: Ints, doc: pl.Series | Ints, score: Floats) -> None:
    """One run from matrices of scores [topics, depth], best first, and of documents."""
    topics, depth = score.shape
    rank = np.tile(np.arange(1, depth + 1), topics)
    write_lines(path, [np.repeat(topic, depth), "Q0", doc, rank, score.ravel(), path.stem])


def write_runs40(size: Size, files: DataSet) -> None:
    """Runs of different quality over the same candidates, judged to a pool depth."""
    rng = np.random.default_rng(SEED)
    names = docnos(20 * size.candidates)
    topics = np.arange(401, 401 + size.topics)
    skill = rng.permutation(np.linspace(0.1, 1.0, size.runs))
    picked, scores, judged = [], [], []
    for topic in topics:
        candidate = rng.choice(len(names), size.candidates, replace=False)
        merit = rng.exponential(size=size.candidates)
        score = skill[:, None] * merit + rng.normal(size=(size.runs, size.candidates))
        best = np.argsort(-score, axis=1)[:, : size.depth]
        picked.append(candidate[best])
        scores.append(10 + 3 * np.take_along_axis(score, best, axis=1))
        pool = np.unique(best[:, : size.pool_depth])
        grade = _grades(merit[pool] + rng.normal(size=len(pool)), rng.uniform(0.05, 0.1))
        judged.append((np.full(len(pool), topic), candidate[pool], grade))
    files.runs[0].parent.mkdir(exist_ok=True)
    for number, path in enumerate(files.runs):
        doc = names.gather(np.concatenate([each[number] for each in picked]).ravel())
        write_run(path, topics, doc, np.stack([each[number] for each in scores]))
    number_of, doc_at, grades = (np.concatenate(column) for column in zip(*judged, strict=True))
    write_qrels(files.qrels, number_of, names.gather(doc_at), grades)


def _grades(quality: Floats, share: float) -> Ints:
    """Grade 1 for the best share of the pool, 2 for the best third of these; one at the least."""
    place = np.argsort(np.argsort(-quality))
    relevant = max(1.0, share * len(quality))
    return (place < relevant).astype(np.int64) + (place < relevant / 3)


def write_big(size: Size, files: DataSet) -> None:
    """One run with numbers for names, as for MS MARCO, of which a few documents are judged."""
    rng = np.random.default_rng(SEED + 1)
    topic = rng.choice(1_102_400, size.big_topics, replace=False)
    shape = (size.big_topics, size.big_depth)
    # Rising sums never repeat; only even ones, so that odd names are documents outside the run.
    doc = rng.permuted(2 * rng.integers(1, 8_840, shape).cumsum(axis=1), axis=1)
    score = 8 + -np.sort(-rng.gamma(3.0, 2.5, shape), axis=1)
    write_run(files.runs[0], topic, doc.ravel(), score)
    edge = np.geomspace(1, size.big_depth, 7).astype(np.int64) - 1
    listed = np.take_along_axis(
        doc, rng.integers(edge[:-1], edge[1:], (size.big_topics, 6)), axis=1
    )
    other = 2 * rng.integers(1, 1_000_000, (size.big_topics, 4)).cumsum(axis=1) + 1
    judged = np.concatenate([listed, other], axis=1)
    grade = rng.choice(3, judged.shape, p=[0.8, 0.15, 0.05])
    sure = rng.integers(0, judged.shape[1], size.big_topics)
    certain = (np.arange(size.big_topics), sure)
    grade[certain] = np.maximum(grade[certain], 1)
    write_qrels(files.qrels, np.repeat(topic, judged.shape[1]), judged.ravel(), grade.ravel())


def write_qrels(path: Path, topic: Ints, doc: pl.Series | Ints, grade: Ints) -> None:
    """Judgments in TREC's format."""
    write_lines(path, [topic, "0", doc, grade])


def write_big_spaces(size: Size, files: DataSet) -> None:
    """The big run with two spaces between fields, three before the second one."""
    data = files.runs[0].with_name("big.run").read_bytes()
    data = data.replace(b" ", b"  ").replace(b"  Q0 ", b"   Q0 ")
    files.runs[0].write_bytes(data)


def write_big_two(size: Size, files: DataSet) -> None:
    """Beside the big run another one of the same documents, with other scores."""
    rng = np.random.default_rng(SEED + 2)
    big = pl.read_csv(files.runs[0], has_header=False, separator=" ", columns=[0, 2])
    topic, doc = (big[name].to_numpy().reshape(size.big_topics, -1) for name in big.columns)
    score = 8 + -np.sort(-rng.gamma(3.0, 2.5, doc.shape), axis=1)
    write_run(files.runs[1], topic[:, 0], rng.permuted(doc, axis=1).ravel(), score)


WRITERS: dict[str, Callable[[Size, DataSet], None]] = {
    "runs40": write_runs40,
    "big": write_big,
    "big-spaces": write_big_spaces,
    "big-two": write_big_two,
}


def generate(name: str, size: Size, where: Path) -> bool:
    """Write one data set unless it is there already; whether it had to be written."""
    stamp = where / f"{name}.json"
    program = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    wanted = {"program": program, **asdict(size)}
    files = data_set(name, size, where)
    there = all(path.is_file() for path in (files.qrels, *files.runs))
    if there and stamp.is_file() and json.loads(stamp.read_text()) == wanted:
        return False
    where.mkdir(parents=True, exist_ok=True)
    # Gone while files are written: half a data set must not pass for a whole one.
    stamp.unlink(missing_ok=True)
    WRITERS[name](size, files)
    stamp.write_text(json.dumps(wanted))
    return True


def main() -> None:
    """Write the data sets that were asked for."""
    parser = argparse.ArgumentParser(description="Write the data sets of the benchmark.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(WRITERS)}")
    parser.add_argument("--quick", action="store_true", help="small ones")
    parser.add_argument("--data", type=Path, help="the folder to write to")
    given = parser.parse_args()
    size, where = (QUICK if given.quick else FULL), given.data or folder(given.quick)
    asked = given.names or NAMES
    needed = [
        name
        for name in WRITERS
        if name in asked or (name == "big" and {"big-spaces", "big-two"} & set(asked))
    ]
    for name in needed:
        print(f"{name}: {'written' if generate(name, size, where) else 'there already'}")


if __name__ == "__main__":
    main()
