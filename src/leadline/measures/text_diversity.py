"""Diversity by text: a list gains as what was read comes close to a subtopic's language model.

P(v|X) = (tf(v,X) + mu P(v|D)) / (|X| + mu), D being the collection. Since P(v|X) / P(v|D) is
mu / (|X| + mu) times 1 + tf(v,X) / (mu P(v|D)), divergences are sums over the words that occur, and
the size of the vocabulary does not matter.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from leadline.data.arrays import Bools, Floats, Int32s, Int64s
from leadline.data.documents import WordCounts
from leadline.data.lists import Lists
from leadline.data.scores import Scores
from leadline.data.subtopics import SubtopicGrades
from leadline.measures.diversity import share_judged, sketch_texts
from leadline.measures.measure import Measure, measures
from leadline.measures.subtopic_lists import subtopics_of
from leadline.measures.texts import Stop, Tokeniser, Tokens

SAME = 1e-12
"""A model that diverges less from the collection than this says nothing."""


@dataclass(frozen=True, eq=False)
class SubtopicModels:
    """What the relevant documents of each subtopic say: words and counts, `start` as in CSR.

    `divergence` is KLD(subtopic || collection). `labelled` marks subtopics that have a relevant
    document, `known` those of them that tell something: they do not read like the collection, as
    empty documents do. The others gain nothing.
    """

    start: Int64s
    word: Int32s
    count: Floats
    length: Floats
    divergence: Floats
    labelled: Bools
    known: Bools


def subtopic_models(
    grades: SubtopicGrades, words: WordCounts, learned: Int32s, mu: float, rel: int = 1
) -> SubtopicModels:
    """The models of all subtopics; `learned` is the row of each judged document in `words`."""
    label = np.flatnonzero(grades.grade >= rel)
    row = learned[grades.of_label[label]]
    subtopic = grades.subtopic[label][row >= 0]
    element, of = words.elements(row[row >= 0])
    n = len(grades.names)
    key = subtopic[of].astype(np.int64) * max(1, len(words.words)) + words.word[element]
    distinct, inverse = np.unique(key, return_inverse=True)
    count = _sums(inverse, words.count[element].astype(np.float64), len(distinct))
    owner, word = np.divmod(distinct, max(1, len(words.words)))
    length = _sums(owner, count, n)
    prior = mu * words.background[word]
    rises = (count + prior) * np.log1p(count / prior)
    total = _sums(owner, rises, n)
    divergence = total / (length + mu) - np.log1p(length / mu)
    start = np.searchsorted(owner, np.arange(n + 1))
    labelled = np.bincount(subtopic, minlength=n) > 0
    known = (length > 0) & (divergence > SAME)
    return SubtopicModels(start, word.astype(np.int32), count, length, divergence, labelled, known)


def _sums(of: Int64s, values: Floats, n: int) -> Floats:
    """The sum of the values of each group; of nothing, numpy alone would make whole numbers."""
    return np.bincount(of, weights=values, minlength=n).astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class ResultModels:
    """What readers of some lists of one topic have seen at each rank, apart from all subtopics.

    A cell is a list and a rank. Each element is a word of a cell's document, with `rise`: how much
    log(P(v|R_j) / P(v|R_j-1)) grows by its occurrences, before the change in length. `flat` is the
    sum over a cell's elements of mu P(v|D) times rise, `dilution` is log((|R_j| + mu) / mu).
    """

    shape: tuple[int, int]
    words: Int32s
    cell: Int64s
    word: Int64s
    rise: Floats
    flat: Floats
    dilution: Floats

    @classmethod
    def of(cls, doc: Int32s, words: WordCounts, mu: float) -> "ResultModels":
        """Of a matrix of documents, a row a list, a column a rank; -1 where there is no text."""
        n_lists, depth = doc.shape
        row = doc.ravel()
        cell = np.flatnonzero(row >= 0)
        element, of = words.elements(row[cell])
        used, word = np.unique(words.word[element], return_inverse=True)
        count = words.count[element].astype(np.float64)
        place = cell[of]
        key = (place // max(1, depth)) * max(1, len(used)) + word
        # Elements come list by list and rank by rank, so a stable sort keeps the ranks in order.
        order = np.argsort(key, kind="stable")
        added = np.cumsum(count[order])
        first = np.flatnonzero(np.diff(key[order], prepend=-1))
        n = np.diff(np.append(first, len(order)))
        seen = np.empty(len(order))
        seen[order] = added - count[order] - np.repeat((added - count[order])[first], n)
        prior = mu * words.background[used][word]
        rise = np.log1p(count / (prior + seen))
        flat = _sums(place, prior * rise, n_lists * depth)
        length = _sums(place, count, n_lists * depth)
        total = np.cumsum(length.reshape(doc.shape), axis=1)
        return cls((n_lists, depth), used, place, word, rise, flat, np.log1p(total / mu))

    def counts(self, models: SubtopicModels, subtopic: Int64s) -> Floats:
        """[words here, subtopics]: how often the subtopics' documents have each word."""
        table = np.zeros((len(self.words), len(subtopic)))
        for column, each in enumerate(subtopic):
            part = slice(int(models.start[each]), int(models.start[each + 1]))
            at = np.searchsorted(self.words, models.word[part])
            at[at == len(self.words)] = 0
            hit = self.words[at] == models.word[part] if len(self.words) else at < 0
            table[at[hit], column] = models.count[part][hit]
        return table

    def gains(self, models: SubtopicModels, subtopic: Int64s, mu: float) -> Floats:
        """[lists, ranks, subtopics]: 1 - KLD(subtopic || R_j) / KLD(subtopic || D), unclipped."""
        table = self.counts(models, subtopic)
        n_cells = self.shape[0] * self.shape[1]
        found = np.zeros((n_cells, len(subtopic)))
        if len(self.cell):
            starts = np.flatnonzero(np.diff(self.cell, prepend=-1))
            sums = np.add.reduceat(table[self.word] * self.rise[:, None], starts, axis=0)
            found[self.cell[starts]] = sums
        found += self.flat[:, None]
        found /= models.length[subtopic] + mu
        risen = np.cumsum(found.reshape(*self.shape, len(subtopic)), axis=1)
        gains: Floats = (risen - self.dilution[:, :, None]) / models.divergence[subtopic]
        return gains


