"""What is measured on: names, sizes and paths of the data sets.

Nothing heavy is imported here: a process's peak memory begins at that of the process that started
it, so the one that starts all others must stay small.
"""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("runs40", "big", "big-spaces")


@dataclass(frozen=True)
class Size:
    """How large the data sets are: `runs40` has lists from a pool, `big` one long run."""

    runs: int
    topics: int
    depth: int
    pool_depth: int
    candidates: int
    big_topics: int
    big_depth: int


FULL = Size(40, 50, 1000, 100, 6000, 6980, 1000)
QUICK = Size(4, 10, 100, 20, 400, 100, 1000)


@dataclass(frozen=True)
class DataSet:
    """Judgments and runs on disk."""

    name: str
    qrels: Path
    runs: tuple[Path, ...]


def data_set(name: str, size: Size, where: Path) -> DataSet:
    """The files of one data set in the folder of the data."""
    if name == "runs40":
        runs = tuple(where / "runs40" / f"run{n:02}.run" for n in range(1, size.runs + 1))
        return DataSet(name, where / "runs40.qrels", runs)
    files = ("big", "big-other") if name == "big-two" else (name,)
    return DataSet(name, where / "big.qrels", tuple(where / f"{file}.run" for file in files))


def collection(where: Path) -> DataSet:
    """The runs of a collection folder, as they lie there."""
    qrels = next(path for path in sorted(where.glob("qrels*")) if path.is_file())
    runs = tuple(sorted(path.resolve() for path in (where / "runs").iterdir()))
    return DataSet(where.resolve().name, qrels.resolve(), runs)


def folder(quick: bool) -> Path:
    """Where the data sets stand unless another place is given."""
    return ROOT / "bench-data" / "quick" if quick else ROOT / "bench-data"
