"""evaluate: the score of every run, the interval that is certain to hold it, the share judged."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from leadline.collection.inputs import NamedRun, collection_inputs, runs_from
from leadline.collection.join import empty_lists, join
from leadline.collection.run_stream import Part, RunStream
from leadline.collection.topics_seen import (
    Missing,
    RunTopics,
    TopicsSeen,
    Unjudged,
    say_undefined,
)
from leadline.files.problems import Notices
from leadline.formats.ranking import Ranking, Ranks, rank, say_float32_ties
from leadline.formats.read_options import MissingDocs, Reading
from leadline.formats.rows import Rows
from leadline.measures.measure import Measure, measures
from leadline.measures.sampled_measure import SampledMeasure
from leadline.tables.arrays import Int64s
from leadline.tables.lists import Lists
from leadline.tables.scores import Scores
from leadline.tables.topic_order import topic_order
from leadline.verbs.knowledge import Judged, MeasureGroup, Texts, measure_groups

if TYPE_CHECKING:
    import polars as pl

DEFAULT = ("RBP(p=0.8)", "nDCG@10", "P@10")


@dataclass(frozen=True)
class Evaluation:
    """Scores per measure, in the order asked for, and what should be said about them.

    `read` holds the lists whose documents were read, if a measure needed that.
    """

    scores: dict[str, Scores]
    notices: Notices = field(default_factory=Notices)
    read: Lists | None = None

    def frame(self, per_topic: bool = False) -> pl.DataFrame:
        """Columns run, topic, measure, value, lower, upper, judged; topic `all` is the mean.

        A column standard_error follows if some measure is estimated from a sample.
        """
        import polars as pl

        return pl.concat(
            [scores.frame(per_topic) for scores in self.scores.values()], how="diagonal"
        )


def evaluate(
    qrels: Any,
    runs: Any = None,
    measures: Sequence[str | Measure] | str | Measure = DEFAULT,
    *,
    per_topic: bool = False,
    **options: Any,
) -> pl.DataFrame:
    """Columns run, topic, measure, value, lower, upper, judged of every run.

    A column standard_error follows if some measure is estimated from a sample of the pool.
    `qrels` and `runs` may be paths, dicts, pandas, polars or Arrow tables, or ir_measures' tuples;
    without `runs`, `qrels` is a collection folder. Topic `all` is the mean over topics; `per_topic`
    adds a row for each. Options are those of `evaluate_runs`; notices go to the log "leadline".

    >>> evaluate({"1": {"a": 1}}, {"1": {"a": 9.0, "b": 8.0}}, "P@2")["upper"].to_list()
    [1.0]
    """
    result = evaluate_runs(qrels, runs, measures, **options)
    log = logging.getLogger("leadline")
    for problem in result.notices.problems:
        log.log(logging.INFO if problem.level == "notice" else logging.WARNING, "%s", problem)
    return result.frame(per_topic)


def evaluate_runs(
    qrels: Any,
    runs: Any = None,
    names: Sequence[str | Measure] | str | Measure = (),
    *,
    ranks: Ranks = "score",
    lenient: bool = False,
    map_grades: Mapping[int, int] | None = None,
    topics: Iterable[str] | str | os.PathLike[str] | None = None,
    pool: str | os.PathLike[str] | pl.DataFrame | None = None,
    missing_topics: Missing = "lowest",
    unjudged_topics: Unjudged = "ignore",
    intents: Any = None,
    docs: Any = None,
    subtopic_docs: Any = None,
    statistics: str | os.PathLike[str] | None = None,
    missing_docs: MissingDocs = "skip",
    progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """The same with all notices, and with scores as tables.

    `ranks="listed"` takes lists as the file has them, not by score. `lenient` skips faulty lines.
    `map_grades` changes grades as they are read. `topics` and `pool` restrict what counts. A judged
    topic that a run does not return scores its lowest, or is skipped. A topic without judgments is
    ignored, or scored with everything unjudged.

    For measures of diversity: `intents` gives the probabilities of subtopics, by topic. `docs` has
    the texts of what the runs return, `subtopic_docs` those of the judged documents if they are
    elsewhere, or is another collection, with its own judgments. `statistics` is the file for the
    collection's word counts. A document without text counts as empty, or stops everything.
    """
    asked = [names] if isinstance(names, str | Measure) else list(names)
    wanted = [measures.parse(name) if isinstance(name, str) else name for name in asked]
    wanted = list({str(measure): measure for measure in wanted}.values())
    for option, known in (
        (ranks, get_args(Ranks)),
        (missing_topics, get_args(Missing)),
        (unjudged_topics, get_args(Unjudged)),
        (missing_docs, get_args(MissingDocs)),
    ):
        if option not in known:
            raise ValueError(f"expected one of {', '.join(known)}, not {option!r}")
    reading = Reading(lenient, map_grades)
    notices = reading.notices
    folder = None
    if runs is None:
        folder = Path(qrels)
        runs = collection_inputs(folder, need_qrels=False)[1]
    named = runs_from(runs)
    # The first runs are read while the judgments are; nothing is lost if those turn out wrong.
    ahead = RunStream(named, ranks, all(measure.needs == "judgments" for measure in wanted))
    judged = Judged(reading, topics, pool, intents)
    texts = Texts(docs, subtopic_docs, statistics, missing_docs)
    families = measure_groups(wanted, qrels, folder, judged, texts, progress)
    first = families[0]
    each_run = _RunScorer(families, ranks, missing_topics, unjudged_topics, reading)
    seen = TopicsSeen(first.index.topics, first.judged_in, judged.chosen())
    for measure in wanted:
        if isinstance(measure, SampledMeasure) and first.index.sampling is not None:
            doubt = measure.doubt(first.index.sampling)
            if doubt is not None:
                notices.add(str(measure), "warning", "one-rate", doubt)
    parts: dict[str, list[Scores]] = {str(measure): [] for measure in wanted}
    unread: list[tuple[Lists, pl.Series]] = []
    done = 0
    for found in each_run.all(ahead):
        notices.problems.extend(found.notices.problems)
        for run, of_run in zip(found.runs, found.topics, strict=True):
            seen.add(run, of_run)
        for scores in found.scores:
            parts[scores.measure].append(scores)
        unread.extend(found.unread)
        done += len(found.runs)
        if progress is not None:
            progress(done, len(named))
    seen.report(notices, missing_topics, unjudged_topics)
    read = None
    if unread:
        # All at once, because going through the documents takes longer than everything else.
        import polars as pl

        reader = families[-1].reader
        assert reader is not None
        lists = Lists.stack([each for each, _ in unread])
        read = reader.read(lists, pl.concat([names for _, names in unread]), notices)
        for measure in families[-1].measures:
            parts[str(measure)].append(_score(measure, read, missing_topics))
    stacked = {
        str(measure): Scores.stack(each_run.aligned(measure, parts[str(measure)]))
        for measure in wanted
    }
    for each in stacked.values():
        say_undefined(each, notices)
    return Evaluation(stacked, notices, read)


@dataclass(frozen=True)
class _RunScores:
    """What some runs give, or one run on some topics; `made` counts each run's made ties."""

    runs: list[str]
    scores: list[Scores]
    unread: list[tuple[Lists, pl.Series]]
    topics: list[RunTopics]
    made: Int64s
    notices: Notices

    def said(self) -> _RunScores:
        """The same with its notices complete."""
        for run, n_made in zip(self.runs, self.made.tolist(), strict=True):
            say_float32_ties(run, n_made, self.notices)
        return self


