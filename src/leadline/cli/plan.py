"""`leadline plan`."""

from typing import TYPE_CHECKING, Unpack

from leadline.cli.command import Call
from leadline.cli.output import ChartOutput, OutputFile, print_notices, say, show
from leadline.cli.pool import JudgingTime, check_seconds
from leadline.io.write import check_writable, write_whole

if TYPE_CHECKING:
    from leadline.api.plan import Planned


def plan(
    call: Call["Planned"],
    seconds_per_judgment: JudgingTime = 30.0,
    page: OutputFile = None,
    **out: Unpack[ChartOutput],
) -> None:
    """Plan a budget of judgments: which pool, order, stopping rule and estimator.

    seconds_per_judgment: how long an assessor takes: the cost.
    page: write a page with the curve to this file.
    """
    check_seconds(seconds_per_judgment)
    if page is not None:
        check_writable(page)
    result = call("trying plans")
    show(result, **out)
    lines = _advice(result, seconds_per_judgment)
    say(lines)
    if page is not None:
        from leadline.views.plan_page import plan_page

        write_whole(page, plan_page(result.frame, result.chart(), lines).encode())
    print_notices(result)


def _advice(made: "Planned", seconds: float) -> list[str]:
    """The first plan in words."""
    best = made.frame.row(0, named=True)
    parts = [best[what] for what in ("pool", "order", "stop", "estimator") if best[what]]
    hours = best["judgments"] * seconds / 3600
    error = f"{best['expected_error']:.3f}"
    told = {
        "best": f"the run that it names is {error} worse than the best one",
        "newcomer": f"the difference is off by {error}",
        "scores": f"scores are off by {error}",
    }[made.question]
    right = best["probability_right"]
    often = ""
    if right is not None:
        often = (
            f", and right in {right:.0%} of them (standard error {best['probability_error']:.0%})"
        )
    return [
        f"take {' with '.join(parts)}",
        f"{best['judgments']:,} judgments, {hours:,.1f} hours at {seconds:g} seconds each",
        f"in {made.n_worlds} worlds drawn by a model, {told} on average{often}",
    ]
