"""audit: how good a noisy judge is, and whom it favours, by what people said of the same pairs."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import numpy as np
import polars as pl

from leadline.api.result import Result
from leadline.api.shared_options import ReadOptions, Seed, complete
from leadline.completions.pair_weights import PairWeights
from leadline.data.arrays import Floats, Int16s, Int64s
from leadline.data.judgments import Judgments
from leadline.data.labels import NO_LABEL, NoisyLabels
from leadline.data.pairs import Pairs
from leadline.data.pool import Pool
from leadline.data.runs import Runs
from leadline.io.by_content import qrels_from
from leadline.io.collection import Collection
from leadline.io.formats import Reading, is_trec
from leadline.io.inputs import NoisyJudge, TopicNames, noisy_judges, topic_names
from leadline.io.pool_csv import PoolInput, pool_over
from leadline.io.problems import InputError, Notices, Progress
from leadline.io.qrels import Qrels
from leadline.io.read import read
from leadline.io.score_table import written_table
from leadline.io.source import read_source
from leadline.io.tabular import to_frame
from leadline.io.topics import read_texts
from leadline.labels.audit import NOWHERE, AuditInput, PairFacts, audit_lines
from leadline.labels.audited_pairs import AuditedPairs, AuditRow, Choice
from leadline.measures.measure import Weighted, parse_numerator
from leadline.options import Argument, Option

if TYPE_CHECKING:
    import altair as alt


TIMES = ("date", "time", "timestamp", "when")
"""Columns that may tell when a label was given."""


def pair_facts(
    pairs: Pairs, pair: Int64s, folder: Path | None, labels: Any, progress: Progress | None
) -> PairFacts:
    """Of these pairs, from the texts of a collection folder and the table of labels."""
    length, position = _in_texts(pairs, pair, folder, progress)
    return PairFacts(length, position, label_times(pairs, labels))


def _in_texts(
    pairs: Pairs, pair: Int64s, folder: Path | None, progress: Progress | None
) -> tuple[Floats | None, Floats | None]:
    """Words of the text, and where the first term of the query stands as a share of its letters."""
    topics, docs = pairs.names(pair)
    texts = read_texts(folder, set(docs), progress)
    if not texts.documents:
        return None, None
    length, position = (np.full(len(pairs), np.nan) for _ in range(2))
    terms = {topic: texts.terms(topic) for topic in set(topics)}
    for at, topic, doc in zip(pair.tolist(), topics, docs, strict=True):
        found = texts.documents.get(doc)
        if found is None:
            continue
        text = f"{found.title} {found.text}".strip()
        length[at] = len(text.split())
        wanted = terms[topic]
        if wanted is not None and text:
            hit = wanted.search(text)
            position[at] = NOWHERE if hit is None else hit.start() / len(text)
    return length, None if np.isnan(position).all() else position


def label_times(pairs: Pairs, labels: Any) -> Floats | None:
    """When each pair was labelled, in seconds; None where the labels do not tell."""
    frame = _table(labels)
    if frame is None or not {"topic", "doc"} <= set(frame.columns):
        return None
    column = next((name for name in TIMES if name in frame.columns), None)
    if column is None:
        return None
    moment = _seconds(frame[column])
    known = frame.select(pl.col("topic", "doc").cast(pl.String)).with_columns(moment=moment)
    known = known.drop_nulls()
    at = pairs.find(known["topic"], known["doc"])
    time = np.full(len(pairs), np.nan)
    time[at[at >= 0]] = known["moment"].to_numpy()[at >= 0]
    return None if np.isnan(time).all() else time


def _table(labels: Any) -> pl.DataFrame | None:
    """Labels as a table with all columns; None where they are no table."""
    if isinstance(labels, str | os.PathLike):
        # What came through a pipe was read, and cannot be read again.
        if not Path(labels).is_file() or is_trec(read_source(labels)):
            return None
        try:
            return written_table(labels)[1]
        except InputError:
            return None
    return to_frame(labels, "labels") if hasattr(type(labels), "columns") else None


def _seconds(column: pl.Series) -> pl.Series:
    """Dates, moments, or numbers, as seconds; null where it is none of these."""
    if column.dtype.is_numeric():
        return column.cast(pl.Float64)
    if column.dtype.is_temporal():
        return column.cast(pl.Datetime("us")).dt.timestamp("us") / 1e6
    text = column.cast(pl.String).str.strip_chars().str.replace(r"Z$|[+-]\d\d:?\d\d$", "")
    frame = pl.DataFrame({"text": text.str.replace("T", " ")})
    moment = pl.coalesce(
        pl.col("text").str.to_datetime("%Y-%m-%d %H:%M:%S%.f", strict=False),
        pl.col("text").str.to_datetime("%Y-%m-%d %H:%M", strict=False),
        pl.col("text").str.to_date("%Y-%m-%d", strict=False).cast(pl.Datetime("us")),
    )
    seconds = moment.dt.timestamp("us") / 1e6
    number = pl.col("text").cast(pl.Float64, strict=False)
    return frame.select(pl.coalesce(seconds, number)).to_series()


MEASURE = "SDCG(gains=linear)@10"
WEAK, MODERATE = 0.4, 0.6
"""Limits of kappa for weak and moderate agreement."""

ALMOST_ALL = 0.95
"""Judgments count as complete if they cover this share of the weight."""

SCHEMA = {
    "section": pl.String,
    "item": pl.String,
    "value": pl.Float64,
    "ci_lower": pl.Float64,
    "ci_upper": pl.Float64,
    "n": pl.Int64,
}


@dataclass(frozen=True, eq=False, repr=False)
class JudgeAudit(Result):
    """The audit of labels; `favoured` and `marked_down` name the runs that they treat unequally."""

    judge: str
    measure: str
    choice: Choice
    rows: list[AuditRow]
    groups: dict[str, tuple[str, ...]]
    notices: Notices = field(default_factory=Notices)
    confidence: float = 0.95

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Return the columns section, item, value, ci_lower, ci_upper and n."""
        return pl.DataFrame(self.rows, schema=SCHEMA, orient="row")

    @property
    def favoured(self) -> list[str]:
        """Return the groups, families and runs that labels favour, as `group NAME` and so on."""
        return [row.item for row in self.rows if row.section == "favoured"]

    @property
    def marked_down(self) -> list[str]:
        """Return the groups, families and runs that labels mark down."""
        return [row.item for row in self.rows if row.section == "marked down"]

    @property
    def verdict(self) -> str:
        """Return whether labels can replace judgments, by agreement and favour, in a sentence.

        Kappa up to 0.4 is slight or fair agreement, up to 0.6 moderate (Landis and Koch, 1977).
        """
        kappa = next(row for row in self.rows if row.item.startswith("kappa"))
        if kappa.value is None:
            return "Do not use these labels alone: their agreement with people is undefined."
        ends = "" if kappa.ci_lower is None else f", {kappa.ci_lower:.2f} to {kappa.ci_upper:.2f}"
        figure = f"({kappa.item} {kappa.value:.2f}{ends})"
        if (kappa.value if kappa.ci_lower is None else kappa.ci_lower) <= 0:
            return f"Do not use: agreement with people is not shown to exceed chance {figure}."
        if kappa.value <= WEAK:
            return f"Do not use these labels alone: agreement with people is weak {figure}."
        unequal = len({*self.favoured, *self.marked_down})
        if unequal:
            what = "one group or run" if unequal == 1 else f"{unequal} groups or runs"
            return (
                f"Do not compare runs by these labels alone: they treat {what} unequally {figure}."
            )
        level = "moderate" if kappa.value <= MODERATE else "substantial"
        use = f"Use these labels as evidence beside judgments: agreement is {level} {figure}"
        return f"{use}." if self.choice != "chosen" else f"{use}, on these pairs."

    @property
    def findings(self) -> list[str]:
        """Return the verdict, and what labels favour and mark down, in a line each."""
        words = {"favoured": "favour", "marked down": "mark down"}
        return [
            self.verdict,
            *(
                f"{self.judge}: labels {words[row.section]} {row.item}: {row.value:+.3f} of score "
                f"({row.ci_lower:+.3f} to {row.ci_upper:+.3f})"
                for row in self.rows
                if row.section in words
            ),
        ]

    def chart(self) -> alt.TopLevelMixin:
        """Return a chart of the favour of groups, families and runs."""
        from leadline.views.charts import stacked
        from leadline.views.result_charts import favours

        kinds = [kind for kind in ("group", "family", "run") if f"favour by {kind}" in self._there]
        if not kinds:
            raise TypeError("an audit without runs has no chart")
        return stacked([favours(self.frame, kind) for kind in kinds])

    @cached_property
    def _there(self) -> set[str]:
        return set(self.frame["section"])

    @property
    def page(self) -> str:
        """Return one self-contained page."""
        from leadline.views.audit_page import audit_page

        return audit_page(
            self.judge,
            self.measure,
            self.choice,
            self.frame,
            self.groups,
            self.notices.lines(),
            self.confidence,
            self.verdict,
        )


