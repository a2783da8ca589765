"""Whatever an assessor asks for, a gold question gives the answers that an ordinary one gives.

Two sites with the same runs, the same people and the same clock: on one the third document is a
gold question, on the other it is none. Every answer of the assessors' API is compared, after each
way to deal with that document.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from leadline.app.gold import GoldQuestion
from leadline.app.opening import open_project
from leadline.app.room import Assessor
from leadline.app.serve import Options, make_site
from leadline.app.site import Site
from leadline.judging.project import Project, write_project
from tests.app.rooms import Clock
from tests.app.visitors import signed_in, with_quick_hashes

ANN, BOSS = Assessor("ann"), Assessor("boss")
N_DOCS = 12
AT = 2
"""How many documents come before the one that is compared."""


@contextmanager
def site_of(folder: Path, **settings: Any) -> Iterator[Site]:
    (folder / "runs").mkdir(parents=True)
    lines = [f"1 Q0 d{n:02} {n} {90 - n} a" for n in range(N_DOCS)]
    (folder / "runs" / "a.txt").write_text("\n".join(lines) + "\n")
    shown = [f'{{"id": "d{n:02}", "title": "t", "text": "words"}}' for n in range(N_DOCS)]
    (folder / "docs.jsonl").write_text("\n".join(shown) + "\n")
    project = {"order": "MoffatA(p=0.8)", "stop": "", "gold_feedback": False, "gold_every": AT}
    write_project(folder, Project(documents="docs.jsonl", **{**project, **settings}))
    judging = open_project(folder)
    judging.room.clock = Clock()
    site = make_site(judging, Options())
    with_quick_hashes(site.accounts)
    yield site
    judging.close()


def pair_of(doc: str) -> dict[str, str]:
    return {"topic": "1", "doc": doc}


class Walker:
    """Ann on one site; every answer she gets, with names of documents in order of appearance."""

    def __init__(self, site: Site) -> None:
        self.site, self.ann = site, signed_in(site, "ann")
        self.names: dict[str, str] = {}
        self.doc = ""

    def _plain(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._plain(each) for key, each in value.items() if key != "csrf"}
        if isinstance(value, list):
            return [self._plain(each) for each in value]
        if isinstance(value, str) and value[:1] == "d" and value[1:].isdigit():
            return self.names.setdefault(value, f"document {len(self.names)}")
        return value

    def said(self, answer: httpx.Response) -> tuple[int, Any]:
        self.site.judging.room.clock.now += 7  # type: ignore[attr-defined]
        kind = answer.headers["content-type"]
        body = answer.json() if kind == "application/json" else answer.text
        if isinstance(body, dict) and (body.get("assignment") or {}).get("doc"):
            self.doc = body["assignment"]["doc"]
        return answer.status_code, self._plain(body)

    def post(self, path: str, **body: Any) -> tuple[int, Any]:
        return self.said(self.ann.post(f"/api/{path}", json=body))

    def looks(self, doc: str) -> list[tuple[int, Any]]:
        """All that can be asked for without changing anything, about a document and oneself."""
        where = pair_of(doc)
        paths = ["me", "mine", "mine?search=words", "mine?at=1", "project"]
        asked = [self.said(self.ann.get(f"/api/{path}")) for path in paths]
        for path, more in (("mine/document", {}), ("text", {"at": 0}), ("image", {})):
            asked.append(self.said(self.ann.get(f"/api/{path}", params={**where, **more})))
        return asked


# What is done with the document in question, step by step.
WAYS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "judged": [("judgments", {"grade": 1, "seconds": 3.0})],
    "judged with a note": [("judgments", {"grade": 1, "note": "see words"})],
    "cannot tell": [("judgments", {"note": "who knows"})],
    "skipped": [("skips", {"note": "later"})],
    "skipped twice": [("skips", {}), ("skips", {}), ("judgments", {"grade": 1})],
    "skipped and undone": [("skips", {}), ("undo", {}), ("judgments", {"grade": 0})],
    "judged twice": [("judgments", {"grade": 1}), ("judgments", {"grade": 1})],
    "judged otherwise": [("judgments", {"grade": 1}), ("judgments", {"grade": 2})],
    "judged, then skipped": [("judgments", {"grade": 1}), ("skips", {})],
    "undone": [("judgments", {"grade": 1}), ("undo", {}), ("judgments", {"grade": 2})],
    "revised": [("judgments", {"grade": 1}), ("mine/revise", {"grade": 2, "note": "better"})],
    "revised and undone": [
        ("judgments", {"grade": 1}),
        ("mine/revise", {"grade": None, "note": "hm"}),
        ("undo", {}),
    ],
    "revised as it was": [
        ("judgments", {"grade": 1, "note": "n"}),
        ("mine/revise", {"grade": 1, "note": "n"}),
    ],
}


def walked(site: Site, way: str) -> list[Any]:
    walker = Walker(site)
    seen: list[Any] = [walker.post("next")]
    for _ in range(AT):
        seen.append(walker.post("judgments", **pair_of(walker.doc), grade=0))
    asked = walker.doc
    seen += walker.looks(asked)
    for path, body in WAYS[way]:
        where = {} if path == "undo" else pair_of(asked)
        seen.append(walker.post(path, **where, **body))
        seen += walker.looks(asked)
    # And on, until the next would be due, then back again.
    for path in ("judgments", "undo", "undo", "undo"):
        body = {} if path == "undo" else {**pair_of(walker.doc), "grade": 0}
        seen.append(walker.post(path, **body))
        seen += walker.looks(asked)
    return seen


CASES: list[tuple[str, dict[str, Any]]] = [(way, {}) for way in WAYS]
for each in ({"stop": "Budget(n=8)"}, {"assessors_per_document": 2}):
    CASES += [(way, each) for way in ("judged", "skipped", "undone", "revised")]


@pytest.mark.parametrize(("way", "settings"), CASES)
def test_a_gold_question_is_answered_as_any_other(
    tmp_path: Path, way: str, settings: dict[str, Any]
) -> None:
    with site_of(tmp_path / "plain", **settings) as plain:
        # A decision there too, so that both sites know as much: on what comes last.
        plain.judging.room.adjudicate(BOSS, plain.judging.room.state.pair("1", "d11"), 0)
        expected = walked(plain, way)
    with site_of(tmp_path / "gold", **settings) as gold:
        room = gold.judging.room
        room.adjudicate(BOSS, room.state.pair("1", "d11"), 0)
        room.gold.put([GoldQuestion("1", "d11", 0)])
        found = walked(gold, way)
        assert gold.judging.database.check()[1].rows > 0
    for at, (one, other) in enumerate(zip(found, expected, strict=True)):
        assert one == other, at


def test_what_was_put_off_comes_back_when_nothing_else_is_left(tmp_path: Path) -> None:
    with site_of(tmp_path / "gold") as site:
        room = site.judging.room
        gold = room.state.pair("1", "d11")
        room.adjudicate(BOSS, gold, 0)
        room.gold.put([GoldQuestion("1", "d11", 0)])
        seen = []
        while (pair := room.next(ANN)) is not None and len(seen) < 2 * N_DOCS:
            seen.append(pair)
            if pair == gold and seen.count(gold) == 1:
                room.skip(ANN, pair)
            else:
                room.judge(ANN, pair, 0)
        assert len(seen) == N_DOCS + 1
        assert seen[-1] == gold
        assert room.gold.answers["ann"][0].said == 0
