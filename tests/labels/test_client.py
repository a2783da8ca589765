"""One ask over a real socket, whatever comes back; and never a key in what is kept or said."""

import asyncio
import math
from typing import Any

import pytest

from leadline.labels.client import (
    Answer,
    AskAgain,
    AskingEnds,
    AskRejected,
    AskSettings,
    ChatClient,
    api_key,
    completions_address,
)
from tests.labels.chat_server import KEY, Chat, chatting, truth

PAIR = ("t1", "d1")
WORDS = [{"role": "user", "content": "The search: about t1 [d1]"}]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_API_KEY", KEY)


def ask(chat: Chat, n: int = 1, **how: Any) -> list[Answer]:
    """Answers to one ask after the other of one client."""

    async def several() -> list[Answer]:
        settings = AskSettings("m", endpoint=chat.address, **how)
        async with ChatClient(settings, range(4)) as client:
            return [await client.ask(WORDS) for _ in range(n)]

    return asyncio.run(several())


def test_a_good_answer() -> None:
    with chatting(usual="sure") as chat:
        (answer,) = ask(chat, temperature=0.5, max_tokens=9)
        assert chat.keys == {f"Bearer {KEY}"}
        (body,) = chat.bodies
    assert answer.text == f"grade: {truth(PAIR)}"
    assert answer.probability == pytest.approx(math.exp(-0.25))
    assert (answer.tokens_in, answer.tokens_out) == (100, 3)
    sent = {"model": "m", "messages": WORDS, "temperature": 0.5, "max_tokens": 9, "logprobs": True}
    assert body == sent


@pytest.mark.parametrize("mood", ["refusal", "filter", "400 filter"])
def test_refusals(mood: str) -> None:
    with chatting(usual=mood) as chat:
        assert ask(chat)[0].refused


def test_an_answer_that_was_cut_off_says_where() -> None:
    with chatting(usual="length") as chat:
        assert ask(chat, max_tokens=7)[0].cut_at == 7


def test_an_answer_without_counts() -> None:
    with chatting(usual="bare") as chat:
        (answer,) = ask(chat)
    assert (answer.tokens_in, answer.tokens_out, answer.probability) == (None, None, None)


@pytest.mark.parametrize(
    ("mood", "told"),
    [
        ("429", "429: too many"),
        ("500", "500: oops"),
        ("html", "502"),
        ("cut", "no answer from 127.0.0.1"),
        ("closed", "no answer from 127.0.0.1"),
        ("wrong JSON", "no chat completion"),
        ("no choices", "no chat completion"),
        ("odd choice", "no chat completion"),
        ("odd content", "no chat completion"),
        ("a list", "no chat completion"),
        ("error", "no chat completion: overloaded"),
        ("slow", r"within 0\.1 seconds"),
    ],
)
def test_what_may_go_well_another_time(mood: str, told: str) -> None:
    with chatting(usual=mood) as chat, pytest.raises(AskAgain, match=told):
        ask(chat, timeout=0.1 if mood == "slow" else 10)


def test_how_long_to_rest() -> None:
    with chatting(usual="429 in a while") as chat, pytest.raises(AskAgain) as caught:
        ask(chat)
    assert caught.value.rest == 0.15
    assert caught.value.crowded


def test_nobody_listens() -> None:
    with chatting() as chat:
        address = chat.address
    with pytest.raises(AskAgain, match="no answer from"):
        ask(Chat(address=address))


@pytest.mark.parametrize("mood", ["401", "404", "broke", "redirect"])
def test_what_never_goes_well(mood: str) -> None:
    with chatting(usual=mood) as chat, pytest.raises(AskingEnds) as caught:
        ask(chat)
    assert KEY not in str(caught.value)
    assert "`" not in str(caught.value), "which stand for our own parameters"


def test_an_ask_that_cannot_be_answered() -> None:
    with chatting(usual="400") as chat, pytest.raises(AskRejected, match="maximum context length"):
        ask(chat)


def test_parameters_that_are_not_taken_are_left_out_from_then_on() -> None:
    with chatting(usual="refuses logprobs max_tokens temperature") as chat:
        answers = ask(chat, n=2)
        assert len(chat.bodies) == 3 + 1 + 1
        assert set(chat.bodies[-1]) == {"model", "messages", "max_completion_tokens"}
    assert set(answers[0].left_out) == {"logprobs", "temperature"}


def test_a_key_that_comes_back_is_not_kept() -> None:
    with chatting(usual="echo") as chat:
        assert ask(chat)[0].text == "your key is Bearer ***"


def test_a_word_that_is_no_secret_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_API_KEY", "grade")
    with chatting() as chat:
        assert ask(chat)[0].text == f"grade: {truth(PAIR)}"


def test_where_keys_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", " other\n")
    assert api_key() == KEY
    monkeypatch.setenv("LEADLINE_API_KEY", "")
    assert api_key() == "other"
    monkeypatch.setenv("OPENAI_API_KEY", "caf\u00e9-secret")
    with pytest.raises(ValueError, match="OPENAI_API_KEY") as caught:
        api_key()
    assert "secret" not in str(caught.value)
    monkeypatch.delenv("OPENAI_API_KEY")
    assert api_key() == ""


@pytest.mark.parametrize(
    "endpoint",
    [
        "",
        "localhost:8000",
        "ftp://host/v1",
        "http://",
        "\udcff",
        "http://h\0st/v1",
        "http://h:99999/v1",
        "http://h:-1/v1",
        "x",
    ],
)
def test_what_is_no_address(endpoint: str) -> None:
    with pytest.raises(ValueError, match="`endpoint` must be an address"):
        completions_address(endpoint)


@pytest.mark.parametrize(
    "endpoint", ["https://user:word@host/v1", f"https://host/v1?key={KEY}", f"ftp://host/{KEY}"]
)
def test_an_address_holds_no_key(endpoint: str) -> None:
    with pytest.raises(ValueError, match="`endpoint`") as caught:
        completions_address(endpoint, KEY)
    assert KEY not in str(caught.value)
    assert "user:word" not in str(caught.value)


def test_addresses_in_other_forms() -> None:
    whole = "https://host/openai/chat/completions?api-version=1"
    assert str(completions_address(whole)) == whole
    assert completions_address("http://host").path == "/chat/completions"


def test_a_key_without_https_is_seen() -> None:
    async def unencrypted(endpoint: str) -> bool:
        async with ChatClient(AskSettings("m", endpoint=endpoint), range(4)) as client:
            return client.unencrypted

    assert asyncio.run(unencrypted("http://host/v1"))
    assert not asyncio.run(unencrypted("https://host/v1"))
    assert not asyncio.run(unencrypted("http://localhost/v1"))
