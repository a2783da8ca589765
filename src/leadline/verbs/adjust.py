"""adjust: scores of runs that were not pooled put right, each with an interval."""

import logging
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from leadline.adjusters.adjusted import Adjusted
from leadline.adjusters.adjuster import Adjuster, adjusters
from leadline.adjusters.from_topics import both_scores, common_mask, from_topics, topics_to_halve
from leadline.adjusters.pool_bias import PoolBias
from leadline.collection.collection import Collection
from leadline.collection.inputs import TopicNames, collection_inputs, expand, runs_from, topics_from
from leadline.comparison.label_agreement import Agreement
from leadline.files.problems import InputError, Notices
from leadline.measures.measure import Measure, parse_measure
from leadline.pools.depth import Depth
from leadline.pools.without import DrawnPool
from leadline.tables.arrays import Bools, Floats
from leadline.tables.judgments import Judgments
from leadline.tables.runs import UNRANKED, Runs
from leadline.verbs.pool import read_topics

DEFAULT = "Predicted"
ENOUGH = 0.99
"""A pool is as deep as at least this share of it is judged."""


@dataclass(frozen=True, eq=False)
class Adjustment:
    """The scores put right, with what was noticed, and how cheap and trusted judgments agree."""

    adjusted: Adjusted
    notices: Notices
    agreement: Agreement | None = None
    more_topics: int | None = None

    def frame(self) -> pl.DataFrame:
        """A row a run; `doubt` is empty or tells why not to trust it."""
        table = self.adjusted
        n = len(table.runs)
        return pl.DataFrame(
            {
                "run": table.runs,
                "measure": [table.measure] * n,
                "adjuster": [table.adjuster] * n,
                "unadjusted": table.unadjusted,
                "adjustment": table.adjustment,
                "adjusted": table.adjusted,
                "standard_error": table.standard_error,
                "lower": table.lower,
                "upper": table.upper,
                "unjudged": table.unjudged,
                "doubt": ["; ".join(reasons) for reasons in table.doubts],
            }
        ).with_columns(pl.col(pl.Float64).fill_nan(None))


def adjust(
    qrels: Any,
    runs: Any = None,
    new: Any = None,
    measure: str | Measure = "RBP(p=0.8)",
    by: str | Adjuster = DEFAULT,
    **options: Any,
) -> pl.DataFrame:
    """Columns run, measure, adjuster, unadjusted, adjustment, adjusted, standard_error, lower,
    upper, unjudged, doubt of every new run.

    `qrels` and `runs` as for `evaluate`: the runs that were pooled. `new` are runs that were not,
    or names of runs among the others. Options are those of `adjust_runs`; notices go to the log
    "leadline".
    """
    made = adjust_runs(qrels, runs, new, measure, by, **options)
    log = logging.getLogger("leadline")
    for problem in made.notices.problems:
        log.log(logging.INFO if problem.level == "notice" else logging.WARNING, "%s", problem)
    return made.frame()


