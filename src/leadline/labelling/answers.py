"""What came back from a model, and the grade in it."""

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

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
