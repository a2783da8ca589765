"""gate: test whether a new run is non-inferior to a baseline, with judgments missing."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

import numpy as np
import polars as pl

from leadline.api.result import Kind, Result
from leadline.api.shared_options import (
    LabelFiles,
    Measures,
    ReadOptions,
    Seed,
    complete,
)
from leadline.completions.anytime import anytime_of
from leadline.completions.coverage import ADVICE
from leadline.completions.estimator import TrainingData
from leadline.completions.model import DEEP
from leadline.completions.regression import model_doubts, relevance_model
from leadline.data.arrays import Bools, Floats
from leadline.data.pool import Pool
from leadline.io.collection import Collection
from leadline.io.documents import missing_documents
from leadline.io.formats import MissingDocs
from leadline.io.inputs import (
    NamedRun,
    RunNames,
    collection_inputs,
    is_collection,
    listed_runs,
    names_after_folder,
    no_run,
    picked_names,
    runs_from,
)
from leadline.io.pool_csv import pool_over
from leadline.io.problems import InputError, Notices, Progress, UnloggedNotices
from leadline.io.read import read
from leadline.io.slices import read_slices
from leadline.io.source import check_name
from leadline.measures.measure import Measure, last_rank, parse_measures, refuse_beyond_grades
from leadline.options import Option
from leadline.registry import check_choice
from leadline.stats.certainty import Certainty
from leadline.stats.gate import (
    Asked,
    Deciding,
    GateOutcome,
    GateRow,
    GateUnjudgedAs,
    MeanDifference,
    RunPair,
    Verdict,
    gate_caveats,
    judgments_until,
    sampled_statement,
    topics_until,
    verdicts,
)
from leadline.stats.significance import Correction

if TYPE_CHECKING:
    import altair as alt
    from rich.console import RenderableType


def read_two(
    qrels: Any, runs: Any, baseline: Any, new: Any, run_names: RunNames = None, **how: Any
) -> tuple[Collection, str, str]:
    """The collection with both among its runs, and their names.

    Each is the name of one of the runs, or a run in any form that `evaluate` takes. A file that has
    the name of another run is called so with (new) or (baseline) behind it, as where a build makes
    the same file again. `runs` may be empty; of them only `run_names` and both are read. `how` is
    for `read`.
    """
    if is_collection(qrels):
        collection = read(qrels, runs, **how)
        names = listed_runs(collection.runs.names)
        for role, name in (("baseline", baseline), ("new", new)):
            if name not in collection.runs.names:
                raise ValueError(f"`{role}`: no run is named {name}{names}")
        if run_names is not None:
            some = picked_names(run_names, collection.runs.names)
            collection = collection.with_runs([*some, baseline, new])
        return collection, baseline, new
    runs, run_names = names_after_folder(qrels, runs, run_names)
    folder = None
    if runs is None:
        folder = Path(qrels)
        qrels, runs = collection_inputs(folder)
    left_out = Notices()
    own = {run.name: run for run in runs_from(runs, left_out)} if runs != [] else {}
    known, both = list(own), []
    for role, given in (("baseline", baseline), ("new", new)):
        run = _run(role, given, own)
        if run.name in own and own[run.name] is not run:
            run = NamedRun(f"{run.name} ({role})", run.what)
        own[run.name] = run
        both.append(run.name)
    kept = {*picked_names(run_names, known), *both}
    everything = {name: run.what for name, run in own.items() if name in kept}
    collection = read(qrels, everything, folder=folder, **how)
    collection.notices.problems += left_out.problems
    return collection, both[0], both[1]


def _run(role: str, given: Any, own: dict[str, NamedRun]) -> NamedRun:
    """The run that a name or a file stands for, one of our own if it is one."""
    if isinstance(given, str | os.PathLike):
        check_name(given)
        text = os.fspath(given)
        if text in own:
            return own[text]
        if text != "-" and not Path(text).exists():
            raise no_run(text, role, own)
    several = runs_from(given)
    if len(several) != 1:
        raise ValueError(f"`{role}` must be one run, not {len(several)}")
    run = several[0]
    same = own.get(run.name)
    if same is not None and _same_file(same.what, run.what):
        return same
    return run


def _same_file(one: Any, other: Any) -> bool:
    paths = [Path(each) for each in (one, other) if isinstance(each, str | os.PathLike)]
    return len(paths) == 2 and all(path.exists() for path in paths) and paths[0].samefile(paths[1])


GateEstimator = Literal["Regression", "none"]
GATE_MEASURES = ("nDCG@10",)
SPARSE = 0.5
"""Below this share judged, and without a model, a warning says that a verdict is rare."""

NAMED = 10
"""Documents to judge that a row names; the table of documents has all."""


@dataclass(frozen=True, eq=False, repr=False)
class GateResult(Result):
    """What each measure says over all topics and over slices, and the verdict of all measures."""

    outcome: GateOutcome
    notices: Notices = field(default_factory=Notices)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Columns measure, slice, difference, ci_lower, ci_upper, lower, upper, likely_worse,
        verdict, on_these_topics, certainty, caveats, judge_next, expected, combined_lower,
        combined_upper, topics, topics_needed and judgments_needed.
        """
        text = (
            *("measure", "slice", "verdict", "on_these_topics", "certainty", "caveats"),
            "judge_next",
        )
        whole = ("topics", "topics_needed")
        kinds: dict[str, Any] = dict.fromkeys(text, pl.String)
        kinds |= dict.fromkeys((*whole, "judgments_needed"), pl.Int64)
        names = [each.name for each in fields(GateRow)]
        schema = {name: kinds.get(name, pl.Float64) for name in names}
        frame = pl.DataFrame([asdict(row) for row in self.rows], schema=schema, orient="row")
        unsampled = frame["anytime_lower"].null_count() == len(frame)
        return frame.drop("anytime_lower", "anytime_upper") if unsampled else frame

    @property
    def rows(self) -> list[GateRow]:
        """One for each measure, over all topics, then over each slice."""
        return self.outcome.rows

    @property
    def documents(self) -> pl.DataFrame:
        """What to judge, by order of worth: measure, topic, doc, worth, rank_baseline, rank_new."""
        return self.outcome.documents

    @property
    def verdict(self) -> Verdict:
        """worse if one measure says so, undecided if one is, else not_worse."""
        return self.outcome.verdict

    @property
    def exit_code(self) -> int:
        """0 not worse, 1 worse, 3 undecided."""
        return self.outcome.exit_code

    def table(self) -> RenderableType:
        """The rows, the verdict in words, and what to judge first."""
        from leadline.views.gate import gate_table

        return gate_table(self.outcome)

    def chart(self) -> alt.TopLevelMixin:
        """The combined interval and the bounds of each difference, and the margin."""
        from leadline.views.gate import gate_chart

        return gate_chart(self.frame, self.outcome.margin, bool(self.outcome.unjudged_as))

    def markdown(self) -> str:
        """A summary for a pull request."""
        from leadline.views.gate import gate_markdown

        return gate_markdown(self.outcome)

    def junit(self) -> str:
        """JUnit's XML: a case for every row, failed if it is worse, skipped if undecided."""
        from leadline.views.gate import gate_junit

        return gate_junit(self.outcome)

    def summary(self) -> dict[str, Any]:
        """What docs/schemas/gate.schema.json describes."""
        from leadline import __version__

        told = self.outcome
        return {
            "schema": "leadline/gate/3",
            "leadline": __version__,
            "baseline": told.baseline,
            "new": told.new,
            "question": told.asked,
            "margin": told.margin,
            "confidence": told.confidence,
            "correction": told.correction,
            "estimator": told.estimator,
            "unjudged_as": told.unjudged_as,
            "verdict": told.verdict,
            "exit_code": told.exit_code,
            "worst_slices": told.worst_slices,
            "rows": self.frame.drop("judge_next").to_dicts(),
            "judge_next": told.documents.to_dicts(),
            "notices": self.notices.lines(),
        }

    def texts(self) -> dict[str, Any]:
        """The verdict, and what was asked."""
        names = ("baseline", "new", "verdict", "margin", "confidence", "unjudged_as")
        return {name: getattr(self.outcome, name) for name in names}

    def encoded(self, kind: Kind) -> bytes:
        """As every result, but json has the verdict and the documents too, and Markdown words."""
        if kind == "json":
            import json

            return (json.dumps(self.summary(), indent=1, ensure_ascii=False) + "\n").encode()
        return self.markdown().encode() if kind == "markdown" else super().encoded(kind)


