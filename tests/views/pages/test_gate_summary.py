"""Markdown for a pull request, and JUnit's XML."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from leadline.api.gate import gate
from leadline.io.datasets import COLLECTION
from leadline.stats.gate import GateOutcome, Verdict
from leadline.views.gate import gate_junit, gate_markdown, needed


def result(verdict: Verdict) -> GateOutcome:
    told = gate(COLLECTION, baseline="anstey-bm25", new="corran-lsa60").outcome
    (row,) = told.rows
    odd = replace(row, verdict=verdict, slice="a|b <c> & \x07")
    return replace(told, rows=[replace(row, verdict=verdict), odd])


@pytest.mark.parametrize(
    ("verdict", "tag", "failures", "skipped"),
    [
        ("worse", "failure", "2", "0"),
        ("undecided", "skipped", "0", "2"),
        ("not_worse", "", "0", "0"),
    ],
)
def test_junit_is_xml_that_tells_failures(
    verdict: Verdict, tag: str, failures: str, skipped: str
) -> None:
    root = ElementTree.fromstring(gate_junit(result(verdict)).encode())
    suite = root.find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == (
        *("2", failures),
        skipped,
    )
    cases = suite.findall("testcase")
    assert [case.get("classname") for case in cases] == ["nDCG@10"] * 2
    assert cases[1].get("name") == "a|b <c> & "
    assert [child.tag for case in cases for child in case] == [tag] * 2 * bool(tag)


@pytest.mark.parametrize("verdict", ["worse", "undecided", "not_worse"])
def test_markdown_has_the_verdict_first_and_every_row(verdict: Verdict) -> None:
    lines = gate_markdown(result(verdict)).splitlines()
    assert lines[0].startswith("### ")
    assert lines[0].endswith(f"corran-lsa60 against anstey-bm25: {verdict.replace('_', ' ')}")
    table = [line for line in lines if line.startswith("|")]
    columns = table[0].count("|")
    assert len(table) == 4
    assert all(line.replace("\\|", "").count("|") == columns for line in table)


def test_what_would_decide_comes_with_what_it_assumes() -> None:
    (row, _) = result("undecided").rows
    open_ = replace(row, lower=-0.1, upper=0.1, judgments_needed=7, topics_needed=None)
    assert needed(open_).startswith("about 7 judgments would decide if unjudged documents are as")
    never = replace(open_, judgments_needed=None, expected=None)
    alone = "more judgments alone would not decide"
    assert needed(never).startswith(f"{alone} if no unjudged document is relevant;")
    # Where all is judged nothing is assumed.
    assert needed(replace(never, lower=0.1)).startswith(f"{alone};")
    assert needed(replace(never, topics=0)).startswith("no topic has a score by these judgments")