MANY_ZEROS = 0.1
"""Share of scores of exactly 0 beyond which it is said why they are."""

NOTHING_TOLD = "the topic's relevant documents say no more than the whole collection does"
NO_CLOSER = "no rank comes closer to a subtopic than the whole collection is"


class Divergence(Measure):
    """A sum over ranks of gains that come from the divergence of language models.

    gain(i, j) = max(0, 1 - KLD(subtopic i || R_j) / KLD(subtopic i || D)): how much closer the text
    of the first j documents has come to that of subtopic i's relevant documents than the whole
    collection is. ABS: the best subtopic's gain at each rank; DELTA: the largest rise over the rank
    before. NB: all ranks alike; RB: weights (1 - theta) theta^(j-1). With clip=false gains may fall
    below 0, as they do where texts are short.
    """

    needs: ClassVar[Literal["judgments", "subtopics", "documents"]] = "documents"
    bounded: ClassVar[bool] = False
    rises: ClassVar[bool]
    k: int
    mu: float
    rel: int
    tokens: Tokens
    stop: Stop
    stem: str
    clip: bool

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.mu > 0:
            raise ValueError(f"mu must be above 0, not {self.mu}")
        if not 0 <= getattr(self, "theta", 0.5) < 1:
            raise ValueError(f"theta must be at least 0 and below 1, not {self.theta}")  # type: ignore[attr-defined]

    @property
    def how(self) -> Tokeniser:
        """What makes words of text."""
        return Tokeniser(self.tokens, self.stop, self.stem)

    @abstractmethod
    def weights(self, n: int) -> Floats:
        """Weights of ranks 1 to n."""

    def score(self, lists: Lists) -> Scores:
        """The score of every run on every topic; there is no interval."""
        gains = self._gains(lists)
        value = self._values(gains)
        value[~gains.defined] = np.nan
        judged = share_judged(lists, self.k)
        return Scores.of_lists(lists, str(self), value, judged, obtained="text")

    def _gains(self, lists: Lists) -> "RankGains":
        return rank_gains(lists, self.how, self.mu, self.k, self.rel, self.clip)

    def _values(self, gains: "RankGains") -> Floats:
        gain = gains.rise if self.rises else gains.best
        value: Floats = np.cumsum(gain * self.weights(self.k), axis=1)[:, -1]
        return value

    def why_zero(self, lists: Lists) -> str | None:
        """Return why lists score exactly 0, with counts; None unless many do."""
        gains = self._gains(lists)
        scored = gains.defined & (lists.length.ravel() > 0)
        zero = scored & (self._values(gains) == 0)
        if zero.sum() <= MANY_ZEROS * scored.sum():
            return None
        reasons = {
            "the list has no text": zero & ~gains.has_text,
            NOTHING_TOLD: zero & gains.has_text & ~gains.has_model,
            NO_CLOSER: zero & gains.has_text & gains.has_model,
        }
        told = [f"{reason} ({int(of.sum()):,})" for reason, of in reasons.items() if of.any()]
        message = f"{int(zero.sum()):,} of {int(scored.sum()):,} scores are 0: {'; '.join(told)}"
        words = self._mean_words(lists)
        if not self.clip or not reasons[NO_CLOSER].any() or 3 * words >= self.mu:
            return message
        # Settled on short texts: see docs/methods/hui17.md.
        return (
            f"{message}. With documents of {words:.0f} words, clip=false and "
            f"mu={max(1, round(3 * words))} tell such lists apart"
        )

    def _mean_words(self, lists: Lists) -> float:
        """Return the mean number of words of the documents returned that have any."""
        assert lists.documents is not None
        assert lists.in_documents is not None
        counts = lists.documents.words(self.how)
        returned = np.unique(lists.in_documents[lists.in_documents >= 0])
        total = np.append(0, np.cumsum(counts.count, dtype=np.int64))[counts.start]
        n_words = np.diff(total)[returned]
        return float(n_words.sum()) / max(1, int(np.count_nonzero(n_words)))

    def read(self, results: str, subtopics: dict[str, str], collection: str) -> str:
        """The score of one list of texts, `|` between them: for examples and tests.

        `subtopics` holds the text of each subtopic's relevant documents.
        """
        return self.example(sketch_texts(results, subtopics, collection))


