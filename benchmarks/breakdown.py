"""What Leadline's own time is spent on, step by step, on the big run or another data set.

    python -m benchmarks.breakdown [--quick] [--rounds N] [--only big-spaces]

Functions of Leadline are wrapped from outside, in a fresh process, and `leadline.evaluate` is
called as a user would. Steps inside other steps are indented; a step's own time is what remains
without them. Page faults tell how much memory was touched for the first time. While two threads
work at once, processor time, page faults and memory of both count for the steps of either.
"""

import argparse
import functools
import json
import resource
import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import datasets
from benchmarks.datasets import FULL, QUICK, data_set
from benchmarks.peers import MEASURES
from benchmarks.process import measure, module, peak_mb
from benchmarks.report import table

STEPS = (
    ("read judgments", "leadline.io.inputs:qrels_from"),
    ("index judgments", "leadline.io.join:JudgedIndex.of"),
    ("wait for another thread", "concurrent.futures:Future.result"),
    ("read the run alone", "leadline.io.trec:read_run"),
    ("find the fields", "leadline.io.lines:RegularLines.of"),
    ("read scores", "leadline.io.numbers:decimals"),
    ("make spaces regular", "leadline.io.source:_regular"),
    ("cut between topics", "leadline.io.lines:last_topic"),
    ("find topics, hash documents", "leadline.io.rows:Rows.of"),
    ("check numbers, duplicates", "leadline.io.rows:Rows.are_sound"),
    ("rank", "leadline.io.rows:rank"),
    ("join", "leadline.io.join:join"),
    ("find the judged", "leadline.io.join:JudgedIndex.find"),
    ("score", "leadline.measures.measure:Measure.score"),
)
"""Where each step is in the code; one that is no longer there is left out, and that is said."""

BESIDE = "in other threads"

Row = dict[str, float]


class Clock:
    """Time, processor time and page faults of steps, by their path of names."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, ...], Row] = {}
        self.place = threading.local()
        self.lock = threading.Lock()

    def call(self, name: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a function as a step of that name."""
        main = threading.current_thread() is threading.main_thread()
        outer = getattr(self.place, "path", () if main else (BESIDE,))
        path = self.place.path = (*outer, name)
        with self.lock:
            row = self.rows.setdefault(path, dict.fromkeys(_now(), 0.0))
        before = _now()
        try:
            return function(*args, **kwargs)
        finally:
            with self.lock:
                for key, value in _now().items():
                    row[key] += value - before[key]
            self.place.path = outer

    def wrap(self, name: str, place: str) -> bool:
        """Have every call of the function at `module:name` measured; whether it is there."""
        home, _, path = place.partition(":")
        *owners, attribute = path.split(".")
        try:
            owner: Any = functools.reduce(getattr, owners, import_module(home))
            found = vars(owner)[attribute]
        except (ImportError, AttributeError, KeyError):
            return False
        function = found.__func__ if isinstance(found, classmethod) else found

        @functools.wraps(function)
        def measured(*args: Any, **kwargs: Any) -> Any:
            step = f"{name} {args[0]}" if name == "score" else name
            return self.call(step, function, *args, **kwargs)

        changed = classmethod(measured) if isinstance(found, classmethod) else measured
        setattr(owner, attribute, changed)
        if not owners:
            # Modules that imported the function by its name hold the old one.
            for other in [m for key, m in sys.modules.items() if key.startswith("leadline")]:
                if vars(other).get(attribute) is found:
                    setattr(other, attribute, changed)
        return True


def _now() -> Row:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "seconds": time.perf_counter(),
        "user": used.ru_utime,
        "system": used.ru_stime,
        "faults": used.ru_minflt,
        "peak_mb": peak_mb(used),
    }


def child(qrels: str, *runs: str) -> None:
    """Evaluate with every step measured, and print the rows."""
    clock = Clock()
    clock.call("import", import_module, "leadline.api.evaluate")
    gone = [name for name, place in STEPS if not clock.wrap(name, place)]
    import leadline

    clock.call("evaluate", leadline.evaluate, qrels, list(runs), list(MEASURES))
    ordered = sorted(clock.rows.items(), key=lambda item: item[0][0] == BESIDE)
    rows = [["/".join(path), row] for path, row in ordered]
    json.dump({"rows": rows, "gone": gone}, sys.stdout)


def _own(path: str, rows: dict[str, Row]) -> float:
    inner = [row["seconds"] for other, row in rows.items() if other.rpartition("/")[0] == path]
    return rows[path]["seconds"] - sum(inner)


def main() -> None:
    """Measure some rounds, each in a fresh process, and print medians."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small data")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=datasets.NAMES, default="big", metavar="NAME")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="default: bench-data")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(*given.child)
        return
    where = (given.data or datasets.folder(given.quick)).resolve()
    flags = ["--quick"] if given.quick else []
    measure(module("benchmarks.generate", *flags, "--data", str(where), given.only))
    files = data_set(given.only, QUICK if given.quick else FULL, where)
    command = module("benchmarks.breakdown", "--child", str(files.qrels), *map(str, files.runs))
    measured = [measure(command) for _ in range(given.rounds)]
    print(f"{given.only} (rounds: {given.rounds})")
    print(text([json.loads(each.output) for each in measured]))
    whole = median(each.seconds for each in measured)
    print(f"whole process {whole:.3f} s, peak {median(each.peak_mb for each in measured):.0f} MB")


def text(rounds: list[dict[str, Any]]) -> str:
    """The table of steps, medians over the rounds."""
    each: list[dict[str, Row]] = [dict(found["rows"]) for found in rounds]
    columns = ("step", "s", "own s", "user s", "system s", "k faults", "+ peak MB")
    lines: list[list[str]] = []
    # Threads may meet in another order, so that one round has a step which another has not.
    for path in [path for path in each[0] if all(path in rows for rows in each)]:
        if path.startswith(BESIDE) and not any(line[0] == BESIDE for line in lines):
            lines.append([BESIDE, *[""] * (len(columns) - 1)])
        middle = {key: median(rows[path][key] for rows in each) for key in each[0][path]}
        numbers = [middle["seconds"], median(_own(path, rows) for rows in each)]
        numbers += [middle["user"], middle["system"]]
        name = "  " * path.count("/") + path.rpartition("/")[2]
        counts = [f"{middle['faults'] / 1000:.1f}", f"{middle['peak_mb']:.0f}"]
        lines.append([name, *(f"{number:.3f}" for number in numbers), *counts])
    gone = [f"not found in the code, so not shown: {name}" for name in rounds[0]["gone"]]
    return "\n".join([table(columns, lines), *gone])


if __name__ == "__main__":
    main()
