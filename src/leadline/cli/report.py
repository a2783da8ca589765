"""`leadline report`."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from leadline.cli.evaluate import (
    LenientOption,
    MapGradeOption,
    Ranks,
    RanksOption,
    TopicsOption,
    grade_map,
)
from leadline.cli.output import OutputOption, progress, say
from leadline.cli.pool import RunsArgument, split_or_none
from leadline.files.whole_file import check_writable, write_whole


def add_to(app: typer.Typer) -> None:
    """Make the verb known."""
    app.command("report")(report)


def report(
    inputs: RunsArgument,
    measure: Annotated[
        list[str] | None,
        typer.Option("-m", "--measure", help="Repeat it for several: -m AP -m 'RBP(p=0.8)'."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="The page's heading.")] = None,
    test: Annotated[
        str, typer.Option(help="The significance test; leadline list tests shows all.")
    ] = "wilcoxon",
    correct: Annotated[
        str, typer.Option(help="Allow for the number of pairs: holm, bh or none.")
    ] = "holm",
    level: Annotated[float, typer.Option(help="p below this is significant.")] = 0.05,
    pool: Annotated[
        Path | None, typer.Option(help="Only judgments in this pool (csv of leadline pool).")
    ] = None,
    pool_depth: Annotated[
        int | None,
        typer.Option(help="The depth to which the runs were pooled, if the judgments do not show."),
    ] = None,
    estimates: Annotated[
        list[Path] | None,
        typer.Option(help="A csv of leadline estimate, to compare orderings. Repeat it."),
    ] = None,
    seed: Annotated[int, typer.Option(help="For tests that draw at random.")] = 0,
    topics: TopicsOption = None,
    ranks: RanksOption = Ranks.score,
    lenient: LenientOption = False,
    map_grade: MapGradeOption = None,
    output: OutputOption = None,
) -> None:
    """One self-contained page: leaderboard, intervals, tests, topics, what to judge next."""
    from leadline.verbs.evaluate import DEFAULT
    from leadline.verbs.report import make_report

    if output is None and sys.stdout.isatty():
        raise ValueError("a page is no reading for a terminal: name a file with -o report.html")
    if output is not None:
        check_writable(output)
    qrels, runs = split_or_none(inputs)
    with progress("reading, then comparing") as advance:
        made = make_report(
            qrels,
            runs,
            measure or DEFAULT,
            title=title,
            test=test,
            correct=correct,
            level=level,
            pool=pool,
            pool_depth=pool_depth,
            estimates=estimates or [],
            topics=topics,
            seed=seed,
            command=shlex.join(["leadline", *sys.argv[1:]]),
            reading=advance,
            progress=advance,
            ranks=ranks.value,
            lenient=lenient,
            map_grades=grade_map(map_grade),
        )
    say(made.notices.lines())
    if output is None:
        sys.stdout.write(made.page)
        sys.stdout.flush()
        return
    write_whole(output, made.page)
    say([f"wrote {output}, {len(made.page.encode()) / 1e6:.1f} MB: open it in a browser"])