@dataclass(frozen=True)
class _NB(Divergence):
    k: int = 20
    mu: float = 2500.0
    rel: int = 1
    tokens: Tokens = "words"
    stop: Stop = "none"
    stem: str = "none"
    clip: bool = True

    def weights(self, n: int) -> Floats:
        """1 for every rank."""
        return np.ones(n)


@dataclass(frozen=True)
class _RB(Divergence):
    k: int = 20
    theta: float = 0.8
    mu: float = 2500.0
    rel: int = 1
    tokens: Tokens = "words"
    stop: Stop = "none"
    stem: str = "none"
    clip: bool = True

    def weights(self, n: int) -> Floats:
        """(1 - theta) theta^(j-1)."""
        decay: Floats = np.power(self.theta, np.arange(n))
        return (1 - self.theta) * decay


@dataclass(frozen=True, eq=False)
class RankGains:
    """[lists, ranks]: the best subtopic's gain and the largest rise; where a model was defined.

    `has_text` tells whether a list has any text down to the depth, `has_model` whether its topic
    has a subtopic whose text differs from the collection's.
    """

    best: Floats
    rise: Floats
    defined: Bools
    has_text: Bools
    has_model: Bools


def rank_gains(
    lists: Lists, how: Tokeniser, mu: float, depth: int, rel: int, clip: bool = True
) -> RankGains:
    """The gains of all lists, computed once for all measures that share them."""
    if lists.documents is None or lists.in_documents is None:
        raise ValueError("a measure that compares texts needs lists with documents")
    key = ("gains", lists, how, mu, depth, rel, clip)
    if key not in lists.documents.kept:
        lists.documents.kept[key] = _rank_gains(lists, how, mu, depth, rel, clip)
    found: RankGains = lists.documents.kept[key]
    return found


def _rank_gains(
    lists: Lists, how: Tokeniser, mu: float, depth: int, rel: int, clip: bool
) -> RankGains:
    grades = subtopics_of(lists)
    assert lists.documents is not None
    words = lists.documents.words(how)
    models = subtopic_models(grades, words, lists.documents.learned, mu, rel)
    n_runs, n_topics = lists.start.shape
    best, rise = (np.zeros((n_runs, n_topics, depth)) for _ in range(2))
    defined, has_text, has_model = np.zeros((3, n_runs, n_topics), np.bool_)
    for topic in range(len(grades.topics)):
        subtopic = np.arange(grades.first[topic], grades.first[topic + 1])
        defined[:, topic] = models.labelled[subtopic].any()
        subtopic = subtopic[models.known[subtopic]]
        doc, listed = top_documents(lists, topic, depth)
        has_text[:, topic] = ((doc >= 0) & (np.diff(words.start, append=0) > 0)[doc]).any(axis=1)
        if not len(subtopic):
            continue
        has_model[:, topic] = True
        seen = ResultModels.of(doc, words, mu)
        gains = seen.gains(models, subtopic, mu)
        gains = np.maximum(0.0, gains) if clip else gains
        best[:, topic] = np.where(listed, gains.max(axis=2), 0.0)
        before = np.concatenate([np.zeros_like(gains[:, :1]), gains[:, :-1]], axis=1)
        rise[:, topic] = np.where(listed, np.maximum(0.0, (gains - before).max(axis=2)), 0.0)
    shape = (n_runs * n_topics, depth)
    return RankGains(
        best.reshape(shape),
        rise.reshape(shape),
        defined.ravel(),
        has_text.ravel(),
        has_model.ravel(),
    )