def gate(
    qrels: Any,
    runs: Any = None,
    *,
    baseline: Annotated[Any, Option(metavar="RUN")],
    new: Annotated[Any, Option(metavar="RUN")],
    measures: Measures = GATE_MEASURES,
    margin: float = 0.01,
    confidence: float = 0.95,
    equivalence: Annotated[bool, Option(advanced=True)] = False,
    correction: Correction | None = "holm",
    estimator: Annotated[GateEstimator | None, Option("-e --estimator")] = "Regression",
    unjudged_as: Annotated[GateUnjudgedAs | None, Option("", "HOW")] = None,
    missing_docs: Annotated[MissingDocs, Option(metavar="RULE", advanced=True)] = "stop",
    slices: Annotated[str | os.PathLike[str] | None, Option(metavar="FILE", path="file")] = None,
    strict_slices: Annotated[bool, Option(advanced=True)] = False,
    pool: Annotated[Any, Option(metavar="FILE", advanced=True)] = None,
    labels: LabelFiles = None,
    seed: Seed = 0,
    progress: Progress | None = None,
    **read_options: Unpack[ReadOptions],
) -> GateResult:
    """Columns measure, slice, difference, ci_lower, ci_upper, lower, upper, likely_worse, verdict,
    on_these_topics, certainty, caveats, judge_next, expected, combined_lower, combined_upper,
    pred_lower, pred_upper, topics, topics_needed, judgments_needed.

    difference is new minus baseline as judged; ci_lower and ci_upper are its confidence interval
    for the sample of topics, lower and upper its bounds over every completion of the judgments.
    combined_lower and combined_upper allow for both, each a one-sided bound with the confidence.
    expected is the difference with unjudged documents as the estimator expects them, pred_lower
    and pred_upper its 95% prediction interval on these topics.
    The verdict is by these: not_worse if combined_lower is above -margin, worse if combined_upper
    is below it, else undecided. on_these_topics says the same of these topics alone, once all is
    judged, and certainty how settled that is: certain, likely (by the estimator) or open.

    qrels, runs: as for `evaluate`; runs may be [] if both runs are files of their own.
    baseline: the run to compare with: a file, or the name of a run.
    new: the run to test: a file, or the name of a run.
    measures: measures with bounds.
    margin: largest acceptable loss.
    confidence: confidence level of the verdict and of its intervals.
    equivalence: test whether the runs differ by less than the margin in both directions.
    correction: correction for several measures or slices. None is the same as "none".
    estimator: how to allow for unjudged documents: by a model (Regression), or by bounds only
        (none). With none, the gate decides only if most documents are judged.
    unjudged_as: lower counts unjudged documents as non-relevant, as classic evaluation does. The
        verdict then allows for the sample of topics only, and every output says so.
    missing_docs: whether documents of either run that the corpus of the collection folder lacks are
        an error (stop), or count as unjudged (skip). Only as many ranks as the measures look at are
        checked.
    slices: table of topics with a column of groups; each group gets rows of its own.
    strict_slices: fail if the new run is worse on any slice.
    pool: pool sampled in batches, for anytime-valid intervals. It must hold the pairs that were not
        sampled too, as `leadline pool` writes them with the option undrawn. For measures that are
        sums, the columns anytime_lower and anytime_upper follow, and on_these_topics may be looked
        at after every batch. judge_next lists the sampled pairs that are not judged.
    labels: as for `estimate`.
    seed: random seed.
    progress: as for `evaluate`.
    read_options: how to read, for instance topics or run_names: see `ReadOptions`.
    """
    wanted = parse_measures(measures, GATE_MEASURES)
    refuse_beyond_grades(wanted, "gate")
    correction = "none" if correction is None else correction
    estimator = "none" if estimator is None else estimator
    check_choice("correction", correction, Correction)
    check_choice("estimator", estimator, GateEstimator)
    check_choice("missing_docs", missing_docs, MissingDocs)
    _check(wanted, margin, confidence)
    classic = unjudged_as is not None
    if classic:
        check_choice("unjudged_as", unjudged_as, GateUnjudgedAs)
        estimator = "none"
    if labels is not None and estimator == "none":
        option = "`unjudged_as` lower" if classic else "`estimator` none"
        raise ValueError(f"labels are ignored with {option}: omit it, or `labels`")
    deepest = last_rank(wanted)
    collection, first, second = read_two(
        qrels,
        runs,
        baseline,
        new,
        progress=progress,
        labels=labels,
        depth=None if deepest is None else max(deepest, DEEP),
        **complete(read_options),
    )
    run_pair = _run_pair(collection, first, second, deepest, estimator == "Regression", seed)
    if missing_docs == "stop":
        _check_corpus(collection, run_pair)
    run_pair.check_known()
    if run_pair.same:
        message = f"{first} and {second} return the same documents in the same order"
        collection.notices.add("", "notice", "same-run", message)
    names = collection.runs.pairs.topics
    parts: dict[str, Bools] = {"all": np.ones(len(names), np.bool_)}
    if slices is not None:
        parts |= read_slices(slices, names, collection.notices)
    asked: Asked = "equivalent" if equivalence else "not_worse"
    means: dict[tuple[str, str], MeanDifference] = {}
    for number, measure in enumerate(wanted):
        drawn = run_pair.drawn_differences(measure) if run_pair.model else None
        whole = MeanDifference(run_pair.differences(measure), drawn, run_pair.same, classic)
        means |= {(str(measure), name): whole.on(inside) for name, inside in parts.items()}
        if progress is not None:
            progress(number + 1, len(wanted))
    said: dict[tuple[str, str], Verdict] = {}
    # Slices are a family of their own: to look at them must not blunt the main question.
    families = [[key for key in means if (key[1] == "all") is main] for main in (True, False)]
    for keys in families:
        doubts = [means[key].both for key in keys]
        said |= dict(
            zip(keys, verdicts(doubts, margin, confidence, correction, asked), strict=True)
        )
    # At this confidence a row is decided whatever the other rows of its family say.
    alone = {
        key: confidence if correction == "none" else 1 - (1 - confidence) / len(keys)
        for keys in families
        for key in keys
    }
    rows, documents = [], []
    sampled = None if pool is None else _sampled(collection, pool)
    for measure in wanted:
        for name, inside in parts.items():
            key = (str(measure), name)
            deciding = None
            if said[key] == "undecided":
                deciding = Deciding.of(run_pair, measure, inside)
                if name == "all":
                    table = deciding.frame(run_pair)
                    documents.append(
                        table.select(pl.lit(str(measure)).alias("measure"), *table.columns)
                    )
            rows.append(
                _row(
                    key,
                    means[key],
                    said[key],
                    deciding,
                    run_pair,
                    margin,
                    (confidence, alone[key]),
                    asked,
                    run_pair.unjudged(measure, inside),
                )
            )
    if sampled is not None:
        rows = [
            _with_sample(row, collection, sampled, run_pair, margin, asked, confidence)
            for row in rows
        ]
        documents = _judge_next(documents, sampled, collection, run_pair)
    found = pl.concat(documents) if documents else _no_documents(run_pair)
    by_model = "Regression" if run_pair.model else None
    how = (margin, confidence, asked, correction, by_model)
    outcome = GateOutcome(first, second, *how, rows, found, strict_slices, unjudged_as)
    if not classic:
        _warn_sparse(outcome, run_pair, wanted, collection.notices)
    if labels is not None:
        bare = gate(
            replace(collection.without_labels(), notices=UnloggedNotices()),
            baseline=first,
            new=second,
            measures=wanted,
            correction=correction,
            slices=slices,
            pool=pool,
            seed=seed,
            missing_docs="skip",
            margin=margin,
            confidence=confidence,
            equivalence=equivalence,
        )
        message = _what_labels_did(outcome, bare.outcome)
        collection.notices.add("", "notice", "labels-matter", message)
    return GateResult(outcome, collection.notices)


