"""What webber09's draws are made from: the first ranks of all runs as matrices over pairs.

Documents that the judgments lack count as judged non-relevant, so that only those are unjudged
that no sampled run pools.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import polars as pl
from scipy import sparse

from leadline.collection.collection import Collection
from leadline.collection.read import read
from leadline.estimators.evidence import ABSENT
from leadline.experiments.papers import Setting
from leadline.measures.rbp import RBP
from leadline.tables.arrays import Bools, Floats, Int32s, Int64s

DEPTH = 10
"""Pools are drawn, and lists evaluated, to this rank."""

BEST_MANUAL = 11
MEASURE = RBP(p=0.8, norm=True, k=DEPTH)


@dataclass(frozen=True, eq=False)
class Stage:
    """Everything over `pair`, the pairs that some run has in its first ranks.

    `top[pair, run]` tells who has it there, `worth[pair, run]` what it adds to that run's score,
    `rank[pair, run]` where it stands in the whole list, ABSENT if nowhere; `true[run, topic]` are
    the scores with everything judged.
    """

    names: tuple[str, ...]
    topics: tuple[str, ...]
    topic: Int32s
    gain: Floats
    top: "sparse.csr_matrix"
    worth: "sparse.csr_matrix"
    rank: Int32s
    true: Floats
    notices: tuple[str, ...]


@lru_cache(maxsize=1)
def stage(folder: str, groups: str | None) -> Stage:
    """The collection, read once in each process."""
    read = _read(folder, groups)
    runs = read.runs
    first = runs.only(np.ones(len(runs.names), np.bool_), DEPTH)
    chosen = np.unique(first.pair)
    number = np.full(len(runs.pairs), -1, np.int64)
    number[chosen] = np.arange(len(chosen))
    shape = (len(chosen), len(runs.names))
    length = first.stop - first.start
    run = np.repeat(np.arange(len(runs.names)), length.sum(axis=1))
    at = np.arange(len(first.pair)) - np.repeat(first.start.ravel(), length.ravel())
    row = number[first.pair]
    gain = MEASURE.gain(read.judgments.max_grade)[read.judgments.grade[chosen]]
    weight = MEASURE.weights(DEPTH)[at] * gain[row]
    top = sparse.csr_matrix((np.ones(len(row)), (row, run)), shape)
    worth = sparse.csr_matrix((weight, (row, run)), shape)
    holders = runs.postings
    rank = np.full(shape, ABSENT, np.int32)
    entry_pair = np.repeat(np.arange(len(runs.pairs)), np.diff(holders.start))
    inside = number[entry_pair] >= 0
    rank[number[entry_pair[inside]], holders.run[inside]] = np.minimum(
        holders.rank[inside], ABSENT - 1
    )
    topic = runs.pairs.topic[chosen]
    n_topics = len(runs.pairs.topics)
    cell = run * n_topics + topic[row]
    true = np.bincount(cell, weights=weight, minlength=shape[1] * n_topics)
    return Stage(
        runs.names,
        runs.pairs.topics,
        topic,
        gain,
        top,
        worth,
        rank,
        true.astype(np.float64).reshape(shape[1], n_topics),
        tuple(read.notices.lines()),
    )


@lru_cache(maxsize=1)
def _read(folder: str, groups: str | None) -> Collection:
    collection = read(Path(folder))
    return collection if groups is None else collection.with_groups(Path(groups))


@dataclass(frozen=True, eq=False)
class Newcomers:
    """Runs that count as new, and those from which pools are drawn.

    Where both are the same runs, each draw takes those as new that it does not pool.
    """

    kind: str
    new: Int64s
    pooled: Int64s


def newcomers(setting: Setting) -> list[Newcomers]:
    """By the type column of groups.tsv, or by name: manual and automatic unless one is asked for.

    Of the manual runs the best 11 by official MAP are new, as in the paper, and pools are drawn
    from all other runs. Where only some runs are automatic, pools are drawn from those.
    """
    read = _read(setting.folder, setting.groups)
    names = read.runs.names
    asked = setting.newcomers
    if asked is not None and asked not in ("manual", "automatic"):
        wanted = [name.strip() for name in asked.split(",")]
        unknown = [name for name in wanted if name not in names]
        types = read.groups["type"].drop_nulls().unique().to_list()
        if len(wanted) == 1 and wanted[0] in types:
            new = np.flatnonzero((read.groups["type"] == wanted[0]).fill_null(False).to_numpy())
        elif unknown:
            raise ValueError(
                f"--newcomers: {unknown[0]} is neither a run nor a type of groups.tsv "
                f"({', '.join(sorted(types)) or 'which has no column type'})"
            )
        else:
            new = np.array([names.index(name) for name in wanted])
        others = np.setdiff1d(np.arange(len(names)), new)
        return [Newcomers(asked, new, _enough(others))]
    kinds = read.groups["type"].fill_null("").to_list()
    if not any(kinds):
        raise ValueError(
            f"{setting.folder}: groups.tsv has no column type that tells manual from automatic "
            "runs: name the new ones with --newcomers"
        )
    found = []
    of = {kind: np.flatnonzero(np.array(kinds) == kind) for kind in ("manual", "automatic")}
    if len(of["manual"]) and asked in (None, "manual"):
        best = of["manual"][np.argsort(-_map(setting, read)[of["manual"]], kind="stable")]
        new = np.sort(best[:BEST_MANUAL])
        others = np.setdiff1d(np.arange(len(names)), new)
        found.append(Newcomers("manual", new, _enough(others)))
    if len(of["automatic"]) > 2 and asked in (None, "automatic"):
        found.append(Newcomers("automatic", of["automatic"], of["automatic"]))
    if not found:
        raise ValueError(f"{setting.folder}: there are no {asked} runs")
    return found


def _enough(pooled: Int64s) -> Int64s:
    if len(pooled) < 2:
        raise ValueError("pools of two runs and more need at least two runs that are not new")
    return pooled


def _map(setting: Setting, read: Collection) -> Floats:
    """Official MAP; that of all judgments where there is none for every run."""
    path = Path(setting.folder) / "official_map.tsv"
    if path.is_file():
        table = pl.read_csv(path, separator="\t", has_header=False, new_columns=["run", "map"])
        known = dict(table.rows())
        if set(read.runs.names) <= set(known):
            return np.array([known[name] for name in read.runs.names], np.float64)
    from leadline.measures.ap import AP
    from leadline.tables.lists import Lists

    return np.nan_to_num(AP().score(Lists.of(read.runs, read.judgments)).mean())


def sample(among: Int64s, width: int, n: int, n_runs: int, random: np.random.Generator) -> Bools:
    """Which runs each of n draws pools: [draw, run]."""
    order = random.permuted(np.tile(among, (n, 1)), axis=1)[:, :width]
    chosen: Bools = np.zeros((n, n_runs), np.bool_)
    np.put_along_axis(chosen, order, True, axis=1)
    return chosen


def forget() -> None:
    """Let go of what was read."""
    stage.cache_clear()
    _read.cache_clear()
