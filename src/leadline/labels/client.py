"""One ask of a chat-completions endpoint: settings, pace, and what its answer means."""

import asyncio
import ipaddress
import json
import math
import os
import random
import re
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any, Literal, NamedTuple

import httpx2

OPENAI = "https://api.openai.com/v1"
_BOUNDS: dict[str, tuple[float, float]] = {
    "temperature": (0, 100),
    "max_tokens": (1, 1_000_000),
    "concurrency": (1, 1000),
    "per_minute": (0.01, 1_000_000),
    "timeout": (0.01, 86_400),
    "tries": (1, 1000),
    "backoff": (0, 3600),
}


ResponseFormat = Literal["text", "json"]
"""What the endpoint is asked to hold a model to: nothing, or a JSON schema."""


@dataclass(frozen=True)
class AskSettings:
    """The parameters of `label` about asking; the first three decide what an answer is."""

    model: str
    temperature: float = 0.0
    max_tokens: int = 2000
    endpoint: str = OPENAI
    concurrency: int = 8
    per_minute: float | None = None
    timeout: float = 120.0
    tries: int = 8
    backoff: float = 0.5
    response_format: ResponseFormat = "text"

    def __post_init__(self) -> None:
        if not self.model.strip() or not self.model.isprintable():
            raise ValueError("`model` must be the name by which the endpoint knows it")
        for each in fields(self):
            if each.name in _BOUNDS:
                check_bounds(each.name, getattr(self, each.name), *_BOUNDS[each.name])


def check_bounds(name: str, number: float | None, least: float, most: float) -> None:
    """A ValueError unless a number is within its bounds, or not given."""
    if number is not None and not least <= number <= most:
        raise ValueError(f"`{name}` must be from {least:g} to {most:,}, not {number:g}")


State = Literal["labelled", "refused", "malformed", "failed", "unasked"]
"""What became of a pair; unasked only in a dry run."""

_GRADE = re.compile(
    r"\bgrade[\"'*_`\s]*[:=][\"'*_`\s]*(none\b|[0-9]{1,4}(?![0-9]))([^,;}(\n]*)", re.IGNORECASE
)
_BARE = re.compile(r"[^\w-]*([0-9]{1,4})[^\w]*")
_MORE = re.compile(r"[0-9]")


NOISE = 1.0
"""How far a logarithm of a probability may be above 0 by rounding."""


class Token(NamedTuple):
    """A piece of an answer, and the logarithm of its probability."""

    text: str
    logprob: float


@dataclass(frozen=True)
class Answer:
    """One answer of a model, as it is kept.

    `cut_at`: the number of tokens at which it was cut off. `left_out`: parameters that the endpoint
    does not take. `probability`: of the tokens that spell the grade.
    """

    text: str
    refused: bool = False
    cut_at: int | None = None
    probability: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    date: str = ""
    left_out: tuple[str, ...] = ()


class Verdict(NamedTuple):
    """The grade in an answer, and where its letters stand; without one it was refused or not."""

    state: State
    grade: int | None = None
    begin: int = 0
    end: int = 0


def read_verdict(text: str, grades: Collection[int]) -> Verdict:
    """The last `grade: N` after any thinking aloud, or a number that is all there is.

    >>> read_verdict("<think>grade: 3?</think>**Grade:** 2", [0, 1, 2, 3]).grade
    2
    >>> read_verdict("grade: none", [0, 1]).state
    'refused'
    >>> read_verdict("grade: 1 or 2", [0, 1, 2]).state
    'malformed'
    """
    begin = text.rfind("</think>") + len("</think>") if "</think>" in text else 0
    end = text.find("<think>", begin)
    end = len(text) if end < 0 else end
    matches = list(_GRADE.finditer(text, begin, end))
    match = matches[-1] if matches else _BARE.fullmatch(text, begin, end)
    if match is None or (matches and _MORE.search(match[2])):
        return Verdict("malformed")
    if match[1].lower() == "none":
        return Verdict("refused")
    if int(match[1]) not in grades:
        return Verdict("malformed")
    return Verdict("labelled", int(match[1]), *match.span(1))


