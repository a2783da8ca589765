"""evaluate: the score of every run, the interval that is certain to hold it, the share judged."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import numpy as np

from leadline.api.result import Kind, PlainResult, Result, Typeset
from leadline.api.scoring import (
    NoAnswer,
    QrelsSource,
    RunScorer,
    TextSource,
    Undefined,
    measure_groups,
    score_lists,
)
from leadline.api.shared_options import (
    Dask,
    InputFile,
    LabelFiles,
    Measures,
    ReadOptions,
    Texts,
    TextsRule,
    Workers,
    complete,
)
from leadline.data.lists import Lists
from leadline.data.sampling import Sampling
from leadline.data.scores import Scores, scores_csv, scores_frame, scores_rows
from leadline.io.chunks import Collapse, collapsed
from leadline.io.formats import MissingDocs, Reading
from leadline.io.inputs import (
    NamedRun,
    RunNames,
    collection_inputs,
    is_collection,
    is_unjudged,
    names_after_folder,
    picked_runs,
    runs_from,
    topic_names,
)
from leadline.io.parallel import Alone, current_workforce, hired
from leadline.io.problems import Notices, Progress
from leadline.io.rows import Ties
from leadline.io.run_stream import RunStream, rows_within
from leadline.io.source import parse_size
from leadline.io.topics_seen import (
    MissingTopics,
    TopicsSeen,
    UnjudgedTopics,
    warn_foreign_documents,
    warn_undefined,
)
from leadline.io.validate_runs import validate_runs
from leadline.measures.inferred import SampledMeasure
from leadline.measures.measure import (
    DEFAULT_MEASURES,
    Measure,
    parse_measure,
    parse_measures,
)
from leadline.options import Option
from leadline.registry import check_choice

if TYPE_CHECKING:
    import altair as alt
    import polars as pl
    from rich.console import RenderableType

    from leadline.api.scoring import PartScores
    from leadline.io.collection import Collection
    from leadline.io.run_stream import RunPiece


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Result):
    """Scores per measure, in the order asked for, as tables and as arrays.

    `scores` holds value, lower, upper and judged of each measure as arrays of runs by topics.
    `lists` are the lists whose documents were read, if a measure needed that. `with_labels` are
    scores in which labels count as judgments of documents that nobody judged. With a `confidence`
    means have intervals over topics too. `files` are the paths of runs that were read from files.
    """

    scores: dict[str, Scores]
    per_topic: bool = False
    notices: Notices = field(default_factory=Notices)
    lists: Lists | None = None
    confidence: float | None = None
    files: dict[str, str] = field(default_factory=dict)
    with_labels: dict[str, Scores] | None = None

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Columns run, topic, measure, value, lower, upper, judged; topic `all` is the mean.

        A column standard_error follows if some measure is estimated from a sample, with labels
        value_with_labels and judged_with_labels, and with a confidence ci_lower, ci_upper,
        ci_bootstrap_lower and ci_bootstrap_upper.
        """
        frame = scores_frame(list(self.scores.values()), self.per_topic)
        if self.with_labels is not None:
            both = scores_frame(list(self.with_labels.values()), self.per_topic)
            names = {name: f"{name}_with_labels" for name in ("value", "judged")}
            frame = frame.with_columns(both[old].alias(new) for old, new in names.items())
        if self.confidence is None:
            return frame
        from leadline.stats.power import with_confidence

        return with_confidence(frame, list(self.scores.values()), self.confidence)

    @property
    def _plain(self) -> bool:
        """Whether the frame has no columns beyond those of its scores."""
        return self.confidence is None and self.with_labels is None

    def _rows(self) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """Those of the frame, without polars, which is slow to load."""
        if "frame" in self.__dict__ or not self._plain:
            return super()._rows()
        return scores_rows(list(self.scores.values()), self.per_topic)

    def wide(self) -> pl.DataFrame:
        """A row for each run (and topic, if asked for per topic), a column for each measure."""
        keys = ["run", "topic"] if self.per_topic else ["run"]
        frame = self.frame.pivot("measure", index=["run", "topic"], values="value")
        return frame.select(*keys, *self.scores)

    def top(self, n: int) -> Evaluation:
        """The n best runs by the first measure that is no count; those without a score are last."""
        if n < 1:
            raise ValueError(f"`top` must be at least 1, not {n}")
        scores = list(self.scores.values())
        first = next((each for each in scores if each.over_topics != "sum"), scores[0])
        mean = first.mean()
        order = sorted(range(len(mean)), key=lambda run: (-mean[run], first.runs[run]))
        order.sort(key=lambda run: bool(mean[run] != mean[run]))
        kept = order[:n]
        best = {name: each.of_runs(kept) for name, each in self.scores.items()}
        both = self.with_labels
        if both is not None:
            both = {name: each.of_runs(kept) for name, each in both.items()}
        return replace(self, scores=best, with_labels=both)

    def chart(self, *, zero: bool = False) -> alt.TopLevelMixin:
        """A bar for each run from the lower to the upper end, the score marked; best first.

        The axis begins where the bars do, or at 0 with `zero`.
        """
        from leadline.views.charts import ranges, stacked

        return stacked([ranges(self.frame, name, zero=zero) for name in self.scores])

    def table(self) -> RenderableType:
        """One table a measure, best run first, the interval as a bar."""
        from leadline.views.tables import scores_table

        return scores_table(self.frame)

    def _repr_html_(self) -> str:
        """The leaderboard of each measure, best run first, the interval as a bar."""
        from leadline.views.notebook import scores_html

        return scores_html(self.frame)

    def texts(self) -> dict[str, Any]:
        """The ir_metadata of runs whose files have some, by run."""
        from leadline.io.run_metadata import read_metadata

        found = {run: read_metadata(path) for run, path in self.files.items()}
        metadata = {run: each for run, each in found.items() if each}
        return {"ir_metadata": metadata} if metadata else {}

    def typeset(self, kind: Typeset) -> str:
        """A row for each measure and run, best first, with bounds, residual and share judged.

        The residual is what unjudged documents could add to a measure that is a sum; the scores of
        others could also fall.
        """
        import polars as pl

        from leadline.views.pair_tables import typeset_frame

        if kind == "html":
            return super().typeset(kind)
        sums = [name for name, each in self.scores.items() if _is_sum(each)]
        residual = pl.when(pl.col("measure").is_in(sums)).then(pl.col("upper") - pl.col("value"))
        frame = self.frame.with_columns(residual.alias("residual"))
        order = [pl.col("measure").cast(pl.Enum(list(self.scores)))]
        if self.per_topic:
            topics = frame["topic"].unique(maintain_order=True).to_list()
            order.append(pl.col("topic").cast(pl.Enum(topics)))
        frame = frame.sort(*order, -pl.col("value"), "run", nulls_last=True, maintain_order=True)
        keys = ["measure", *(["topic"] if self.per_topic else []), "run"]
        first = [*keys, "value", "lower", "upper", "residual", "judged"]
        rest = [name for name in frame.columns if name not in (*first, "topic")]
        return typeset_frame(frame.select(*first, *rest), kind)

    def encoded(self, kind: Kind) -> bytes:
        """The content of a file of this kind; csv without polars, which is slow to load."""
        scores = list(self.scores.values())
        if kind == "trec_eval":
            from leadline.io.trec import run_tag
            from leadline.measures.measure import trec_eval_names
            from leadline.views.tables import trec_eval_lines

            names = trec_eval_names([each.measure for each in scores])
            runs = scores[0].runs
            tags = [run_tag(self.files.get(run)) or run for run in runs]
            # What tells runs apart here is their name, should two have one tag.
            tags = tags if len(set(tags)) == len(tags) else list(runs)
            return trec_eval_lines(scores, names, tags, self.per_topic).encode()
        quick = kind == "csv" and self._plain
        text = scores_csv(scores, self.per_topic) if quick else None
        return super().encoded(kind) if text is None else text.encode()


