"""All asks of a labelling: from the cache what is there, from the endpoint the rest, 8 at once."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from leadline.files.problems import Progress
from leadline.labelling.answer_cache import AnswerCache, digest_of
from leadline.labelling.answers import Answer, Verdict, read_verdict
from leadline.labelling.ask_settings import AskSettings
from leadline.labelling.cost import USUAL_TOKENS_OUT, Cost, estimated_tokens
from leadline.labelling.pace import LONGEST_REST, Pace
from leadline.labelling.prompt import Prompt, fenced

if TYPE_CHECKING:
    from leadline.labelling.client import ChatClient

MOST_ASKS = 3
"""Of one sample: answers in which no grade is found are asked for again, then left."""

FAILURES_IN_A_ROW = 10
"""Asks that end without an answer before nothing else is asked."""


class Sample(NamedTuple):
    """One of the times that a text is put before the model."""

    ask: str
    number: int


@dataclass(frozen=True)
class Exchange:
    """What was asked and answered so far about one sample; `verdict` once that is settled."""

    messages: list[dict[str, str]]
    digest: str
    answers: tuple[Answer, ...] = ()
    verdict: Verdict | None = None


@dataclass
class Asking:
    """Samples and what became of them: the cache holds all that is known.

    `failed` has the reason for each sample that got no answer; `ended` why nothing more was asked.
    """

    prompt: Prompt
    settings: AskSettings
    cache: AnswerCache
    cost: Cost = field(default_factory=Cost)
    failed: dict[Sample, str] = field(default_factory=dict)
    ended: str = ""
    seconds: float = 0.0
    _in_a_row: int = 0

    def exchange(self, sample: Sample) -> Exchange:
        """What the cache knows of a sample, and what to ask next."""
        model, grades = self.settings.model, [each.grade for each in self.prompt.grades]
        messages = [{"role": "user", "content": sample.ask}]
        answers: list[Answer] = []
        while True:
            digest = digest_of(model, messages, self.settings.temperature, sample.number)
            answer = self.cache.get(digest, self.settings.max_tokens)
            if answer is None:
                return Exchange(messages, digest, tuple(answers))
            answers.append(answer)
            verdict = read_verdict(answer.text, grades)
            if answer.refused:
                verdict = Verdict("refused")
            if verdict.state != "malformed" or len(answers) == MOST_ASKS:
                return Exchange(messages, digest, tuple(answers), verdict)
            messages = [
                *messages,
                {"role": "assistant", "content": answer.text},
                {"role": "user", "content": self.prompt.ask_again()},
            ]

    def open(self, samples: Sequence[Sample]) -> list[Sample]:
        """Those that are not settled yet."""
        return [each for each in samples if self.exchange(each).verdict is None]

    def forecast(self, samples: Sequence[Sample]) -> Cost:
        """What the first ask of each open sample may cost, by the tokens of answers so far."""
        asks: list[int] = []
        known: list[tuple[int, int, int]] = []
        for sample in samples:
            exchange = self.exchange(sample)
            guess = estimated_tokens([message["content"] for message in exchange.messages])
            if exchange.verdict is None:
                asks.append(guess)
            elif (last := exchange.answers[-1]).tokens_in is not None:
                known.append((guess, last.tokens_in, last.tokens_out or 0))
        guessed, counted, said = map(sum, zip(*known, strict=True)) if known else (1, 1, 0)
        tokens_in = round(sum(asks) * counted / guessed)
        tokens_out = round(len(asks) * (said / len(known) if known else USUAL_TOKENS_OUT))
        return Cost(len(asks), tokens_in, tokens_out, self.cost.price_in, self.cost.price_out)

    async def ask_all(
        self,
        samples: Sequence[Sample],
        client: "ChatClient",
        progress: Progress | None = None,
        watch: Callable[["Asking"], None] | None = None,
    ) -> None:
        """Settle what is open, several at once; every answer is kept as soon as it is there."""
        todo = self.open(samples)
        left, done = iter(todo), len(samples) - len(todo)
        begin = time.monotonic()
        pace = Pace(self.settings.per_minute, self.settings.backoff)

        async def worker() -> None:
            nonlocal done
            for sample in left:
                if not self.ended:
                    await self._settle(sample, client, pace)
                if self.ended and self.exchange(sample).verdict is None:
                    self.failed.setdefault(sample, self.ended)
                done += 1
                self.seconds = time.monotonic() - begin
                if watch is not None:
                    watch(self)
                if progress is not None:
                    progress(done, len(samples))

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.settings.concurrency, len(todo))):
                    group.create_task(worker())
        except BaseExceptionGroup as several:
            raise several.exceptions[0] from None

    async def _settle(self, sample: Sample, client: "ChatClient", pace: Pace) -> None:
        """Ask about a sample until a grade, a refusal or three answers without one are there."""
        while (exchange := self.exchange(sample)).verdict is None:
            answer = await self._answer(exchange.messages, sample, client, pace)
            if answer is None:
                return
            self.cache.add(exchange.digest, answer)
            self._in_a_row = 0
            texts = [message["content"] for message in exchange.messages]
            tokens_in, tokens_out = answer.tokens_in, answer.tokens_out
            self.cost = self.cost.plus(
                estimated_tokens(texts) if tokens_in is None else tokens_in,
                estimated_tokens([answer.text]) if tokens_out is None else tokens_out,
            )

    async def _answer(
        self,
        messages: list[dict[str, str]],
        sample: Sample,
        client: "ChatClient",
        pace: Pace,
    ) -> Answer | None:
        """An answer; None if there was none, and why in `failed` or `ended`."""
        from leadline.labelling.client import AskAgain, AskingEnds, AskRejected

        # The cache knows an ask without its fence, so that the same ask is not paid for twice.
        sent = [messages[0] | {"content": fenced(sample.ask)}, *messages[1:]]
        reason, tries = "", self.settings.tries
        for failures in range(1, tries + 1):
            await pace.turn()
            if self.ended:
                return None
            try:
                return await client.ask(sent)
            except AskingEnds as error:
                self.ended = self.ended or str(error)
                return None
            except AskRejected as error:
                reason = str(error)
                break
            except AskAgain as error:
                reason = str(error)
                wait = pace.after(failures) if error.rest is None else error.rest
                if wait > LONGEST_REST:
                    self.ended = f"{reason}: it asks us to wait {wait:,.0f} seconds"
                    return None
                if error.crowded:
                    pace.rest(wait)
                elif failures < tries:
                    await asyncio.sleep(wait)
        self.failed[sample] = reason
        self._in_a_row += 1
        if self._in_a_row >= FAILURES_IN_A_ROW:
            self.ended = f"{self._in_a_row} asks in a row got no answer, the last because {reason}"
        return None
