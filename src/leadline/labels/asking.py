"""All asks of a labelling: cache, cost, eight at once, and the labels they give."""

import asyncio
import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from leadline.io.problems import InputError, Notices, Progress
from leadline.io.write import LineFile, is_plain
from leadline.labels.client import (
    LONGEST_REST,
    Answer,
    AskSettings,
    Pace,
    State,
    Verdict,
    read_verdict,
)
from leadline.labels.prompt import PairText, Prompt, fenced

if TYPE_CHECKING:
    from leadline.labels.client import ChatClient


HEAD = b'{"leadline": "answers"}\n'
"""The first line, so that no other file is taken for one of answers and written to."""


def digest_of(model: str, messages: list[dict[str, str]], temperature: float, sample: int) -> str:
    """The name of an ask: equal for equal content, whatever topic and document it is of."""
    asked = json.dumps([model, messages, temperature, sample])
    return hashlib.blake2b(asked.encode(), digest_size=16).hexdigest()


class AnswerCache:
    """Answers by digest, in a file a JSON object a line, each on the disk before `add` returns.

    Without a path they are kept in memory only. With `look` the file is read and let go: nothing is
    added to it, and none is made.
    """

    def __init__(self, path: str | os.PathLike[str] | None, look: bool = False) -> None:
        self.answers: dict[str, Answer] = {}
        self._file: LineFile | None = None
        if path is None:
            return
        where = Path(path)
        if not is_plain(where):
            raise InputError.of(str(path), "cache", "is no plain file to keep answers in")
        if not look:
            self._file = LineFile(where, self._read)
            if not self._file.size:
                self._file.append(HEAD)
        elif where.exists():
            self._read(where)

    def __enter__(self) -> "AnswerCache":
        return self

    def __exit__(self, *what: object) -> None:
        if self._file is not None:
            self._file.close()

    def get(self, digest: str, max_tokens: int) -> Answer | None:
        """The answer to an ask; one that was cut off is none if it may be longer now."""
        answer = self.answers.get(digest)
        if answer is not None and answer.cut_at is not None and answer.cut_at < max_tokens:
            return None
        return answer

    def add(self, digest: str, answer: Answer) -> None:
        """Keep an answer."""
        if self._file is not None:
            self._file.append(json.dumps({"ask": digest} | asdict(answer)).encode() + b"\n")
        self.answers[digest] = answer

    def _read(self, path: Path) -> int:
        data = path.read_bytes()
        if data[: len(HEAD)] != HEAD[: len(data)]:
            found = data[:80].decode(errors="replace").partition("\n")[0]
            message = f"is no file of answers, so nothing is added to it: {found}"
            raise InputError.of(str(path), "cache", message, 1)
        whole = data[: data.rfind(b"\n") + 1]
        for number, line in enumerate(whole.split(b"\n")[1:-1], 2):
            try:
                row = json.loads(line)
                digest = row.pop("ask")
                if type(digest) is not str:
                    raise TypeError("ask")
                self.answers[digest] = _answer(row)
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                found = line[:80].decode(errors="replace")
                message = f"is no answer: {found}. Remove the line, and it is asked again"
                raise InputError.of(str(path), "cache", message, number) from None
        return len(whole)


_KINDS: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "refused": (bool,),
    "probability": (float, int, type(None)),
    "date": (str,),
    "left_out": (list,),
}


def _answer(row: dict[str, Any]) -> Answer:
    """The answer that a line holds; a TypeError or KeyError if it is none."""
    values = {}
    for each in fields(Answer):
        values[each.name] = row.pop(each.name)
        if type(values[each.name]) not in _KINDS.get(each.name, (int, type(None))):
            raise TypeError(each.name)
    if row:
        raise KeyError
    values["left_out"] = tuple(map(str, values["left_out"]))
    return Answer(**values)


BYTES_PER_TOKEN = 4
"""Of UTF-8: a rule of thumb for English; tokens of other languages are often shorter."""

TOKENS_PER_MESSAGE = 4
"""What a message adds to its text: who speaks, and where it ends."""

USUAL_TOKENS_OUT = 8
"""Of an answer that is the one line that was asked for."""

MILLION = 1_000_000


