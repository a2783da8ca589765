"""Docstrings as the site shows them: parameters as a list, examples as blocks of code."""

import re
from typing import Any

from griffe import Extension, Object

PARAMETER = re.compile(r"^((?:\w+)(?:, \w+)*): (?=\S)")


def as_markdown(text: str) -> str:
    """Our docstrings' plain text in Markdown.

    >>> as_markdown("Sums.\\n\\na, b: numbers.\\n\\n>>> 1 + 1\\n2").split("\\n\\n")
    ['Sums.', '- **a, b**: numbers.', '```pycon\\n>>> 1 + 1\\n2\\n```']
    """
    paragraphs = []
    for paragraph in re.split(r"\n{2,}", text):
        lines = paragraph.split("\n")
        if lines[0].startswith(">>>"):
            paragraph = "\n".join(["```pycon", *lines, "```"])
        elif PARAMETER.match(lines[0]):
            paragraph = "\n".join(PARAMETER.sub(r"- **\1**: ", line) for line in lines)
        elif lines[0].startswith("Formula: "):
            paragraph = f"Formula: `{' '.join(map(str.strip, lines))[len('Formula: ') :]}`"
        paragraphs.append(paragraph)
    return "\n\n".join(paragraphs)


class Docstrings(Extension):
    """Turns every docstring before it is shown."""

    def on_object(self, *, obj: Object, **kwargs: Any) -> None:
        """Called once for every function, class, method and module."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)