def _is_sum(scores: Scores) -> bool:
    """Whether unjudged documents can only add to these scores."""
    measure = parse_measure(scores.measure)
    return measure.numerator is measure


@dataclass(frozen=True, eq=False, repr=False)
class WideScores(PlainResult):
    """A row for each run, a column for each measure."""

    def table(self) -> RenderableType:
        """The table as the terminal shows it, best run by the first measure first."""
        from leadline.views.tables import wide_table

        return wide_table(self.frame)


def evaluate(
    qrels: Any,
    runs: Any = None,
    measures: Measures = DEFAULT_MEASURES,
    *,
    per_topic: bool = False,
    confidence: float | None = None,
    pool: InputFile = None,
    labels: LabelFiles = None,
    missing_topics: Annotated[MissingTopics, Option(advanced=True)] = "lowest",
    unjudged_topics: Annotated[UnjudgedTopics, Option(advanced=True)] = "ignore",
    undefined: Annotated[Undefined, Option(advanced=True)] = "skip",
    no_answer: Annotated[NoAnswer | None, Option(advanced=True)] = None,
    depth: Annotated[int | None, Option(least=1, advanced=True)] = None,
    intents: InputFile = None,
    docs: Texts = None,
    subtopic_docs: Texts = None,
    statistics: Texts = None,
    missing_docs: TextsRule = "skip",
    workers: Workers = 1,
    dask: Dask = None,
    memory: Annotated[str | int | None, Option(metavar="SIZE", advanced=True)] = None,
    progress: Progress | None = None,
    **read_options: Unpack[ReadOptions],
) -> Evaluation:
    """Columns run, topic, measure, value, lower, upper, judged of every run.

    A column standard_error follows if some measure is estimated from a sample of the pool. Topic
    `all` is the mean over topics.

    qrels: a path, a dict, a pandas, polars or Arrow table, or ir_measures' tuples. Without `runs`,
        a collection folder, or what `leadline.read` gave.
    runs: the same, or several of them by name.
    measures: measures by name, such as AP or 'RBP(p=0.8)'. In Python also measures of Leadline or
        ir_measures; one or several.
    per_topic: add a row for each topic.
    confidence: add confidence intervals over topics at this level, for example 0.95. Columns
        ci_lower and ci_upper are by Student's t, ci_bootstrap_lower and ci_bootstrap_upper by the
        bootstrap. They allow for the sample of topics; lower and upper for unjudged documents.
    pool: use only the judgments in this pool, a file of `leadline pool`.
    labels: labels by a language model or another noisy judge, in any format of judgments. Scores
        with labels stand in columns of their own, value_with_labels and judged_with_labels; value,
        lower, upper and judged do not change. In Python {judge: labels} for several.
    missing_topics: how to score judged topics that a run does not return: with the lowest score, or
        not at all (skip).
    unjudged_topics: whether topics of a run without judgments are ignored, or included with all
        their documents unjudged.
    undefined: whether topics on which a measure is undefined are left out of the mean, or score 0
        as in trec_eval.
    no_answer: whether topics without any relevant document are left out of the mean (skip), or
        score 0 or 1 whatever is listed. By default each measure scores them as it defines.
    depth: cut every ranking to this many documents, as trec_eval's -M does.
    intents: weights of subtopics, for diversity measures: lines of topic, subtopic, probability.
    docs: texts of the documents: JSON lines, TREC text or a folder of files. The default is those
        of the collection folder.
    subtopic_docs: texts of the judged documents, if they are elsewhere. If it is a collection
        folder, its judgments are used.
    statistics: Parquet file with the collection's word counts; written if it does not exist.
    missing_docs: whether documents without text count as empty (skip), or are an error (stop).
    memory: memory limit for reading Parquet files, for example 1GB.
    workers: number of processes. Results are the same for any number. A Python script with several
        needs the usual `if __name__ == "__main__":`, because each worker imports it.
    dask: address of a dask scheduler, for example tcp://HOST:8786, to use its workers instead. In
        Python also a client.
    progress: called with the number of runs done and their total; only in Python.
    read_options: topics, ties, skip_bad_lines and map_grades, which `ReadOptions` describes.

    >>> evaluate({"1": {"a": 1}}, {"1": {"a": 9.0, "b": 8.0}}, "P@2")["upper"].to_list()
    [1.0]
    """
    wanted = parse_measures(measures)
    if confidence is not None and not 0 < confidence < 1:
        raise ValueError(f"`confidence` must lie between 0 and 1, not {confidence}")
    read_options = complete(read_options)
    ties = read_options["ties"]
    check_choice("ties", ties, Ties)
    check_choice("missing_topics", missing_topics, MissingTopics)
    check_choice("unjudged_topics", unjudged_topics, UnjudgedTopics)
    check_choice("missing_docs", missing_docs, MissingDocs)
    check_choice("undefined", undefined, Undefined)
    check_choice("no_answer", no_answer or "skip", NoAnswer)
    if depth is not None and depth < 1:
        raise ValueError(f"`depth` must be at least 1, not {depth}")
    reading = Reading(
        read_options["skip_bad_lines"],
        read_options["map_grades"],
        second_field=read_options["second_field"],
    )
    texts = TextSource(docs, subtopic_docs, statistics, missing_docs)
    source = QrelsSource(reading, topic_names(read_options["topics"]), pool, intents)
    read_before = is_collection(qrels)
    if not read_before:
        after = names_after_folder(qrels, runs, read_options["run_names"])
        runs, read_options["run_names"] = after
    if read_before and unjudged_topics != "ignore":
        raise ValueError("a Collection has no topics without judgments to include")
    # Without judgments there is nothing to join the runs with as they come.
    kept = read_before or labels is not None
    if kept or (not texts.judged_elsewhere and is_unjudged(qrels, runs)):
        from leadline.io.read import read

        collection = read(
            qrels,
            runs,
            pool=pool,
            labels=labels,
            depth=depth,
            progress=progress,
            **read_options,
        )
        how = missing_topics, undefined, no_answer
        scores, lists = _scored(collection, wanted, source, texts, how, progress)
        both = None
        if labels is not None:
            both = scores_with_labels(collection, wanted, how)
            collection.notices.add("", "notice", "labels", labels_notice(collection))
        return Evaluation(
            scores, per_topic, collection.notices, lists, confidence, with_labels=both
        )
    with hired(workers, dask):
        scores, lists, files = _streamed(
            qrels,
            runs,
            wanted,
            ties,
            (read_options["run_names"], read_options["collapse"], read_options["chunks"]),
            (missing_topics, unjudged_topics, undefined, depth, no_answer),
            source,
            texts,
            None if memory is None else parse_size(memory),
            progress,
        )
    return Evaluation(scores, per_topic, reading.notices, lists, confidence, files)


