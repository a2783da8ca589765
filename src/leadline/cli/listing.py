"""`leadline list`."""

from typing import TYPE_CHECKING, Unpack

from leadline.cli.command import Call
from leadline.cli.output import TableOutput, show

if TYPE_CHECKING:
    from leadline.listing import Registered


def listing(call: Call["Registered"], **out: Unpack[TableOutput]) -> None:
    """List measures, estimators, orders and other methods with their parameters."""
    show(call(), **out)
