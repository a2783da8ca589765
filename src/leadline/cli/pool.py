"""`leadline pool`."""

import textwrap
from typing import TYPE_CHECKING, Annotated

from leadline.cli.options import (
    CheapOption,
    HowToRead,
    InputArgument,
    Option,
    SecondsOption,
    split_input,
)
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

if TYPE_CHECKING:
    from leadline.api.pool import Pooled


MANY_TOPICS = 100
"""More are summed up instead of listed."""


def pool(
    inputs: InputArgument,
    strategy: Annotated[
        str, Option("-s", "--strategy", help="leadline list pools shows all.")
    ] = "Depth(d=10)",
    seed: Annotated[int, Option(help="Where chance plays a part: the draw.")] = 0,
    previous: Annotated[
        str | None,
        Option(help="The pool so far, all of it judged in INPUT: Designed draws the next batch."),
    ] = None,
    undrawn: Annotated[
        bool,
        Option("--undrawn", help="Also the pairs that chance left out, with a column drawn."),
    ] = False,
    unjudged: Annotated[
        bool, Option("--unjudged", help="Leave out what INPUT's judgments hold already.")
    ] = False,
    ignore_judged: Annotated[
        bool, Option("--ignore-judged", help="Take nothing for judged.")
    ] = False,
    cheap: CheapOption = None,
    seconds_per_judgment: SecondsOption = 30.0,
    *,
    how: HowToRead,
    chart: ChartOption = None,
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """Which pairs of topic and document to judge, and what each run adds to them."""
    from leadline.api.pool import pool as verb

    qrels, runs = split_input(inputs)
    with progress("reading runs") as advance:
        result = verb(
            qrels,
            runs,
            strategy,
            seed=seed,
            previous=previous,
            undrawn=undrawn,
            unjudged=unjudged,
            ignore_judged=ignore_judged,
            cheap=cheap,
            progress=advance,
            **how,
        )
    emit(result, form, output)
    draw(result, chart)
    costs = [*_cost(result, seconds_per_judgment), *_errors(result)]
    say([*costs, *_per_topic(result), "", *_per_run(result)])
    say_notices(result)


def _cost(made: "Pooled", seconds: float) -> list[str]:
    n = len(made.pool)
    n_topics = len(made.runs.pairs.topics)
    line = (
        f"{made.pool.strategy}: {n:,} pairs of {n_topics} topics from {len(made.runs.names)} runs"
    )
    lines = [f"{line}; to judge them takes {_hours(n * seconds)} at {seconds:g} seconds each"]
    if made.n_judged:
        left = _hours((n - made.n_judged) * seconds)
        lines.append(f"{made.n_judged:,} of them are judged already, the others take {left}")
    return lines


def _errors(made: "Pooled") -> list[str]:
    """What error to expect from how many judgments, as bars of text."""
    from leadline.completions.sample import FEWEST_DRAWN

    if not made.expected_errors:
        return []
    most = max(made.expected_errors.values())
    guess = "by the judgments"
    if made.pool.n_batches == 1:
        highest = made.judgments.max_grade
        guess = f"by a guess, nothing is judged yet and {highest} is taken for the highest grade"
    lines = [f"standard error to expect of {made.error_of}, {guess}:"]
    for n, error in made.expected_errors.items():
        lines.append(f"{n:8,} judgments  {error:.4f}  {'#' * max(1, round(40 * error / most))}")
    if min(made.expected_errors) < FEWEST_DRAWN:
        lines.append(f"estimate -e Assisted offers no interval below {FEWEST_DRAWN} of them")
    return lines


def _hours(seconds: float) -> str:
    return f"{seconds / 3600:,.1f} hours"


def _per_topic(made: "Pooled") -> list[str]:
    sizes = made.per_topic()
    if len(sizes) > MANY_TOPICS:
        least, middle, most = (sizes["pairs"].quantile(share) for share in (0.0, 0.5, 1.0))
        return [f"pairs per topic: {least:.0f} to {most:.0f}, median {middle:.0f}"]
    # A number stays on the line of its topic.
    text = ", ".join(f"{topic}:\N{NO-BREAK SPACE}{n}" for topic, n in sizes.iter_rows())
    lines = textwrap.wrap(f"pairs per topic: {text}", 100, subsequent_indent="  ")
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def _per_run(made: "Pooled") -> list[str]:
    """A plain table: it may be piped, and must be readable then too."""
    runs = made.per_run()
    wide = max(3, *(len(name) for name in runs["run"]))
    lines = [f"{'run':{wide}}  pooled  by its group alone"]
    for run, _, pairs, alone in runs.iter_rows():
        lines.append(f"{run:{wide}}  {pairs:6}  {alone:18}")
    return lines
