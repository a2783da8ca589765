"""`leadline plan`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from leadline.cli.options import HowToRead, InputArgument, Option, SecondsOption, split_input
from leadline.cli.output import (
    ChartOption,
    FormatOption,
    OutputOption,
    draw,
    emit,
    progress,
    say,
    say_notices,
)
from leadline.io.write import check_writable, write_whole

if TYPE_CHECKING:
    from leadline.api.plan import Planned


Question = Literal["best", "newcomer", "scores"]


def plan(
    inputs: InputArgument,
    budget: Annotated[int, Option(help="How many judgments can be afforded.")],
    question: Annotated[
        Question,
        Option(
            metavar="QUESTION",
            help="best: which run is best? newcomer: is --new better? scores: what are they?",
        ),
    ] = "best",
    measure: Annotated[
        str, Option("-m", "--measure", help="A weighted measure, or nDCG.")
    ] = "RBP(p=0.8)",
    baseline: Annotated[str | None, Option(help="For the newcomer: the old run.")] = None,
    new: Annotated[str | None, Option(help="For the newcomer: the new run.")] = None,
    seed: Annotated[int, Option(help="Of the worlds and of the draws.")] = 0,
    seconds_per_judgment: SecondsOption = 30.0,
    page: Annotated[
        Path | None, Option(help="Write a page with the curve to this file.", dir_okay=False)
    ] = None,
    *,
    how: HowToRead,
    chart: ChartOption = None,
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """Which pool, order, stop and estimator suit a question and a budget of judgments."""
    from leadline.api.plan import plan as verb

    if page is not None:
        check_writable(page)
    qrels, runs = split_input(inputs)
    with progress("trying plans") as advance:
        result = verb(
            qrels,
            runs,
            budget=budget,
            question=question,
            measure=measure,
            baseline=baseline,
            new=new,
            seed=seed,
            progress=advance,
            **how,
        )
    emit(result, form, output)
    draw(result, chart)
    lines = _advice(result, seconds_per_judgment)
    say(lines)
    if page is not None:
        from leadline.views.plan_page import plan_page

        write_whole(page, plan_page(result.frame, result.chart(), lines).encode())
    say_notices(result)


def _advice(made: "Planned", seconds: float) -> list[str]:
    """The first plan in words."""
    best = made.frame.row(0, named=True)
    parts = [best[what] for what in ("pool", "order", "stop", "estimator") if best[what]]
    hours = best["judgments"] * seconds / 3600
    off = f"{best['expected_error']:.3f}"
    told = {
        "best": f"the run that it names is {off} worse than the best one",
        "newcomer": f"the difference is off by {off}",
        "scores": f"scores are off by {off}",
    }[made.question]
    right = best["probability_right"]
    error = best["probability_error"]
    often = "" if right is None else f", and right in {right:.0%} of them (standard error {error:.0%})"
    return [
        f"take {' with '.join(parts)}",
        f"{best['judgments']:,} judgments, {hours:,.1f} hours at {seconds:g} seconds each",
        f"in {made.n_worlds} worlds drawn by a model, {told} on average{often}",
    ]
