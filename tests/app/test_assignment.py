"""A pair as an assessor sees it: found words marked, nothing of ranks where judging is blind."""

import re
from dataclasses import replace
from typing import Any

import pytest

from leadline.app.document_cache import WINDOW, assignment, guidelines, spans, text_from
from leadline.app.site import Site
from leadline.data.documents import Document
from leadline.io.topics import Texts, TopicText
from leadline.judging.library import Library
from tests.app.visitors import signed_in, turn


@pytest.mark.parametrize(
    "text", ["a whale", "\U0001f40b whale", "é whale whale", "whale\U0001f40b"]
)
def test_spans_are_where_a_browser_counts_them(text: str) -> None:
    units = text.encode("utf-16-le")
    found = spans(text, re.compile("whale"))
    assert len(found) == text.count("whale")
    assert all(units[2 * a : 2 * b].decode("utf-16-le") == "whale" for a, b in found)
    assert spans(text, None) == []


class Counted(str):
    """A text that counts the letters that were taken out of it."""

    taken = 0

    def __getitem__(self, key: Any) -> str:
        part = super().__getitem__(key)
        self.taken += len(part)
        return part


def test_every_letter_is_looked_at_once_to_mark_many_words() -> None:
    text = Counted("\U0001f40b " + "a whale and more words " * 4_500)
    assert len(spans(text, re.compile("whale"))) == 4_500
    assert 0 < text.taken <= len(text)


def test_a_long_text_is_sent_in_windows_with_all_its_marks(site: Site) -> None:
    text = "\U0001f40b " + "a whale and more words " * 45_000
    texts = Texts({"1": TopicText("whale", "")}, {"d1": Document("", text)})
    site.judging.library = Library(texts)
    pair = site.pair("1", "d1")
    seen = assignment(site, pair)
    assert (len(seen.text) <= WINDOW, seen.length) == (True, len(text))
    parts, at = [(seen.text, seen.spans)], seen.rest
    while at is not None:
        more = text_from(site, pair, at)
        parts.append((more.text, more.spans))
        at = more.rest
    assert "".join(part for part, _ in parts) == text
    assert sum(len(marks) for _, marks in parts) == 45_000


def test_more_of_a_text_is_for_who_has_the_document(site: Site) -> None:
    ann, bob = signed_in(site, "ann"), signed_in(site, "bob")
    boss = signed_in(site, "boss", "organiser")
    document = turn(ann)
    query = {"topic": document["topic"], "doc": document["doc"], "at": 0}
    assert ann.get("/api/text", params=query).status_code == 200
    assert boss.get("/api/text", params=query).status_code == 200
    assert bob.get("/api/text", params=query).status_code == 403
    assert ann.get("/api/text", params={**query, "at": 10**6}).json()["text"] == ""


def test_what_is_known_is_shown(site: Site) -> None:
    texts = Texts({"1": TopicText("low tides", "when")}, {"d1": Document("Tide", "no tide here")})
    site.judging.library = Library(texts, {"": "All", "1": "*One*"})
    pair = site.pair("1", "d1")
    seen = assignment(site, pair)
    assert (seen.query, seen.description, seen.title) == ("low tides", "when", "Tide")
    assert seen.title_spans == [[0, 4]]
    assert seen.spans == [[3, 7]]
    assert seen.guidelines == [["p", [["em", ["One"]]]]]
    assert seen.found


def test_a_document_that_is_not_here_has_a_link(site: Site) -> None:
    site.judging.library = Library(address="https://host.example/{doc}")
    seen = assignment(site, site.pair("1", "d1"))
    assert (seen.found, seen.text, seen.link) == (False, "", "https://host.example/d1")


@pytest.mark.parametrize("blind", [True, False])
def test_ranks_are_told_only_where_judging_is_not_blind(site: Site, blind: bool) -> None:
    site.judging.project = replace(site.judging.project, blind=blind)
    # Run a returns d3 third, run b first.
    seen = assignment(site, site.pair("1", "d3"))
    assert (seen.returned_by, seen.best_rank) == ((None, None) if blind else (2, 1))


def test_guidelines_are_made_once(site: Site) -> None:
    site.judging.library = Library(guidelines={"": "All"})
    first = guidelines(site, "")
    assert first == [["p", ["All"]]]
    assert guidelines(site, "") is first
    assert guidelines(site, "1") == []
