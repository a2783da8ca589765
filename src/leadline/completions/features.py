"""What runs and words say of a document, as features, and how well a model fits."""

from dataclasses import dataclass

import numpy as np

from leadline.data.arrays import Bools, Floats, Int32s, Int64s
from leadline.data.documents import WordCounts
from leadline.data.judgments import Judgments
from leadline.data.labels import NoisyLabels
from leadline.data.pairs import Pairs
from leadline.data.runs import Postings

ABSENT = 2000.0
"""The rank that counts for a run that does not return the document."""

FLOOR = 0.01
"""Added to geometric sums of ranks."""

PLACES = (2, 3, 5)
"""The second, third and fifth best rank may be evidence too."""

NAMES = (
    "log sum 1/(60+rank)",
    "log(floor + sum .95^rank)",
    "log(floor + sum .8^rank)",
    "log best rank",
    "mean log rank",
    "share that returns it",
    "share with it in the first 100",
    "log(1 + number with it in the first 30)",
)


def run_weights(group: tuple[str, ...]) -> Floats:
    """How much each run counts where a group's runs count together as one."""
    number = {name: at for at, name in enumerate(dict.fromkeys(group))}
    unit = np.array([number[name] for name in group], np.int64)
    weight: Floats = 1 / np.bincount(unit)[unit]
    return weight


@dataclass(frozen=True, eq=False)
class RankFeatures:
    """What the runs of the postings say of each pair, each with its voice: a row for those asked.

    `floor` is added to geometric sums, which would otherwise tell a document at rank 300 from one
    at 400. The logarithms of the ranks at `places` come next, last what noisy judges say.
    """

    postings: Postings
    run_weight: Floats
    floor: float
    places: tuple[int, ...] = ()
    labels: NoisyLabels | None = None

    def __len__(self) -> int:
        return len(self.postings.start) - 1

    def __getitem__(self, pairs: Int32s | Int64s) -> Floats:
        """[pairs, features] of some pairs."""
        postings = self.postings.of(pairs)
        pair, n_pairs = postings.pair, len(pairs)
        total = float(self.run_weight.sum())
        weight = self.run_weight[postings.run]
        present = np.bincount(pair, weight, n_pairs)
        # A table of what each rank adds is far cheaper than a power for every entry.
        rank = np.arange(1, int(postings.rank.max(initial=1)) + 1, dtype=np.float64)
        place = postings.rank - 1

        def sums(of_rank: Floats, of_absent: float) -> Floats:
            there = np.bincount(pair, weight * of_rank[place], n_pairs)
            return there + (total - present) * of_absent

        best, *others = ranks_in_order(postings, (1, *self.places))
        labels = [] if self.labels is None else self.labels.columns(pairs)
        return np.stack(
            [
                np.log(sums(1 / (60 + rank), 1 / (60 + ABSENT))),
                np.log(self.floor + sums(0.95**rank, 0.0)),
                np.log(self.floor + sums(0.8**rank, 0.0)),
                np.log(best),
                sums(np.log(rank), float(np.log(ABSENT))) / total,
                present / total,
                sums((rank <= 100).astype(np.float64), 0.0) / total,
                np.log1p(sums((rank <= 30).astype(np.float64), 0.0)),
                *(np.log(ranks) for ranks in others),
                *labels,
            ],
            axis=1,
        )


def ranks_in_order(postings: Postings, places: tuple[int, ...]) -> list[Floats]:
    """For each place, that best of every pair's ranks; ABSENT where there are fewer."""
    n_returned = np.diff(postings.start)
    deepest = int(postings.rank.max(initial=1)) + 1
    # One key to sort by is faster than two.
    ordered = np.sort(postings.pair * deepest + postings.rank) - postings.pair * deepest
    table = []
    for place in places:
        rank = np.full(len(n_returned), ABSENT)
        some = n_returned >= place
        rank[some] = ordered[postings.start[:-1][some] + place - 1]
        table.append(rank)
    return table


LIKENESS_NAMES = ("likeness to the relevant", "likeness to the judged others")


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