def _streamed(
    qrels: Any,
    runs: Any,
    wanted: tuple[Measure, ...],
    ties: Ties,
    picked: tuple[RunNames, Collapse | None, Any],
    counted: tuple[MissingTopics, UnjudgedTopics, Undefined, int | None, NoAnswer | None],
    source: QrelsSource,
    texts: TextSource,
    memory: int | None,
    progress: Progress | None,
) -> tuple[dict[str, Scores], Lists | None, dict[str, str]]:
    """Scores of runs that are read one after the other and not kept, and the runs' files."""
    missing_topics, unjudged_topics, undefined, _, no_answer = counted
    notices, folder = source.reading.notices, None
    if runs is None:
        folder = Path(qrels)
        runs = collection_inputs(folder, need_qrels=False)[1]
    run_names, collapse, chunks = picked
    named = picked_runs(runs_from(runs, notices), run_names, str(folder or ""))
    named = collapsed(named, collapse, chunks, source.reading)
    cut = all(measure.needs == "judgments" for measure in wanted)
    pieces = _shared_out(named, wanted, cut)
    # The first runs are read while the judgments are; nothing is lost if those turn out wrong.
    ahead = pieces is None and memory is None
    stream = RunStream(named if ahead else [], ties, cut)
    groups = measure_groups(list(wanted), qrels, folder, source, texts, progress)
    scorer = RunScorer(groups, *counted)
    index = groups[0].index
    seen = TopicsSeen(index.topics, groups[0].judged_in, source.topics, index.doc)
    _warn_caveats(wanted, groups[0].index.sampling, notices)
    parts: dict[str, list[Scores]] = {str(measure): [] for measure in wanted}
    unread: list[tuple[Lists, pl.Series]] = []
    if pieces is None:
        if memory is not None:
            n_scores = len(named) * len(index.topics) * len(wanted)
            stream = RunStream(named, ties, cut, rows_within(memory, n_scores))
        runs_checked = validate_runs(stream, source.reading, seen, scorer.score, progress)
        coming: Iterator[PartScores] = map(scorer.merged, runs_checked)
    else:
        from leadline.api.scoring import PieceScorer, scored_by_workers

        shared = PieceScorer(scorer, ties, source.reading, source.topics, cut)
        coming = scored_by_workers(current_workforce(), shared, pieces, seen, progress)
    for scored in coming:
        for scores in scored.scores:
            parts[scores.measure].append(scores)
        unread.extend(scored.unread)
    seen.report(notices, missing_topics, unjudged_topics)
    if ties != "file-order":
        seen.odd_runs.report(notices)
    lists = None
    if unread:
        # All at once, because going through the documents takes longer than everything else.
        import polars as pl

        reader = groups[-1].reader
        assert reader is not None
        stacked = Lists.stack([each for each, _ in unread])
        lists = reader.read(stacked, pl.concat([names for _, names in unread]), notices)
        for measure in groups[-1].measures:
            how = missing_topics, undefined, no_answer
            parts[str(measure)].append(score_lists(measure, lists, *how))
        _warn_zeros(groups[-1].measures, lists, notices)
    by_measure = {
        str(measure): Scores.stack(scorer.aligned(measure, parts[str(measure)]))
        for measure in wanted
    }
    for scores in by_measure.values():
        warn_undefined(scores, notices)
    # Documents judged in another collection are expected to have other names.
    elsewhere = {str(each) for each in wanted if each.needs == "documents"}
    elsewhere = elsewhere if texts.judged_elsewhere else set()
    by_own = [scores for name, scores in by_measure.items() if name not in elsewhere]
    warn_foreign_documents(by_own, groups[0].judged_in, notices)
    files = {
        run.name: os.fspath(run.what) for run in named if isinstance(run.what, str | os.PathLike)
    }
    return by_measure, lists, files


