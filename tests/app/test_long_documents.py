"""Documents without measure: titles and fields of megabytes, and pages that take long to read."""

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio.to_thread
import httpx
import pytest

from leadline.app import document_cache as prepared_module
from leadline.app.document_cache import DocumentCache
from leadline.app.opening import open_project
from leadline.app.room import Unavailable
from leadline.app.serve import THREADS, Options, make_app, make_site
from leadline.app.site import Site
from leadline.data.documents import Document
from leadline.judging import library as module
from leadline.judging.library import Library
from tests.app.projects import small
from tests.app.visitors import signed_in, turn, with_quick_hashes

LONG = 3_000_000
MOST_SENT = 200_000


def site_with(folder: Path, rows: list[dict[str, Any]], **settings: Any) -> Site:
    more = {"order": "MoffatA(p=0.8)", "stop": "", "assessors_per_document": 10}
    small(folder, documents="docs.jsonl", **{**more, **settings})
    (folder / "docs.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    site = make_site(open_project(folder), Options())
    with_quick_hashes(site.accounts)
    return site


def whole_text(client: httpx.Client, shown: dict[str, Any]) -> str:
    text, at = shown["text"], shown["rest"]
    while at is not None:
        asked = {"topic": shown["topic"], "doc": shown["doc"], "at": at}
        answer = client.get("/api/text", params=asked)
        assert len(answer.content) < MOST_SENT
        text, at = text + answer.json()["text"], answer.json()["rest"]
    return text


@pytest.mark.parametrize("where", ["title", "text", "field", "link", "many fields"])
def test_an_answer_is_small_however_long_a_document_is(tmp_path: Path, where: str) -> None:
    words = "tide " * (LONG // (100 if where == "many fields" else 5))
    row: dict[str, Any] = {"id": "", "title": "t", "text": "x", "note": "n", "url": "https://a.b"}
    key = {"field": "note", "link": "url", "many fields": "note"}.get(where, where)
    row[key] = f"https://a.b/{words}" if where == "link" else words
    template = "title: {title}\nNote: {note}\nlink: {url}\ntext: {text}"
    if where == "many fields":
        template += "".join(f"\nNote {n}: {{note}}" for n in range(20))
    rows = [{**row, "id": f"d{n}"} for n in range(1, 5)]
    plain = where in ("title", "text")
    site = site_with(tmp_path / "p", rows, **({} if plain else {"template": template}))
    ann = signed_in(site, "ann")
    answer = ann.post("/api/next")
    assert len(answer.content) < MOST_SENT
    if where != "link":
        # Nothing is lost: what is cut there stands in the text, which comes in windows.
        assert words.strip() in whole_text(ann, answer.json()["assignment"])
    site.judging.close()


def test_texts_of_a_file_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", 1000)
    rows = [{"id": f"d{n}", "title": "t" * 5000, "text": "x" * 5000} for n in range(1, 5)]
    site = site_with(tmp_path / "p", rows)
    template = "title: {title}\nMore: {text}\ntext: {text}"
    other = site_with(tmp_path / "q", rows, template=template)
    for each in (site, other):
        kept = each.judging.library.texts.documents["d1"]
        parts = [kept.title, kept.text, *(value for _, value in kept.fields)]
        assert {len(part) for part in parts} == {1000}
        each.judging.close()


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Pages of more than a thousand letters are read when this is set, and no sooner."""
    monkeypatch.setattr(module, "QUICK", 1000, raising=False)
    opened = threading.Event()
    read = module.from_html

    def read_slowly(text: str) -> Document:
        if len(text) > 1000:
            opened.wait(30)
        return read(text)

    monkeypatch.setattr(module, "from_html", read_slowly)
    yield opened
    opened.set()


def test_who_has_a_short_page_waits_for_no_long_one(tmp_path: Path, gate: threading.Event) -> None:
    long, short = "<p>" + "<" * 2000, "<p>short"
    rows = [{"id": f"d{n}", "text": long} for n in range(1, 4)] + [{"id": "d4", "text": short}]
    site = site_with(tmp_path / "p", rows, assessors_per_document=1)
    people = [signed_in(site, name) for name in ("a", "b", "c", "d")]
    # Each has another document; who got the short one is asked about last.
    names = [site.judging.room.next(site.accounts.find(name).assessor) for name in "abcd"]
    docs = [site.judging.room.state.name(pair)[1] for pair in names if pair is not None]
    last = docs.index("d4")
    found: dict[int, str] = {}

    def ask(at: int) -> None:
        found[at] = turn(people[at])["text"]

    # Twice each, as a page that is loaded again does: more than there are desks.
    others = [threading.Thread(target=ask, args=[n]) for n in range(4) if n != last]
    others += [threading.Thread(target=ask, args=[n]) for n in range(4) if n != last]
    for thread in others:
        thread.start()
    mine = threading.Thread(target=ask, args=[last])
    mine.start()
    mine.join(10)
    assert found == {last: "short"}
    gate.set()
    for thread in [mine, *others]:
        thread.join()
    assert len(found) == 4
    site.judging.close()


def test_long_documents_that_are_looked_at_again_hold_no_thread_of_others(
    tmp_path: Path, gate: threading.Event
) -> None:
    site = site_with(
        tmp_path / "p", [{"id": f"d{n}", "text": "<p>" + "<" * 2000} for n in range(1, 5)]
    )
    for n in range(1, 5):
        site.accounts.add(f"m{n}", "assessor", "machine")
    tokens = [site.accounts.token(person) for person in site.accounts.everyone()]
    boss = signed_in(site, "boss", "organiser")
    runs = site.judging.room.state.session.runs.pairs
    asked = {"topic": runs.topics[0], "doc": "d1"}

    async def all_at_once() -> None:
        # As many threads as the server has for all but judging.
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        transport = httpx.ASGITransport(make_app(site))
        async with httpx.AsyncClient(
            transport=transport, base_url="http://x", cookies=boss.cookies
        ) as client:
            more = {"at": 0}
            others = [client.get("/api/document", params=asked) for _ in range(THREADS)]
            others += [client.get("/api/text", params=asked | more) for _ in range(THREADS)]
            for token in tokens:
                headers = {"Authorization": f"Bearer {token}"}
                body = {"n": 1}
                others.append(client.post("/api/machine/lease", json=body, headers=headers))
            waiting = [asyncio.create_task(each) for each in others]
            await asyncio.sleep(0.3)
            async with asyncio.timeout(5):
                assert (await client.get("/api/project")).status_code == 200
            assert not any(task.done() for task in waiting)
            gate.set()
            assert {(await task).status_code for task in waiting} == {200}

    asyncio.run(all_at_once())
    site.judging.close()


def test_the_text_of_all_parts_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared_module, "LONGEST", 6000)
    fields = tuple((f"f{n}", "z" * 5000) for n in range(3))
    shown = DocumentCache(lambda doc: Document("t" * 5000, "x" * 5000, fields)).document("d")
    assert len(shown.text) == 6000


def test_a_queue_that_is_full_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared_module, "QUEUE", 3)
    opened = threading.Event()

    def read(doc: str) -> Document:
        opened.wait(30)
        return Document("", doc)

    prepared = DocumentCache(read)
    begun = [prepared.begin(doc) for doc in "abc"]
    assert prepared.begin("a") is begun[0]
    with pytest.raises(Unavailable):
        prepared.begin("d")
    opened.set()
    assert [each.result().text for each in begun] == ["a", "b", "c"]
    assert prepared.begin("d").result().text == "d"


def test_the_size_of_what_must_be_read(tmp_path: Path) -> None:
    (tmp_path / "long.html").write_text("<p>" * 100)
    library = Library(files={"long": tmp_path / "long.html"})
    assert (library.size("long"), library.size("none")) == (300, 0)
    library.texts.documents.update(a=Document("t", "<p>abc"), b=Document("t", "plain"))
    assert (library.size("a"), library.size("b")) == (6, 0)
