"""`leadline explain`."""

from typing import TYPE_CHECKING, Unpack

from leadline.cli.command import Call
from leadline.cli.output import ChartOutput, print_notices, say, show

if TYPE_CHECKING:
    from leadline.api.explain import Explanation


WORDS = 5
"""Default number of words for each rank; Python returns all."""


def explain(call: Call["Explanation"], **out: Unpack[ChartOutput]) -> None:
    """Show the words behind a score, for measures that read documents."""
    result = call("reading documents", words=call.given.get("words", WORDS))
    show(result, **out)
    print_notices(result)
    measure, run, topic = (call.value(name) for name in ("measure", "run", "topic"))
    say([f"{measure} of {run} on topic {topic}: {result.score:.4f}"])
