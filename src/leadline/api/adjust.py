"""adjust: corrected scores of unpooled runs, each with an interval."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import numpy as np
import polars as pl

from leadline.api.result import Result, RoundedResult
from leadline.api.shared_options import (
    Dask,
    InputFile,
    Measures,
    ReadOptions,
    Seed,
    Workers,
    complete,
)
from leadline.completions.adjuster import (
    Adjusted,
    Adjuster,
    UnpooledRuns,
    adjusters,
    unjudged_share,
)
from leadline.completions.leave_out import LeftOutRuns, left_out_runs
from leadline.completions.pooling_bias import (
    WebberTopics,
    both_scores,
    common_mask,
    topics_to_halve,
)
from leadline.data.arrays import Bools, Floats
from leadline.data.judgments import Judgments
from leadline.data.pool import pool_depth as judged_pool_depth
from leadline.data.runs import Runs
from leadline.data.scores import SCORE_NOISE
from leadline.io.by_content import is_table
from leadline.io.collection import Collection
from leadline.io.inputs import (
    RUNS_SHOWN,
    TopicNames,
    collection_inputs,
    expand,
    is_collection,
    names_after_folder,
    no_run,
    picked_names,
    runs_from,
    topic_names,
)
from leadline.io.parallel import hired
from leadline.io.problems import InputError, Notices, Progress
from leadline.io.read import read
from leadline.io.source import is_url
from leadline.measures.measure import (
    WEIGHTED_MEASURES,
    Measure,
    parse_measures,
    refuse_beyond_grades,
)
from leadline.options import Option
from leadline.pooling.strategies import Depth
from leadline.pooling.without import DrawnPool, SampledPool
from leadline.stats.agreement import Agreement

if TYPE_CHECKING:
    import altair as alt
    from rich.console import RenderableType


DEFAULT = "Regression"
CALIBRATING = "WebberTopics"
"""The adjuster where common topics are named or reference judgments given."""


class NewDifferences(RoundedResult):
    """Differences of new runs from each other and from the pooled ones."""


@dataclass(frozen=True, eq=False, repr=False)
class Adjustment(Result):
    """Adjusted scores, what is assumed, and how labels and reference judgments agree.

    `adjusted` holds the numbers of each measure as arrays; `more_topics` how many more common
    topics would halve the intervals of the first measure. `evidence` of each measure and `adjuster`
    are what they come from.
    """

    adjusted: list[Adjusted]
    evidence: list[UnpooledRuns]
    adjuster: Adjuster
    notices: Notices = field(default_factory=Notices)
    agreement: Agreement | None = None
    more_topics: int | None = None
    seed: int = 0

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Return a row for each new run and measure.

        Columns: run, measure, adjuster, unadjusted, adjustment, adjusted, standard_error, lower,
        upper, pred_lower, pred_upper, judged, caveats.

        lower and upper are the guaranteed bounds, pred_lower and pred_upper the 95% prediction
        interval; caveats are reasons not to rely on the row.
        """
        return pl.concat(map(_rows, self.adjusted))

    def differences(self) -> NewDifferences:
        """Return a row for every two new runs, and for each and every pooled one.

        Columns: run_a, run_b, measure, adjuster, difference, standard_error, pred_lower,
        pred_upper, caveats. Differences of complete scores, as Regression tells them, with a 95%
        prediction interval. Their error is not that of two scores: what they share moves both.
        """
        tables = []
        for adjusted, evidence in zip(self.adjusted, self.evidence, strict=True):
            random = np.random.default_rng(self.seed)
            tables.append(self.adjuster.differences(evidence, adjusted, random).frame())
        return NewDifferences(pl.concat(tables), self.notices)

    def wide(self) -> pl.DataFrame:
        """A row for each run and a column for each measure, with the adjusted scores."""
        return self.frame.pivot("measure", index="run", values="adjusted", maintain_order=True)

    def chart(self) -> alt.TopLevelMixin:
        """An arrow for each run from its score as judged to the adjusted one; best first."""
        from leadline.views.charts import stacked
        from leadline.views.result_charts import adjusted_arrows

        return stacked([adjusted_arrows(self.frame, table.measure) for table in self.adjusted])

    def table(self) -> RenderableType:
        """Runs by adjusted score, with their places before and after."""
        from leadline.views.tables import adjusted_tables

        return adjusted_tables(self.frame)

    def _repr_html_(self) -> str:
        """A leaderboard by adjusted score for each measure, the prediction interval as a bar."""
        from leadline.views.notebook import STYLE, board_html

        groups = self.frame.group_by("measure", "adjuster", maintain_order=True)
        boards = (board_html(rows, " by ".join(map(str, key)), "adjusted") for key, rows in groups)
        return STYLE + "".join(boards)