def adjust_runs(
    qrels: Any,
    runs: Any = None,
    new: Any = None,
    measure: str | Measure = "RBP(p=0.8)",
    by: str | Adjuster = DEFAULT,
    *,
    pool_depth: int | None = None,
    trusted: Any = None,
    common: TopicNames = None,
    topics: TopicNames = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Adjustment:
    """The same with what is assumed, seen and noticed.

    `pool_depth` is the depth to which the runs were pooled; judgments outside that pool are then
    left out. Without it all judgments count, and the depth is found from them. `common` names the
    topics on which the new runs are judged in full too, by the same judgments or by `trusted` ones.
    """
    wanted = parse_measure(measure) if isinstance(measure, str) else measure
    adjuster = adjusters.parse(by) if isinstance(by, str) else by
    if pool_depth is not None and pool_depth < 1:
        raise ValueError(f"the pool's depth must be at least 1, not {pool_depth}")
    read, is_new = _read(qrels, runs, new, trusted, topics, options)
    if trusted is not None:
        return _calibrated(read, is_new, wanted, adjuster, common, seed)
    pooled = _pooled(read, is_new)
    runs_pooled = read.runs.only(pooled)
    _check_lists(read.runs.only(is_new), read.judgments)
    depth, judgments = pool_depth, read.judgments
    if depth is None:
        depth = found_depth(runs_pooled, judgments)
        message = f"the pooled runs are judged to rank {depth}, taken for the depth of the pool"
        read.notices.add("", "notice", "pool-depth", message)
    else:
        judgments = _restricted(read, runs_pooled.best_rank <= depth, common)
    evidence = PoolBias(
        wanted,
        read.runs,
        judgments,
        contributing=pooled,
        new=is_new,
        drawn=DrawnPool(Depth(depth), read.runs, seed),
        common=None if common is None else _common(read, common),
    )
    random = np.random.default_rng(seed)
    adjusted = adjuster.adjust(evidence, random=random, progress=progress)
    return Adjustment(adjusted, read.notices, None, _more_topics(evidence))


def _read(
    qrels: Any, runs: Any, new: Any, trusted: Any, topics: TopicNames, options: dict[str, Any]
) -> tuple[Collection, Bools]:
    """The collection with the new runs among its own, and which these are."""
    given = [] if new is None else [new] if isinstance(new, str | os.PathLike) else new
    folder = None
    if runs is None:
        folder = Path(qrels)
        qrels, runs = collection_inputs(folder)
    named = runs_from(runs)
    own = {run.name for run in named}
    fresh: list[Any] = []
    chosen: set[str] = set()
    if isinstance(given, dict):
        fresh.append(given)
    else:
        for each in given:
            if isinstance(each, str) and each in own:
                chosen.add(each)
            else:
                fresh.append(_there(each))
    added = runs_from(fresh) if fresh else []
    twice = sorted(own & {run.name for run in added})
    if twice:
        raise InputError.of(
            "", "name-twice", f"a run named {twice[0]} is among the pooled ones too"
        )
    chosen |= {run.name for run in added}
    everything = {run.name: run.what for run in [*named, *added]}
    read = read_topics(qrels, everything, topics, trusted=trusted, folder=folder, **options)
    is_new = np.array([name in chosen for name in read.runs.names], np.bool_)
    if trusted is not None and not chosen:
        is_new[:] = True
    elif not is_new.any():
        raise ValueError("name the runs that were not pooled: --new RUN, a file or a run's name")
    return read, is_new


def _there(each: Any) -> Any:
    if isinstance(each, str | os.PathLike):
        paths = list(expand(os.fspath(each)))
        if not paths:
            raise InputError.of(os.fspath(each), "no-file", "is no file and no run's name here")
    return each


def _pooled(read: Collection, is_new: Bools) -> Bools:
    """The runs that are not new, without those that groups.tsv says were not pooled."""
    marked = read.groups["pooled"].to_list()
    pooled = np.array([mark is not False for mark in marked], np.bool_) & ~is_new
    left = int((~pooled & ~is_new).sum())
    if left:
        message = f"{left} runs were not pooled by groups.tsv: nothing is learnt from them"
        read.notices.add("", "notice", "not-pooled", message)
    if not pooled.any():
        raise ValueError("there is no pooled run to learn from: give QRELS RUN... beside --new")
    own = {read.runs.group[run] for run in np.flatnonzero(is_new)}
    kin = [read.runs.names[run] for run in np.flatnonzero(pooled) if read.runs.group[run] in own]
    if kin:
        message = f"pooled runs of the new runs' own group: {', '.join(kin[:5])}"
        read.notices.add("", "notice", "same-group", message)
    return pooled


def _check_lists(new: Runs, judgments: Judgments) -> None:
    if not judgments.judged.any():
        raise ValueError("nothing is judged, so nothing can be learnt")
    empty = new.length.sum(axis=1) == 0
    if empty.any():
        name = new.names[int(np.argmax(empty))]
        raise ValueError(f"{name} returns nothing for any topic that has judgments")


def found_depth(runs: Runs, judgments: Judgments) -> int:
    """The deepest rank down to which all but one in a hundred of the runs' pairs are judged."""
    best = runs.best_rank
    held = best < UNRANKED
    deepest = int(best[held].max(initial=1))
    n = np.bincount(best[held], minlength=deepest + 1)
    judged = np.bincount(best[held & judgments.judged], minlength=deepest + 1)
    share = np.cumsum(judged) / np.maximum(np.cumsum(n), 1)
    deep = np.flatnonzero(share[1:] >= ENOUGH)
    if not len(deep):
        raise ValueError(
            f"only {share[1]:.0%} of the pooled runs' first documents are judged, so the pool's "
            "depth cannot be told from the judgments: give --pool-depth"
        )
    return int(deep[-1]) + 1


def _restricted(read: Collection, member: Bools, common: TopicNames) -> Judgments:
    """The judgments inside the pool, and all on the common topics."""
    if common is not None:
        member = member | _common(read, common)[read.runs.pairs.topic]
    gone = int((read.judgments.judged & ~member).sum())
    if gone:
        message = f"{gone:,} judgments lie outside the pool and do not count"
        read.notices.add("", "notice", "outside-pool", message)
    return read.judgments.only(member)


def _common(read: Collection, common: TopicNames) -> Bools:
    names = topics_from(common) if isinstance(common, str | os.PathLike) else list(common or ())
    mask = common_mask(read.runs.pairs.topics, names)
    if not mask.any():
        raise ValueError(f"none of the common topics has judgments here: {', '.join(names[:5])}")
    return mask


def _calibrated(
    read: Collection,
    is_new: Bools,
    measure: Measure,
    adjuster: Adjuster,
    common: Iterable[str] | str | os.PathLike[str] | None,
    seed: int,
) -> Adjustment:
    """Cheap judgments on all topics put right by trusted ones on some."""
    if not adjuster.takes_trusted:
        raise ValueError(f"with trusted judgments only Topics makes sense, not {adjuster}")
    trusted = read.trusted
    assert trusted is not None
    has = np.zeros(len(read.runs.pairs.topics), np.bool_)
    has[read.runs.pairs.topic[trusted.judged]] = True
    if common is not None:
        asked = _common(read, common)
        lacking = [read.runs.pairs.topics[at] for at in np.flatnonzero(asked & ~has)]
        if lacking:
            message = f"common topics without trusted judgments: {', '.join(lacking[:5])}"
            read.notices.add("", "warning", "no-trusted", message)
        has &= asked
    if not has.any():
        raise ValueError(
            "no topic has both cheap and trusted judgments: there are no common topics"
        )
    evidence = PoolBias(
        measure,
        read.runs,
        read.judgments,
        contributing=~is_new,
        new=is_new,
        drawn=DrawnPool(Depth(1), read.runs, seed),
        trusted=trusted,
        common=has,
    )
    adjusted = adjuster.adjust(evidence, random=np.random.default_rng(seed))
    agreement = Agreement.of(read.judgments, trusted, np.flatnonzero(has))
    return Adjustment(adjusted, read.notices, agreement, _more_topics(evidence))


def _more_topics(evidence: PoolBias) -> int | None:
    """How many more common topics would halve the intervals."""
    if evidence.common is None or not evidence.common.any():
        return None
    cheap, true, n_all = both_scores(evidence)
    variance: Floats = from_topics(cheap, true, n_all).variance
    return int(topics_to_halve(variance, true.shape[1], n_all).max(initial=0.0))
