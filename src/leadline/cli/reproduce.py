"""`leadline reproduce`."""

from pathlib import Path
from typing import Annotated

from leadline.cli.options import Argument, Option
from leadline.cli.output import progress, say
from leadline.cli.workers import SchedulerOption, WorkersOption, workforce


def reproduce(
    paper: Annotated[str, Argument(metavar="PAPER", help="One of `leadline list experiments`.")],
    collection: Annotated[
        Path, Argument(metavar="COLLECTION", help="A collection folder.", show_default=False)
    ],
    output: Annotated[
        Path, Option("-o", "--output", help="The folder to write to.", show_default=False)
    ],
    workers: WorkersOption = 1,
    scheduler: SchedulerOption = None,
    quick: Annotated[
        bool, Option("--quick", help="Fewer repeats; the same runs, topics and tables.")
    ] = False,
    reference_depth: Annotated[
        int | None, Option(help="Depth of the pool that counts as the truth.")
    ] = None,
    groups: Annotated[
        Path | None, Option(help="A table of groups to use instead of groups.tsv.")
    ] = None,
    newcomers: Annotated[
        str | None, Option(help="Type of the runs that count as new, or their names.")
    ] = None,
    seed: Annotated[int, Option(help="For what is drawn at random.")] = 0,
) -> None:
    """A paper's tables and figures on a collection, with what the paper printed beside them."""
    from leadline.lab.reproduce import reproduce as verb

    with workforce(workers, scheduler) as force, progress(f"reproducing {paper}") as advance:
        result = verb(
            paper,
            collection,
            output,
            quick=quick,
            seed=seed,
            reference_depth=reference_depth,
            groups=groups,
            newcomers=newcomers,
            scheduler=force,
            progress=advance,
        )
    say(result.lines)
    done = "found unchanged" if result.cached else "wrote"
    say([f"{done} {len(result.files)} files in {output}: open {output / 'report.html'}"])
