"""`leadline compare`."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from leadline.cli.evaluate import (
    InputArgument,
    LenientOption,
    MapGradeOption,
    Ranks,
    RanksOption,
    TopicsOption,
    grade_map,
)
from leadline.cli.output import Format, OutputOption, emit, progress, say
from leadline.cli.pool import split_or_none
from leadline.files.whole_file import whole_file, write_whole

if TYPE_CHECKING:
    from rich.console import RenderableType

    from leadline.verbs.compare import Compared


class Basis(StrEnum):
    """What the run that is behind is given."""

    base = "base"
    top = "top"
    projected = "projected"
    both_projected = "both-projected"


class Correct(StrEnum):
    """How p-values allow for the number of pairs."""

    holm = "holm"
    bh = "bh"
    none = "none"


class Shape(StrEnum):
    """How to print rows; latex and markdown are tables of runs for papers."""

    table = "table"
    csv = "csv"
    json = "json"
    latex = "latex"
    markdown = "markdown"


def add_to(app: typer.Typer) -> None:
    """Make the verb known."""
    app.command("compare")(compare)


def compare(
    inputs: InputArgument,
    measure: Annotated[
        list[str] | None,
        typer.Option("-m", "--measure", help="RBP(p=0.8) unless you say. Repeat it for several."),
    ] = None,
    test: Annotated[
        str,
        typer.Option(
            help="wilcoxon, t, sign, randomisation, bootstrap or tukey; leadline list tests."
        ),
    ] = "wilcoxon",
    basis: Annotated[
        Basis, typer.Option(help="What the run that is behind is given: base, top or projected.")
    ] = Basis.base,
    tails: Annotated[int, typer.Option(help="1: is the run that is ahead better; 2: differ.")] = 2,
    correct: Annotated[Correct, typer.Option(help="Allow for the number of pairs.")] = Correct.holm,
    level: Annotated[float, typer.Option(help="Corrected p below this is significant.")] = 0.05,
    baseline: Annotated[
        str | None, typer.Option(help="Compare every other run with this one only.")
    ] = None,
    details: Annotated[
        bool,
        typer.Option(
            "--details", help="Effect sizes, intervals over topics, what would be needed."
        ),
    ] = False,
    tiers: Annotated[
        bool, typer.Option("--tiers", help="Runs with their tiers instead of pairs.")
    ] = False,
    chart: Annotated[
        Path | None,
        typer.Option(
            help="Draw a critical-difference diagram: .svg, .png, .html or .json.", dir_okay=False
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Where chance plays a part: the draw.")] = 0,
    topics: TopicsOption = None,
    pool: Annotated[
        Path | None, typer.Option(help="Only judgments in this pool (csv of leadline pool).")
    ] = None,
    ranks: RanksOption = Ranks.score,
    lenient: LenientOption = False,
    map_grade: MapGradeOption = None,
    output: OutputOption = None,
    form: Annotated[
        Shape | None,
        typer.Option("--format", help="table for a terminal, csv when piped, unless you say."),
    ] = None,
) -> None:
    """Which differences between runs to trust: tests, joint intervals, reasons for doubt."""
    from leadline.verbs.compare import DEFAULT, compare_runs

    qrels, runs = split_or_none(inputs)
    if tails not in (1, 2):
        raise ValueError(f"--tails must be 1 or 2, not {tails}")
    with progress("reading runs") as advance:
        result = compare_runs(
            qrels,
            runs,
            measure or [DEFAULT],
            test=test,
            basis=basis.value,
            tails=1 if tails == 1 else 2,
            correct=correct.value,
            level=level,
            baseline=baseline,
            seed=seed,
            topics=topics,
            pool=pool,
            ranks=ranks.value,
            lenient=lenient,
            map_grades=grade_map(map_grade),
            progress=advance,
        )
    if chart is not None:
        _draw(result, chart)
    if form is None and output is not None:
        form = {".tex": Shape.latex, ".md": Shape.markdown}.get(output.suffix)
    if form in (Shape.latex, Shape.markdown):
        _write_paper_table(result, form, output)
    else:
        with progress("counting judgments") as advance:
            frame = result.tier_frame() if tiers else result.frame(details, advance)

        def table() -> "RenderableType":
            from leadline.presentation.terminal.pairs_table import (
                details_table,
                pairs_tables,
                tiers_table,
            )

            if tiers:
                return tiers_table(frame)
            if details:
                return details_table(frame)
            return pairs_tables(list(result.pairs.values()))

        emit(frame, table, None if form is None else Format(form.value), output)
    say(summary(result))
    say(result.notices.lines())


def _write_paper_table(result: "Compared", form: Shape, output: Path | None) -> None:
    from leadline.presentation.terminal.paper_tables import latex, markdown

    made = (latex if form is Shape.latex else markdown)(list(result.pairs.values()))
    if output is None:
        sys.stdout.write(made)
        return
    write_whole(output, made)


def _draw(result: "Compared", chart: Path) -> None:
    from leadline.presentation.charts.critical_difference import critical_difference
    from leadline.presentation.pages.html import can_draw

    kinds: dict[str, Literal["svg", "png", "html", "json"]]
    kinds = {".svg": "svg", ".png": "png", ".html": "html", ".json": "json"}
    if chart.suffix not in kinds:
        raise ValueError(f"{chart}: a chart ends in {', '.join(kinds)}")
    if not can_draw():
        raise ValueError("--chart needs altair and vl-convert: pip install 'leadline[charts]'")
    if len(result.pairs) > 1:
        raise ValueError("--chart draws one measure: name one with -m")
    drawn = critical_difference(next(iter(result.pairs.values())))
    with whole_file(chart) as path:
        drawn.save(str(path), format=kinds[chart.suffix])


def summary(result: "Compared") -> list[str]:
    """How many of the pairs are told apart, by the test and by the judgments."""
    lines = []
    for name, pairs in result.pairs.items():
        n = len(pairs.first)
        what = "pair" if n == 1 else "pairs"
        certain = int(pairs.joint.certain[pairs.first, pairs.second].sum())
        lines.append(
            f"{name}: {int(pairs.significant.sum()):,} of {n:,} {what} differ significantly "
            f"({pairs.test}, {pairs.tails}-tailed, {pairs.correct}, level {pairs.level:g}); "
            f"the sign of {certain:,} is certain whatever is judged; "
            f"{sum(map(bool, pairs.trust)):,} not to be trusted as they stand"
        )
    return lines