def audit(
    labels: Annotated[Any, Argument()],
    runs: Annotated[Any, Argument(metavar="RUN...|COLLECTION", many=True)] = None,
    *,
    reference: Annotated[Any, Option(metavar="QRELS")],
    pool: Annotated[PoolInput | None, Option(metavar="FILE")] = None,
    measure: Annotated[str, Option("-m --measure")] = MEASURE,
    rel: int = 1,
    labels_max: int | None = None,
    confidence: float = 0.95,
    seed: Seed = 0,
    progress: Progress | None = None,
    **read_options: Unpack[ReadOptions],
) -> JudgeAudit:
    """Return how well labels agree with human judgments, and which runs they favour.

    Columns: section, item, value, lower, upper, n.

    Intervals are given if the pairs with human judgments were sampled at random (`pool`) or are
    all pairs that the measure uses; otherwise values describe only those pairs.

    labels: labels to audit, in any format of judgments.
    runs: runs, or a collection folder with runs, groups and texts. Without runs, only agreement is
        audited.
    reference: human judgments.
    pool: how the pairs with human judgments were sampled: a file of `leadline pool`.
    measure: measure by which runs are compared: RBP, P, DCG, SDCG or nDCG.
    rel: lowest human grade that counts as relevant.
    labels_max: highest grade of the labels, if none of them has it.
    confidence: confidence level of intervals. An unbiased judge is said to favour a run with
        probability 1 minus this level.
    seed: random seed, for permutations.
    progress: as for `evaluate`.
    read_options: how to read, for instance topics or run_names: see `ReadOptions`.
    """
    if not 0.5 <= confidence < 1:
        raise ValueError(f"confidence must lie between 0.5 and 1, not {confidence}")
    if rel < 1:
        raise ValueError(f"rel must be at least 1, not {rel}")
    weighted = parse_numerator(measure)
    read_options = complete(read_options)
    reading = Reading(read_options["skip_bad_lines"], read_options["map_grades"])
    judge = _one_judge(labels, reading)
    if runs is None:
        if read_options["run_names"] is not None:
            raise ValueError("`run_names` picks among runs: name runs or a collection folder too")
        given = _without_runs(judge, reference, pool, reading, read_options["topics"])
    else:
        given = _with_runs(judge, runs, reference, pool, reading, progress, **read_options)
    label = given.label
    if not ((label != NO_LABEL) & given.human.judged).any():
        message = (
            "has no label of a pair with a human judgment. Are topics and documents named alike?"
        )
        raise InputError.of(judge.name, "labels", message)
    top = max(judge.labels.max_grade, labels_max or 0)
    if labels_max is not None and labels_max < judge.labels.max_grade:
        raise ValueError(
            f"labels_max is {labels_max}, but the judge gave grade {judge.labels.max_grade}"
        )
    choice = _choice(given, weighted)
    audited = AuditedPairs(given.human, label, top, choice, given.by_label, confidence)
    facts = pair_facts(given.human.pairs, audited.both, given.folder, labels, progress)
    asked = AuditInput(audited, weighted, rel, given.runs, given.family, facts, seed)
    _say(choice, given, audited)
    groups: dict[str, tuple[str, ...]] = {}
    if given.runs is not None:
        for name, group in zip(given.runs.names, given.runs.group, strict=True):
            groups[group] = (*groups.get(group, ()), name)
    lines = audit_lines(asked)
    named = judge.name, str(weighted), choice
    return JudgeAudit(*named, lines, groups, given.notices, confidence)


