"""What webber09's draws are made from: all runs, and judgments of their first ranks.

Documents that the judgments lack count as judged non-relevant, so that only those are unjudged
that no sampled run pools.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from leadline.adjusters.pool_bias import PoolBias
from leadline.collection.collection import Collection
from leadline.collection.read import read
from leadline.experiments.official_map import official_map
from leadline.experiments.papers import Setting
from leadline.measures.rbp import RBP
from leadline.pools.depth import Depth
from leadline.pools.without import DrawnPool
from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.judgments import Judgments
from leadline.tables.lists import Lists
from leadline.tables.runs import Runs

DEPTH = 10
"""Pools are drawn, and lists evaluated, to this rank."""

BEST_MANUAL = 11
MEASURE = RBP(p=0.8, norm=True, k=DEPTH)


@dataclass(frozen=True, eq=False)
class Webber09Setup:
    """The runs, and judgments of all that some run has in its first ranks."""

    runs: Runs
    judgments: Judgments
    notices: tuple[str, ...]

    @cached_property
    def true(self) -> Floats:
        """[runs, topics]: the scores with everything judged."""
        return MEASURE.score(Lists.of(self._top, self.judgments)).value

    @cached_property
    def _top(self) -> Runs:
        return self.runs.cut(DEPTH)

    @cached_property
    def _judgeable(self) -> Runs:
        """The runs without what no draw can pool, which condensed lists never hold."""
        kept = self.judgments.judged[self.runs.pair]
        length = np.bincount(self.runs.entries.list[kept], minlength=self.runs.start.size)
        shape = self.runs.start.shape
        pair = self.runs.pair[kept]
        return Runs.trusted(self.runs.pairs, self.runs.names, pair, length.reshape(shape))

    def evidence(self, pooled: Bools, new: Bools) -> PoolBias:
        """What is known of new runs if only these runs were pooled."""
        member = np.zeros(len(self.runs.pairs), np.bool_)
        member[self._top.pair[pooled[self._top.entries.run]]] = True
        drawn = DrawnPool(Depth(DEPTH), self.runs)
        known = self.judgments.only(member)
        return PoolBias(MEASURE, self.runs, known, contributing=pooled, new=new, drawn=drawn)

    def condensed(self, evidence: PoolBias) -> Floats:
        """[new, topics]: scores of the new runs without all that is not judged."""
        assert evidence.new is not None
        lists = Lists.of(self._judgeable.only(evidence.new), evidence.judgments)
        return replace(MEASURE, judged_only=True).score(lists).value


@lru_cache(maxsize=1)
def setup(folder: str, groups: str | None) -> Webber09Setup:
    """The collection, read once in each process."""
    collection = _read(folder, groups)
    runs, known = collection.runs, collection.judgments
    listed = runs.best_rank <= DEPTH
    grade = np.where(listed, known.grade, np.int16(0))
    judgments = Judgments(runs.pairs, listed, grade, max_grade=known.max_grade)
    return Webber09Setup(runs, judgments, tuple(collection.notices.lines()))


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
                f"`newcomers`: {unknown[0]} is neither a run nor a type of groups.tsv "
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
            "runs: name the new ones with `newcomers`"
        )
    found = []
    of = {kind: np.flatnonzero(np.array(kinds) == kind) for kind in ("manual", "automatic")}
    if len(of["manual"]) and asked in (None, "manual"):
        best = of["manual"][np.argsort(-official_map(read)[0][of["manual"]], kind="stable")]
        new = np.sort(best[:BEST_MANUAL])
        others = np.setdiff1d(np.arange(len(names)), new)
        found.append(Newcomers("manual", new, _enough(others)))
    if len(of["automatic"]) > 2 and asked in (None, "automatic"):
        found.append(Newcomers("automatic", of["automatic"], of["automatic"]))
    if not found:
        kind = asked or "manual runs, and less than three automatic"
        raise ValueError(f"{setting.folder}: there are no {kind} runs")
    return found


def _enough(pooled: Int64s) -> Int64s:
    if len(pooled) < 2:
        raise ValueError("pools of two runs and more need at least two runs that are not new")
    return pooled


def sample(among: Int64s, width: int, n: int, n_runs: int, random: np.random.Generator) -> Bools:
    """Which runs each of n draws pools: [draw, run]."""
    order = random.permuted(np.tile(among, (n, 1)), axis=1)[:, :width]
    chosen: Bools = np.zeros((n, n_runs), np.bool_)
    np.put_along_axis(chosen, order, True, axis=1)
    return chosen


def forget() -> None:
    """Let go of what was read."""
    setup.cache_clear()
    _read.cache_clear()
