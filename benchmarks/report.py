"""Numbers of the benchmark as tables."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from benchmarks.peers import Means
from benchmarks.process import Measurement
from benchmarks.tools import differences, left_out

TOLERANCE = 1e-6
PRINTED = 6e-5
"""How far a mean may be off that was printed with four decimals."""


@dataclass
class Series:
    """What the rounds of one tool took, and what it computed."""

    rounds: list[Measurement] = field(default_factory=list)
    means: Means = field(default_factory=dict)

    def add(self, measured: Measurement, means: Means) -> None:
        """One more round."""
        self.rounds.append(measured)
        self.means = means

    @property
    def median(self) -> float:
        """Seconds of the median round."""
        return median(each.seconds for each in self.rounds)

    def numbers(self) -> dict[str, object]:
        """All of it, for JSON."""
        return {
            "seconds": [each.seconds for each in self.rounds],
            "cpu_seconds": [each.cpu for each in self.rounds],
            "peak_mb": [each.peak_mb for each in self.rounds],
            "median_seconds": self.median,
            "min_seconds": min(each.seconds for each in self.rounds),
            "left_out": left_out(self.means),
        }


def table(columns: Sequence[str], rows: list[list[str]]) -> str:
    """Aligned text; the first column to the left, numbers to the right."""
    lines = [list(columns), *rows]
    width = [max(len(line[at]) for line in lines) for at in range(len(columns))]

    def text(line: list[str]) -> str:
        cells = [line[0].ljust(width[0])]
        cells += [cell.rjust(size) for cell, size in zip(line[1:], width[1:], strict=True)]
        return "  ".join(cells).rstrip()

    return "\n".join([text(lines[0]), "  ".join("-" * size for size in width), *map(text, rows)])


def speed_table(found: dict[str, Series]) -> str:
    """One row a tool: seconds, how many times Leadline's, processor time, peak memory."""
    ours = found["leadline"].median if "leadline" in found else None
    rows = [
        [
            tool,
            f"{series.median:.2f}",
            f"{min(each.seconds for each in series.rounds):.2f}",
            "" if ours is None else f"{series.median / ours:.2f}",
            f"{median(each.cpu for each in series.rounds):.2f}",
            f"{max(each.peak_mb for each in series.rounds):.0f}",
        ]
        for tool, series in found.items()
    ]
    return table(("tool", "median s", "min s", "x leadline", "cpu s", "peak MB"), rows)


def notes(found: dict[str, Series]) -> list[str]:
    """What the tools left out, and where their means are not Leadline's."""
    said = []
    for tool, series in found.items():
        if not series.means:
            continue
        if missing := left_out(series.means):
            said.append(f"{tool} does not have {', '.join(missing)} and leaves it out")
        if "leadline" in found:
            allowed = PRINTED if tool == "trec_eval" else TOLERANCE
            off = differences(found["leadline"].means, series.means)
            said += [
                f"{tool}: means of {name} differ from Leadline's by up to {by:.2g}"
                for name, by in off.items()
                if by > allowed
            ]
    return said