def _what_labels_did(outcome: GateOutcome, without: GateOutcome) -> str:
    """Say whether the verdict would be another without labels."""
    if outcome.estimator is None:
        return "labels were not used, because there is no model of unjudged documents"
    said, others = [
        [(row.measure, row.slice, row.verdict) for row in each.rows] for each in (outcome, without)
    ]
    first, second = [
        "unknown" if each.rows[0].expected is None else f"{each.rows[0].expected:+.4f}"
        for each in (outcome, without)
    ]
    figures = f"expected difference in {said[0][0]} {first} with labels, {second} without"
    if said == others:
        return f"labels did not matter: every verdict is the same without them ({figures})"
    changed = [
        f"{measure} on {part} {verdict}, without them {bare}".replace("not_worse", "not worse")
        for (measure, part, verdict), (*_, bare) in zip(said, others, strict=True)
        if verdict != bare
    ]
    counted = f"labels changed {len(changed)} of {len(said)} verdicts"
    return f"{counted}: {'; '.join(changed)} ({figures})"


def _check(wanted: tuple[Measure, ...], margin: float, confidence: float) -> None:
    for measure in wanted:
        if measure.needs != "judgments" or not measure.bounded or measure.judged_only:
            raise ValueError(
                f"{measure} has no interval for what is unjudged, so a gate cannot use it: take "
                "nDCG@10, RBP(p=0.8), P@10, AP, RR or ERR@20 for instance"
            )
    if not 0 <= margin < float("inf"):
        raise ValueError(f"`margin` must be 0 or more, not {margin}")
    if not 0.5 < confidence < 1:
        raise ValueError(f"`confidence` must lie between 0.5 and 1, not {confidence}")