def probability_of(verdict: Verdict, text: str, tokens: Sequence[Token]) -> float | None:
    """The probability of the tokens that spell the grade; None where that cannot be told."""
    if verdict.grade is None or "".join(token.text for token in tokens) != text:
        return None
    at, total = 0, 0.0
    for token in tokens:
        if at < verdict.end and at + len(token.text) > verdict.begin:
            total += token.logprob
        at += len(token.text)
    # More than certain is no probability, but for rounding.
    return math.exp(min(0.0, total)) if total < NOISE else None


LONGEST_BACKOFF = 60.0
LONGEST_REST = 600.0
"""Seconds that an endpoint may ask us to wait; beyond, the user is told and decides."""


class Pace:
    """The gate that all asks pass, one after the other."""

    def __init__(self, per_minute: float | None = None, backoff: float = 0.5) -> None:
        self.gap = 0.0 if per_minute is None else 60.0 / per_minute
        self.backoff = backoff
        self._next = 0.0
        self._chance = random.Random()

    async def turn(self) -> None:
        """Wait until an ask may go out."""
        while (wait := self._next - time.monotonic()) > 0:
            await asyncio.sleep(wait)
        self._next = time.monotonic() + self.gap

    def rest(self, seconds: float) -> None:
        """No ask goes out for so long."""
        self._next = max(self._next, time.monotonic() + seconds)

    def after(self, failures: int) -> float:
        """Seconds to wait after so many failures: twice as long each time, a part of it chance."""
        longest = min(LONGEST_BACKOFF, self.backoff * 2.0 ** min(failures - 1, 30))
        return longest * self._chance.uniform(0.5, 1.0)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that an answer asks us to wait; None if it does not say.

    >>> retry_after({"retry-after": "7"})
    7.0
    >>> retry_after({"retry-after": "soon"}) is None
    True
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        date = parsedate_to_datetime(headers["retry-after"])
    except (KeyError, ValueError):
        return None
    date = date if date.tzinfo is not None else date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.now(UTC)).total_seconds())


KEYS = ("LEADLINE_API_KEY", "OPENAI_API_KEY")
"""Where a key may stand; the first that is set counts."""

SHORTEST_SECRET = 8
"""Shorter keys are words such as EMPTY that a local server wants to see, and no secrets."""

LARGEST_BODY = 8 << 20
LONGEST_SAYING = 200
"""Letters of what an endpoint says that go into a message."""

NOTHING_WORKS = (300, 301, 302, 303, 307, 308, 401, 402, 404, 405)
"""Not 403, with which some endpoints refuse one text: many in a row end it too."""

TEMPORARY = (408, 409, 425, 429)
FILTERED = ("content_filter", "content_policy_violation")
"""Codes of errors with which some endpoints refuse a text."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


def is_local(host: str) -> bool:
    """Return whether an address is this machine itself, which no proxy is the way to.

    >>> [is_local(host) for host in ("localhost", "127.0.0.2", "::1", "host", "10.0.0.1")]
    [True, True, True, False, False]
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def printable(text: str) -> str:
    """Return what a server said without what could command a terminal.

    >>> printable("no" + chr(27) + "[31m red" + chr(10) + "here")
    'no [31m red here'
    """
    # What is no letter of UTF-8 could not be written to a file.
    return _CONTROL.sub(" ", text.encode("utf-8", "replace").decode())


class AskAgain(Exception):
    """No answer this time; `rest` if the endpoint says for how long, `crowded` if it is too much.

    What an exception of this module says holds no key.
    """

    def __init__(self, reason: str, rest: float | None = None, crowded: bool = False) -> None:
        super().__init__(reason)
        self.rest = rest
        self.crowded = crowded


class AskRejected(Exception):
    """No answer to this ask, however often it is asked."""


class AskingEnds(Exception):
    """No answer to any ask: the key, the address or the account is wrong."""


def api_key() -> str:
    """The key in the environment, "" if there is none; a ValueError if it cannot be one."""
    name = next((name for name in KEYS if os.environ.get(name, "").strip()), None)
    key = "" if name is None else os.environ[name].strip()
    if not key.isascii() or not key.isprintable():
        raise ValueError(f"the environment's {name} holds letters that no key has")
    return key


