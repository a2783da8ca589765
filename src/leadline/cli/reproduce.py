"""`leadline reproduce`."""

from pathlib import Path
from typing import TYPE_CHECKING

from leadline.cli.command import Call
from leadline.cli.output import say

if TYPE_CHECKING:
    from leadline.lab.reproduce import Reproduction


def reproduce(call: Call["Reproduction"]) -> None:
    """Reproduce a paper's tables and figures on a collection."""
    result = call(f"reproducing {call.given['paper']}")
    say(result.lines)
    done = "found unchanged" if result.cached else "wrote"
    folder = Path(call.given["folder"])
    say([f"{done} {len(result.files)} files in {folder}: open {folder / 'report.html'}"])
