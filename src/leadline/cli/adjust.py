"""`leadline adjust`."""

from typing import TYPE_CHECKING, Unpack

from leadline.cli.command import Call
from leadline.cli.output import ChartOutput, print_notices, say, show

if TYPE_CHECKING:
    from leadline.api.adjust import Adjustment
    from leadline.completions.adjuster import Adjusted


def adjust(call: Call["Adjustment"], differences: bool = False, **out: Unpack[ChartOutput]) -> None:
    """Adjust scores of unpooled runs for their unjudged documents.

    differences: show differences of the new runs from each other and from the pooled runs, with 95%
        prediction intervals, instead of scores.
    """
    result = call("reading, then adjusting")
    show(result, result.differences() if differences else None, **out)
    if call.value("leave_out"):
        print_notices(result)
        return
    for adjusted in result.adjusted:
        several = f"{adjusted.measure}: " if len(result.adjusted) > 1 else ""
        say(f"{several}{line}" for line in adjusted.assumed)
    say(_agreement(result))
    print_notices(result)


def _agreement(result: "Adjustment") -> list[str]:
    lines: list[str] = []
    if result.agreement is not None:
        seen = result.agreement
        lines.append(
            f"labels and reference judgments agree on {seen.observed():.1%} of {seen.n:,} "
            f"documents "
            f"that both judged on the common topics, kappa {seen.kappa():.3f}"
        )
        for plentiful, true, n in seen.frame().iter_rows():
            if n:
                lines.append(f"  label {plentiful}, reference {true}: {n:,}")
        for table in result.adjusted:
            lines += _orders(table)
    if result.more_topics is not None:
        lines.append(
            f"{result.more_topics} more common topics would halve the intervals"
            if result.more_topics
            else "the intervals have no width that more common topics could halve"
        )
    return lines


def _orders(table: "Adjusted") -> list[str]:
    if len(table.runs) < 2:
        return []
    from scipy.stats import kendalltau

    tau = float(kendalltau(table.unadjusted, table.adjusted).statistic)
    before = max(range(len(table.runs)), key=lambda run: table.unadjusted[run])
    after = max(range(len(table.runs)), key=lambda run: table.adjusted[run])
    best = (
        f"{table.runs[before]} is best with and without"
        if before == after
        else f"{table.runs[before]} is best without, {table.runs[after]} with it"
    )
    return [f"adjusting changes the order of the runs to a Kendall tau of {tau:.3f}: {best}"]
