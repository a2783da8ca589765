"""The pages in a real browser, by keyboard, as newcomers, assessors and organisers meet them."""

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from leadline.app.opening import demo_project
from leadline.judging.project import NAME
from tests.app.axe import check
from tests.app.browser import Browser, document, needs_chromium, pair, press, until
from tests.app.projects import small
from tests.app.server import Client, Server, serving, tokens, with_token

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(demo_project(tmp_path_factory.mktemp("browser") / "sea")) as found:
        yield found


def test_a_newcomer_judges_ten_by_keyboard_undoes_one_and_comes_back(
    browser: Browser, server: Server
) -> None:
    page = browser.open(server)
    assert page.locator("#grades button").count() == 4
    assert "rope" in str(page.locator("#query").text_content())
    assert page.locator("#guidelines li").count() == 4
    judged = [press(page, str(number % 4)) for number in range(10)]
    assert len(set(judged)) == 10
    assert "10 judged by you" in str(page.locator("#progress").text_content())
    press(page, "u")
    assert pair(page) == judged[-1]
    assert "Taken back" in str(page.locator("#status").text_content())
    assert "9 judged by you" in str(page.locator("#progress").text_content())
    here = pair(page)
    context = page.context
    page.close()
    again = context.new_page()
    again.goto(server.address)
    assert pair(again) == here
    assert "9 judged by you" in str(again.locator("#progress").text_content())


def test_two_at_once_never_get_the_same_document(browser: Browser, server: Server) -> None:
    one, two = browser.open(server, "left"), browser.open(server, "right")
    seen: list[str] = []
    for _ in range(3):
        pairs = [pair(page) for page in (one, two)]
        assert pairs[0] != pairs[1]
        seen += pairs
        for page in (one, two):
            press(page, "0")
    assert len(set(seen)) == len(seen)


def test_agreement_and_gold_figures_follow_though_nobody_judges_on(
    browser: Browser, tmp_path: Path
) -> None:
    folder = small(tmp_path / "p", assessors_per_document=2, order="MoffatA(p=0.8)", stop="")
    known = tokens(folder, ["ann", "bob"])
    with serving(folder) as server, Client(server.address) as boss:
        boss.come_in(server)
        gold = {"topic": "1", "doc": "d4", "grade": 1, "note": "", "training": True}
        assert boss.post("/api/gold", json=gold).status_code == 200
        page = browser.open(server, "boss")
        page.goto(f"{server.address}/organise")
        page.locator("#live.on").wait_for()
        page.evaluate("() => { window.here = true; }")

        def shows(where: str, text: str) -> None:
            page.locator(where, has_text=text).first.wait_for(state="attached")

        shows("#agreement", "No document is judged by several people yet.")
        # All within the seconds for which agreement is not counted anew.
        for token in known.values():
            with with_token(server.address, token) as person:
                for grade in (1, 0):
                    asked = person.post("/api/next").json()["assignment"]
                    body = {"topic": asked["topic"], "doc": asked["doc"], "grade": grade}
                    assert person.post("/api/judgments", json=body).status_code == 200
        shows("#agreement", "on 1 document that several people judged")
        shows("#quality tr:has(:text('bob'))", "100% of 1")
        shows("#gold tr:has(:text('d4'))", "100%")
        assert page.evaluate("() => window.here"), "the page was loaded again"
        page.context.close()


def test_the_organisers_chart_moves_without_reloading(browser: Browser, server: Server) -> None:
    organiser = browser.open(server, "boss")
    organiser.goto(f"{server.address}/organise")
    organiser.locator("#live.on").wait_for()
    organiser.locator("#intervals rect").first.wait_for()
    organiser.evaluate("() => { window.here = true; }")

    def drawn() -> list[str]:
        found: list[str] = organiser.eval_on_selector_all(
            "#intervals rect", "all => all.map(e => e.getAttribute('width'))"
        )
        return found

    before, count = drawn(), organiser.locator("#n-judged").text_content()
    assessor = browser.open(server, "worker")
    press(assessor, "3")
    until(lambda: organiser.locator("#n-judged").text_content() != count)
    assert drawn() != before
    assert organiser.evaluate("() => window.here"), "the page was loaded again"
    assert organiser.locator("#falling path").count() == 1
    assert "worker" in str(organiser.locator("#assessors").text_content())


def test_a_judgment_survives_a_lost_connection_and_a_closed_tab(
    browser: Browser, server: Server
) -> None:
    page = browser.open(server, "traveller")
    here = document(page)
    page.wait_for_timeout(300)
    page.context.set_offline(True)
    page.keyboard.press("2")
    page.locator("#trouble:not([hidden])").wait_for()
    assert "kept in this browser" in str(page.locator("#trouble").text_content())
    assert document(page) == here
    page.context.set_offline(False)
    until(lambda: page.locator("#doc-name").text_content() != here)
    assert page.locator("#trouble").is_hidden()
    assert f"Saved: Relevant for {here}" in str(page.locator("#status").text_content())
    here = document(page)
    page.wait_for_timeout(300)
    page.context.set_offline(True)
    page.keyboard.press("1")
    page.locator("#trouble:not([hidden])").wait_for()
    context = page.context
    page.close()
    context.set_offline(False)
    again = context.new_page()
    again.goto(server.address)
    until(lambda: f"for {here}" in str(again.locator("#status").text_content()))
    assert document(again) != here
    assert "2 judged by you" in str(again.locator("#progress").text_content())
    # The browser itself reports requests that failed while there was no connection.
    browser.complaints[:] = [c for c in browser.complaints if "ERR_INTERNET_DISCONNECTED" not in c]


