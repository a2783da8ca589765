"""`leadline plan`."""

import shlex
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

    seconds_per_judgment: time that an assessor takes for a judgment.
    page: write an HTML page with the error by budget to this file.
    """
    check_seconds(seconds_per_judgment)
    if page is not None:
        check_writable(page)
    result = call("simulating plans")
    show(result, **out)
    lines = _advice(result, seconds_per_judgment)
    commands = plan_commands(result, call.given["inputs"], call.value("measure"))
    say([*lines, "commands for this plan:", *(f"  {command}" for command in commands)])
    if page is not None:
        from leadline.views.plan_page import plan_page

        write_whole(page, plan_page(result.frame, result.chart(), lines, commands).encode())
    print_notices(result)


def _advice(planned: "Planned", seconds: float) -> list[str]:
    """Describe the recommended plan."""
    best = planned.frame.row(0, named=True)
    parts = [best[what] for what in ("pool", "order", "stop", "estimator") if best[what]]
    hours = best["judgments"] * seconds / 3600
    error = f"{best['expected_error']:.3f}"
    outcome = {
        "best": f"the selected run is on average {error} worse than the best one",
        "newcomer": f"the error of the difference is {error}",
        "scores": f"the error of a score is {error}",
    }[planned.question]
    right = best["probability_right"]
    share = ""
    if right is not None:
        share = (
            f"; the answer is right in {right:.0%} of them "
            f"(standard error {best['probability_error']:.0%})"
        )
    return [
        f"recommended: {' with '.join(parts)}",
        f"{best['judgments']:,} judgments, {hours:,.1f} hours at {seconds:g} seconds each",
        f"in {planned.n_completions} simulated completions of the judgments, {outcome}{share}",
    ]


JUDGED = "judged.txt"
"""Stands in commands for the qrels that judging the pool gives, if there are none yet."""


def plan_commands(planned: "Planned", inputs: list[str], measure: str) -> list[str]:
    """Return the commands that carry out the recommended plan."""
    best = planned.frame.row(0, named=True)
    given = shlex.join(inputs)
    if best["pool"] is None:
        words = ["--order", best["order"], "--stop", best["stop"]]
        return [
            f"leadline next {given} {shlex.join(words)} --budget {planned.budget} --interactive"
        ]
    sampled = best["pool"].startswith("WeightedSample")
    pool = f"leadline pool {given} --strategy {shlex.quote(best['pool'])}"
    pool += " --undrawn -o pool.csv" if sampled else " -o pool.csv"
    judged = shlex.join([JUDGED, *inputs[1:]]) if inputs[0] == "none" else given
    words = ["-m", measure, "-e", best["estimator"], "--pool", "pool.csv"]
    return [pool, f"leadline estimate {judged} {shlex.join(words)}"]
