"""How long it takes until Leadline is there: importing it, and the help of its command line."""

import sys
from statistics import median

from benchmarks.process import Failed, measure, module
from benchmarks.report import table

COMMANDS = {
    "python -c pass": ([sys.executable, "-c", "pass"], None),
    "import leadline": ([sys.executable, "-c", "import leadline"], 0.3),
    "leadline --help": (module("leadline", "--help"), 0.4),
}
"""Each with the seconds it should stay below."""


def start_up(rounds: int) -> tuple[dict[str, list[float]], str]:
    """Seconds of every round, and all of it as a text."""
    found: dict[str, list[float]] = {name: [] for name in COMMANDS}
    said = []
    for name, (command, _) in COMMANDS.items():
        try:
            measure(command)
        except Failed as error:
            said.append(f"{name} is left out, it fails: {error}")
            del found[name]
    for _ in range(rounds):
        for name, seconds in found.items():
            seconds.append(measure(COMMANDS[name][0]).seconds)
    rows = [_row(name, seconds) for name, seconds in found.items()]
    text = table(("command", "median s", "min s", "target"), rows)
    return found, "\n".join([text, *said])


def _row(name: str, seconds: list[float]) -> list[str]:
    target = COMMANDS[name][1]
    wanted = (
        "" if target is None else f"< {target} {'met' if median(seconds) < target else 'MISSED'}"
    )
    return [name, f"{median(seconds):.3f}", f"{min(seconds):.3f}", wanted]
