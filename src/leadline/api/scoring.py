"""Runs scored as they are read, by any workers, their lists made once for each kind of measure."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from leadline.data.arrays import topic_order
from leadline.data.lists import Lists
from leadline.data.scores import Scores
from leadline.io.by_content import qrels_from
from leadline.io.formats import MissingDocs, Reading
from leadline.io.inputs import NamedRun, collection_inputs
from leadline.io.join import JudgedIndex, SubtopicRows, empty_lists, join
from leadline.io.parallel import Workforce
from leadline.io.problems import InputError, Notices, Problem, Progress
from leadline.io.qrels import Qrels
from leadline.io.rows import Ranking, Rows, Ties
from leadline.io.run_stream import RunPiece, RunStream
from leadline.io.source import shown_path
from leadline.io.topics_seen import (
    MissingTopics,
    RunTopics,
    TopicsSeen,
    UnjudgedTopics,
    warn_unknown_topics,
)
from leadline.io.validate_runs import CheckedRows, CheckedRuns, checked_part, validate_runs
from leadline.measures.measure import Measure

if TYPE_CHECKING:
    import polars as pl

    from leadline.data.subtopics import Intents, Subtopics
    from leadline.measures.texts import Reader


@dataclass(frozen=True)
class TextSource:
    """The options of measures that read documents."""

    docs: Any = None
    subtopic_docs: Any = None
    statistics: str | os.PathLike[str] | None = None
    missing_docs: MissingDocs = "skip"

    @property
    def judged_elsewhere(self) -> bool:
        """Whether the judged documents are another collection's, with judgments of its own."""
        other = self.subtopic_docs
        if not isinstance(other, str | os.PathLike) or not Path(other).is_dir():
            return False
        from leadline.io.documents import documents_in

        return documents_in(Path(other)) is not None


@dataclass(frozen=True, eq=False)
class MeasureGroup:
    """Measures that see the same lists, the name of the judgments behind those, and these."""

    measures: list[Measure]
    judged_in: str
    index: JudgedIndex
    subtopics: SubtopicRows | None = None
    reader: Reader | None = None

    @property
    def depth(self) -> int:
        """The last rank whose text is read."""
        return max(each.depth or 0 for each in self.measures)


@dataclass(frozen=True)
class QrelsSource:
    """Reads judgments, restricted as was asked for."""

    reading: Reading
    topics: list[str] | None = None
    pool: str | os.PathLike[str] | pl.DataFrame | None = None
    intents: Any = None

    def qrels(self, what: Any, subtopics: bool, pooled: bool = True) -> Qrels:
        """The judgments that count."""
        found = qrels_from(what, replace(self.reading, subtopics=subtopics))
        if self.topics is not None:
            known = set(found.judged_topics)
            warn_unknown_topics(found.name, self.topics, known, self.reading.notices)
            found = found.restrict(self.topics)
        if self.pool is not None and pooled:
            from leadline.io import pool_csv

            found = pool_csv.restrict(found, pool_csv.pool_from(self.pool))
        return found

    def rows(self, index: JudgedIndex, qrels: Qrels) -> SubtopicRows:
        """The subtopics of judgments that have them."""
        assert qrels.subtopics is not None
        if qrels.subtopics.may_be_rounds:
            message = (
                "no document is judged for two values of the second column, which looks like a "
                "round or an iteration: measures of diversity take it for subtopics"
            )
            self.reading.notices.add(qrels.name, "warning", "rounds", message)
        intents = self.intents_of(qrels.subtopics)
        return SubtopicRows.of(index, qrels.subtopics, qrels.max_grade, intents)

    def intents_of(self, subtopics: Subtopics) -> Intents | None:
        """The probabilities of these subtopics; None if all are equally likely."""
        if self.intents is None:
            return None
        from leadline.io.topics import intents_from

        return intents_from(self.intents, subtopics)


