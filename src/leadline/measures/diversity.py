"""Novelty and diversity measures on labels of subtopics, and their means over intents."""

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from leadline.data.arrays import Floats, Int64s
from leadline.data.documents import Documents
from leadline.data.lists import Block, Lists
from leadline.data.scores import Scores
from leadline.data.subtopics import SubtopicGrades, Subtopics
from leadline.io.documents import DocumentLookup
from leadline.measures.ap import AP
from leadline.measures.dcg import discounts
from leadline.measures.measure import Gains, Measure, gain_table, measures, scale
from leadline.measures.subtopic_lists import (
    SubtopicBlock,
    cascade,
    check_cascade,
    ideal,
    subtopic_blocks,
    subtopics_of,
)
from leadline.measures.texts import count_words, word_counts


def sketch_subtopics(ranking: str, elsewhere: str = "") -> Lists:
    """One list from the subtopics of its documents: `a,b` or `a:2`, `-` if none, `?` if unjudged.

    `elsewhere` holds judged documents that the list does not return. A subtopic that no document
    suits is named as `a:0`.

    >>> lists = sketch_subtopics("a,b ? -", elsewhere="c:2")
    >>> lists.judged.tolist(), lists.subtopics.names
    ([True, False, True], ('a', 'b', 'c'))
    """
    marks = ranking.split()
    rows = []
    for number, mark in enumerate([*marks, *elsewhere.split()]):
        for part in [] if mark in ("?", "-") else mark.split(","):
            name, _, grade = part.partition(":")
            rows.append(("topic", name, f"d{number:04}", int(grade or 1)))
        if mark == "-":
            rows.append(("topic", "0", f"d{number:04}", 0))
    schema = {"topic": pl.String, "subtopic": pl.String, "doc": pl.String, "grade": pl.Int16}
    table = Subtopics(pl.DataFrame(rows, schema=schema, orient="row"))
    grades = SubtopicGrades.of(table, ("topic",))
    judged = np.array([mark != "?" for mark in marks], np.bool_)
    names = pl.Series([f"d{number:04}" for number in range(len(marks))], dtype=pl.String)
    return Lists(
        ("run",),
        ("topic",),
        np.array([[0]]),
        np.array([[len(marks)]]),
        judged,
        np.zeros(len(marks), np.int16),
        np.zeros((1, 2), np.int64),
        1,
        subtopics=grades,
        in_subtopics=grades.find(np.zeros(len(marks), np.int64), names),
    )


def sketch_texts(results: str, subtopics: dict[str, str], collection: str) -> Lists:
    """One list from the texts of its documents, `|` between them; nothing is judged in it.

    `subtopics` holds the text of each subtopic's relevant documents.
    """
    listed = [text.strip() for text in results.split("|")]
    marks = " ".join(["?"] * len(listed))
    lists = sketch_subtopics(marks, elsewhere=" ".join(subtopics))
    texts = [*listed, *subtopics.values()]
    whole = DocumentLookup({"all": collection})
    names = pl.Series([f"d{number:04}" for number in range(len(texts))], dtype=pl.String)
    learned = np.arange(len(listed), len(texts), dtype=np.int32)
    documents = Documents(
        names, lambda how: word_counts(texts, how, count_words(whole, how)), learned
    )
    at = np.arange(len(listed), dtype=np.int32)
    return replace(lists, documents=documents, in_documents=at)


Ends = tuple[Floats, Floats]
"""Value and upper end: one number a row."""


