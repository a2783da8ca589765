"""What the words of a document say: how much it reads like the judged documents of its topic."""

import numpy as np

from leadline.tables.arrays import Bools, Floats
from leadline.tables.documents import WordCounts
from leadline.tables.judgments import Judgments
from leadline.tables.pairs import Pairs

NAMES = ("likeness to the relevant", "likeness to the judged others")


def likeness(words: WordCounts, pairs: Pairs, judgments: Judgments, rel: int = 1) -> Floats:
    """[pairs, 2]: the mean cosine with the topic's other judged documents, relevant and not.

    Documents are vectors of (1 + log count) * -log(share in the collection). A judged document is
    not compared with itself, so that it looks as an unjudged one does. Less the mean over all
    documents of the topic, because topics differ in how alike their documents are; 0 where there
    is nothing to compare with.
    """
    value = unit_vectors(words)
    relevant = judgments.judged & (judgments.grade >= rel)
    columns = [
        _mean_cosine(words, value, pairs, group)
        for group in (relevant, judgments.judged & ~relevant)
    ]
    return np.stack(columns, axis=1)


def unit_vectors(words: WordCounts) -> Floats:
    """The weight of every word of every document, so that squares add up to 1 in each."""
    weight: Floats = (1 + np.log(words.count)) * -np.log(words.background[words.word])
    norm = np.sqrt(np.bincount(words.document, weight**2, len(words.start) - 1))[words.document]
    return np.divide(weight, norm, out=np.zeros(len(weight)), where=norm > 0)


def _mean_cosine(words: WordCounts, value: Floats, pairs: Pairs, group: Bools) -> Floats:
    """The mean cosine of each pair with those of the group that have its topic, but for itself."""
    topic, n_topics = pairs.topic.astype(np.int64), len(pairs.topics)
    member = np.flatnonzero(group)
    element, owner = words.elements(pairs.doc[member])
    # The group's vectors added up: one sparse row a topic, found by topic and word.
    key = topic[member][owner] * max(1, len(words.words)) + words.word[element]
    known, place = np.unique(key, return_inverse=True)
    total = np.bincount(place, value[element], len(known))
    dot = np.zeros(len(pairs))
    ends = np.searchsorted(topic, np.arange(n_topics + 1))
    # Topic by topic, because the words of all pairs at once may not fit into memory.
    for first, last in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        element, owner = words.elements(pairs.doc[first:last])
        key = topic[first:last][owner] * max(1, len(words.words)) + words.word[element]
        at = np.searchsorted(known, key)
        hit = np.flatnonzero(np.append(known, -1)[at] == key)
        amount = value[element[hit]] * total[at[hit]]
        dot[first:last] = np.bincount(owner[hit], amount, last - first)
    # An empty document has no cosine with itself that would have to be taken out.
    own = group & (np.bincount(words.document, value, len(words.start) - 1) > 0)[pairs.doc]
    n = np.bincount(topic[member], minlength=n_topics)[topic] - group
    mean = np.divide(dot - own, n, out=np.zeros(len(pairs)), where=n > 0)
    size = np.maximum(np.bincount(topic, minlength=n_topics), 1)
    centred: Floats = mean - (np.bincount(topic, mean, n_topics) / size)[topic]
    return centred
