"""The tools that are measured: which command runs each, and what its output says."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.datasets import DataSet
from benchmarks.peers import MEASURES, NOT_IMPORTED, Means
from benchmarks.process import Failed, Measurement, measure, module

NAMES = (
    "leadline",
    "leadline-table",
    "leadline-frame",
    "pytrec_eval",
    "ir_measures",
    "ranx",
    "ranx-compiled",
    "trec_eval",
    "only-parse",
    "only-read",
)
PACKAGES = ("leadline", "pytrec-eval-terrier", "ir-measures", "ranx", "numpy", "polars")

_TREC_EVAL = """
program=$1 qrels=$2; shift 2
for run; do
  echo "run $run"
  "$program" -m ndcg_cut.10 -m map -m P.10 -m recall.1000 "$qrels" "$run" || exit 1
done
"""
_TREC_EVAL_NAMES = {
    "ndcg_cut_10": "nDCG@10",
    "map": "AP",
    "P_10": "P@10",
    "recall_1000": "Recall@1000",
}


class Unavailable(Exception):
    """A tool that cannot be measured here, with the reason."""


@dataclass(frozen=True)
class Tool:
    """A tool by name.

    ranx compiles its code at first use and keeps it: `ranx` finds nothing kept, `ranx-compiled`
    what an earlier process on the same data set left in the folder `kept`.
    """

    name: str
    kept: Path

    def run(self, files: DataSet) -> tuple[Measurement, Means]:
        """Evaluate a data set in a fresh process."""
        with self._environment() as env:
            try:
                measured = measure(self._command(files), env)
            except Failed as error:
                if self.name == "leadline":
                    raise
                reason = "cannot be imported" if error.code == NOT_IMPORTED else "fails"
                raise Unavailable(f"it {reason}: {error}") from None
        if self.name == "trec_eval":
            return measured, _from_trec_eval(measured.output)
        means: Means = json.loads(measured.output)
        return measured, means

    def _command(self, files: DataSet) -> list[str]:
        paths = [str(files.qrels), *map(str, files.runs)]
        if self.name == "trec_eval":
            return ["sh", "-c", _TREC_EVAL, "sh", _trec_eval(), *paths]
        if self.name == "only-parse" and files.name not in ("runs40", "big"):
            raise Unavailable("a CSV reader takes one blank between fields, and nothing else")
        if self.name in ("ranx", "trec_eval") and paths[-1].endswith(".gz"):
            raise Unavailable("it does not read packed runs")
        return module("benchmarks.peers", self.name.removesuffix("-compiled"), *paths)

    @contextmanager
    def _environment(self) -> Iterator[dict[str, str]]:
        if self.name == "ranx":
            with TemporaryDirectory() as empty:
                yield {"NUMBA_CACHE_DIR": empty}
        elif self.name == "ranx-compiled":
            yield {"NUMBA_CACHE_DIR": str(self.kept)}
        else:
            yield {}


def _trec_eval() -> str:
    program = os.environ.get("TREC_EVAL")
    if not program:
        raise Unavailable("the environment variable TREC_EVAL does not name the program")
    if shutil.which(program) is None:
        raise Unavailable(f"the environment variable TREC_EVAL names no program: {program}")
    return program


def _from_trec_eval(output: str) -> Means:
    means: Means = {}
    for line in output.splitlines():
        name, _, value = line.partition(" ")
        if name == "run":
            means[Path(value).stem] = {}
        else:
            name, _, number = line.split()
            means[list(means)[-1]][_TREC_EVAL_NAMES[name]] = float(number)
    return means


def left_out(means: Means) -> list[str]:
    """Measures that a tool did not compute."""
    return [name for name in MEASURES if any(name not in each for each in means.values())]


def differences(means: Means, others: Means) -> dict[str, float]:
    """The largest difference of each measure that both have; infinite where a run is missing."""
    found = dict.fromkeys(MEASURES, 0.0)
    for run in means.keys() | others.keys():
        ours, theirs = means.get(run), others.get(run)
        for name in MEASURES:
            if ours is None or theirs is None:
                found[name] = float("inf")
            elif name in ours and name in theirs:
                found[name] = max(found[name], abs(ours[name] - theirs[name]))
    return found


def versions() -> dict[str, str]:
    """Versions of the packages that are installed."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