class IntentAware(Measure):
    """The mean over subtopics of what a list scores for each, weighted by their probability.

    Only subtopics with a relevant document count. If no subtopic's score falls when a document
    becomes relevant to it, the interval is exact: an unjudged document may be relevant to any of
    the topic's subtopics, and the ones that do not count yet may come to count: at the lower end
    all of them do and bring nothing, at the upper end all or none, whichever is more.
    """

    needs: ClassVar[Literal["judgments", "subtopics", "documents"]] = "subtopics"
    rel: int = 1

    @property
    def last_rank(self) -> int | None:
        """The last rank that can change the score; the depth unless weights vanish before."""
        return self.depth

    @abstractmethod
    def of_subtopics(self, block: SubtopicBlock, max_grade: int, upper: bool) -> Ends:
        """What each row scores, and the most that it can; `upper` says whether that is asked."""

    def combine(self, block: SubtopicBlock, value: Floats, upper: Floats) -> tuple[Floats, ...]:
        """Value, lower and upper of each list."""
        share = block.weight * block.counted
        counts, every = block.by_list(share), block.by_list(block.weight)
        found = block.by_list(share * value)
        score = _ratio(found, counts)
        some = _ratio(block.by_list(share * upper), counts)
        all_ = _ratio(block.by_list(block.weight * upper), every)
        lower = _ratio(found, every)
        return score, np.fmin(lower, score), np.fmax(np.fmax(some, all_), score)

    def score(self, lists: Lists, interval: bool = True) -> Scores:
        """The score of every run on every topic; on condensed lists there is no interval.

        Without `interval` none is computed, which takes half the time or less.
        """
        value, lower, upper = (np.full(lists.start.size, np.nan) for _ in range(3))
        interval = interval and self.bounded and not self.judged_only
        seen = lists.condensed() if self.judged_only else lists
        for block in subtopic_blocks(seen, self.last_rank, self.rel, every=interval):
            ends = self.of_subtopics(block, seen.subtopics.max_grade, interval)  # type: ignore[union-attr]
            found = self.combine(block, *ends)
            value[block.row] = found[0]
            if interval:
                lower[block.row], upper[block.row] = found[1:]
        judged = share_judged(lists, self.depth)
        return Scores.of_lists(lists, str(self), value, judged, lower, upper)

    def sketch(self, ranking: str, elsewhere: str = "", max_grade: int | None = None) -> str:
        """Score and interval of one list: see `leadline.measures.diversity.sketch_subtopics`."""
        return self.example(sketch_subtopics(ranking, elsewhere))


def share_judged(lists: Lists, depth: int | None) -> Floats:
    """The share of the first `depth` ranks, or of the listed documents, that was judged."""
    before = np.concatenate([[0], np.cumsum(lists.judged)])
    start, stop = lists.start.ravel(), lists.stop.ravel()
    if depth is not None:
        stop = np.minimum(stop, start + depth)
    n = (stop - start if depth is None else np.full(len(start), depth)).astype(np.float64)
    n[n == 0] = np.nan
    share: Floats = (before[stop] - before[start]) / n
    return share


def _ratio(above: Floats, below: Floats) -> Floats:
    ratio: Floats = np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0)
    return ratio


CLOSE = 1e-12
"""Gains that differ by less are equal: sums in another order may differ in the last digits."""


class Normalised(IntentAware):
    """A measure as a share of what it gives to the ideal list; a subclass says which measure."""

    bounded: ClassVar[bool] = False
    alpha: float = 0.5

    def __post_init__(self) -> None:
        """A ValueError if a parameter makes no sense to the measure."""
        self.plain()

    @abstractmethod
    def plain(self) -> IntentAware:
        """The measure without the division."""

    @property
    def last_rank(self) -> int | None:
        """That of the measure without the division."""
        return self.plain().last_rank

    def of_subtopics(self, block: SubtopicBlock, max_grade: int, upper: bool) -> Ends:
        """That of the measure without the division."""
        return self.plain().of_subtopics(block, max_grade, upper)

    def score(self, lists: Lists, interval: bool = True) -> Scores:
        """The ratio of the list's and the ideal list's score; there is no interval."""
        plain = self.plain()
        best = self._best(plain, lists)
        scores = plain.score(lists, interval=False)
        value = np.divide(
            scores.value, best, out=np.full(scores.value.shape, np.nan), where=best > 0
        )
        nothing = np.full(value.shape, np.nan)
        return replace(scores, measure=str(self), value=value, lower=nothing, upper=nothing)

    def _best(self, plain: IntentAware, lists: Lists) -> Floats:
        """The ideal list's score on each topic."""
        grades = subtopics_of(lists)
        key = ("best", str(self))
        if key not in grades.kept:
            of_ideal = replace(plain, judged_only=False)  # type: ignore[type-var]
            listed = ideal_lists(grades, self.alpha, self.rel, self.last_rank)
            grades.kept[key] = of_ideal.score(listed, interval=False).value[0]
        best: Floats = grades.kept[key]
        # Topics without judgments come after those of the grades, and have no ideal.
        return np.append(best, np.full(len(lists.topics) - len(best), np.nan))


