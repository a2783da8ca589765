"""A whole campaign in a real browser: from a BEIR folder to the export, by four people."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.axe import check
from tests.app.browser import Browser, document, needs_chromium, until
from tests.app.pictures import everywhere
from tests.app.server import Server, serving
from tests.cli.program import command

pytestmark = needs_chromium
DOCS = {f"d{number}": f"Text {number} of ropes and whales." for number in range(6)}
TOPICS = {"q1": "ropes", "q2": "whales"}
PASSWORD = "a rope for the whale"


def beir_folder(folder: Path) -> Path:
    (folder / "runs").mkdir(parents=True)
    corpus = [{"_id": doc, "title": doc.upper(), "text": text} for doc, text in DOCS.items()]
    queries = [{"_id": topic, "text": text} for topic, text in TOPICS.items()]
    for name, rows in (("corpus.jsonl", corpus), ("queries.jsonl", queries)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    for run, docs in (("a", list(DOCS)), ("b", list(DOCS)[::-1])):
        lines = [
            f"{topic} Q0 {doc} {rank} {9 - rank} {run}\n"
            for topic in TOPICS
            for rank, doc in enumerate(docs)
        ]
        (folder / "runs" / f"{run}.txt").write_text("".join(lines))
    return folder


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    folder = beir_folder(tmp_path / "beir")
    options = ["--assessors", "2", "--merge", "adjudicated", "--order", "MoffatA(p=0.8)"]
    made = [*command(), "judge", "--init", str(folder), *options]
    subprocess.run(made, check=True, stdin=subprocess.DEVNULL, capture_output=True)
    with serving(folder, "--accounts", "--rate", "300") as found:
        yield found


def accept(browser: Browser, link: str) -> Any:
    context = browser.chromium.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(40_000)
    page = context.new_page()
    page.on("pageerror", lambda error: browser.complaints.append(str(error)))
    page.goto(link)
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("form button").click()
    page.locator("#doc-title").wait_for()
    return page


def view(page: Any, name: str) -> None:
    page.locator("#views a", has_text=name).click()


def answer(page: Any, key: str) -> str:
    """Press a grade's key until it is saved; the document."""
    doc = document(page)
    topic = page.locator("#topic-number").text_content()
    page.wait_for_timeout(200)
    page.keyboard.press(key)
    until(
        lambda: (
            page.locator("#feedback[open]").count() > 0
            or (page.locator("#topic-number").text_content(), _name(page)) != (topic, doc)
        )
    )
    return doc


def _name(page: Any) -> str:
    return str(page.locator("#doc-name").text_content())


def invite(boss: Any, name: str) -> str:
    boss.locator("#invite [name=name]").fill(name)
    boss.locator("#invite button").click()
    boss.locator("#invited", has_text=f"link to {name}").wait_for()
    return str(boss.locator("#invited code").text_content())