def measure_groups(
    measures: list[Measure],
    qrels: Any,
    folder: Path | None,
    judged: QrelsSource,
    texts: TextSource,
    progress: Progress | None = None,
) -> list[MeasureGroup]:
    """One group for labels, one for subtopics and one for texts, as far as they are needed.

    `qrels` is None where `folder` is given: its plain qrels serve labels, its ndeval qrels
    subtopics.
    """
    labels, subtopics, reading = ([m for m in measures if m.needs in needs] for needs in _NEEDS)
    sampled = any(measure.needs == "sampling" for measure in measures)
    elsewhere = bool(reading) and texts.judged_elsewhere
    ours = bool(subtopics) or (bool(reading) and not elsewhere)
    groups: list[MeasureGroup] = []
    known: dict[Any, tuple[Qrels, JudgedIndex]] = {}

    def judgments(what: Any, wanted: bool, pooled: bool = True) -> tuple[Qrels, JudgedIndex]:
        key = what if isinstance(what, Path) else "given"
        if key not in known:
            found = judged.qrels(what, wanted, pooled)
            known[key] = found, JudgedIndex.of(found, sampled)
        return known[key]

    if ours:
        # Before the labels, which may come from the same file, read here with its subtopics.
        found, index = judgments(_path(qrels, folder, subtopics=True), True)
        rows = judged.rows(index, found)
        if subtopics:
            groups.append(MeasureGroup(subtopics, found.name, index, rows))
        if reading and not elsewhere:
            groups.append(
                MeasureGroup(reading, found.name, index, rows, reader_of(texts, folder, progress))
            )
    if labels or not measures:
        found, index = judgments(_path(qrels, folder, subtopics=False), False)
        groups.insert(0, MeasureGroup(labels, found.name, index))
    if elsewhere:
        path = collection_inputs(texts.subtopic_docs, runs=False, subtopics=True)[0]
        found, index = judgments(path, True, pooled=False)
        rows = judged.rows(index, found)
        groups.append(
            MeasureGroup(reading, found.name, index, rows, reader_of(texts, folder, progress))
        )
    return groups


_NEEDS = (("judgments", "sampling"), ("subtopics",), ("documents",))


def _path(qrels: Any, folder: Path | None, subtopics: bool) -> Any:
    return qrels if folder is None else collection_inputs(folder, subtopics=subtopics)[0]


def reader_of(texts: TextSource, folder: Path | None, progress: Progress | None) -> Reader:
    """What reads the documents named, or those of the collection folder."""
    # Only here, because most evaluations read no document and should not wait for this.
    from leadline.io.documents import documents_from, documents_in
    from leadline.measures.texts import Reader

    docs = None if texts.docs is None else documents_from(texts.docs)
    if docs is None and folder is not None:
        docs = documents_in(folder)
    if docs is None:
        where = "" if folder is None else f" in {folder}"
        message = f"there are no documents{where}: name them with `docs`"
        raise InputError.of("", "no-docs", message)
    other = texts.subtopic_docs
    file = None if texts.statistics is None else Path(texts.statistics)
    elsewhere = None if other is None else documents_from(other)
    return Reader(docs, elsewhere, file, texts.missing_docs, progress)


@dataclass(frozen=True)
class PartScores:
    """The scores of some runs, or of one run on some topics, and lists whose texts are to read."""

    scores: list[Scores]
    unread: list[tuple[Lists, pl.Series]]