def ideal_lists(grades: SubtopicGrades, alpha: float, rel: int, depth: int | None) -> Lists:
    """One list a topic, of the documents that bring something, best first."""
    order = greedy(grades, alpha, rel, depth)
    topic = grades.topic[order]
    place = np.argsort(topic, kind="stable")
    n_topics = len(grades.topics)
    bounds = np.searchsorted(topic[place], np.arange(n_topics + 1))
    n = len(order)
    return Lists(
        ("ideal",),
        grades.topics,
        bounds[None, :-1],
        bounds[None, 1:],
        np.ones(n, np.bool_),
        np.zeros(n, np.int16),
        np.zeros((n_topics, 2), np.int64),
        1,
        subtopics=grades,
        in_subtopics=order[place].astype(np.int32),
    )


def greedy(grades: SubtopicGrades, alpha: float, rel: int, depth: int | None) -> Int64s:
    """Documents, rank by rank and all topics side by side, that add most to alpha_DCG.

    Finding the best list is NP-hard; like ndeval, take at each rank the document that adds most,
    and of equals the one whose docno is last.
    """
    label = np.flatnonzero(grades.grade >= rel)
    if not len(label):
        return np.zeros(0, np.int64)
    doc, inverse = np.unique(grades.of_label[label], return_inverse=True)
    subtopic = grades.subtopic[label]
    starts = np.flatnonzero(np.diff(grades.topic[doc], prepend=-1))
    length = np.diff(np.append(starts, len(doc)))
    first_label = np.searchsorted(inverse, np.arange(len(doc) + 1))
    worth = grades.weight.copy()
    free = np.ones(len(doc), np.bool_)
    number = np.arange(len(doc))
    chosen: list[Int64s] = []
    while depth is None or len(chosen) < depth:
        adds = np.bincount(inverse, weights=worth[subtopic], minlength=len(doc)) * free
        most = np.maximum.reduceat(adds, starts)
        equal = adds >= np.repeat(most * (1 - CLOSE), length)
        best = np.maximum.reduceat(np.where(equal & free, number, -1), starts)[most > 0]
        if not len(best):
            break
        chosen.append(doc[best])
        free[best] = False
        spent = np.zeros(len(label), np.bool_)
        for at in best:
            spent[first_label[at] : first_label[at + 1]] = True
        worth[subtopic[spent]] *= 1 - alpha
    return np.concatenate(chosen) if chosen else np.zeros(0, np.int64)


