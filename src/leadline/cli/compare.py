"""`leadline compare`."""

from typing import TYPE_CHECKING, Unpack

from leadline.cli.command import Call
from leadline.cli.output import ChartOutput, print_notices, say, show

if TYPE_CHECKING:
    from leadline.api.compare import Comparison


def compare(
    call: Call["Comparison"],
    tiers: bool = False,
    for_paper: bool = False,
    **out: Unpack[ChartOutput],
) -> None:
    """Compare runs: significance tests, bounds on differences, caveats.

    tiers: list runs with their tiers instead of pairs of runs.
    for_paper: show a table for a paper: runs by measures, with residuals, marks and a caption. The
        best scores are bold. Letters name the runs that a run is significantly better than; with
        `baseline`, daggers mark better and worse. Write it to .tex, .md, .html or .csv.
    """
    if tiers and for_paper:
        raise ValueError("--tiers and --for-paper exclude each other")
    result = call("comparing runs")
    table = result.for_paper() if for_paper else result.tiers if tiers else None
    show(result, table, **out)
    say(summary(result))
    print_notices(result)


def summary(result: "Comparison") -> list[str]:
    """Count the pairs of runs that differ, by the test and by the judgments."""
    from leadline.stats.certainty import CERTAINTY

    lines = []
    for name, pairs in result.pairs.items():
        n = len(pairs.first)
        what = "pair" if n == 1 else "pairs"
        told = ", ".join(f"{pairs.certainty.count(word):,} {word}" for word in CERTAINTY)
        lines.append(
            f"{name}: {int(pairs.significant.sum()):,} of {n:,} {what} differ significantly "
            f"({pairs.test}, {pairs.tails}-tailed, {pairs.correction}, level {pairs.alpha:g}); "
            f"signs on these topics: {told}; "
            f"{sum(map(bool, pairs.caveats)):,} with caveats"
        )
    return lines
