"""Documents as companies have them, in a browser: fields, images, right to left, long."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.app.axe import check
from tests.app.browser import Browser, document, needs_chromium, press, until
from tests.app.projects import small
from tests.app.server import Server, serving

pytestmark = needs_chromium
DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
HITS = 35_000
LONG = ("tides and so on, as it goes. " * HITS).strip()
"""More than a million characters."""
TEMPLATE = """title: {title}
Price: {metadata.price} EUR
image: {metadata.picture}
link: {metadata.url}
text: {text}"""
TOPICS = """<top>
<num> Number: 1
<title> tides of the sea
<desc> Description: What makes the water rise?
</top>
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = small(
        tmp_path_factory.mktemp("shown") / "shop",
        order="MoffatA(p=0.8)",
        stop="",
        topics="topics.txt",
        documents="corpus.jsonl",
        template=TEMPLATE,
        images="images",
        assessors_per_document=10,
    )
    metadata = {"price": 80, "picture": "dot.png", "url": "https://shop.example/1"}
    rows: list[dict[str, Any]] = [
        {"_id": "d1", "title": "Anchor", "text": "It holds.", "metadata": metadata},
        {
            "_id": "d2",
            "title": "\u05d2\u05d0\u05d5\u05ea",
            "text": "\u05d2\u05dc\u05d9\u05dd\nwaves",
        },
        {"_id": "d3", "title": "", "text": ""},
        {"_id": "d4", "title": "Long", "text": LONG},
    ]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "topics.txt").write_text(TOPICS)
    (folder / "images").mkdir()
    (folder / "images" / "dot.png").write_bytes(DOT)
    with serving(folder) as found:
        yield found


def _open(browser: Browser, server: Server, doc: str) -> Any:
    """Somebody's page, gone on to this document."""
    page = browser.open(server, f"reader of {doc}")
    for _ in range(4):
        if document(page) == doc:
            return page
        press(page, "s")
    raise AssertionError(doc)


def test_fields_image_and_link_by_the_template(browser: Browser, server: Server) -> None:
    page = _open(browser, server, "d1")
    assert page.locator("#query").text_content() == "tides of the sea"
    assert page.locator("#doc-title").text_content() == "Anchor"
    assert page.locator(".fields").text_content() == "Price80 EUR"
    until(lambda: page.evaluate("() => document.querySelector('#doc-extras img').naturalWidth") > 0)
    assert page.locator("#doc-extras img").get_attribute("alt") == "Image of Anchor"
    assert page.locator("#doc-link").get_attribute("href") == "https://shop.example/1"
    check(page, "fields")


def test_right_to_left_by_itself_and_each_line_for_itself(browser: Browser, server: Server) -> None:
    page = _open(browser, server, "d2")
    ways = page.evaluate(
        "() => ['doc-title', 'query'].map(id =>"
        " getComputedStyle(document.getElementById(id)).direction)"
    )
    assert ways == ["rtl", "ltr"]
    # The Hebrew line begins at the right edge, the English one below it at the left.
    edges = page.evaluate(
        """() => {
          const box = document.getElementById("text"), whole = box.getBoundingClientRect();
          const node = box.querySelector("span").firstChild, at = node.data.indexOf("\\n");
          return [[0, at], [at + 1, node.length]].map(([from, to]) => {
            const range = document.createRange();
            range.setStart(node, from); range.setEnd(node, to);
            const line = range.getBoundingClientRect();
            return [line.left - whole.left, whole.right - line.right];
          });
        }"""
    )
    assert edges[0][1] < 2 < edges[0][0]
    assert edges[1][0] < 2 < edges[1][1]


def test_an_empty_document_is_said_to_be_empty_and_can_be_judged(
    browser: Browser, server: Server
) -> None:
    page = _open(browser, server, "d3")
    assert "This document is empty" in str(page.locator("#text").text_content())
    assert page.locator("#doc-title").text_content() == "d3"
    check(page, "empty")
    press(page, "0")
    assert "for d3" in str(page.locator("#status").text_content())


def test_a_megabyte_with_35000_hits_comes_in_windows(browser: Browser, server: Server) -> None:
    page = _open(browser, server, "d4")
    shown = len(str(page.locator("#text > span").first.text_content()))
    assert 49_000 < shown <= 50_000
    # What is out of sight is not laid out: otherwise all of it would be, with every part anew.
    laid_out = "() => getComputedStyle(document.querySelector('#text > span')).contentVisibility"
    assert page.evaluate(laid_out) == "auto"
    marks = page.locator("#text mark").count()
    assert abs(marks - shown * HITS / len(LONG)) <= 1
    assert f"of {len(LONG):,} characters" in str(page.locator("#read-on").text_content())
    page.locator("#read-on").click()
    page.locator("#text > span").nth(1).wait_for()
    assert page.locator("#text mark").count() > 1.9 * marks
    page.keyboard.press("f")
    page.keyboard.insert_text("tides")
    until(lambda: "1 of 5000 or more" in str(page.locator("#find-count").text_content()))
    assert page.locator("#read-on").count() == 0
    assert page.evaluate("() => document.getElementById('text').textContent.length") == len(LONG)
