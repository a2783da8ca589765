"""`leadline correlate`."""

from typing import TYPE_CHECKING, Unpack

from leadline.cli.command import Call
from leadline.cli.output import ChartOutput, print_notices, show

if TYPE_CHECKING:
    from leadline.api.correlate import Correlation


def correlate(call: Call["Correlation"], **out: Unpack[ChartOutput]) -> None:
    """Compare two rankings of runs: correlations, overlap, drops of the leaders."""
    result = call()
    show(result, **out)
    print_notices(result)
