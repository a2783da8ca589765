"""`leadline list`."""

from typing import Annotated

import typer

from leadline.cli.output import FormatOption, OutputOption, emit


def add_to(app: typer.Typer) -> None:
    """Make the verb known."""
    app.command("list")(list_registered)


def list_registered(
    kind: Annotated[
        str | None, typer.Argument(help="measures, pools, orders, stops; all without it.")
    ] = None,
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """What is registered: names with their parameters and what they mean."""
    from leadline.verbs.listing import listing

    frame = listing(kind)

    def table() -> object:
        import polars as pl

        from leadline.report.tables import plain_table

        name = pl.when(pl.col("parameters") == "").then(pl.col("name"))
        shown = frame.select(
            name=name.otherwise(pl.format("{}({})", "name", "parameters")), meaning="description"
        )
        return plain_table(shown)

    emit(frame.drop("formula"), table, form, output)  # type: ignore[arg-type]
