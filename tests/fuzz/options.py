"""A target for the command line: any option of any verb ends in 0, 1, 2 or 3, never in 70."""

import os
import tempfile
from pathlib import Path

from tests.cli.program import call, verb_commands
from tests.fuzz.target import target

VERBS = (
    "evaluate",
    "lint",
    "list",
    "pool",
    "next",
    "estimate",
    "adjust",
    "compare",
    "correlate",
    "explain",
)
"""Those that write nothing unless told, start nothing and end soon."""
OUTPUTS = {"output", "qrels_out", "chart", "ledger", "statistics", "interactive", "traceback"}
FILES = {
    "qrels": b"1 0 a 1\n1 0 b 0\n2 0 c 2\n",
    "x.run": b"1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n2 Q0 d 1 1 x\n",
    "y.run": b"1 Q0 c 1 3 y\n2 Q0 c 2 2 y\n2 Q0 a 3 1 y\n",
    "s.csv": b"run,value\na,0.5\nb,0.25\n",
    "docs.jsonl": b'{"id": "a", "text": "fog"}\n',
}
COMMANDS = verb_commands()


def _inputs(verb: str) -> list[str]:
    return {
        "list": [],
        "lint": ["qrels", "x.run"],
        "correlate": ["s.csv", "s.csv"],
        "adjust": ["qrels", "x.run", "--new", "y.run"],
        "explain": ["qrels", "x.run", "--run", "x", "--topic", "1"],
    }.get(verb, ["qrels", "x.run", "y.run"])


def arguments(data: bytes) -> list[str]:
    """A command from bytes: the verb, then options each with a value from the text."""
    verb = VERBS[data[0] % len(VERBS)]
    options = [
        each
        for each in COMMANDS[verb].params
        if each.param_type_name == "option" and each.name not in OUTPUTS and each.name != "help"
    ]
    made = [verb, *_inputs(verb)]
    if not options:
        return [*made, os.fsdecode(data[1:].replace(b"\0", b"").replace(b"/", b""))]
    for part in data[1:].split(b"\n")[:4]:
        option = options[part[0] % len(options)] if part else options[0]
        made.append(option.opts[-1])
        if not option.is_flag:
            # No path leads out of the folder, and no argument holds a NUL byte.
            made.append(os.fsdecode(part[1:].replace(b"\0", b"").replace(b"/", b"")))
    return made


_FOLDER = tempfile.TemporaryDirectory(prefix="fuzz")


@target("options", share=1)
def options(data: bytes) -> None:
    """Any value of any option: done, refused, undecided; never an error of our own."""
    if not data:
        return
    folder = Path(_FOLDER.name)
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    before = Path.cwd()
    os.chdir(folder)
    try:
        result = call(*arguments(data))
    finally:
        os.chdir(before)
    assert result.code in (0, 1, 2, 3), (arguments(data), result.code, result.err[-300:])
    assert "codec can't" not in result.err, (arguments(data), result.err[-300:])
    assert "Traceback" not in result.err, (arguments(data), result.err[-300:])
    assert {path.name for path in folder.iterdir()} == set(FILES), "something was written"
