"""`leadline list`."""

from typing import Annotated

from leadline.cli.options import Argument
from leadline.cli.output import FormatOption, OutputOption, emit


def list_registered(
    kind: Annotated[
        str | None,
        Argument(
            help="measures, pools, orders, stops, estimators, adjusters, tests, experiments; "
            "all without it."
        ),
    ] = None,
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """What is registered: names with their parameters and what they mean."""
    from leadline.listing import listing as verb

    emit(verb(kind), form, output)