def test_a_campaign_from_a_beir_folder_to_its_export(browser: Browser, server: Server) -> None:
    boss = accept(browser, server.link())
    boss.goto(f"{server.address}/organise#accounts")
    boss.locator("#people td").first.wait_for()
    links = {name: invite(boss, name) for name in ("ann", "ben", "cat", "dan")}
    assert "invited, until" in str(boss.locator("#people tr", has_text="dan").text_content())
    everywhere(boss, "01 people invited")

    view(boss, "Topics")
    boss.locator("#topics input[value=q1]").check()
    boss.locator("#assign-people").select_option(["ann", "ben"])
    boss.locator("#assign button.primary").click()
    boss.locator("#topics tr", has_text="ann, ben").wait_for()
    boss.locator("#topics input[value=q2]").check()
    boss.locator("#assign-people").select_option(["cat"])
    boss.locator("#assign button.primary").click()
    boss.locator("#topics tr", has_text="cat").wait_for()
    everywhere(boss, "02 topics assigned")

    view(boss, "Gold questions")
    # What cannot be is said where the button is.
    for name, value in (("topic", "q1"), ("doc", "nowhere"), ("why", "It ties a knot.")):
        boss.locator(f"#gold-add [name={name}]").fill(value)
    boss.locator("#gold-add [name=use]").select_option("training")
    boss.locator("#gold-add button").click()
    boss.locator("#gold-list .near", has_text="No run returns").wait_for()
    everywhere(boss, "03 gold refused")
    boss.locator("#gold-add [name=doc]").fill("d0")
    boss.locator("#gold-add [name=grade]").select_option("3")
    boss.locator("#gold-add button").click()
    boss.locator("#gold tr", has_text="d0").wait_for()
    everywhere(boss, "04 gold questions")
    view(boss, "Messages")
    boss.locator("#message [name=text]").fill("Welcome to all")
    boss.locator("#message button").click()
    boss.locator("#messages", has_text="Welcome to all").wait_for()
    everywhere(boss, "05 messages")

    ann, ben = (accept(browser, links[name]) for name in ("ann", "ben"))
    for page, grade in ((ann, "0"), (ben, "3")):
        assert document(page) == "d0"
        page.locator("#message-text", has_text="Welcome to all").wait_for()
        everywhere(page, f"06 message to {grade}")
        page.locator("#message-close").click()
        answer(page, "0")
        page.locator("#feedback", has_text="It ties a knot.").wait_for()
        everywhere(page, f"07 feedback {grade}")
        page.locator("#feedback button").click()
        assert "Topic q1" in str(page.locator("#topic-number").text_content())
        answer(page, grade)
    ann.goto(f"{server.address}/mine")
    ann.locator("#mine td", has_text="Not relevant").wait_for()
    check(ann, "mine")
    ann.emulate_media(color_scheme="dark")
    check(ann, "mine, dark")
    ann.locator("#mine button.plain").first.click()
    ann.locator("#look-grades button", has_text="Partly").click()
    ann.locator("#mine td", has_text="Partly").wait_for()
    ann.locator("#mine button.plain").first.click()
    ann.locator("#look-grades button", has_text="Not relevant").click()
    ann.locator("#mine td", has_text="Not relevant").wait_for()
    cat = accept(browser, links["cat"])
    answer(cat, "1")
    everywhere(cat, "10 training of cat")
    cat.locator("#feedback button").click()
    assert "Topic q2" in str(cat.locator("#topic-number").text_content())

    view(boss, "Disagreements")
    boss.locator("#disputes .plain").first.click()
    boss.locator("#look-votes", has_text="ben: Highly · ann: Not relevant").wait_for()
    everywhere(boss, "11 adjudicating")
    assert "of ropes" in str(boss.locator("#look-text").text_content())
    check(boss, "adjudicating")
    boss.keyboard.press("2")
    boss.locator("#disputes-last", has_text="Relevant").wait_for()
    everywhere(boss, "12 decided")
    boss.locator("#disputes-last button").click()
    boss.locator("#disputes .plain").first.wait_for()
    boss.locator("#disputes .dispute button", has_text="Relevant").last.click()
    boss.locator("#disputes", has_text="None.").wait_for()

    view(boss, "People")
    # Who came in meanwhile is seen without loading the page again.
    boss.locator("#people tr", has_text="cat").locator("td", has_text="active").wait_for()
    boss.locator("#people tr", has_text="cat").locator("button", has_text="Close").click()
    everywhere(boss, "13 close asks")
    boss.locator("dialog.sure button", has_text="Back").click()
    assert cat.request.get(f"{server.address}/api/me").status == 200
    boss.locator("#people tr", has_text="cat").locator("button", has_text="Close").click()
    boss.locator("dialog.sure button.danger").click()
    boss.locator("#invited", has_text="cat is closed").wait_for()
    everywhere(boss, "14 closed")
    assert cat.request.get(f"{server.address}/api/me").status == 401
    boss.locator("#people tr", has_text="ben").locator("button", has_text="New link").click()
    boss.locator("dialog.sure button.danger").click()
    boss.locator("#invited", has_text="link to ben").wait_for()
    everywhere(boss, "15 reset")
    accept(browser, str(boss.locator("#invited code").text_content()))

    view(boss, "End")
    boss.locator("#end").click()
    everywhere(boss, "16 end asks")
    boss.locator("dialog.sure button.danger").click()
    boss.locator("#end", has_text="Open judging again").wait_for()
    everywhere(boss, "17 ended")
    view(boss, "Export and import")
    everywhere(boss, "18 export")
    with boss.expect_download() as saved:
        boss.locator("#export button").click()
    text = Path(saved.value.path()).read_text()
    assert "q1 0 d0 3\n" in text
    assert len(text.splitlines()) == 2
    view(boss, "Log")
    boss.locator("#log tr", has_text="end judging").wait_for()
    everywhere(boss, "19 log")
    view(boss, "Standing")
    everywhere(boss, "20 standing")
    view(boss, "Progress")
    everywhere(boss, "21 progress")
    view(boss, "Assessors")
    everywhere(boss, "22 assessors")
    view(boss, "Settings")
    everywhere(boss, "23 settings")
    ann.goto(server.address)
    ann.locator("#doc-title", has_text="Done").wait_for()
    assert not ann.locator("#topic").is_visible()
    everywhere(ann, "24 judging is over")
