"""`leadline list`."""

from typing import Annotated

from leadline.cli.output import FormatOption, OutputOption, emit
from leadline.cli.parameters import Argument


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
    from leadline.verbs.listing import listing as verb

    emit(verb(kind), form, output)