def _run_pair(
    collection: Collection, baseline: str, new: str, depth: int | None, model: bool, seed: int
) -> RunPair:
    """The two runs, and what the others teach of their unjudged documents if they can."""
    names = np.array(collection.runs.names, object)
    contributing = collection.pooled.copy()
    if collection.pooled.all():
        # Nobody says who was pooled: the new run was not, or it would be no newcomer.
        contributing &= names != new
    if not contributing.any():
        contributing |= names != new
    evidence = TrainingData(
        parse_measures("DCG")[0], collection.runs, collection.judgments, contributing=contributing
    )
    if model:
        doubts = model_doubts(evidence, relevance_model(evidence))
        model = not doubts
        for doubt in doubts:
            reason = doubt.removesuffix(f": {ADVICE}")
            message = f"no model of unjudged documents, so the gate allows for any grades: {reason}"
            collection.notices.add("", "warning", "no-model", message)
    labels = collection.runs.pairs.labels
    if model and labels is not None:
        message = (
            f"labels of {', '.join(labels.judges)} are evidence of what unjudged documents are "
            "likely to be, never judgments; that verdicts are right was simulated on one collection"
        )
        collection.notices.add("", "notice", "labels", message)
    return RunPair(evidence, baseline, new, depth, model, seed)


def _check_corpus(collection: Collection, run_pair: RunPair) -> None:
    """Refuse documents of either run that the corpus of the collection folder does not hold."""
    corpus = collection.texts
    if corpus is None:
        return
    runs = run_pair.runs
    doc = pl.Series(runs.pairs.names(runs.pair.astype(np.int64))[1], dtype=pl.String)
    missing = missing_documents(doc, corpus)
    if missing.is_empty():
        return
    foreign = doc.is_in(missing.implode()).to_numpy()
    for number, name in enumerate(runs.names):
        own = doc.filter(foreign & (runs.entries.run == number)).unique().sort()
        if len(own):
            some = ", ".join(own.head(5)) + (", ..." if len(own) > 5 else "")
            message = (
                f"returns {len(own):,} documents that {corpus.name} does not hold: {some}. Is the "
                "run from another index? `missing_docs` skip counts them as unjudged"
            )
            raise InputError.of(name, "no-document", message)


