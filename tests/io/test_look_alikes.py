"""Names that look alike are told, whichever side has which form; others are not."""

import unicodedata

import numpy as np
import pytest

import leadline
from leadline.data.names import Names
from leadline.io.problems import Notices
from leadline.io.rows import Rows
from leadline.io.topics_seen import LookAlikes, with_accents

ONE, TWO = (unicodedata.normalize(form, "café") for form in ("NFC", "NFD"))


def said(judged: list[str], docs: list[str]) -> list[str]:
    rows = Rows.of(Names.of(["1"] * len(docs)), Names.of(docs), np.arange(len(docs), 0.0, -1))
    found, notices = LookAlikes(Names.of(judged)), Notices()
    found.look(["r"], rows)
    found.report(notices, "qrels")
    return [problem.message for problem in notices.problems]


@pytest.mark.parametrize(
    ("judged", "docs", "n"),
    [
        ([ONE], [TWO], 1),
        ([TWO], [ONE], 1),
        (["x"], [ONE, TWO], 1),
        ([ONE, "é", TWO], [TWO, "e\u0301"], 2),
        ([ONE], [ONE, "x"], 0),
        ([TWO], [TWO, "x"], 0),
        (["cafe"], [ONE], 0),
        (["x"], [TWO], 0),
        ([], [], 0),
    ],
)
def test_only_names_that_differ_and_look_alike_are_said(
    judged: list[str], docs: list[str], n: int
) -> None:
    messages = said(judged, docs)
    assert len(messages) == (n > 0)
    if n:
        assert messages[0].startswith(f"{n} documents have names that look like others")
        assert r"\xe9" in messages[0]
        assert r"e\u0301" in messages[0]


def test_accents_of_other_fields_are_none_of_a_name() -> None:
    names = Names.of(["a", TWO, "b"])
    assert with_accents(names.gather(np.array([0, 2]))).tolist() == []


def test_every_reading_says_so() -> None:
    qrels, run = {"1": {ONE: 1, "b": 0}}, {"1": {TWO: 2.0, "b": 1.0}}
    for verb in (leadline.evaluate, leadline.pool, leadline.estimate):
        notices = verb(qrels, {"r": run}).notices.lines()  # type: ignore[operator]
        assert any("look like others" in line for line in notices), verb
