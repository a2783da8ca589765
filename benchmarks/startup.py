"""How long it takes until Leadline is there: importing it, its help, and two lines evaluated.

Python keeps what it compiled, as it does where a package is installed, also if the environment
forbids it: a checkout would be compiled anew for every process.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.process import Failed, measure, module
from benchmarks.report import table

NOTHING = "python -c pass"
TARGETS = {
    "import leadline": 0.25,
    "leadline --help": 0.4,
    "leadline evaluate --help": 0.5,
    "leadline evaluate": 0.25,
}
"""The seconds that each may take longer than a Python that does nothing."""


@contextmanager
def commands() -> Iterator[tuple[dict[str, list[str]], dict[str, str]]]:
    """What is measured, by name, and the environment of it."""
    with TemporaryDirectory() as folder:
        qrels, run = Path(folder) / "qrels.txt", Path(folder) / "x.run"
        qrels.write_text("1 0 a 1\n1 0 b 0\n")
        run.write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n")
        yield (
            {
                NOTHING: [sys.executable, "-c", "pass"],
                "import leadline": [sys.executable, "-c", "import leadline"],
                "leadline --help": module("leadline", "--help"),
                "leadline evaluate --help": module("leadline", "evaluate", "--help"),
                "leadline evaluate": module("leadline", "evaluate", str(qrels), str(run)),
            },
            {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(Path(folder) / "compiled")},
        )


def start_up(rounds: int) -> tuple[dict[str, list[float]], str]:
    """Seconds of every round, and all of it as a text."""
    found: dict[str, list[float]] = {NOTHING: [], **{name: [] for name in TARGETS}}
    said = []
    with commands() as (each, environment):
        for name in list(found):
            try:
                measure(each[name], environment)
            except Failed as error:
                said.append(f"{name} is left out, it fails: {error}")
                del found[name]
        for _ in range(rounds):
            for name, seconds in found.items():
                seconds.append(measure(each[name], environment).seconds)
    nothing = median(found[NOTHING])
    rows = [_row(name, seconds, nothing) for name, seconds in found.items()]
    text = table(("command", "median s", "min s", "more than nothing", "target"), rows)
    return found, "\n".join([text, *said])


def _row(name: str, seconds: list[float], nothing: float) -> list[str]:
    more = median(seconds) - nothing
    target = TARGETS.get(name)
    wanted = "" if target is None else f"< {target} {'met' if more < target else 'MISSED'}"
    return [name, f"{median(seconds):.3f}", f"{min(seconds):.3f}", f"{more:.3f}", wanted]