def completions_address(endpoint: str, key: str = "") -> httpx2.URL:
    """Where asks go; a ValueError if it is no address, or holds a key.

    >>> str(completions_address("http://localhost:11434/v1/"))
    'http://localhost:11434/v1/chat/completions'
    """
    try:
        url = httpx2.URL(endpoint.strip())
    except (httpx2.InvalidURL, ValueError):
        url = httpx2.URL("")
    sound = url.scheme in ("http", "https") and url.host
    if not sound or not 0 < (1 if url.port is None else url.port) < 1 << 16:
        raise ValueError(
            "`endpoint` must be an address such as http://localhost:8000/v1, "
            f"not {'one with a key in it' if key and key in endpoint else repr(endpoint[:80])}"
        )
    if url.userinfo or (len(key) >= SHORTEST_SECRET and key in endpoint):
        raise ValueError(f"`endpoint` holds a key or password: put it into {KEYS[0]} instead")
    path = url.path.rstrip("/")
    return (
        url
        if path.endswith("/chat/completions")
        else url.copy_with(path=f"{path}/chat/completions")
    )


def grade_schema(grades: Collection[int]) -> dict[str, Any]:
    """Return the parameter response_format for an object that holds one grade, or none.

    >>> schema = grade_schema([0, 1])["json_schema"]["schema"]
    >>> schema["properties"]["grade"]["enum"]
    [0, 1, 'none']
    """
    schema = {
        "type": "object",
        "properties": {"grade": {"enum": [*sorted(grades), "none"]}},
        "required": ["grade"],
        "additionalProperties": False,
    }
    return {
        "type": "json_schema",
        "json_schema": {"name": "grade", "strict": True, "schema": schema},
    }