@dataclass(frozen=True, eq=False)
class _Given:
    """What was read."""

    human: Judgments
    label: Int16s
    notices: Notices
    runs: Runs | None = None
    family: tuple[str | None, ...] = ()
    folder: Path | None = None
    pool: Pool | None = None

    @property
    def by_label(self) -> bool:
        """Whether chances may have followed the labels: a model's, which expected something."""
        if self.pool is None or self.pool.expected is None:
            return False
        return not bool(np.isnan(self.pool.expected).all())


def _one_judge(labels: Any, reading: Reading) -> NoisyJudge:
    judges = noisy_judges(labels, reading)
    if len(judges) != 1:
        names = ", ".join(judge.name for judge in judges)
        raise ValueError(f"one judge is audited at a time, not {len(judges)}: {names}")
    return judges[0]


def _labels_of(labels: Qrels, pairs: Pairs) -> Int16s:
    seen = labels.over(pairs)
    return np.where(seen.judged, seen.grade, NO_LABEL).astype(np.int16)


def _without_runs(
    judge: NoisyJudge, reference: Any, pool: PoolInput | None, reading: Reading, topics: TopicNames
) -> _Given:
    people = qrels_from(reference, reading)
    chosen = topic_names(topics)
    both = [people.frame, judge.labels.frame]
    if chosen is not None:
        both = [frame.filter(pl.col("topic").is_in(chosen)) for frame in both]
    named = pl.concat([frame.select("topic", "doc") for frame in both])
    pairs = Pairs.of(named["topic"].to_list(), named["doc"].to_list())
    human, drawn = people.over(pairs), None
    if pool is not None:
        drawn = pool_over(pairs, pool)
        human = drawn.restrict(human)
    return _Given(human, _labels_of(judge.labels, pairs), reading.notices, pool=drawn)


