"""`leadline pool`."""

import textwrap
from typing import TYPE_CHECKING, Annotated, Unpack

from leadline.cli.command import Call
from leadline.cli.output import ChartOutput, OutputFile, print_notices, say, show
from leadline.io.write import check_writable, write_whole
from leadline.options import Option

if TYPE_CHECKING:
    from leadline.api.pool import Pooled


MANY_TOPICS = 20
"""More are summed up instead of listed."""

MOST_LINES = 20
"""Lines on standard error at most; `--per-run` writes the table of all runs."""

JudgingTime = Annotated[float, Option(metavar="SECONDS")]


def pool(
    call: Call["Pooled"],
    seconds_per_judgment: JudgingTime = 30.0,
    per_run: OutputFile = None,
    stratifications: bool = False,
    **out: Unpack[ChartOutput],
) -> None:
    """Select the topic-document pairs to judge: a pool.

    seconds_per_judgment: time that an assessor takes for a judgment.
    per_run: also write the contribution of each run to this csv file.
    stratifications: show ways to stratify a pool of the same depth, each with its number of pairs,
        instead of a pool.
    """
    check_seconds(seconds_per_judgment)
    if per_run is not None:
        check_writable(per_run)
    result = call("reading runs")
    if stratifications:
        show(result, result.stratifications(), **out)
        print_notices(result)
        return
    show(result, **out)
    if per_run is not None:
        write_whole(per_run, result.per_run().write_csv())
    costs = [*_cost(result, seconds_per_judgment), *_errors(result), *_per_topic(result), ""]
    rows = MOST_LINES - len(costs) - len(result.notices.lines())
    say([*costs, *_per_run(result, max(5, rows))])
    print_notices(result)


def check_seconds(seconds: float) -> None:
    """Raise a ValueError if the time is not positive."""
    if not 0 < seconds < float("inf"):
        raise ValueError(f"--seconds-per-judgment must be more than 0, not {seconds}")


def _cost(made: "Pooled", seconds: float) -> list[str]:
    n = len(made.pool)
    n_topics = len(made.runs.pairs.topics)
    line = (
        f"{made.pool.strategy}: {n:,} pairs of {n_topics} topics from {len(made.runs.names)} runs"
    )
    lines = [f"{line}; judging takes {_hours(n * seconds)} at {seconds:g} seconds each"]
    if made.n_judged:
        left = _hours((n - made.n_judged) * seconds)
        lines.append(f"{made.n_judged:,} of them are already judged; the others take {left}")
    return lines


def _errors(made: "Pooled") -> list[str]:
    """Return the expected error by the number of judgments, as bars of text."""
    from leadline.completions.sample import FEWEST_DRAWN

    if not made.expected_errors:
        return []
    most = max(made.expected_errors.values())
    guess = "from the judgments so far"
    if made.pool.n_batches == 1:
        highest = made.judgments.max_grade
        guess = f"assuming typical gains with highest grade {highest}, since nothing is judged yet"
    lines = [f"expected standard error of {made.error_of}, {guess}:"]
    for n, error in made.expected_errors.items():
        lines.append(f"{n:8,} judgments  {error:.4f}  {'#' * max(1, round(40 * error / most))}")
    if min(made.expected_errors) < FEWEST_DRAWN:
        lines.append(
            f"below {FEWEST_DRAWN} judgments, estimate -e ModelAssisted gives anytime-valid "
            "intervals only"
        )
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


def _per_run(made: "Pooled", most: int) -> list[str]:
    """Return a table in plain text of at most `most` lines.

    If not all runs fit, those come first whose group alone contributes most.
    """
    runs = made.per_run()
    n = len(runs)
    if n + 1 > most:
        runs = runs.sort("alone", descending=True, maintain_order=True).head(most - 2)
    wide = max(3, *(len(name) for name in runs["run"]))
    lines = [f"{'run':{wide}}  pooled  only by its group"]
    for run, _, pairs, alone in runs.iter_rows():
        lines.append(f"{run:{wide}}  {pairs:6}  {alone:18}")
    if n > len(runs):
        lines.append(f"... and {n - len(runs)} more runs: --per-run FILE writes all")
    return lines