def test_find_note_help_and_cannot_tell_by_keyboard(browser: Browser, server: Server) -> None:
    page = browser.open(server, "careful")
    document(page)
    page.wait_for_timeout(300)
    page.keyboard.press("f")
    page.keyboard.type("the")
    assert "1 of" in str(page.locator("#find-count").text_content())
    assert page.locator("mark.hit.now").count() == 1
    page.keyboard.press("Enter")
    assert "2 of" in str(page.locator("#find-count").text_content())
    page.keyboard.press("Escape")
    assert page.locator("#find").is_hidden()
    page.keyboard.press("?")
    assert page.locator("#helping").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.keyboard.type("0 s u are only letters here")
    page.keyboard.press("Escape")
    before = document(page)
    page.keyboard.press("c")
    page.locator("#reasons").wait_for()
    page.keyboard.press("4")
    until(lambda: page.locator("#doc-name").text_content() != before)
    assert f"cannot tell for {before}" in str(page.locator("#status").text_content())
    with Client(server.address) as client:
        client.come_in(server)
        lines = client.get("/api/export?format=ledger").text.splitlines()
    (mine,) = [row for row in map(json.loads, lines) if row["who"] == "careful"]
    assert mine["act"] == "cannot tell"
    assert mine["note"] == "0 s u are only letters here; the topic is unclear"
    assert mine["seconds"] > 0
    skipped = press(page, "s")
    assert skipped != pair(page)


def test_a_key_held_down_or_pressed_too_soon_judges_nothing_unseen(
    browser: Browser, server: Server
) -> None:
    page = browser.open(server, "hasty")
    document(page)
    page.wait_for_timeout(300)
    before = document(page)
    for _ in range(5):
        page.keyboard.down("0")
    page.keyboard.up("0")
    until(lambda: page.locator("#doc-name").text_content() != before)
    page.wait_for_timeout(300)
    assert "1 judged by you" in str(page.locator("#progress").text_content())


@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.slow), "dark"])
def test_it_fits_a_phone_and_can_be_tapped(browser: Browser, server: Server, scheme: str) -> None:
    page = browser.open(
        server,
        f"phone {scheme}",
        viewport={"width": 360, "height": 740},
        is_mobile=True,
        has_touch=True,
        color_scheme=scheme,
    )
    before = document(page)
    page.wait_for_timeout(300)
    page.locator("#grades button").first.tap()
    until(lambda: page.locator("#doc-name").text_content() != before)
    for path in ("/", "/organise"):
        page.goto(server.address + path)
        page.locator("#doc-name:not(:empty), #intervals rect").first.wait_for()
        wide = page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, path
    small = page.evaluate(
        "() => [...document.querySelectorAll('button')].filter(b => b.offsetHeight && "
        "b.offsetHeight < 24).length"
    )
    assert small == 0


@pytest.mark.slow
def test_a_file_of_100_mb_is_imported_from_the_browser(browser: Browser, tmp_path: Path) -> None:
    folder = demo_project(tmp_path / "sea")
    with serving(folder) as server:
        page = browser.open(server)
        document(page)
        topic, doc = str(page.locator("#topic-number").text_content()).split()[1], document(page)
        line = f"{'x' * 30} 0 nowhere-{{}} 1\n"
        rows = "".join(line.format(f"{n:040}") for n in range(1_250_000))
        file = tmp_path / "large.txt"
        file.write_text(f"{topic} 0 {doc} 1\n{rows}")
        assert file.stat().st_size > 100_000_000
        page.goto(f"{server.address}/organise#exchange")
        page.locator("#import input[type=file]").set_input_files(file)
        page.locator("#import [name=who]").fill("archive")
        page.locator("#import button").click()
        said = page.locator("#imported", has_text="Added")
        said.wait_for(timeout=600_000)
        assert "Added 1,250,001 judgments, 1,250,000 of them" in str(said.text_content())
        page.context.close()


def test_a_browser_that_is_not_known_and_one_that_takes_another_name(
    browser: Browser, server: Server
) -> None:
    stranger = browser.chromium.new_context(color_scheme="dark").new_page()
    stranger.goto(server.address)
    assert "not signed in" in str(stranger.locator(".trouble").text_content())
    check(stranger, "not known")
    page = browser.open(server, "namer")
    page.locator(".who summary").click()
    check(page, "another name")