def top_documents(lists: Lists, topic: int, depth: int) -> tuple[Int32s, Bools]:
    """[runs, ranks]: the document at each rank, -1 where there is no text, and whether one is."""
    assert lists.in_documents is not None
    start, stop = lists.start[:, topic, None], lists.stop[:, topic, None]
    at = start + np.arange(depth)
    listed = at < stop
    if not len(lists.in_documents):
        return np.full(at.shape, -1, np.int32), listed
    doc = np.where(listed, lists.in_documents[np.where(listed, at, 0)], -1)
    return doc.astype(np.int32), listed


@measures.register
@dataclass(frozen=True)
class ABSnb(_NB):
    """Similarity of the text at each rank to its closest subtopic, summed over ranks.

    Formula: ABSnb@k = sum_{j<=k} max_i max(0, 1 - KLD(q_i || R_j) / KLD(q_i || D))

    q_i: the text of the documents relevant to subtopic i; R_j: that of the first j results; D: that
    of the collection, all with Dirichlet smoothing by mu. Unjudged documents are read like all
    others. Ranks beyond the list's end add nothing. Subtopics without a relevant document are
    skipped; undefined on a topic that has none. No interval.

    >>> ABSnb(k=1, mu=1.0).read("tide tide fog", {"a": "tide"}, "tide fog sail")
    '0.6147'

    Hui, Berberich and Mele, Dealing with incomplete judgments in cascade measures, ICTIR 2017.
    """

    rises = False


@measures.register
@dataclass(frozen=True)
class ABSrb(_RB):
    """Similarity of the text at each rank to its closest subtopic, weighted towards early ranks.

    Formula: ABSrb@k = (1-theta) sum_{j<=k} theta^(j-1) max_i g(i,j), g as in ABSnb

    The same as ABSnb with the weights of rank-biased precision.

    >>> ABSrb(k=1, mu=1.0, theta=0.5).read("tide tide fog", {"a": "tide"}, "tide fog sail")
    '0.3074'

    Hui, Berberich and Mele, Dealing with incomplete judgments in cascade measures, ICTIR 2017.
    """

    rises = False


@measures.register
@dataclass(frozen=True)
class DELTAnb(_NB):
    """Increase of the similarity to a subtopic at each rank, summed over ranks.

    Formula: DELTAnb@k = sum_{j<=k} max(0, max_i (g(i,j) - g(i,j-1))), g as in ABSnb, g(i,0) = 0

    Unjudged documents are read like all others. Ranks beyond the list's end add nothing. Subtopics
    without a relevant document are skipped; undefined on a topic that has none. No interval.

    >>> DELTAnb(k=1, mu=1.0).read("tide tide fog", {"a": "tide"}, "tide fog sail")
    '0.6147'

    Hui, Berberich and Mele, Dealing with incomplete judgments in cascade measures, ICTIR 2017.
    """

    rises = True


@measures.register
@dataclass(frozen=True)
class DELTArb(_RB):
    """Increase of the similarity to a subtopic at each rank, weighted towards early ranks.

    Formula: DELTArb@k = (1-theta) sum_{j<=k} theta^(j-1) max(0, max_i (g(i,j) - g(i,j-1)))

    g as in ABSnb, g(i,0) = 0. The same as DELTAnb with the weights of rank-biased precision.

    >>> DELTArb(k=1, mu=1.0, theta=0.5).read("tide tide fog", {"a": "tide"}, "tide fog sail")
    '0.3074'

    Hui, Berberich and Mele, Dealing with incomplete judgments in cascade measures, ICTIR 2017.
    """

    rises = True
