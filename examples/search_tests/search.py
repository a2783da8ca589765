"""A small search engine with two versions of its ranking, in plain Python."""

import gzip
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

COLLECTION = Path(__file__).parent / "sea"
COMMON = {"a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "is", "it", "of"}
COMMON |= {"on", "or", "that", "the", "to", "was", "what", "with"}

Split = Callable[[str], list[str]]


def words(text: str) -> list[str]:
    """Return all words.

    >>> words("The tides")
    ['the', 'tides']
    """
    return re.findall(r"\w+", text.lower())


def stems(text: str) -> list[str]:
    """Return words without common ones and without plural endings.

    >>> stems("The tides")
    ['tide']
    """
    return [re.sub(r"(?<=\w{3})s$", "", word) for word in words(text) if word not in COMMON]


class Engine:
    """BM25 over documents that are split in one way."""

    def __init__(self, documents: Mapping[str, str], split: Split) -> None:
        self.split = split
        self.counts = {doc: Counter(split(text)) for doc, text in documents.items()}
        self.length = {doc: sum(counts.values()) for doc, counts in self.counts.items()}
        self.mean = sum(self.length.values()) / len(self.length)
        self.holds = Counter(word for counts in self.counts.values() for word in counts)

    def __call__(self, query: str, k: int) -> list[tuple[str, float]]:
        """Return the k best documents with their scores."""
        scores = {doc: self._score(doc, self.split(query)) for doc in self.counts}
        best = sorted(
            (doc for doc in scores if scores[doc] > 0), key=lambda doc: (-scores[doc], doc)
        )
        return [(doc, scores[doc]) for doc in best[:k]]

    def _score(self, doc: str, query: list[str]) -> float:
        counts, total = self.counts[doc], 0.0
        saturation = 0.9 * (0.6 + 0.4 * self.length[doc] / self.mean)
        for word in query:
            if counts[word]:
                n = self.holds[word]
                rare = math.log(1 + (len(self.counts) - n + 0.5) / (n + 0.5))
                total += rare * counts[word] / (counts[word] + saturation)
        return total


@cache
def engine(split: Split) -> Engine:
    """Return the engine over the collection's documents; it is made once."""
    with gzip.open(COLLECTION / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        documents = {row["id"]: row["text"] for row in map(json.loads, lines)}
    return Engine(documents, split)


def old(query: str, k: int) -> list[tuple[str, float]]:
    """Search as the product does today."""
    return engine(words)(query, k)


def new(query: str, k: int) -> list[tuple[str, float]]:
    """Search as the change does: common words out, plurals as singulars."""
    return engine(stems)(query, k)


def broken(query: str, k: int) -> list[str]:
    """Search with a mistake: every query gets the same documents."""
    return sorted(engine(stems).counts)[:k]