def _with_runs(
    judge: NoisyJudge,
    runs: Any,
    reference: Any,
    pool: PoolInput | None,
    reading: Reading,
    progress: Progress | None,
    **how: Any,
) -> _Given:
    if isinstance(runs, Collection):
        collection = read(_judged_by(runs, judge, qrels_from(reference, reading)), pool=pool, **how)
    else:
        folder = _folder(runs)
        labels = judge.labels.frame.drop_nulls("grade")
        collection = read(
            reference,
            runs if folder is None else folder / "runs",
            pool=pool,
            labels={judge.name: labels.select("topic", "doc", "grade")},
            folder=folder,
            progress=progress,
            **how,
        )
    said = collection.runs.pairs.labels
    assert isinstance(said, NoisyLabels)
    return _Given(
        collection.judgments,
        said.grade[0],
        collection.notices,
        collection.runs,
        tuple(collection.groups["family"].to_list()),
        collection.folder,
        collection.pool,
    )


def _judged_by(collection: Collection, judge: NoisyJudge, people: Qrels) -> Collection:
    """A collection that was read before, with other judgments and labels."""
    was = collection.runs
    labels = NoisyLabels((judge.name,), _labels_of(judge.labels, was.pairs)[None])
    pairs = replace(was.pairs, labels=labels)
    runs = Runs.trusted(pairs, was.names, was.pair, was.length, was.group)
    human = people.over(pairs)
    return replace(collection, runs=runs, judgments=human, reference=None, pool=None)


def _folder(runs: Any) -> Path | None:
    """The collection folder that runs stand for, if they do."""
    what = runs[0] if isinstance(runs, list | tuple) and len(runs) == 1 else runs
    if isinstance(what, str | os.PathLike) and (Path(what) / "runs").is_dir():
        return Path(what)
    return None


def _choice(given: _Given, measure: Weighted) -> Choice:
    human = given.human
    if human.inclusion is not None and (human.inclusion[human.judged] < 1).any():
        return "drawn"
    if given.runs is None:
        labelled = given.label != NO_LABEL
        share = float(human.judged[labelled].mean()) if labelled.any() else 0.0
    else:
        weights = PairWeights.of(given.runs, measure)
        judged = weights.scores(human.judged[weights.pair].astype(np.float64)).sum()
        share = float(judged / max(weights.matrix.sum(), 1e-300))
    return "complete" if share >= ALMOST_ALL else "chosen"


def _say(choice: Choice, given: _Given, audited: AuditedPairs) -> None:
    """Add notices on what the audit shows."""
    notices = given.notices
    if choice == "chosen":
        message = (
            "the pairs with human judgments are neither a random sample nor complete: figures hold "
            "for these pairs only, without intervals and tests of favour. Sample pairs with "
            "leadline pool and name its file with `pool`"
        )
        notices.add("", "warning", "not-drawn", message)
    if choice == "complete":
        message = (
            f"at least {ALMOST_ALL:.0%} of the documents that the measure uses are judged: "
            "intervals allow for the sample of topics"
        )
        notices.add("", "notice", "complete", message)
    if choice == "drawn":
        message = "pairs were sampled at random: intervals are for all pairs of these topics"
        notices.add("", "notice", "drawn", message)
        if given.runs is not None:
            message = (
                "human scores are estimates: some false alarms and missed differences would not "
                "occur with all judgments"
            )
            notices.add("", "notice", "estimated", message)
    if given.pool is not None:
        left = int((given.pool.member & ~audited.human.judged).sum())
        if left:
            message = (
                f"{left:,} of {len(given.pool):,} pairs of the pool are not judged and count "
                "as not "
                "sampled, which is valid only if they were left out at random"
            )
            notices.add("", "warning", "left-out", message)
