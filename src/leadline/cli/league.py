"""`leadline league`."""

from pathlib import Path
from typing import Annotated

from leadline.cli.options import Argument, Option
from leadline.cli.output import FormatOption, emit, progress, say, say_notices
from leadline.cli.workers import SchedulerOption, WorkersOption, workforce


def league(
    collections: Annotated[
        list[str],
        Argument(
            metavar="COLLECTION...",
            help="Collection folders, simulated/mixed, simulated/families or simulated/newcomer.",
            show_default=False,
        ),
    ],
    task: Annotated[
        list[str] | None,
        Option(
            help="shallow, newcomer, scores, best, five, cheap or diversity (a to f); else all."
        ),
    ] = None,
    measure: Annotated[
        list[str] | None, Option("-m", "--measure", help="Instead of the task's own.")
    ] = None,
    budget: Annotated[
        list[int] | None,
        Option(help="Depths of pools or numbers of judgments, instead of the task's own."),
    ] = None,
    method: Annotated[
        list[str] | None, Option(help="Only these, by the names of the column method.")
    ] = None,
    entrant: Annotated[
        list[Path] | None, Option(help="A Python file that registers an entrant of yours.")
    ] = None,
    draws: Annotated[int, Option(help="How often each cell is played.")] = 5,
    share: Annotated[float, Option(help="Of the topics, in a draw.")] = 0.5,
    runs: Annotated[int, Option(help="The most runs in a draw.")] = 24,
    topics: Annotated[int, Option(help="The most topics in a draw.")] = 25,
    workers: WorkersOption = 1,
    scheduler: SchedulerOption = None,
    seed: Annotated[int, Option(help="Of all draws.")] = 0,
    form: FormatOption = None,
    output: Annotated[
        Path | None,
        Option(
            "-o",
            "--output",
            metavar="FOLDER",
            help="Where tables, page and history are written, and what was played is kept.",
        ),
    ] = None,
) -> None:
    """Every method asked the same questions on collections of which the truth is known."""
    from leadline.lab.league import league as verb

    with workforce(workers, scheduler) as force, progress("playing the league") as advance:
        result = verb(
            collections,
            task=task,
            measures=measure or (),
            budgets=budget or (),
            methods=method or (),
            entrant=entrant or (),
            draws=draws,
            share=share,
            runs=runs,
            topics=topics,
            scheduler=force,
            seed=seed,
            folder=output,
            progress=advance,
        )
    if output is None:
        emit(result, form, None)
    say(result.lines())
    say_notices(result)
    if output is not None:
        n = len(result.refused["method"].unique())
        say([f"{n} methods could not answer some questions: refused.csv says why"] if n else [])
        say([f"wrote {len(result.files)} files in {output}: open {output / 'league.html'}"])