@dataclass(frozen=True)
class RunScorer:
    """Scores runs as they are read."""

    groups: list[MeasureGroup]
    missing_topics: MissingTopics
    unjudged_topics: UnjudgedTopics
    undefined: Undefined = "skip"
    depth: int | None = None
    no_answer: NoAnswer | None = None

    @property
    def how(self) -> tuple[MissingTopics, Undefined, NoAnswer | None]:
        """What `score_lists` takes."""
        return self.missing_topics, self.undefined, self.no_answer

    def merged(self, checked: CheckedRuns[PartScores]) -> PartScores:
        """The scores of whole runs, which may have come in parts."""
        if not checked.cut:
            return checked.results[0]
        topics, group = checked.topics[0], self.groups[0]
        index = group.index.including(topics.unjudged if self.including else [])
        left = np.ones(len(group.index.topics), np.bool_)
        left[list(topics.judged)] = False
        nothing = empty_lists(checked.names, group.index).on(left)
        scores = []
        for number, measure in enumerate(group.measures):
            beside = [part.scores[number] for part in checked.results]
            if left.any():
                beside.append(score_lists(measure, nothing, *self.how))
            scores.append(Scores.beside(beside).over(index.topics))
        return PartScores(scores, [])

    def aligned(self, measure: Measure, parts: list[Scores]) -> list[Scores]:
        """All parts over the same topics, whichever of them were read together.

        They differ only in topics without judgments. A run that does not return one scores on it as
        on any topic that it does not return.
        """
        if not self.including:
            return parts
        topics = tuple(topic_order({topic for part in parts for topic in part.topics}))
        index = self.groups[0].index
        index = index.including([topic for topic in topics if topic not in set(index.topics)])
        over = []
        for part in parts:
            left = ~np.isin(np.array(index.topics), np.array(part.topics))
            both = [part]
            if left.any() and measure.needs == "judgments":
                nothing = empty_lists(part.runs, index).on(left)
                both.append(score_lists(measure, nothing, *self.how))
            over.append(Scores.beside(both).over(topics))
        return over

    @property
    def including(self) -> bool:
        """Whether topics without judgments are scored."""
        return self.unjudged_topics == "include"

    def score(self, part: CheckedRows) -> PartScores:
        """The scores of all runs in some rows, of a run that is cut on the topics it has here."""
        names, rows, ranking = part.names, part.rows, part.ranking
        scores: list[Scores] = []
        unread: list[tuple[Lists, pl.Series]] = []
        unknown = []
        if self.including:
            unknown = list({topic: None for run in part.topics for topic in run.unjudged})
        for group in self.groups:
            if group.reader is not None:
                unread.append(_top(group, names, rows, ranking, self.depth))
                continue
            index = group.index.including(unknown)
            lists = join(names, rows, ranking, index, group.subtopics)
            if self.depth is not None:
                lists = lists.only(lists.top(self.depth))
            lists = lists.on(lists.length.max(axis=0) > 0) if part.cut else lists
            scores += [score_lists(each, lists, *self.how) for each in group.measures]
        return PartScores(scores, unread)


def _top(
    group: MeasureGroup, names: list[str], rows: Rows, ranking: Ranking, depth: int | None
) -> tuple[Lists, pl.Series]:
    """The ranks that will be read, and the names of their documents."""
    lists = join(names, rows, ranking, group.index, group.subtopics)
    top = lists.top(group.depth if depth is None else min(depth, group.depth))
    row = ranking.arrange(np.arange(len(rows)))[top]
    return lists.only(top), rows.doc.gather(row).series


Undefined = Literal["skip", "zero"]
"""Topics on which a measure is undefined: left out of means, or scored 0."""


NoAnswer = Literal["skip", "zero", "one"]
"""Topics without any relevant document: left out of means, or scored 0 or 1."""


def score_lists(
    measure: Measure,
    lists: Lists,
    missing_topics: MissingTopics,
    undefined: Undefined = "skip",
    no_answer: NoAnswer | None = None,
) -> Scores:
    """The scores of lists; undefined on topics that a run lacks if those are skipped."""
    scores = measure.score(lists)
    if no_answer is not None and scores.over_topics != "sum":
        relevant = lists.counts[..., getattr(measure, "rel", 1) :].sum(axis=-1) > 0
        known = np.broadcast_to(relevant, scores.value.shape)
        scores = scores.where_known(known, {"skip": None, "zero": 0.0, "one": 1.0}[no_answer])
    if undefined == "zero" and scores.over_topics != "sum":
        scores = scores.zeroed()
    if missing_topics == "lowest" or (lists.length > 0).all():
        return scores
    return scores.without(lists.length == 0)


@dataclass(frozen=True, eq=False)
class PieceScorer:
    """What every worker needs to score runs: judgments, measures, and how to read."""

    scorer: RunScorer
    ties: Ties
    reading: Reading
    chosen: list[str] | None
    cut: bool

    def topics_seen(self) -> TopicsSeen:
        """Where the topics of runs are noted."""
        group = self.scorer.groups[0]
        return TopicsSeen(group.index.topics, group.judged_in, self.chosen, group.index.doc)