@dataclass(frozen=True)
class _RunScorer:
    """Reads and scores runs."""

    families: list[MeasureGroup]
    ranks: Ranks
    missing_topics: Missing
    unjudged_topics: Unjudged
    reading: Reading

    def all(self, ahead: RunStream) -> Iterator[_RunScores]:
        """The runs in their order."""
        for batch, parts in ahead:
            found = self.together([run.name for run in batch], parts)
            yield from map(self.one, batch) if found is None else [found.said()]

    def one(self, run: NamedRun) -> _RunScores:
        """A run that needs a closer look, or is alone."""
        reading = replace(self.reading, notices=Notices())
        rows = run.rows(reading)
        return self.score([run.name], rows, rank(rows, self.ranks), reading.notices).said()

    def together(self, names: list[str], parts: Iterator[Part]) -> _RunScores | None:
        """Runs as they were read ahead; None if they need a closer look."""
        found, cut = [], False
        for part in parts:
            # Only now, because whoever reads has more to do than whoever scores.
            if part.rows is None or part.ranking is None or not part.rows.are_sound():
                return None
            cut = part.cut
            found.append(self.score(names, part.rows, part.ranking, Notices(), cut))
        return self.merged(names, found) if cut else found[0]

    def merged(self, names: list[str], parts: list[_RunScores]) -> _RunScores | None:
        """The parts of a run; None if a topic comes in two of them."""
        topics = RunTopics.union([part.topics[0] for part in parts])
        if topics is None:
            return None
        family = self.families[0]
        index = family.index.including(topics.unjudged if self.including else [])
        left = np.ones(len(family.index.topics), np.bool_)
        left[list(topics.judged)] = False
        nothing = empty_lists(names, family.index).on(left)
        scores = []
        for number, measure in enumerate(family.measures):
            each = [part.scores[number] for part in parts]
            if left.any():
                each.append(_score(measure, nothing, self.missing_topics))
            scores.append(Scores.beside(each).over(index.topics))
        made = np.sum([part.made for part in parts], axis=0)
        return _RunScores(names, scores, [], [topics], made, Notices())

    def aligned(self, measure: Measure, parts: list[Scores]) -> list[Scores]:
        """All parts over the same topics, whichever of them were read together.

        They differ only in topics without judgments. A run that does not return one scores on it as
        on any topic that it does not return.
        """
        if not self.including:
            return parts
        topics = tuple(topic_order({topic for part in parts for topic in part.topics}))
        index = self.families[0].index
        index = index.including([topic for topic in topics if topic not in set(index.topics)])
        made = []
        for part in parts:
            left = ~np.isin(np.array(index.topics), np.array(part.topics))
            both = [part]
            if left.any() and measure.needs == "judgments":
                nothing = empty_lists(part.runs, index).on(left)
                both.append(_score(measure, nothing, self.missing_topics))
            made.append(Scores.beside(both).over(topics))
        return made

    @property
    def including(self) -> bool:
        """Whether topics without judgments are scored."""
        return self.unjudged_topics == "include"

    def score(
        self,
        names: list[str],
        rows: Rows,
        ranking: Ranking,
        notices: Notices,
        part: bool = False,
    ) -> _RunScores:
        """The scores of all runs in the rows, of a `part` on the topics that it has."""
        topics = RunTopics.of(rows, ranking, self.families[0].index)
        made = np.bincount(rows.run_of(ranking.made), minlength=len(names))
        scores: list[Scores] = []
        unread: list[tuple[Lists, pl.Series]] = []
        unknown = []
        if self.including:
            unknown = list({topic: None for each in topics for topic in each.unjudged})
        for family in self.families:
            if family.reader is not None:
                unread.append(_top(family, names, rows, ranking))
                continue
            index = family.index.including(unknown)
            lists = join(names, rows, ranking, index, family.subtopics)
            lists = lists.on(lists.length.max(axis=0) > 0) if part else lists
            scores += [_score(each, lists, self.missing_topics) for each in family.measures]
        return _RunScores(names, scores, unread, topics, made, notices)


def _top(
    family: MeasureGroup, names: list[str], rows: Rows, ranking: Ranking
) -> tuple[Lists, pl.Series]:
    """The ranks that will be read, and the names of their documents."""
    lists = join(names, rows, ranking, family.index, family.subtopics)
    top = lists.top(family.depth)
    row = ranking.arrange(np.arange(len(rows)))[top]
    return lists.only(top), rows.doc.gather(row).series


def _score(measure: Measure, lists: Lists, missing_topics: Missing) -> Scores:
    scores = measure.score(lists)
    if missing_topics == "lowest" or (lists.length > 0).all():
        return scores
    return scores.without(lists.length == 0)