class ChatClient:
    """Asks one endpoint; remembers which parameters it does not take."""

    def __init__(self, settings: AskSettings, grades: Collection[int]) -> None:
        self._key = api_key()
        self.url = completions_address(settings.endpoint, self._key)
        self.settings = settings
        self.grades = grades
        self.parameters: dict[str, Any] = {
            "temperature": settings.temperature,
            "max_tokens": settings.max_tokens,
            "logprobs": True,
        }
        if settings.response_format == "json":
            self.parameters["response_format"] = grade_schema(grades)
        self.left_out: tuple[str, ...] = ()
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        self._http = httpx2.AsyncClient(
            headers=headers,
            # Each phase; the whole is watched below, or a slow trickle could last for ever.
            timeout=settings.timeout,
            limits=httpx2.Limits(max_connections=settings.concurrency),
            # Certificates take longer to read than an answer; without https there are none.
            verify=self.url.scheme == "https",
            # A proxy is no way to this machine itself.
            trust_env=not is_local(self.url.host),
        )

    async def __aenter__(self) -> "ChatClient":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        await self._http.aclose()

    @property
    def unencrypted(self) -> bool:
        """Whether a key would travel where others can read it."""
        return bool(self._key) and self.url.scheme == "http" and not is_local(self.url.host)

    async def ask(self, messages: list[dict[str, str]]) -> Answer:
        """The answer; parameters that the endpoint does not take are left out from now on."""
        while True:
            sent = dict(self.parameters)
            body = {"model": self.settings.model, "messages": messages, **sent}
            status, headers, data = await self._post(body)
            if status in (400, 422) and self._leave_out(sent, self._error(data)):
                continue
            if self._code(data) in FILTERED:
                return Answer("", True, date=_now(), left_out=self.left_out)
            if status != 200:
                raise self._failure(status, headers, data)
            return self._answer(data)

    async def _post(self, body: dict[str, Any]) -> tuple[int, httpx2.Headers, Any]:
        """Status, headers and what the body holds; None if that is no JSON."""
        # In ASCII: JSON's own escapes also stand for what is no letter of UTF-8.
        content, data = json.dumps(body).encode(), b""
        try:
            async with (
                asyncio.timeout(self.settings.timeout),
                self._http.stream("POST", self.url, content=content) as response,
            ):
                async for piece in response.aiter_bytes():
                    data += piece
                    if len(data) > LARGEST_BODY:
                        raise AskAgain(f"the answer has more than {LARGEST_BODY >> 20} MB")
        except TimeoutError:
            raise AskAgain(f"no answer within {self.settings.timeout:g} seconds") from None
        except (httpx2.HTTPError, httpx2.StreamError, OSError) as error:
            why = printable(self._safe(str(error))) or type(error).__name__
            raise AskAgain(f"no answer from {self.url.host}: {why}") from None
        try:
            return response.status_code, response.headers, json.loads(data)
        except (ValueError, RecursionError):
            return response.status_code, response.headers, None

    def _leave_out(self, sent: dict[str, Any], error: tuple[str, str]) -> bool:
        """Whether the endpoint names one of our parameters as wrong, which then changes."""
        parameter, message = error
        name = next((name for name in sent if parameter == name), None)
        name = name or next((name for name in sent if name in message), None)
        # Some name max_tokens where the prompt itself is too long.
        if name is None or "context length" in message:
            return False
        if name in self.parameters:
            # Others that are under way have been sent the same, and find it changed already.
            value = self.parameters.pop(name)
            if name == "max_tokens":
                self.parameters["max_completion_tokens"] = value
            else:
                self.left_out = (*self.left_out, name)
        return True

    def _failure(self, status: int, headers: httpx2.Headers, data: Any) -> Exception:
        message = self._error(data)[1]
        reason = f"the endpoint says {status}" + (f": {message}" if message else "")
        if status in (401, 403):
            reason += f". Is the key in {' or '.join(KEYS)} right?"
        if status in (404, 405):
            reason += ". Are the address and the model right?"
        if status in NOTHING_WORKS or self._code(data) == "insufficient_quota":
            return AskingEnds(reason)
        if status in TEMPORARY or status >= 500:
            return AskAgain(reason, retry_after(headers), crowded=status in (429, 503))
        return AskRejected(reason)

    def _code(self, data: Any) -> Any:
        error = data.get("error") if isinstance(data, dict) else None
        return error.get("code") if isinstance(error, dict) else None

    def _error(self, data: Any) -> tuple[str, str]:
        """The parameter that an error is about, and what it says; both may be empty."""
        error = data.get("error", data.get("detail")) if isinstance(data, dict) else None
        if not isinstance(error, dict):
            error = {"message": error if isinstance(error, str) else ""}
        texts = [error.get(name) for name in ("param", "message")]
        parameter, message = (text if isinstance(text, str) else "" for text in texts)
        # Names in backquotes are parameters of ours in all that we say.
        said = " ".join(printable(self._safe(message)).replace("`", "'").split())
        return parameter, said[:LONGEST_SAYING]

    def _safe(self, text: str) -> str:
        """A text without the key, should the endpoint have sent it back."""
        # What is no letter of UTF-8 could not be written to a file.
        text = text.encode("utf-8", "replace").decode()
        return text.replace(self._key, "***") if len(self._key) >= SHORTEST_SECRET else text

    def _answer(self, data: Any) -> Answer:
        """What a body of the right shape says; AskAgain if it has another."""
        try:
            choice = data["choices"][0]
            text, refusal = (choice["message"].get(name) for name in ("content", "refusal"))
        except (TypeError, KeyError, IndexError, AttributeError):
            choice, text, refusal = None, None, None
        if not isinstance(text, str | None) or not isinstance(choice, dict):
            said = self._error(data)[1]
            raise AskAgain(f"the answer is no chat completion{': ' if said else ''}{said}")
        text = self._safe(text or "")
        end = choice.get("finish_reason")
        refused = end == "content_filter" or (isinstance(refusal, str) and bool(refusal))
        verdict = read_verdict(text, self.grades)
        usage = data.get("usage")
        return Answer(
            text,
            refused,
            self.settings.max_tokens if end == "length" else None,
            probability_of(verdict, text, _tokens(choice.get("logprobs"))),
            _count(usage, "prompt_tokens"),
            _count(usage, "completion_tokens"),
            _now(),
            self.left_out,
        )


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _tokens(logprobs: Any) -> list[Token]:
    """The tokens with their probabilities; none where they are not offered."""
    try:
        given = [(each["token"], each["logprob"]) for each in logprobs["content"]]
        sound = all(isinstance(t, str) and type(p) in (int, float) for t, p in given)
        return [Token(t, float(p)) for t, p in given] if sound else []
    except (TypeError, KeyError, OverflowError):
        return []


def _count(usage: Any, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if type(value) is int and 0 <= value < 1 << 40 else None