def _row(
    key: tuple[str, str],
    mean: MeanDifference,
    verdict: Verdict,
    deciding: Deciding | None,
    run_pair: RunPair,
    margin: float,
    confidences: tuple[float, float],
    asked: Asked,
    unjudged: Floats,
) -> GateRow:
    """One row; `confidences` are that of its figures, and that which decides it by itself."""
    confidence, alone = confidences
    low, high = mean.chance.interval(confidence)
    least, most = mean.both.bounds(confidence)
    certain_low, certain_high = mean.certain
    first = None
    if deciding is not None:
        topic, doc = run_pair.runs.pairs.names(deciding.pair[:NAMED])
        first = "; ".join(f"{t} {d}" for t, d in zip(topic, doc, strict=True)) or None
    needed = (
        None if deciding is None else topics_until(mean, margin, alone, asked),
        None if deciding is None else judgments_until(mean, deciding, margin, alone, asked),
    )
    here, certainty = mean.on_these_topics(margin, confidence, asked)
    return GateRow(
        measure=key[0],
        slice=key[1],
        difference=_known(mean.chance.centre),
        ci_lower=_known(low),
        ci_upper=_known(high),
        lower=_known(certain_low),
        upper=_known(certain_high),
        likely_worse=None if mean.drawn is None else _known(1 - mean.both.p_below(-margin)),
        verdict=verdict,
        on_these_topics=here,
        certainty=certainty,
        caveats=gate_caveats(mean.n_topics, unjudged, run_pair.model, mean.classic),
        judge_next=first,
        expected=_known(mean.expected),
        combined_lower=_known(least),
        combined_upper=_known(most),
        pred_lower=_known(mean.predicted[0]),
        pred_upper=_known(mean.predicted[1]),
        topics=mean.n_topics,
        topics_needed=needed[0],
        judgments_needed=needed[1],
    )


