"""`leadline list`."""

from typing import Annotated

import typer

from leadline.cli.output import FormatOption, OutputOption, emit


def add_to(app: typer.Typer) -> None:
    """Make the verb known."""
    app.command("list")(list_registered)


def list_registered(
    kind: Annotated[str | None, typer.Argument(help="measures, pools; all without it.")] = None,
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """What is registered: names with their parameters and what they mean."""
    from leadline.verbs.listing import listing

    frame = listing(kind)

    def table() -> object:
        from leadline.report.tables import plain_table

        return plain_table(frame.drop("kind") if kind else frame)

    emit(frame.drop("formula"), table, form, output)  # type: ignore[arg-type]
