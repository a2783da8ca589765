"""A pair as an assessor sees it: found words marked, nothing of ranks where judging is blind."""

import re
from dataclasses import replace

import pytest

from leadline.formats.topic_files import TopicText
from leadline.judging.reading_texts import Texts
from leadline.judging.room.library import Library
from leadline.tables.documents import Document
from leadline.web.assignment import assignment, guidelines, spans
from leadline.web.site import Site


@pytest.mark.parametrize(
    "text", ["a whale", "\U0001f40b whale", "é whale whale", "whale\U0001f40b"]
)
def test_spans_are_where_a_browser_counts_them(text: str) -> None:
    units = text.encode("utf-16-le")
    found = spans(text, re.compile("whale"))
    assert len(found) == text.count("whale")
    assert all(units[2 * a : 2 * b].decode("utf-16-le") == "whale" for a, b in found)
    assert spans(text, None) == []


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