def _sampled(collection: Collection, pool: Any) -> Pool:
    """Return the pool of a file; a ValueError if it was not sampled in batches."""
    sampled = pool_over(collection.runs.pairs, pool)
    if sampled.record is None:
        raise ValueError(
            "`pool` must be drawn in batches and hold the pairs that were not drawn: write it with "
            "`leadline pool --strategy \"WeightedSample(n=200, aim='BASELINE,NEW')\" --undrawn`"
        )
    return sampled


def _with_sample(
    row: GateRow,
    collection: Collection,
    pool: Pool,
    run_pair: RunPair,
    margin: float,
    asked: Asked,
    confidence: float,
) -> GateRow:
    """Return the row with what the sampled batches show on these topics."""
    measure = parse_measures(row.measure)[0]
    scores = anytime_of(collection.runs, collection.judgments, measure, pool.record)
    if row.slice != "all" or scores is None or run_pair.same:
        return row
    names = collection.runs.names
    new, baseline = names.index(run_pair.new), names.index(run_pair.baseline)
    lower, upper = scores.interval(np.array([new]), np.array([baseline]))
    row = replace(row, anytime_lower=float(lower[0]), anytime_upper=float(upper[0]))
    if row.certainty == "certain":
        return row
    shown = sampled_statement(scores, new, baseline, margin, 1 - confidence, asked)
    certainty: Certainty = "open" if shown == "undecided" else "likely"
    return replace(row, on_these_topics=shown, certainty=certainty)


def _judge_next(
    documents: list[pl.DataFrame], pool: Pool, collection: Collection, run_pair: RunPair
) -> list[pl.DataFrame]:
    """Return what to judge: the sampled pairs that are not judged, in the order of their worth."""
    left = np.flatnonzero(pool.member & ~collection.judgments.judged)
    if not len(left):
        message = (
            "all sampled pairs are judged: draw the next batch with `leadline pool --previous`"
        )
        collection.notices.add("", "notice", "next-batch", message)
    topic, doc = collection.runs.pairs.names(left)
    wanted = pl.DataFrame(
        {"topic": pl.Series(topic, dtype=pl.String), "doc": pl.Series(doc, dtype=pl.String)}
    )
    return [table.join(wanted, on=["topic", "doc"], how="semi") for table in documents]


def _warn_sparse(
    outcome: GateOutcome, run_pair: RunPair, wanted: tuple[Measure, ...], notices: Notices
) -> None:
    """Warn where too little is judged for a verdict, and say what would help."""
    if run_pair.model:
        return
    rows = {row.measure: row for row in outcome.rows if row.slice == "all"}
    topics = np.ones(len(run_pair.runs.pairs.topics), np.bool_)
    for measure in wanted:
        row = rows[str(measure)]
        share = 1 - float(run_pair.unjudged(measure, topics).max())
        if row.verdict != "undecided" or share >= SPARSE or row.combined_lower is None:
            continue
        lead = (row.difference or 0.0) - row.combined_lower - outcome.margin
        n = len(outcome.documents.filter(measure=str(measure)))
        message = (
            f"{measure}: judgments are so sparse ({share:.0%} of what it looks at) that the gate "
            f"will rarely decide: the new run would have to lead by {lead:.2f} as judged. "
            f"Judge the {n:,} documents of --judge-next, or give the runs that were pooled"
        )
        notices.add("", "warning", "sparse", message)


def _known(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None


def _no_documents(run_pair: RunPair) -> pl.DataFrame:
    nothing = np.zeros(0, np.int64)
    table = Deciding(nothing, np.zeros(0), nothing).frame(run_pair)
    return table.select(pl.lit("", pl.String).alias("measure"), *table.columns)