def estimated_tokens(texts: Sequence[str]) -> int:
    """About how many tokens messages have.

    >>> estimated_tokens(["a" * 400])
    104
    """
    n_bytes = sum(len(text.encode("utf-8", "replace")) for text in texts)
    return -(-n_bytes // BYTES_PER_TOKEN) + TOKENS_PER_MESSAGE * len(texts)


@dataclass(frozen=True)
class Cost:
    """Asks and their tokens; prices are of a million tokens, None where they are not known."""

    asks: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    price_in: float | None = None
    price_out: float | None = None

    @property
    def price(self) -> float | None:
        """What the tokens cost, in the currency of the prices."""
        if self.price_in is None and self.price_out is None:
            return None
        paid = self.tokens_in * (self.price_in or 0.0) + self.tokens_out * (self.price_out or 0.0)
        return paid / MILLION

    def plus(self, tokens_in: int, tokens_out: int) -> "Cost":
        """This and one more ask."""
        return replace(
            self,
            asks=self.asks + 1,
            tokens_in=self.tokens_in + tokens_in,
            tokens_out=self.tokens_out + tokens_out,
        )

    def told(self) -> str:
        """In words."""
        words = f"{self.tokens_in:,} tokens in, {self.tokens_out:,} out"
        return words if self.price is None else f"{words}, price {self.price:,.4f}"


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
        from leadline.labels.client import AskAgain, AskingEnds, AskRejected

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


SCHEMA = {
    "topic": pl.String,
    "doc": pl.String,
    "grade": pl.Int16,
    "confidence": pl.Float64,
    "judge": pl.String,
    "prompt": pl.String,
    "date": pl.String,
    "samples": pl.Int16,
    "cut": pl.Boolean,
    "state": pl.String,
}
SHOWN = 60
"""Letters of an answer that go into a notice."""


def samples_of(pairs: Sequence[PairText], n_samples: int) -> list[Sample]:
    """What is to be asked: pairs of the same words are asked about once."""
    asks = dict.fromkeys(pair.ask for pair in pairs if pair.ask)
    return [Sample(ask, number) for ask in asks for number in range(n_samples)]


def label_table(
    pairs: Sequence[PairText], n_samples: int, asking: Asking, notices: Notices
) -> pl.DataFrame:
    """A row for each pair; what has no grade is also listed in the notices."""
    judge, version = asking.settings.model, asking.prompt.version
    rows = []
    for pair in pairs:
        state, grade, confidence, n, date, reason = _label(pair, n_samples, asking)
        rows.append(
            (pair.topic, pair.doc, grade, confidence, judge, version, date, n, pair.cut, state)
        )
        if state not in ("labelled", "unasked"):
            message = f"topic {pair.topic}, doc {pair.doc}: {state}, {reason}"
            notices.add("", "warning", state, message)
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _label(
    pair: PairText, n_samples: int, asking: Asking
) -> tuple[State, int | None, float | None, int, str | None, str]:
    """State, grade, confidence, how many samples gave a grade, the date and why there is none."""
    if not pair.ask:
        return "failed", None, None, 0, None, "it has no text"
    verdicts: list[tuple[Verdict, Answer]] = []
    reason = ""
    for number in range(n_samples):
        sample = Sample(pair.ask, number)
        exchange = asking.exchange(sample)
        if exchange.verdict is not None:
            verdicts.append((exchange.verdict, exchange.answers[-1]))
        else:
            reason = asking.failed.get(sample, reason)
    grades = [verdict.grade for verdict, _ in verdicts if verdict.grade is not None]
    if not grades:
        return _without_grade(verdicts, reason)
    grade, confidence = _agreed(grades, n_samples)
    dates = [answer.date for verdict, answer in verdicts if verdict.grade == grade]
    if n_samples == 1:
        confidence = verdicts[0][1].probability
    return "labelled", grade, confidence, len(grades), max(dates), ""


def _agreed(grades: list[int], n_samples: int) -> tuple[int, float | None]:
    """The most frequent grade, of several the lowest, and its share of all that gave one."""
    counts = Counter(grades)
    grade = min(counts, key=lambda each: (-counts[each], each))
    return grade, counts[grade] / len(grades) if n_samples > 1 else None


def _without_grade(
    verdicts: list[tuple[Verdict, Answer]], reason: str
) -> tuple[State, None, None, int, str | None, str]:
    refused = next((answer for verdict, answer in verdicts if verdict.state == "refused"), None)
    if refused is not None:
        return "refused", None, None, 0, refused.date, "the model refused"
    if not verdicts:
        return ("failed" if reason else "unasked"), None, None, 0, None, reason
    answer = verdicts[0][1]
    said = " ".join(answer.text.split())[:SHOWN]
    why = f"no grade of the scale in {MOST_ASKS} answers, the last: {said!r}"
    if answer.cut_at is not None:
        why += f", cut off at {answer.cut_at:,} tokens (`max_tokens`)"
    return "malformed", None, None, 0, answer.date, why
