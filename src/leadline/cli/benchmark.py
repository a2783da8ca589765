"""`leadline benchmark`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from leadline.cli.command import Call
from leadline.cli.output import FORMAT, TableForm, emit, print_notices, say

if TYPE_CHECKING:
    from leadline.lab.benchmark.benchmark import Benchmark


def benchmark(call: Call["Benchmark"], form: Annotated[TableForm | None, FORMAT] = None) -> None:
    """Compare estimators, adjusters, pools and orders on fully judged collections."""
    result = call("running the benchmark")
    if "folder" not in call.given:
        emit(result, form, None)
    say(result.lines())
    print_notices(result)
    if "folder" in call.given:
        n = len(result.refused["method"].unique())
        say([f"{n} methods could not answer some questions: refused.csv says why"] if n else [])
        folder = Path(call.given["folder"])
        say([f"wrote {len(result.files)} files in {folder}: open {folder / 'benchmark.html'}"])
