"""A prompt says what is to be judged, and its version changes when that does."""

from pathlib import Path

import pytest

from leadline.io.problems import InputError
from leadline.io.topics import TopicText
from leadline.judging.project import BINARY
from leadline.labels.prompt import FENCE, NUMBER, TEMPLATE, Prompt, read_template


def test_our_own_holds_scale_query_and_document() -> None:
    prompt = Prompt(grades=BINARY, guidelines={"": "Be strict.", "7": "Cats only."})
    words = prompt.ask("7", TopicText("cats", "About cats."), "A cat {query} sat.")
    assert "0 = Not relevant" in words
    assert "one of 0, 1." in words
    assert "Be strict.\n\nCats only." in words
    assert "The search: cats\n\nAbout cats." in words
    assert " =====\nA cat {query} sat.\n===== " in words, "a document is never filled in"
    assert "Cats only" not in prompt.ask("8", TopicText("dogs"), "x")


def test_what_there_is_nothing_for_leaves_no_gap() -> None:
    words = Prompt().ask("1", TopicText("cats"), "x")
    assert "\n\n\n" not in words
    assert "{" not in words.replace(FENCE, "")


def test_the_version_follows_template_scale_and_guidelines() -> None:
    versions = [
        Prompt().version,
        Prompt(TEMPLATE + "x").version,
        Prompt(grades=BINARY).version,
        Prompt(guidelines={"": "Be strict."}).version,
    ]
    assert len(set(versions)) == len(versions)
    assert all(version.startswith(f"leadline-{NUMBER}-") for version in versions)
    assert Prompt(guidelines={"7": "For one topic"}).version == versions[0]


def test_the_reminder_tells_the_grades() -> None:
    assert "one of 0, 1," in Prompt(grades=BINARY).ask_again()


def test_a_template_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text('{query}: {document} {"grade": 1}')
    assert read_template(path) == (path.read_text(), "mine")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{query}", "has no {document}"),
        ("{document}", "has no {query}"),
        ("{query}\n{doc}\n{document}", r"mine\.txt:2: there is no place {doc}"),
    ],
)
def test_a_template_that_asks_for_nothing_is_refused(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=told):
        read_template(path)


def test_a_template_is_text(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes(b"\xff\xfe{query}")
    with pytest.raises(InputError, match="is not UTF-8"):
        read_template(path)