def _shared_out(
    named: list[NamedRun], wanted: tuple[Measure, ...], cut: bool
) -> list[RunPiece] | None:
    """The runs in pieces for workers; None if this process reads them."""
    if isinstance(current_workforce(), Alone):
        return None
    # Documents are read once for all runs together.
    if any(measure.needs == "documents" for measure in wanted):
        return None
    from leadline.io.run_stream import run_pieces

    return run_pieces(named, cut)


def _scored(
    collection: Collection,
    wanted: tuple[Measure, ...],
    source: QrelsSource,
    texts: TextSource,
    how: tuple[MissingTopics, Undefined, NoAnswer | None],
    progress: Progress | None,
) -> tuple[dict[str, Scores], Lists | None]:
    """Scores of a collection that was read before."""
    from leadline.api.collection_lists import CollectionLists

    notices = collection.notices
    lists = CollectionLists(collection, wanted, source, texts, progress)
    _warn_caveats(wanted, lists.labelled.sampling, notices)
    by_measure = {}
    for number, measure in enumerate(wanted):
        scores = score_lists(measure, lists.seen_by(measure), *how)
        warn_undefined(scores, notices)
        by_measure[str(measure)] = scores
        if progress is not None:
            progress(number + 1, len(wanted))
    if lists.texts_read is not None:
        _warn_zeros(wanted, lists.texts_read, notices)
    if collection.odd_runs is not None:
        collection.odd_runs.report(notices)
    if collection.judgments.judged.any():
        warn_foreign_documents(list(by_measure.values()), collection.judged_in, notices)
    return by_measure, lists.texts_read


