"""`leadline list`."""

from typing import TYPE_CHECKING, Annotated

import typer

from leadline.cli.output import FormatOption, OutputOption, emit

if TYPE_CHECKING:
    from rich.console import RenderableType


def add_to(app: typer.Typer) -> None:
    """Make the verb known."""
    app.command("list")(list_registered)


def list_registered(
    kind: Annotated[
        str | None,
        typer.Argument(
            help="measures, pools, orders, stops, estimators, adjusters, tests, experiments; "
            "all without it."
        ),
    ] = None,
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """What is registered: names with their parameters and what they mean."""
    from leadline.verbs.listing import listing

    frame = listing(kind)

    def table() -> "RenderableType":
        import polars as pl

        from leadline.presentation.terminal.tables import plain_table

        name = pl.when(pl.col("parameters") == "").then(pl.col("name"))
        shown = frame.select(
            name=name.otherwise(pl.format("{}({})", "name", "parameters")), meaning="description"
        )
        return plain_table(shown)

    emit(frame.drop("formula"), table, form, output)
