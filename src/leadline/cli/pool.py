"""`leadline pool`."""

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leadline.cli.evaluate import LenientOption, Ranks, RanksOption, TopicsOption, split_input
from leadline.cli.output import FormatOption, OutputOption, emit, progress, say

if TYPE_CHECKING:
    from rich.console import RenderableType

    from leadline.verbs.pool import Pooled

MANY_TOPICS = 100
"""More are summed up instead of listed."""

RunsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT",
        help="QRELS RUN..., none RUN... where nothing is judged yet, or one collection folder. "
        "A run may be a file, a glob, a folder or -.",
    ),
]


def add_to(app: typer.Typer) -> None:
    """Make the verb known."""
    app.command("pool")(pool)


def pool(
    inputs: RunsArgument,
    strategy: Annotated[
        str, typer.Option("-s", "--strategy", help="leadline list pools shows all.")
    ] = "Depth(d=10)",
    seed: Annotated[int, typer.Option(help="Where chance plays a part: the draw.")] = 0,
    undrawn: Annotated[
        bool,
        typer.Option("--undrawn", help="Also the pairs that chance left out, with a column drawn."),
    ] = False,
    seconds_per_judgment: Annotated[
        float, typer.Option(help="How long an assessor takes, to tell what the pool would cost.")
    ] = 30.0,
    topics: TopicsOption = None,
    ranks: RanksOption = Ranks.score,
    lenient: LenientOption = False,
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """Which pairs of topic and document to judge, and what each run adds to them."""
    from leadline.verbs.pool import make_pool

    if not 0 < seconds_per_judgment < float("inf"):
        raise ValueError(f"--seconds-per-judgment must be more than 0, not {seconds_per_judgment}")
    qrels, runs = split_or_none(inputs)
    with progress("reading runs") as advance:
        made = make_pool(
            qrels,
            runs,
            strategy,
            seed=seed,
            topics=topics,
            ranks=ranks.value,
            lenient=lenient,
            progress=advance,
        )
    frame = made.frame(undrawn)

    def table() -> "RenderableType":
        from leadline.presentation.terminal.tables import plain_table

        return plain_table(frame)

    emit(frame, table, form, output)
    say([*_cost(made, seconds_per_judgment), *_per_topic(made), "", *_per_run(made)])
    say(made.notices.lines())


def split_or_none(inputs: list[str]) -> tuple[str | None, list[str] | None]:
    """Qrels and runs, where the word none stands for no qrels; or a folder and None."""
    first, runs = split_input(inputs)
    if runs is None and Path(first).exists() and not (Path(first) / "runs").is_dir():
        raise ValueError(
            f"{first}: is no collection folder, it holds no folder runs. "
            f"Give QRELS and RUNS, or where nothing is judged yet: none {first}"
        )
    if first != "none":
        return first, runs
    if runs is None:
        raise ValueError("none stands for missing qrels: name the runs after it")
    return None, runs


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