def scores_with_labels(
    collection: Collection,
    wanted: Sequence[Measure],
    how: tuple[MissingTopics, Undefined, NoAnswer | None] = ("lowest", "skip", None),
) -> dict[str, Scores]:
    """Scores in which labels count as judgments of the documents that nobody judged."""
    other = next((each for each in wanted if each.needs != "judgments"), None)
    if other is not None:
        raise ValueError(f"labels say nothing for {other}: leave out the measure, or `labels`")
    both = collection.with_labels_as_judgments()
    lists = Lists.of(both.runs, both.judgments)
    return {str(measure): score_lists(measure, lists, *how) for measure in wanted}


def labels_notice(collection: Collection) -> str:
    """Say what labels changed: only the scores that are named so."""
    labels, judged = collection.runs.pairs.needed_labels, collection.judgments.judged
    used = int((~judged & ~np.isnan(labels.share)).sum())
    told = f"labels of {', '.join(labels.judges)}: {used:,} unjudged pairs have one"
    if not used:
        return f"{told}, so scores with labels are those without"
    return f"{told}. They count in the columns with labels only, never in bounds or tests"


def _warn_zeros(measures: Iterable[Measure], lists: Lists, notices: Notices) -> None:
    """Note why many scores of measures that read documents are exactly 0."""
    # Only here, because it loads what reads documents.
    from leadline.measures.text_diversity import Divergence

    names: dict[str, list[str]] = {}
    for measure in measures:
        reason = measure.why_zero(lists) if isinstance(measure, Divergence) else None
        if reason is not None:
            names.setdefault(reason, []).append(str(measure))
    for reason, of in names.items():
        notices.add(", ".join(of), "warning", "zeros", reason)


def _warn_caveats(wanted: tuple[Measure, ...], sampling: Sampling | None, notices: Notices) -> None:
    """Note where an estimate from a sample assumes what the sample is not."""
    for measure in wanted:
        if isinstance(measure, SampledMeasure) and sampling is not None:
            doubt = measure.doubt(sampling)
            if doubt is not None:
                notices.add(str(measure), "warning", "one-rate", doubt)
