"""From text to words."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Tokens = Literal["words", "ascii"]
Stop = Literal["none", "english"]

_PATTERN = {"words": re.compile(r"\w+"), "ascii": re.compile(r"[a-z0-9]+")}
_LETTERS = b"abcdefghijklmnopqrstuvwxyz0123456789"
_STOP_TEXT = (
    "a about above after again against all am an and any are as at be because been before being "
    "below between both but by can cannot could did do does doing down during each few for from "
    "further had has have having he her here hers herself him himself his how i if in into is it "
    "its itself just me more most my myself no nor not now of off on once only or other our ours "
    "ourselves out over own same she should so some such than that the their theirs them "
    "themselves then there these they this those through to too under until up very was we were "
    "what when where which while who whom why will with would you your yours yourself yourselves "
    "s t d ll m re ve"
)
_STOP = frozenset(_STOP_TEXT.split())


@dataclass(frozen=True)
class Tokeniser:
    """Lower-case stretches of word characters; perhaps without stop words, perhaps stemmed.

    `words`: what Unicode counts as letters, digits and the underscore. `ascii`: a-z and 0-9 only.
    `stem` names a language of the Snowball stemmers, which need leadline[stemming].

    >>> Tokeniser().split("The naïve Sailor's log_2")
    ['the', 'naïve', 'sailor', 's', 'log_2']
    >>> Tokeniser("ascii", stop="english").split("The naïf Sailor's log_2")
    ['na', 'f', 'sailor', 'log', '2']
    """

    tokens: Tokens = "words"
    stop: Stop = "none"
    stem: str = "none"

    def __str__(self) -> str:
        return f"tokens={self.tokens}, stop={self.stop}, stem={self.stem}"

    def split(self, text: str) -> list[str]:
        """The words of a text, in order."""
        found = _PATTERN[self.tokens].findall(text.lower())
        if self.plain:
            return found
        change = self.change(set(found))
        return [made for word in found if (made := change[word])]

    @property
    def plain(self) -> bool:
        """Whether words stay as they are found."""
        return self.stop == "none" and self.stem == "none"

    def change(self, words: set[str]) -> dict[str, str]:
        """What becomes of each word: nothing of a stop word, its stem of another."""
        stop = _STOP if self.stop == "english" else frozenset()
        left = [word for word in words if word not in stop]
        stems = left if self.stem == "none" else stemmer(self.stem)(left)
        return dict.fromkeys(words, "") | dict(zip(left, stems, strict=True))

    def totals(self, texts: Sequence[str]) -> "Counter[str]":
        """How often each word occurs in all these texts together."""
        simple = [text for text in texts if text.isascii()]
        others = [text for text in texts if not text.isascii()]
        # Bytes translated and split: the same words as by pattern, in a third of the time.
        joined = "\n".join(simple).encode()
        found = Counter(joined.translate(_table(self.tokens)).split())
        counts = Counter({word.decode(): n for word, n in found.items()})
        for text in others:
            counts.update(_PATTERN[self.tokens].findall(text.lower()))
        return counts if self.plain else self.merged(counts)

    def merged(self, counts: "Counter[str]") -> "Counter[str]":
        """Counts of words as they are found, added up by what becomes of them."""
        change = self.change(set(counts))
        made: Counter[str] = Counter()
        for word, n in counts.items():
            if change[word]:
                made[change[word]] += n
        return made


@lru_cache
def _table(tokens: Tokens) -> bytes:
    """Every byte as it stands in words, a blank where it does not."""
    kept = _LETTERS + (b"_" if tokens == "words" else b"")
    return bytes(byte if byte in kept else 32 for byte in bytes(range(256)).lower())


@lru_cache
def stemmer(language: str) -> Callable[[list[str]], list[str]]:
    """The Snowball stemmer of a language."""
    try:
        import snowballstemmer
    except ImportError:
        message = "stemming needs the package snowballstemmer: pip install 'leadline[stemming]'"
        raise ValueError(message) from None
    known = snowballstemmer.algorithms()
    if language not in known:
        raise ValueError(f"stem must be none or one of {', '.join(sorted(known))}, not {language}")
    made: Callable[[list[str]], list[str]] = snowballstemmer.stemmer(language).stemWords
    return made