@dataclass(frozen=True, eq=False)
class ScoredPiece:
    """The scores of whole runs, or a part of one unless it needs a closer look; what was seen."""

    scores: list[PartScores]
    part: CheckedRuns[PartScores] | None
    seen: TopicsSeen
    problems: list[Problem]


def score_piece(shared: PieceScorer, piece: RunPiece) -> ScoredPiece:
    """What a worker does."""
    piece.check()
    seen, reading = shared.topics_seen(), replace(shared.reading, notices=Notices())
    stream = RunStream(list(piece.runs), shared.ties, shared.cut)
    work = shared.scorer.score
    if piece.in_part:
        part = checked_part(stream, seen, work)
        # What was counted of a part that is read again would count twice.
        return ScoredPiece([], part, seen if part else shared.topics_seen(), [])
    scores = [
        shared.scorer.merged(checked) for checked in validate_runs(stream, reading, seen, work)
    ]
    # The judgments need not travel back.
    seen.look_alikes.forget_judged()
    return ScoredPiece(scores, None, seen, reading.notices.problems)


def scored_by_workers(
    force: Workforce,
    shared: PieceScorer,
    pieces: list[RunPiece],
    seen: TopicsSeen,
    progress: Progress | None,
) -> Iterator[PartScores]:
    """The scores of all runs in their order, whoever scores them."""
    names = _Paths(pieces)
    try:
        with closing(force.in_order(score_piece, shared, names.absolute)) as coming:
            waiting: list[ScoredPiece] = []
            for number, scored in enumerate(coming):
                if progress is not None:
                    progress(number + 1, len(pieces))
                piece, following = pieces[number], pieces[number + 1 : number + 2]
                waiting.append(scored)
                if piece.in_part and following and following[0].same_run(piece):
                    continue
                whole = _joined(piece.runs[0].name, waiting, seen) if piece.in_part else None
                if whole is not None:
                    yield shared.scorer.merged(whole)
                else:
                    if piece.in_part:
                        (scored,) = force.in_order(
                            score_piece, shared, [names.absolute[number].whole()]
                        )
                    seen.absorb(scored.seen)
                    shared.reading.notices.problems += names.as_given(scored.problems)
                    yield from scored.scores
                waiting = []
    except InputError as error:
        raise InputError(names.as_given(error.problems), error.hint) from None


def _joined(
    name: str, parts: list[ScoredPiece], seen: TopicsSeen
) -> CheckedRuns[PartScores] | None:
    """One run of its parts; None if one needs a closer look, or two share a topic."""
    checked = [part.part for part in parts if part.part is not None]
    if len(checked) < len(parts):
        return None
    topics = RunTopics.union([each.topics[0] for each in checked])
    if topics is None:
        return None
    for part in parts:
        seen.absorb(part.seen)
    n_ties = sum(each.n_float32_ties[0] for each in checked)
    if n_ties:
        seen.float32_ties[name] = n_ties
    seen.add(name, topics)
    results = [result for each in checked for result in each.results]
    return CheckedRuns([name], [topics], results, [n_ties], cut=True)


class _Paths:
    """Pieces with paths that hold for every worker, and messages with those that were given."""

    def __init__(self, pieces: list[RunPiece]) -> None:
        self.given: dict[str, str] = {}
        self.absolute = [
            replace(piece, runs=tuple(map(self._absolute, piece.runs))) for piece in pieces
        ]

    def _absolute(self, run: NamedRun) -> NamedRun:
        if not isinstance(run.what, str | os.PathLike) or not Path(run.what).is_file():
            return run
        path = str(Path(run.what).absolute())
        self.given[shown_path(path)] = shown_path(run.what)
        return replace(run, what=path)

    def as_given(self, problems: list[Problem]) -> list[Problem]:
        return [replace(each, file=self.given.get(each.file, each.file)) for each in problems]
