"""Labels from samples: the most frequent grade, its share, and a reason where there is none."""

import pytest

from leadline.io.problems import Notices
from leadline.labels.asking import (
    SCHEMA,
    AnswerCache,
    Asking,
    Sample,
    digest_of,
    label_table,
    samples_of,
)
from leadline.labels.client import Answer, AskSettings
from leadline.labels.prompt import PairText, Prompt

PAIR = PairText("1", "a", "ask", False)


def asking(*answers: Answer | None) -> Asking:
    """One sample after the other with its answer."""
    made = Asking(Prompt(), AskSettings("m"), AnswerCache(None))
    for number, answer in enumerate(answers):
        if answer is not None:
            digest = digest_of("m", [{"role": "user", "content": "ask"}], 0.0, number)
            made.cache.add(digest, answer)
    return made


def label(*answers: Answer | None) -> dict[str, object]:
    (row,) = label_table([PAIR], len(answers), asking(*answers), Notices()).to_dicts()
    return row


def said(grade: int | str, date: str = "2026-01-01", **more: object) -> Answer:
    return Answer(f"grade: {grade}", date=date, **more)  # type: ignore[arg-type]


def test_one_sample_has_the_probability_of_its_tokens() -> None:
    row = label(said(2, probability=0.8))
    assert list(row) == list(SCHEMA)
    wanted = {"grade": 2, "confidence": 0.8, "judge": "m", "samples": 1, "state": "labelled"}
    assert row | wanted == row
    assert row["prompt"] == Prompt().version
    assert label(said(2))["confidence"] is None


@pytest.mark.parametrize(
    ("grades", "grade", "confidence"),
    [((1, 2, 2), 2, 2 / 3), ((3, 1), 1, 0.5), ((0, 0), 0, 1.0)],
)
def test_several_vote(grades: tuple[int, ...], grade: int, confidence: float) -> None:
    row = label(*(said(each, probability=0.9) for each in grades))
    assert (row["grade"], row["confidence"]) == (grade, pytest.approx(confidence))


def test_samples_without_a_grade_do_not_vote() -> None:
    row = label(said("none"), said(1, "2026-01-02"), None)
    assert (row["grade"], row["samples"], row["date"]) == (1, 1, "2026-01-02")


def test_what_has_no_grade_is_listed() -> None:
    notices = Notices()
    refused = label_table([PAIR], 1, asking(said("none")), notices)
    missing = label_table([PairText("1", "b", "", False)], 1, asking(), notices)
    failing = asking()
    failing.failed[Sample("ask", 0)] = "the endpoint says 500"
    failed = label_table([PAIR], 1, failing, notices)
    assert [table["state"].item() for table in (refused, missing, failed)] == [
        "refused",
        "failed",
        "failed",
    ]
    assert notices.lines() == [
        "topic 1, doc a: refused, the model refused",
        "topic 1, doc b: failed, it has no text",
        "topic 1, doc a: failed, the endpoint says 500",
    ]


def test_what_was_not_asked_is_no_fault() -> None:
    notices = Notices()
    assert label_table([PAIR], 1, asking(), notices)["state"].item() == "unasked"
    assert not notices.lines()


def test_the_same_words_are_asked_about_once() -> None:
    pairs = [PAIR, PAIR._replace(doc="b"), PAIR._replace(doc="c", ask="")]
    assert samples_of(pairs, 2) == [Sample("ask", 0), Sample("ask", 1)]
    made = asking(said(3))
    table = label_table(pairs[:2], 1, made, Notices())
    assert table["grade"].to_list() == [3, 3]