def test_everything_has_a_name_and_can_be_reached(browser: Browser, server: Server) -> None:
    page = browser.open(server, "listener")
    document(page)
    for path in ("/", "/organise"):
        page.goto(server.address + path)
        page.locator("#doc-name:not(:empty), #intervals rect").first.wait_for()
        nameless = page.evaluate(
            """() => [...document.querySelectorAll('button, input, select, textarea, a, svg')]
            .filter(e => e.getClientRects().length)
            .filter(e => !(e.textContent.trim() || e.getAttribute('aria-label') ||
              (e.labels && e.labels.length))).map(e => e.outerHTML)"""
        )
        assert nameless == []
        assert page.locator("html[lang]").count() == 1
        assert page.locator("h1").count() == 1
        assert page.locator("main").count() == 1
    page.goto(server.address)
    document(page)
    assert page.evaluate("() => document.activeElement.id") == "document"
    reached = set()
    for _ in range(25):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("() => document.activeElement.dataset.key"))
    assert set("0123csunf?") <= reached
    assert page.locator("[role=status][aria-live=polite]").count() == 1


EVIL = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>'


def test_nothing_that_people_or_documents_say_runs(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "evil"
    (folder / "runs").mkdir(parents=True)
    for run, docs in {"a": ["d1", "d2", "d3"], "b": ["d3", "d2", "d1"]}.items():
        lines = [f"1 Q0 {doc} {at} {9 - at} {run}" for at, doc in enumerate(docs)]
        (folder / "runs" / f"{run}{EVIL[:4]}x.txt").write_text("\n".join(lines) + "\n")
    rows = [
        {"id": f"d{n}", "title": f"T{EVIL}", "text": f"{EVIL}\n{n} javascript:x"} for n in (1, 2, 3)
    ]
    (folder / "docs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "topics.tsv").write_text(f"topic\tquery\tdescription\n1\t{EVIL}\t{EVIL}\n")
    (folder / "guidelines.md").write_text(
        f"{EVIL}\n\n[click](javascript:window.pwned=1) ![x](http://evil.example/x.png)\n"
    )
    (folder / NAME).write_text(
        f"title = '''T {EVIL}'''\ndocuments = 'docs.jsonl'\nguidelines = 'guidelines.md'\n"
        f"assessors_per_document = 3\n[[grades]]\ngrade = 0\nname = '''{EVIL}'''\n"
        f"meaning = '''{EVIL}'''\n[[grades]]\ngrade = 1\nname = 'yes'\n"
    )
    with serving(folder) as server:
        names = [f"n{EVIL[:40]}", f'm"><b {EVIL[:30]}']
        for at, name in enumerate(names):
            page = browser.open(server, name)
            assert EVIL in str(page.locator("#query").text_content())
            assert EVIL in str(page.locator("#text").text_content())
            page.wait_for_timeout(300)
            page.keyboard.press("n")
            page.locator("#note").fill(EVIL)
            page.keyboard.press("Escape")
            press(page, str(at))
            assert page.evaluate("() => window.pwned") is None
        page.goto(f"{server.address}/organise#disagreements")
        page.locator(".dispute").wait_for()
        assert EVIL in str(page.locator("#disputes").text_content())
        page.locator(".dispute button.plain").click()
        page.locator("#look").wait_for()
        assert EVIL in str(page.locator("#look-text").text_content())
        assert page.evaluate("() => window.pwned") is None
        assert page.locator("#look img, #disputes img, #assessors script").count() == 0
        for context in browser.chromium.contexts:
            context.close()


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """A site whose pages try to do things."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        page = b"<h1>A page</h1><script>fetch('/ran'); parent.pwned = 1</script>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_: object) -> None:
        pass


def test_a_document_at_an_address_is_shown_and_runs_nothing(
    browser: Browser, tmp_path: Path
) -> None:
    other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    threading.Thread(target=other.serve_forever, daemon=True).start()
    folder = tmp_path / "far"
    (folder / "runs").mkdir(parents=True)
    (folder / "runs" / "a.txt").write_text("1 Q0 d/1 1 2 a\n1 Q0 d2 2 1 a\n")
    (folder / "runs" / "b.txt").write_text("1 Q0 d2 1 2 b\n1 Q0 d/1 2 1 b\n")
    address = f"http://127.0.0.1:{other.server_port}/{{doc}}"
    (folder / NAME).write_text(f"documents = '{address}'\n")
    with serving(folder) as server:
        page = browser.open(server)
        page.frame_locator("#text iframe").locator("h1").wait_for()
        assert page.locator("#doc-link").get_attribute("href").startswith(address[:-5])
        page.wait_for_timeout(300)
        assert page.evaluate("() => window.pwned") is None
        page.context.close()
    other.shutdown()
    other.server_close()
    assert set(Elsewhere.asked) <= {"/d2", "/d%2F1"}
    # Asking the other site is what was wanted here, and the browser says what it has blocked.
    assert all(str(other.server_port) in c or "sandboxed" in c for c in browser.complaints)
    browser.complaints.clear()
