"""Markdown as a tree of plain nodes, which a page builds without ever parsing HTML."""

from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

Node = str | list[Any]
"""Text, or a tag and what stands in it: ["p", ["one ", ["strong", ["two"]]]]."""

TEXT = ["p", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "code", "pre", "blockquote", "br"]
LISTS = ["ul", "ol", "li", "hr", "table", "thead", "tbody", "tr", "th", "td"]
TAGS = frozenset(TEXT + LISTS)


def tree(text: str) -> list[Node]:
    """The nodes of a text; markup that is not Markdown's own stays text.

    >>> tree("one **two**")
    [['p', ['one ', ['strong', ['two']]]]]
    >>> tree("<b onclick=x>no</b>")
    [['p', ['<b onclick=x>no</b>']]]
    """
    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    return _nodes(reader.parse(text))


def _nodes(tokens: list[Token]) -> list[Node]:
    root: list[Node] = []
    stack: list[list[Node]] = [root]
    for token in tokens:
        if token.nesting == 1:
            inside: list[Node] = []
            # A list's tight paragraphs are hidden; so is whatever is not known here.
            if token.hidden or token.tag not in TAGS:
                stack.append(stack[-1])
                continue
            stack[-1].append([token.tag, inside])
            stack.append(inside)
        elif token.nesting == -1:
            stack.pop()
        elif token.type == "inline":
            stack[-1].extend(_nodes(token.children or []))
        else:
            _leaf(token, stack[-1])
    return root


def _leaf(token: Token, into: list[Node]) -> None:
    if token.type in ("fence", "code_block"):
        into.append(["pre", [token.content]])
    elif token.type == "code_inline":
        into.append(["code", [token.content]])
    elif token.type == "softbreak":
        into.append("\n")
    elif token.tag in ("hr", "br"):
        into.append([token.tag, []])
    elif token.content:
        if into and isinstance(into[-1], str):
            into[-1] += token.content
        else:
            into.append(token.content)
