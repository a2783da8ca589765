"""Runs read and scored by workers, piece by piece, for evaluate."""

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from leadline.collection.checked_runs import CheckedRuns, checked_part, checked_runs
from leadline.collection.inputs import NamedRun
from leadline.collection.run_pieces import RunPiece
from leadline.collection.run_stream import RunStream
from leadline.collection.topics_seen import RunTopics, TopicsSeen
from leadline.files.problems import InputError, Notices, Problem, Progress
from leadline.files.source import shown_path
from leadline.formats.ranking import Ranks
from leadline.formats.read_options import Reading
from leadline.verbs.run_scorer import PartScores, RunScorer
from leadline.workers.workforce import Workforce


@dataclass(frozen=True, eq=False)
class PieceScorer:
    """What every worker needs to score runs: judgments, measures, and how to read."""

    scorer: RunScorer
    ranks: Ranks
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
    stream = RunStream(list(piece.runs), shared.ranks, shared.cut)
    work = shared.scorer.score
    if piece.in_part:
        part = checked_part(stream, seen, work)
        # What was counted of a part that is read again would count twice.
        return ScoredPiece([], part, seen if part else shared.topics_seen(), [])
    scores = [
        shared.scorer.merged(checked) for checked in checked_runs(stream, reading, seen, work)
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