@measures.register
@dataclass(frozen=True)
class alpha_DCG(IntentAware):
    """Discounted cumulative gain; each repetition of a subtopic gains 1 - alpha times the last.

    Formula: alpha_DCG@k = (1/m) sum_i sum_{r<=k} J_i(r) (1-alpha)^C_i(r-1) / log2(r+1) / ideal(k)

    J_i(r): the document at rank r is relevant to subtopic i; C_i(r-1): how many before it were; m:
    subtopics with a relevant document; ideal(k): what one subtopic earns if every document is
    relevant to it. `norm=false` leaves out 1/m and ideal(k). Never falls when a document becomes
    relevant, so the interval is exact. Ranks beyond the list's end are closed. Undefined on a topic
    without relevant documents.

    >>> alpha_DCG(k=2).sketch("a,b ? a")
    '0.7602 [0.7602, 1.0000]'

    Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008.
    """

    k: int
    alpha: float = 0.5
    rel: int = 1
    norm: bool = True
    judged_only: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cascade(self.alpha)

    def of_subtopics(self, block: SubtopicBlock, max_grade: int, upper: bool) -> Ends:
        """The cascade with unjudged documents non-relevant, and with all of them relevant."""
        discount = discounts(block.grade.shape[1])
        known = block.grade >= self.rel
        scale = ideal(discounts(self.k), self.alpha) if self.norm else 1.0
        value = cascade(known, discount, self.alpha) / scale
        most = cascade(known | block.unjudged, discount, self.alpha) / scale if upper else value
        return value, most

    def combine(self, block: SubtopicBlock, value: Floats, upper: Floats) -> tuple[Floats, ...]:
        """The mean over subtopics, or their sum."""
        if self.norm:
            return super().combine(block, value, upper)
        some = block.by_list(block.counted.astype(np.float64)) > 0
        score = block.by_list(block.weight * value)
        return np.where(some, score, np.nan), score, block.by_list(block.weight * upper)


@measures.register
@dataclass(frozen=True)
class alpha_nDCG(Normalised):
    """alpha_DCG divided by that of the ideal list of judged documents.

    Formula: alpha_nDCG@k = alpha_DCG@k / alpha_DCG@k of the ideal list

    The ideal list is made greedily: at each rank the document that adds most, of equals the one
    whose docno is last, as ndeval does. A new relevant document can raise the ideal more than the
    list, so there is no exact interval and none is given. Undefined on a topic without relevant
    documents.

    >>> alpha_nDCG(k=2).sketch("a a", elsewhere="b")
    '0.8066'

    Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008.
    """

    k: int
    alpha: float = 0.5
    rel: int = 1
    judged_only: bool = False

    def plain(self) -> IntentAware:
        """alpha_DCG."""
        return alpha_DCG(self.k, self.alpha, self.rel, judged_only=self.judged_only)


@measures.register
@dataclass(frozen=True)
class ERR_IA(IntentAware):
    """Mean over subtopics of the expected reciprocal rank, relative to the ideal.

    Formula: ERR_IA@k = sum_i p_i sum_{r<=k} (1/r) R_i(r) prod_{j<r} (1 - R_i(j)) / ideal(k)

    R_i(r) = alpha if the document at rank r is relevant to subtopic i, else 0; ideal(k): the same
    sum if all documents are relevant; p_i: the same for all subtopics with a relevant document.
    This is ndeval's. As printed by Chapelle et al.: `ERR_IA(gains=exp2_scaled, norm=false)@k`, with
    R = (2^g - 1) / 2^max and no ideal. Never falls when a gain rises, so the interval is exact.
    Ranks beyond the list's end are closed. Undefined on a topic without relevant documents.

    >>> ERR_IA(k=2).sketch("a ? b")
    '0.4000 [0.4000, 0.7000]'
    >>> ERR_IA(k=2, norm=False).sketch("a ? b")
    '0.2500 [0.2500, 0.4375]'

    Chapelle et al., Intent-based diversification of web search results, Information Retrieval 2011.
    """

    k: int
    alpha: float = 0.5
    rel: int = 1
    gains: Gains = "binary"
    max_grade: int | None = None
    norm: bool = True
    judged_only: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cascade(self.alpha)

    def of_subtopics(self, block: SubtopicBlock, max_grade: int, upper: bool) -> Ends:
        """The cascade with unjudged documents non-relevant, and with all of the best grade."""
        if self.gains == "binary":
            return self._binary(block, upper)
        gain = gain_table(self.gains, self.rel, scale(self.max_grade, max_grade, self.rel))
        best = float(gain.max())
        if best > 1:
            raise ValueError(f"ERR_IA's gains are probabilities, but {self.gains} reaches {best}")
        known = gain[block.grade]
        discount = 1 / np.arange(1, self.k + 1)
        over = best * ideal(discount, best) if self.norm and best > 0 else 1.0
        value = _readers(known) @ discount[: known.shape[1]] / over
        if not upper:
            return value, value
        most = _readers(np.where(block.unjudged, best, known)) @ discount[: known.shape[1]]
        return value, most / over

    def _binary(self, block: SubtopicBlock, upper: bool) -> Ends:
        discount = 1 / np.arange(1, self.k + 1)
        known = block.grade >= self.rel
        # With a share of the ideal the factor alpha cancels, so that alpha may be 0 as in ndeval.
        factor = 1 / ideal(discount, self.alpha) if self.norm else self.alpha
        value = cascade(known, discount, self.alpha) * factor
        most = cascade(known | block.unjudged, discount, self.alpha) * factor if upper else value
        return value, most


