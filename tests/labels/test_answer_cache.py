"""Answers are kept through any end, and no other file is written to."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.io.problems import InputError
from leadline.labels.asking import HEAD, AnswerCache, digest_of
from leadline.labels.client import Answer
from tests.tries import tries

ANSWERS = st.builds(
    Answer,
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.booleans(),
    st.none() | st.integers(1, 9),
    st.none() | st.floats(0, 1),
    st.none() | st.integers(0, 9),
    st.none() | st.integers(0, 9),
    st.just("2026-01-01T00:00:00Z"),
    st.lists(st.sampled_from(["logprobs", "temperature"]), max_size=2).map(tuple),
)


@tries(12)
@given(answers=st.lists(ANSWERS, min_size=1, max_size=4), cut=st.integers(0, 2000))
def test_a_file_cut_anywhere_gives_back_its_whole_lines(
    answers: list[Answer], cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("cache") / "answers.jsonl"
    with AnswerCache(path) as cache:
        for at, answer in enumerate(answers):
            cache.add(str(at), answer)
    data = path.read_bytes()[: len(path.read_bytes()) - cut % (path.stat().st_size + 1)]
    path.write_bytes(data)
    whole = max(0, data.count(b"\n") - 1)
    with AnswerCache(path) as cache:
        assert cache.answers == {str(at): answers[at] for at in range(whole)}
        cache.add("new", answers[0])
    with AnswerCache(path, look=True) as cache:
        assert len(cache.answers) == whole + 1
        assert cache.answers["new"] == answers[0]


def test_looking_makes_no_file(tmp_path: Path) -> None:
    with AnswerCache(tmp_path / "none.jsonl", look=True) as cache:
        assert not cache.answers
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [b'{"id": "d1"}\n', b"topic,doc\n", b"{", b"\n"])
def test_another_file_is_refused_and_kept(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_bytes(content)
    if HEAD.startswith(content):
        AnswerCache(path).__exit__(None, None, None)
        return
    with pytest.raises(InputError, match="is no file of answers"):
        AnswerCache(path)
    assert path.read_bytes() == content


NO_NAME = json.dumps({"ask": 0.5} | asdict(Answer("2"))).encode()


@pytest.mark.parametrize(
    "line",
    [b"[]", b"7", b'{"ask": "a"}', b'{"ask": "a", "text": 3}', b"\xff", b"[" * 9999, NO_NAME],
)
def test_a_spoilt_line_is_named(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(HEAD + line + b"\n")
    with pytest.raises(InputError, match=r"answers\.jsonl:2: is no answer"):
        AnswerCache(path)


def test_an_answer_that_was_cut_off_counts_until_it_may_be_longer() -> None:
    cache = AnswerCache(None)
    cache.add("a", Answer("<think>", cut_at=10))
    assert cache.get("a", 10) is not None
    assert cache.get("a", 11) is None
    assert cache.get("b", 10) is None


def test_a_device_is_no_cache() -> None:
    with pytest.raises(InputError, match="no plain file"):
        AnswerCache("/dev/null")


def test_what_is_asked_decides_the_name() -> None:
    words = [{"role": "user", "content": "x"}]
    names = {
        digest_of("m", words, 0.0, 0),
        digest_of("n", words, 0.0, 0),
        digest_of("m", [*words, *words], 0.0, 0),
        digest_of("m", words, 0.5, 0),
        digest_of("m", words, 0.0, 1),
    }
    assert len(names) == 5
    assert digest_of("m", [{"role": "user", "content": "\udcff"}], 0.0, 0)