@dataclass(frozen=True, eq=False, repr=False)
class LeaveOut(Adjustment):
    """Every pooled run as if its group had not been pooled: what it loses, what is adjusted.

    `left_out` holds the numbers of each measure and group, `names` the runs that are shown.
    """

    left_out: list[list[LeftOutRuns]] = field(default_factory=list)
    names: frozenset[str] = frozenset()

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Return a row for each pooled run and measure.

        Columns: those of an adjustment, for the run with its group left out of the pool, and
        group, complete, loss, place, place_unpooled, withdrawn.

        complete is the score by all judgments, loss what is missing from it in unadjusted. The
        places are among the pooled runs. withdrawn counts the judgments that only the group brought
        to the pool.
        """
        parts = [
            _rows(each.adjusted).with_columns(
                group=pl.lit(each.group),
                complete=pl.Series(each.complete),
                loss=pl.Series(each.complete - each.adjusted.unadjusted),
                place=pl.Series(each.place),
                place_unpooled=pl.Series(each.place_unpooled),
                withdrawn=pl.lit(each.withdrawn),
            )
            for of_measure in self.left_out
            for each in of_measure
        ]
        frame = pl.concat(parts).filter(pl.col("run").is_in(list(self.names)))
        noise = pl.when(pl.col("loss").abs() > SCORE_NOISE).then(pl.col("loss")).otherwise(0.0)
        return frame.with_columns(noise.alias("loss")).with_columns(
            pl.col(pl.Float64).fill_nan(None)
        )

    @property
    def sentences(self) -> list[str]:
        """Whether each run was hurt by pooling, in a sentence."""
        from leadline.views.left_out import left_out_sentences

        return left_out_sentences(self.frame)

    def differences(self) -> NewDifferences:
        """Raise a ValueError: runs that are left out in turn are not new together."""
        raise ValueError("`leave_out` takes one group at a time: it has no differences of new runs")

    def table(self) -> RenderableType:
        """A sentence for each run, the largest losses first."""
        from leadline.views.left_out import left_out_text

        return left_out_text(self.frame)


def _rows(table: Adjusted) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "run": table.runs,
            "measure": [table.measure] * len(table.runs),
            "adjuster": [table.adjuster] * len(table.runs),
            "unadjusted": table.unadjusted,
            "adjustment": table.adjustment,
            "adjusted": table.adjusted,
            "standard_error": table.standard_error,
            "lower": table.lower,
            "upper": table.upper,
            "pred_lower": table.pred_lower,
            "pred_upper": table.pred_upper,
            "judged": 1.0 - table.unjudged,
            "caveats": ["; ".join(reasons) for reasons in table.doubts],
        }
    ).with_columns(pl.col(pl.Float64).fill_nan(None))


def adjust(
    qrels: Any,
    runs: Any = None,
    new: Annotated[Any, Option(metavar="RUN", many=True)] = None,
    measures: Measures = WEIGHTED_MEASURES,
    method: str | Adjuster | None = None,
    *,
    leave_out: bool = False,
    pool_depth: Annotated[int | None, Option(least=1)] = None,
    pool: InputFile = None,
    reference: Annotated[Any, Option(metavar="QRELS")] = None,
    common: Annotated[TopicNames, Option(metavar="FILE")] = None,
    seed: Seed = 0,
    workers: Workers = 1,
    dask: Dask = None,
    progress: Progress | None = None,
    **read_options: Unpack[ReadOptions],
) -> Adjustment:
    """Return a row for each new run and measure, with bounds and a 95% prediction interval.

    Columns: run, measure, adjuster, unadjusted, adjustment, adjusted, standard_error, lower, upper,
    pred_lower, pred_upper, judged, caveats.

    qrels, runs: as for `evaluate`: the runs that were pooled.
    new: an unpooled run: a file, or the name of a run. With `reference` the default is all runs.
        In Python any form that leadline.evaluate takes.
    measures: measures to adjust. All methods take RBP, P, DCG and SDCG; some take nDCG, AP and
        others. The default is the default measures that `method` can adjust.
    method: adjuster. The default is Regression, and WebberTopics if common topics are given.
        `leadline list adjusters` describes all.
    leave_out: take each pooled group, or the groups of the runs named by `new`, out of the pool in
        turn. Show what its runs would lose without the judgments that only the group contributed,
        and their adjusted scores.
    pool_depth: depth of the pool, inferred from the judgments by default. If it is given,
        judgments outside that pool are ignored. The inferred depth is the last rank such that nine
        of ten documents are judged there and at every better rank.
    pool: the pool that was judged, as `leadline pool` writes it: a depth pool, or a sampled or
        stratified one. Only judgments inside it count.
    common: topics on which all runs are judged: a file with one per line. The judgments there are
        those of `qrels` or of `reference`.
    reference: reference judgments for some topics; `qrels` are then the labels to correct.
    seed: random seed, for intervals by simulation.
    workers, dask: as for `evaluate`; they leave out each pooled group in turn, from which all
        adjusters but WebberTopics derive intervals.
    progress: as for `evaluate`.
    read_options: how to read, for instance topics or run_names: see `ReadOptions`.
    """
    wanted = parse_measures(measures, WEIGHTED_MEASURES)
    refuse_beyond_grades(wanted, "adjust")
    adjuster = adjusters.parse(method) if isinstance(method, str) else method
    if pool_depth is not None and pool_depth < 1:
        raise ValueError(f"`pool_depth` must be at least 1, not {pool_depth}")
    if pool is not None:
        for name, given in (
            ("pool_depth", pool_depth),
            ("reference", reference),
            ("common", common),
        ):
            if given is not None:
                raise ValueError(f"give `pool` or `{name}`, not both")
    how: dict[str, Any] = {"reference": reference, "progress": progress, **complete(read_options)}
    how["pool"] = pool
    if leave_out and (reference is not None or common is not None):
        raise ValueError("`leave_out` uses pooled runs: omit `reference` and `common`")
    collection, named = _read(qrels, runs, new, how, leave_out)
    is_new = named & (not leave_out)
    agreement = None
    if adjuster is None:
        plain = collection.reference is None and common is None
        adjuster = adjusters.parse(DEFAULT if plain else CALIBRATING)
    if collection.reference is not None:
        evidence, agreement = _calibrating(collection, is_new, wanted[0], adjuster, common, seed)
    else:
        evidence = _pool_bias(collection, is_new, wanted[0], pool_depth, common, seed)
    each = [evidence.but(measure=measure) for measure in wanted]
    if measures is None or measures == WEIGHTED_MEASURES:
        each = [evidence for evidence in each if not _refused(adjuster, evidence)] or each
    if leave_out:
        groups = _groups_to_leave_out(collection, evidence, named)
        with hired(workers, dask):
            left = [left_out_runs(adjuster, one, groups, seed, progress) for one in each]
        tables = [of_group.adjusted for of_measure in left for of_group in of_measure]
        shown = named if named.any() else collection.pooled
        names = frozenset(collection.runs.names[run] for run in np.flatnonzero(shown))
        out = tables, each, adjuster, collection.notices, None, None, seed
        return LeaveOut(*out, left_out=left, names=names)
    with hired(workers, dask):
        adjusted = [
            adjuster.adjust(evidence, random=np.random.default_rng(seed), progress=progress)
            for evidence in each
        ]
    _note_all_judged(each[0], collection)
    more = _more_topics(each[0])
    return Adjustment(adjusted, each, adjuster, collection.notices, agreement, more, seed)


def _groups_to_leave_out(collection: Collection, evidence: UnpooledRuns, named: Bools) -> list[str]:
    """The groups of the named runs, or all pooled ones; a ValueError if none is left to learn."""
    pooled = evidence.pooled_runs.runs
    if len(pooled.groups) < 2:
        raise ValueError(
            "all pooled runs are of one group: without it there is no pooled run to learn from"
        )
    if not named.any():
        return list(pooled.groups)
    runs = collection.runs
    out = [runs.names[run] for run in np.flatnonzero(named & ~collection.pooled)]
    if out:
        raise ValueError(f"{out[0]} was not pooled by groups.tsv: drop `leave_out` to adjust it")
    chosen = {runs.group[run] for run in np.flatnonzero(named)}
    return [group for group in pooled.groups if group in chosen]


def _note_all_judged(evidence: UnpooledRuns, collection: Collection) -> None:
    """Note pooled runs without an unjudged document that were named as new."""
    share, runs = unjudged_share(evidence), collection.runs
    pooled = {runs.names[run] for run in np.flatnonzero(collection.pooled)}
    known = zip(evidence.new_names, share, strict=True)
    whole = [name for name, open_ in known if not open_ and name in pooled]
    if whole and evidence.reference is None:
        some = ", ".join(whole[:RUNS_SHOWN]) + (", ..." if len(whole) > RUNS_SHOWN else "")
        message = (
            f"{some}: all documents are judged as deep as {evidence.measure} looks, so there is "
            "nothing to adjust. `leave_out` shows what a run would lose had it not been pooled"
        )
        collection.notices.add("", "warning", "all-judged", message)


def _refused(adjuster: Adjuster, evidence: UnpooledRuns) -> bool:
    try:
        adjuster.check(evidence)
    except ValueError:
        return True
    return False


def _read(
    qrels: Any, runs: Any, new: Any, how: dict[str, Any], leave_out: bool = False
) -> tuple[Collection, Bools]:
    """The collection with the new runs among its own, and which these are."""
    run_names = how.pop("run_names")
    if is_collection(qrels):
        collection = read(qrels, runs, **how)
        fresh, chosen = _sorted_out(new, set(collection.runs.names))
        if run_names is not None:
            some = picked_names(run_names, collection.runs.names)
            collection = collection.with_runs([*some, *chosen])
        if fresh:
            raise ValueError(
                "a Collection holds all its runs: read the new ones with it, "
                "and give their names as `new`"
            )
    else:
        folder = None
        runs, run_names = names_after_folder(qrels, runs, run_names)
        if runs is None:
            folder = Path(qrels)
            qrels, runs = collection_inputs(folder)
        left_out = Notices()
        named = runs_from(runs, left_out)
        own = {run.name for run in named}
        fresh, chosen = _sorted_out(new, own)
        added = runs_from(fresh, left_out) if fresh else []
        twice = sorted(own & {run.name for run in added})
        if twice:
            message = f"a run named {twice[0]} is among the pooled ones too"
            raise InputError.of("", "name-twice", message)
        chosen |= {run.name for run in added}
        kept = {*picked_names(run_names, [run.name for run in named]), *chosen}
        everything = {run.name: run.what for run in [*named, *added] if run.name in kept}
        collection = read(qrels, everything, folder=folder, **how)
        collection.notices.problems += left_out.problems
    is_new = np.array([name in chosen for name in collection.runs.names], np.bool_)
    if collection.reference is not None and not chosen:
        is_new[:] = True
    elif not is_new.any() and not leave_out:
        raise ValueError(
            "name the runs that were not pooled with `new`: files, or runs' names. To take pooled "
            "runs out of the pool in turn, give `leave_out`"
        )
    return collection, is_new


def _sorted_out(new: Any, own: set[str]) -> tuple[list[Any], set[str]]:
    """What is new as runs that are still to be read, and as names among those that are there."""
    if isinstance(new, Mapping) or is_table(new):
        return [new], set()
    given = [] if new is None else [new] if isinstance(new, str | os.PathLike) else list(new)
    names = {each for each in given if isinstance(each, str) and each in own}
    fresh = [each for each in given if not isinstance(each, str) or each not in own]
    for each in fresh:
        if isinstance(each, str | os.PathLike) and expand(os.fspath(each)) == [os.fspath(each)]:
            text = os.fspath(each)
            if text != "-" and not is_url(text) and not Path(text).exists():
                raise no_run(text, "new", sorted(own))
    return fresh, names


def _pool_bias(
    collection: Collection,
    is_new: Bools,
    measure: Measure,
    pool_depth: int | None,
    common: TopicNames,
    seed: int,
) -> UnpooledRuns:
    """What there is to learn from the pooled runs."""
    runs, judgments = collection.runs, collection.judgments
    pooled = _pooled(collection, is_new)
    _check_lists(runs.only(is_new), judgments)
    if collection.pool is not None:
        everyone = np.ones(len(pooled), np.bool_)
        drawn_from = [pooled, pooled | is_new, ~is_new, everyone]
        drawn = SampledPool.of(collection.pool, runs, drawn_from, seed)
        inside = drawn.member(runs.only(pooled).best_rank)
        known = _restricted(collection, inside, None)
        return UnpooledRuns(measure, runs, known, contributing=pooled, new=is_new, drawn=drawn)
    if pool_depth is None:
        depth = judged_pool_depth(runs, judgments, pooled)
        if depth is None:
            raise ValueError(
                "too few of the pooled runs' first documents are judged to tell how deep the pool "
                "was: give `pool_depth`"
            )
        message = f"the pooled runs are judged to rank {depth}, taken for the depth of the pool"
        collection.notices.add("", "notice", "pool-depth", message)
    else:
        depth = pool_depth
        judgments = _restricted(collection, runs.only(pooled).best_rank <= depth, common)
    return UnpooledRuns(
        measure,
        runs,
        judgments,
        contributing=pooled,
        new=is_new,
        drawn=DrawnPool(Depth(depth), runs, seed),
        common=None if common is None else _common(collection, common),
    )


def _pooled(collection: Collection, is_new: Bools) -> Bools:
    """The pooled runs that are not new."""
    pooled = collection.pooled & ~is_new
    n_others = int((~pooled & ~is_new).sum())
    if n_others:
        message = f"{n_others} runs were not pooled by groups.tsv: nothing is learnt from them"
        collection.notices.add("", "notice", "not-pooled", message)
    if not pooled.any():
        raise ValueError("there is no pooled run to learn from: give `runs` beside `new`")
    group, names = collection.runs.group, collection.runs.names
    own = {group[run] for run in np.flatnonzero(is_new)}
    kin = [names[run] for run in np.flatnonzero(pooled) if group[run] in own]
    if kin:
        message = f"pooled runs of the new runs' own group: {', '.join(kin[:5])}"
        collection.notices.add("", "notice", "same-group", message)
    return pooled


def _check_lists(new: Runs, judgments: Judgments) -> None:
    if not judgments.judged.any():
        raise ValueError("nothing is judged, so nothing can be learnt")
    empty = new.length.sum(axis=1) == 0
    if empty.any():
        name = new.names[int(np.argmax(empty))]
        raise ValueError(f"{name} returns nothing for any topic that has judgments")


def _restricted(collection: Collection, member: Bools, common: TopicNames) -> Judgments:
    """The judgments inside the pool, and all on the common topics."""
    if common is not None:
        member = member | _common(collection, common)[collection.runs.pairs.topic]
    gone = int((collection.judgments.judged & ~member).sum())
    if gone:
        message = f"{gone:,} judgments outside the pool of the pooled runs are ignored"
        collection.notices.add("", "notice", "outside-pool", message)
    return collection.judgments.only(member)


def _common(collection: Collection, common: TopicNames) -> Bools:
    names = topic_names(common) or []
    mask = common_mask(collection.runs.pairs.topics, names)
    if not mask.any():
        raise ValueError(f"none of the common topics has judgments here: {', '.join(names[:5])}")
    return mask


def _calibrating(
    collection: Collection,
    is_new: Bools,
    measure: Measure,
    adjuster: Adjuster,
    common: TopicNames,
    seed: int,
) -> tuple[UnpooledRuns, Agreement]:
    """Cheap judgments on all topics with reference ones on some, and how they agree on these."""
    if not adjuster.takes_reference:
        raise ValueError(f"with reference judgments only WebberTopics makes sense, not {adjuster}")
    reference, pairs = collection.reference, collection.runs.pairs
    assert reference is not None
    has = np.zeros(len(pairs.topics), np.bool_)
    has[pairs.topic[reference.judged]] = True
    if common is not None:
        asked = _common(collection, common)
        lacking = [pairs.topics[at] for at in np.flatnonzero(asked & ~has)]
        if lacking:
            message = f"common topics without reference judgments: {', '.join(lacking[:5])}"
            collection.notices.add("", "warning", "no-reference", message)
        has &= asked
    if not has.any():
        raise ValueError(
            "no topic has both labels and reference judgments: there are no common topics"
        )
    evidence = UnpooledRuns(
        measure,
        collection.runs,
        collection.judgments,
        contributing=~is_new,
        new=is_new,
        drawn=DrawnPool(Depth(1), collection.runs, seed),
        reference=reference,
        common=has,
    )
    return evidence, Agreement.of(collection.judgments, reference, np.flatnonzero(has))


def _more_topics(evidence: UnpooledRuns) -> int | None:
    """How many more common topics would halve the intervals."""
    if evidence.common is None or not evidence.common.any():
        return None
    _, true, n_all = both_scores(evidence)
    variance: Floats = WebberTopics().seen(evidence).variance
    return int(topics_to_halve(variance, true.shape[1], n_all).max(initial=0.0))