def _readers(gain: Floats) -> Floats:
    """The share of readers whom each document satisfies."""
    reached = np.ones_like(gain)
    reached[:, 1:] = np.cumprod(1 - gain[:, :-1], axis=1)
    return gain * reached


@measures.register
@dataclass(frozen=True)
class nERR_IA(Normalised):
    """ERR_IA divided by that of the ideal list of judged documents.

    Formula: nERR_IA@k = ERR_IA@k / ERR_IA@k of the ideal list

    The ideal list is that of alpha_nDCG, as in ndeval. There is no exact interval and none is
    given. Undefined on a topic without relevant documents.

    >>> nERR_IA(k=2).sketch("a a", elsewhere="b")
    '0.8333'
    """

    k: int
    alpha: float = 0.5
    rel: int = 1
    judged_only: bool = False

    def plain(self) -> IntentAware:
        """ERR_IA."""
        return ERR_IA(self.k, self.alpha, self.rel, judged_only=self.judged_only)


LEAST_WEIGHT = 1e-20
"""Ranks that weigh less cannot change a number between 0 and 1."""


@measures.register
@dataclass(frozen=True)
class NRBP(IntentAware):
    """Rank-biased precision; each repetition of a subtopic gains 1 - alpha times the last.

    Formula: NRBP = (1 - (1-alpha) beta) / m * sum_r beta^(r-1) sum_i J_i(r) (1-alpha)^C_i(r-1)

    J_i(r): the document at rank r is relevant to subtopic i; C_i(r-1): how many before rank r were
    (ndeval's reading, where the paper prints a count up to r); m: subtopics with a relevant
    document. Never falls when a document becomes relevant, so the interval is exact. The reader may
    go on past the list's end, so that what could stand there is open, as for RBP. Undefined on a
    topic without relevant documents.

    >>> NRBP().sketch("a b ?")
    '0.5625 [0.5625, 0.6875]'

    Clarke, Kolla and Vechtomova, An effectiveness measure for ambiguous and underspecified queries,
    ICTIR 2009.
    """

    at = None
    alpha: float = 0.5
    beta: float = 0.5
    rel: int = 1
    judged_only: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cascade(self.alpha, self.beta)

    @property
    def last_rank(self) -> int:
        """The last rank that weighs something."""
        return 1 if self.beta == 0 else 1 + math.ceil(math.log(LEAST_WEIGHT) / math.log(self.beta))

    def of_subtopics(self, block: SubtopicBlock, max_grade: int, upper: bool) -> Ends:
        """The cascade with unjudged documents non-relevant, and with all of them relevant."""
        discount: Floats = np.power(self.beta, np.arange(block.grade.shape[1]))
        known = block.grade >= self.rel
        factor = 1 - (1 - self.alpha) * self.beta
        value = factor * cascade(known, discount, self.alpha)
        if not upper:
            return value, value
        may_be = known | block.unjudged
        most = factor * cascade(may_be, discount, self.alpha)
        # Past the end, relevant documents for ever: a geometric series of which this is the sum.
        tail = self.beta ** block.length[block.owner] * (1 - self.alpha) ** may_be.sum(axis=1)
        return value, most + tail


