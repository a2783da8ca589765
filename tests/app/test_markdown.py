"""Markdown as plain nodes: known tags only, and no markup that it did not make itself."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.app.document_cache import TAGS, tree


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("", []),
        ("# A\n\nb", [["h1", ["A"]], ["p", ["b"]]]),
        ("a\nb", [["p", ["a", "\nb"]]]),
        ("- a\n- b", [["ul", [["li", ["a"]], ["li", ["b"]]]]]),
        ("`x` *y*", [["p", [["code", ["x"]], " ", ["em", ["y"]]]]]),
        ("```\n<b>\n```", [["pre", ["<b>\n"]]]),
        ("a\n\n---\n\nb", [["p", ["a"]], ["hr", []], ["p", ["b"]]]),
        ("[go](javascript:x())", [["p", ["[go](javascript:x())"]]]),
        ("[go](https://host)", [["p", ["go"]]]),
        ("<script>x()</script>", [["p", ["<script>x()</script>"]]]),
    ],
)
def test_what_a_text_becomes(text: str, nodes: list[Any]) -> None:
    assert tree(text) == nodes


def test_a_table_is_a_table() -> None:
    (table,) = tree("|a|b|\n|-|-|\n|1|2|\n")
    assert table == [
        "table",
        [
            ["thead", [["tr", [["th", ["a"]], ["th", ["b"]]]]]],
            ["tbody", [["tr", [["td", ["1"]], ["td", ["2"]]]]]],
        ],
    ]


def check(node: Any) -> None:
    if isinstance(node, str):
        return
    tag, inside = node
    assert tag in TAGS
    for each in inside:
        check(each)


@settings(max_examples=100)
@given(st.text("ab*_`#>-+|[]()!<>/\\\n 1.&;:", max_size=60))
def test_whatever_is_written_has_known_tags_only(text: str) -> None:
    for node in tree(text):
        check(node)
