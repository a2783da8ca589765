"""What a terminal of some width shows."""

import io

from rich.console import Console


def text_of(what: object, width: int = 140) -> str:
    file = io.StringIO()
    Console(file=file, width=width).print(what)
    return file.getvalue()


def lines_of(what: object, width: int = 140) -> list[list[str]]:
    """The words of every line."""
    return [line.split() for line in text_of(what, width).splitlines()]