@measures.register
@dataclass(frozen=True)
class nNRBP(Normalised):
    """NRBP divided by that of the ideal list of judged documents.

    Formula: nNRBP = NRBP / NRBP of the ideal list

    The ideal list is that of alpha_nDCG, as in ndeval. There is no exact interval and none is
    given. Undefined on a topic without relevant documents.

    >>> nNRBP().sketch("a a", elsewhere="b")
    '0.7692'
    """

    at = None
    alpha: float = 0.5
    beta: float = 0.5
    rel: int = 1
    judged_only: bool = False

    def plain(self) -> IntentAware:
        """NRBP."""
        return NRBP(self.alpha, self.beta, self.rel, self.judged_only)


@measures.register
@dataclass(frozen=True)
class StRec(IntentAware):
    """Subtopic recall: the share of the topic's subtopics that the first k ranks cover.

    Formula: StRec@k = subtopics with a relevant document in the first k ranks / m

    m: subtopics with a relevant document. Never falls when a document becomes relevant, so the
    interval is exact. Undefined on a topic without relevant documents.

    >>> StRec(k=2).sketch("a ? b")
    '0.5000 [0.5000, 1.0000]'

    Zhai, Cohen and Lafferty, Beyond independent relevance, SIGIR 2003.
    """

    k: int
    rel: int = 1
    judged_only: bool = False

    def of_subtopics(self, block: SubtopicBlock, max_grade: int, upper: bool) -> Ends:
        """Whether a document covers the subtopic, and whether one may."""
        known = block.grade >= self.rel
        value: Floats = np.asarray(known.any(axis=1), np.float64)
        if not upper:
            return value, value
        return value, np.asarray((known | block.unjudged).any(axis=1), np.float64)


@measures.register
@dataclass(frozen=True)
class P_IA(IntentAware):
    """Mean over subtopics of the precision in the first k ranks.

    Formula: P_IA@k = (1/m) sum_i (documents relevant to subtopic i among the first k) / k

    m: subtopics with a relevant document. Never falls when a document becomes relevant, so the
    interval is exact. Ranks beyond the list's end are closed and count. Undefined on a topic
    without relevant documents.

    >>> P_IA(k=2).sketch("a,b ? b")
    '0.5000 [0.5000, 1.0000]'

    Agrawal et al., Diversifying search results, WSDM 2009.
    """

    k: int
    rel: int = 1
    judged_only: bool = False

    def of_subtopics(self, block: SubtopicBlock, max_grade: int, upper: bool) -> Ends:
        """Counts over k."""
        known = block.grade >= self.rel
        value = known.sum(axis=1) / self.k
        return value, (known | block.unjudged).sum(axis=1) / self.k if upper else value


@measures.register
@dataclass(frozen=True)
class AP_IA(IntentAware):
    """Mean over subtopics of the average precision.

    Formula: AP_IA = (1/m) sum_i AP of the list for subtopic i

    m: subtopics with a relevant document. Relevant documents that nobody has seen may be many, so
    the lower end is 0; the upper end is exact, because AP's is and each subtopic has its own.
    Undefined on a topic without relevant documents. ndeval calls it MAP-IA.

    >>> AP_IA().sketch("a b", elsewhere="a")
    '0.5000 [0.0000, 0.5000]'

    Agrawal et al., Diversifying search results, WSDM 2009.
    """

    at = None
    rel: int = 1
    judged_only: bool = False

    def of_subtopics(self, block: SubtopicBlock, max_grade: int, upper: bool) -> Ends:
        """AP's own value and upper end."""
        known = (block.grade >= self.rel).astype(np.int16)
        counts = np.stack([np.zeros_like(block.n_relevant), block.n_relevant], axis=1)
        judged = block.judged[block.owner]
        length = block.length[block.owner]
        as_lists = Block(block.owner, block.owner, length, judged, known, judged, counts)
        value, _, most = AP().interval(as_lists, 1)
        return np.nan_to_num(value), most

    def combine(self, block: SubtopicBlock, value: Floats, upper: Floats) -> tuple[Floats, ...]:
        """The mean over subtopics; the lower end is 0."""
        score, _, most = super().combine(block, value, upper)
        return score, np.zeros(len(score)), most
