"""How much a document reads like the judged ones of its topic, with a dict for every document.

``words`` maps a doc to its words and their counts, ``share`` a word to its share of the collection;
``judged`` maps a topic to its judged docs and whether each is relevant.
"""

import math


def vector(counts: dict[str, int], share: dict[str, float]) -> dict[str, float]:
    """(1 + log count) * -log(share), scaled to length 1; nothing if there is nothing to scale."""
    raw = {word: (1 + math.log(n)) * -math.log(share[word]) for word, n in counts.items()}
    norm = math.sqrt(math.fsum(value**2 for value in raw.values()))
    return {word: value / norm for word, value in raw.items()} if norm > 0 else {}


def cosine(one: dict[str, float], other: dict[str, float]) -> float:
    """The product of two unit vectors."""
    return math.fsum(value * other.get(word, 0.0) for word, value in one.items())


def likeness(
    docs: list[str],
    words: dict[str, dict[str, int]],
    share: dict[str, float],
    judged: dict[str, bool],
) -> dict[str, tuple[float, float]]:
    """For all documents of one topic: the mean cosine with its other relevant and other docs.

    Less the mean over these documents.
    """
    vectors = {doc: vector(words[doc], share) for doc in docs}
    columns = []
    for wanted in (True, False):
        group = [doc for doc in docs if judged.get(doc) is wanted]
        found = {}
        for doc in docs:
            others = [cosine(vectors[doc], vectors[other]) for other in group if other != doc]
            found[doc] = math.fsum(others) / len(others) if others else 0.0
        mean = math.fsum(found.values()) / len(docs)
        columns.append({doc: value - mean for doc, value in found.items()})
    return {doc: (columns[0][doc], columns[1][doc]) for doc in docs}
