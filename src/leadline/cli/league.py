"""`leadline league`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from leadline.cli.command import Call
from leadline.cli.output import FORMAT, TableForm, emit, say, say_notices

if TYPE_CHECKING:
    from leadline.lab.league import League


def league(call: Call["League"], form: Annotated[TableForm | None, FORMAT] = None) -> None:
    """Every method asked the same questions on collections of which the truth is known."""
    result = call("playing the league")
    if "folder" not in call.given:
        emit(result, form, None)
    say(result.lines())
    say_notices(result)
    if "folder" in call.given:
        n = len(result.refused["method"].unique())
        say([f"{n} methods could not answer some questions: refused.csv says why"] if n else [])
        folder = Path(call.given["folder"])
        say([f"wrote {len(result.files)} files in {folder}: open {folder / 'league.html'}"])
