"""`leadline correlate`."""

from typing import TYPE_CHECKING, Annotated

import typer

from leadline.cli.output import FormatOption, OutputOption, emit, say

if TYPE_CHECKING:
    from rich.console import RenderableType


def add_to(app: typer.Typer) -> None:
    """Make the verb known."""
    app.command("correlate")(correlate)


def correlate(
    scores_a: Annotated[
        str,
        typer.Argument(
            metavar="SCORES_A",
            help="Scores as leadline evaluate or estimate write them; the truth, where one is.",
        ),
    ],
    scores_b: Annotated[str, typer.Argument(metavar="SCORES_B", help="The other scores.")],
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help="Where tables hold several: once for both, or once for each.",
        ),
    ] = None,
    estimator: Annotated[
        list[str] | None,
        typer.Option("-e", "--estimator", help="The same for estimators."),
    ] = None,
    p: Annotated[float, typer.Option(help="Persistence of rank-biased overlap.")] = 0.9,
    k: Annotated[int, typer.Option(help="How many runs are leaders.")] = 10,
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """How far two evaluations order the runs alike: correlations, overlap, drops of leaders."""
    from leadline.verbs.correlate import correlate_scores

    result = correlate_scores(scores_a, scores_b, measure=measure, estimator=estimator, p=p, k=k)
    frame = result.frame()

    def table() -> "RenderableType":
        import polars as pl

        from leadline.comparison.correlation import COUNTS
        from leadline.presentation.terminal.tables import plain_table

        texts = [
            "" if value is None else f"{value:.0f}" if name in COUNTS else f"{value:.4f}"
            for name, value in frame.iter_rows()
        ]
        return plain_table(frame.with_columns(value=pl.Series(texts)))

    emit(frame, table, form, output)
    say(result.notices.lines())
