"""Every sample is settled or has a reason, several at once, and nothing is asked for twice."""

import asyncio
import threading
import time
from typing import Any

import pytest

from leadline.labels.asking import (
    FAILURES_IN_A_ROW,
    MOST_ASKS,
    AnswerCache,
    Asking,
    Cost,
    Sample,
    estimated_tokens,
)
from leadline.labels.client import Answer, AskSettings, ChatClient
from leadline.labels.prompt import Prompt
from tests.labels.chat_server import Chat, chatting, truth

SAMPLES = [Sample(f"The search: about t1 [d{number}]", 0) for number in range(1, 17)]


def asking(chat: Chat, **how: Any) -> Asking:
    settings = AskSettings("m", endpoint=chat.address, **{"backoff": 0.001, "timeout": 5.0} | how)
    return Asking(Prompt(), settings, AnswerCache(None))


def ask_all(made: Asking, samples: list[Sample] = SAMPLES, **how: Any) -> None:
    async def all_of_it() -> None:
        async with ChatClient(made.settings, range(4)) as client:
            await made.ask_all(samples, client, **how)

    asyncio.run(all_of_it())


def states(made: Asking) -> list[str]:
    verdicts = [made.exchange(sample).verdict for sample in SAMPLES]
    return ["open" if verdict is None else verdict.state for verdict in verdicts]


def test_all_are_settled_eight_at_once() -> None:
    steps: list[tuple[int, int]] = []
    seen: list[int] = []
    # Nobody is answered before eight have asked.
    gate = threading.Barrier(8)
    with chatting(before_answer=lambda number: gate.wait(20) and None) as chat:
        made = asking(chat, timeout=30.0)
        ask_all(
            made,
            progress=lambda done, total: steps.append((done, total)),
            watch=lambda it: seen.append(it.cost.asks),
        )
        assert chat.most_at_once == 8
        assert set(chat.asks.values()) == {1}
    assert states(made) == ["labelled"] * 16
    verdicts = [made.exchange(sample).verdict for sample in SAMPLES]
    grades = [verdict.grade for verdict in verdicts if verdict is not None]
    assert grades == [truth(("t1", f"d{number}")) for number in range(1, 17)]
    assert steps == [(done, 16) for done in range(1, 17)]
    assert seen[-1] == 16
    assert made.cost == Cost(16, 1600, 48)


def test_what_is_known_is_not_asked() -> None:
    with chatting() as chat:
        made = asking(chat)
        ask_all(made, SAMPLES[:10])
        chat.forget()
        ask_all(made)
        assert sorted(doc for _, doc in chat.asks) == sorted(f"d{n}" for n in range(11, 17))
        ask_all(made)
        assert len(chat.bodies) == 6


def test_an_answer_without_a_grade_is_asked_for_again_with_a_reminder() -> None:
    with chatting(moods={"d1": ["malformed"], "d2": ["off scale"] * 9}) as chat:
        made = asking(chat)
        ask_all(made, SAMPLES[:2])
        assert chat.asks["t1", "d1"] == 2
        assert chat.asks["t1", "d2"] == MOST_ASKS
        longest = max((body["messages"] for body in chat.bodies), key=len)
        ask_all(made, SAMPLES[:2])
        assert chat.asks["t1", "d2"] == MOST_ASKS, "and then never again"
    roles = [message["role"] for message in longest]
    assert roles == ["user", "assistant", "user", "assistant", "user"]
    assert states(made)[:2] == ["labelled", "malformed"]


def test_failures_are_tried_again_and_then_told() -> None:
    moods = {
        "d1": ["500", "cut", "closed", "wrong JSON"],
        "d2": ["500"] * 99,
        "d3": ["400"],
        "d4": ["403"],
    }
    with chatting(moods=moods) as chat:
        made = asking(chat, tries=5)
        ask_all(made)
        assert chat.asks["t1", "d1"] == 5
        assert chat.asks["t1", "d2"] == 5
        assert chat.asks["t1", "d3"] == 1
    assert states(made) == ["labelled", *["open"] * 3, *["labelled"] * 12]
    assert made.failed[SAMPLES[1]] == "the endpoint says 500: oops"
    assert "maximum context length" in made.failed[SAMPLES[2]]


def test_all_rest_when_one_is_told_to() -> None:
    with chatting(moods={"d1": ["429 in a while"]}) as chat:
        made = asking(chat, concurrency=1)
        begin = time.monotonic()
        ask_all(made, SAMPLES[:2])
        assert time.monotonic() - begin >= 0.15
    assert states(made)[:2] == ["labelled"] * 2


@pytest.mark.parametrize(
    ("mood", "told"),
    [("401", "401"), ("429 tomorrow", "wait 86,400 seconds"), ("broke", "no money")],
)
def test_where_nothing_works_nothing_more_is_asked(mood: str, told: str) -> None:
    with chatting(moods={"d3": [mood]}) as chat:
        made = asking(chat, concurrency=1)
        ask_all(made)
        assert len(chat.bodies) == 3
    assert told in made.ended
    assert states(made) == ["labelled", "labelled", *["open"] * 14]
    assert set(made.failed) == set(SAMPLES[2:])


def test_a_dead_server_is_not_asked_for_ever() -> None:
    with chatting(usual="500") as chat:
        made = asking(chat, tries=2, concurrency=1)
        ask_all(made)
        assert len(chat.bodies) == 2 * FAILURES_IN_A_ROW
    assert "in a row" in made.ended
    assert set(made.failed) == set(SAMPLES)


def test_a_full_disk_ends_it() -> None:
    with chatting() as chat:
        made = asking(chat)

        def full(digest: str, answer: Answer) -> None:
            raise OSError("no space")

        made.cache.add = full  # type: ignore[method-assign]
        with pytest.raises(OSError, match="no space"):
            ask_all(made)


def test_the_forecast_learns_from_answers() -> None:
    with chatting() as chat:
        made = asking(chat)
        first = made.forecast(SAMPLES)
        assert first.asks == 16
        assert first.tokens_in == sum(estimated_tokens([sample.ask]) for sample in SAMPLES)
        ask_all(made, SAMPLES[:9])
    then = made.forecast(SAMPLES)
    guessed = [estimated_tokens([sample.ask]) for sample in SAMPLES]
    scale = 9 * 100 / sum(guessed[:9])
    assert (then.asks, then.tokens_in, then.tokens_out) == (7, round(sum(guessed[9:]) * scale), 21)
