"""The draws of webber09: samples of pooled runs, and of common topics, by width of the pool.

Documents that the judgments lack count as judged non-relevant, so that only those are unjudged
that no sampled run pools.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from leadline.completions.adjuster import UnpooledRuns
from leadline.completions.pooling_bias import RESAMPLES, WebberSystems, padded, reach
from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.runs import Runs
from leadline.io.collection import Collection
from leadline.io.read import read
from leadline.lab.papers.runner import Setting, official_map
from leadline.measures.rbp import RBP
from leadline.pooling.strategies import Depth
from leadline.pooling.without import DrawnPool
from leadline.simulate import Cell

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

    def evidence(self, pooled: Bools, new: Bools) -> UnpooledRuns:
        """What is known of new runs if only these runs were pooled."""
        member = np.zeros(len(self.runs.pairs), np.bool_)
        member[self._top.pair[pooled[self._top.entries.run]]] = True
        drawn = DrawnPool(Depth(DEPTH), self.runs)
        known = self.judgments.only(member)
        return UnpooledRuns(MEASURE, self.runs, known, contributing=pooled, new=new, drawn=drawn)

    def condensed(self, evidence: UnpooledRuns) -> Floats:
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


@dataclass(frozen=True, eq=False)
class Draws:
    """What became of the new runs in each draw; NaN where the draw pools the run itself.

    `irrelevant` and `condensed` [new, topics, draws] are scores with what is not pooled worth
    nothing, or taken out; `open_weight` is what it weighs. `amount` [new, draws] is what
    Algorithm 1 adds to mean scores.
    """

    irrelevant: Floats
    condensed: Floats
    open_weight: Floats
    amount: Floats

    @classmethod
    def of(cls, on: Webber09Setup, chosen: Bools, new: Int64s) -> "Draws":
        """`chosen[draw, run]` tells which runs each draw pools."""
        shape = (len(new), len(on.runs.pairs.topics), len(chosen))
        irrelevant, condensed, open_weight = (np.full(shape, np.nan) for _ in range(3))
        amount = np.full((len(new), len(chosen)), np.nan)
        for draw, pooled in enumerate(chosen):
            valid = ~pooled[new]
            mask: Bools = np.zeros(len(pooled), np.bool_)
            mask[new[valid]] = True
            evidence = on.evidence(pooled, mask)
            scores = evidence.measure.score(evidence.new_lists())
            irrelevant[valid, :, draw] = scores.value
            open_weight[valid, :, draw] = scores.residual
            condensed[valid, :, draw] = on.condensed(evidence)
            amount[valid, draw] = WebberSystems().amounts(evidence)
        return cls(irrelevant, condensed, open_weight, amount)


WIDTHS = (2, 4, 10, 20, 40)
SYSTEM_SAMPLES, TOPIC_SAMPLES = 100, 200
QUICK = (20, 50)
COMMON = {"manual": (10, 15, 20), "automatic": (10, 20, 40, 100)}
OTHERS = (10, 20, 40)
BOOTSTRAPPED = 2
"""Samples of topics in each draw for which intervals are bootstrapped."""

LEVEL = 0.95


def common_sizes(kind: str, n_topics: int) -> list[int]:
    """Numbers of common topics: the paper's for this kind, those smaller than all topics."""
    sizes = [n for n in COMMON.get(kind, OTHERS) if n < n_topics]
    return sizes or [max(1, n_topics // 2)]


def cells(setting: Setting) -> list[Cell]:
    """One for every kind of newcomers and width of the pool."""
    made = []
    for group in newcomers(setting):
        most = len(group.pooled) - (1 if group.kind == "automatic" else 0)
        for width in WIDTHS:
            if width <= most:
                made.append(Cell(f"{group.kind} {width}", width_of, (setting, group.kind, width)))
    return sorted(made, key=lambda cell: -int(cell.name.rsplit(" ", 1)[1]))


def width_of(setting: Setting, kind: str, width: int, random: np.random.Generator) -> Any:
    """Everything about pools of one width."""
    on = setup(setting.folder, setting.groups)
    group = next(each for each in newcomers(setting) if each.kind == kind)
    n_systems, n_topic_samples = QUICK if setting.quick else (SYSTEM_SAMPLES, TOPIC_SAMPLES)
    new, topics = group.new, on.runs.pairs.topics
    chosen = sample(group.pooled, width, n_systems, len(on.runs.names), random)
    draws = Draws.of(on, chosen, new)
    # A run that a draw pools is not new to it.
    valid = ~chosen[:, new].T
    true = on.true[new].mean(axis=1)[:, None]
    scores = {"irrelevant": draws.irrelevant, "condensed": draws.condensed}
    raw = draws.irrelevant.mean(axis=1) - true
    adjusted = raw + draws.amount
    bias = {name: (each.mean(axis=1) - true)[valid] for name, each in scores.items()}
    found: dict[str, Any] = {
        "runs": len(on.runs.names),
        "topics": len(topics),
        "newcomers": len(new),
        "notices": list(on.notices),
        "bias": {name: _quartiles(each) for name, each in bias.items()},
        "raw": _mae(raw[valid]),
        "adjusted": _mae(adjusted[valid]),
        "systems_bias": float(adjusted[valid].mean()),
        "topics_by": {},
    }
    open_ = draws.open_weight
    sizes = common_sizes(kind, len(topics))
    for name, each in scores.items():
        beta = on.true[new][:, :, None] - each
        found["topics_by"][name] = {
            str(n): _common(beta, on.true[new], open_, valid, n, n_topic_samples, random)
            for n in sizes
        }
        # Eqs. 3 and 5: whether adjusting varies less than the plain mean of the common topics.
        tighter = beta.var(axis=1, ddof=1) < on.true[new].var(axis=1, ddof=1)[:, None]
        found[f"tighter_{name}"] = float(tighter[valid].mean())
    return found


def _common(
    beta: Floats,
    true: Floats,
    open_: Floats,
    valid: Bools,
    n: int,
    n_samples: int,
    random: np.random.Generator,
) -> dict[str, float]:
    """Errors over samples of n common topics, and how often intervals hold the true mean.

    `beta[new, topic, draw]` is what each run is short of, `open_` what its unjudged ranks weigh.
    Errors are of the mean over all topics; those that end in `_rest` are of the mean over the
    topics that are not common, as the caption of Table 2 has it. `plain` is the error of the mean
    true score of the common topics.
    """
    _, n_topics, n_draws = beta.shape
    short = beta.mean(axis=1)
    sums = {
        "adjusted": 0.0,
        "unadjusted_rest": 0.0,
        "plain": 0.0,
        "better": 0.0,
        "normal": 0.0,
        "t": 0.0,
        "bootstrap": 0.0,
        "padded": 0.0,
    }
    mean_true = true.mean(axis=1)[:, None]
    tail = (1 + LEVEL) / 2
    by_normal, by_t = stats.norm.ppf(tail), stats.t.ppf(tail, n - 1) if n > 1 else np.nan
    left = (n_topics - n) / n_topics
    n_valid = n_boot = 0
    for draw in range(n_draws):
        mine = valid[:, draw]
        short_of = beta[mine, :, draw]
        order = random.permuted(np.tile(np.arange(n_topics), (n_samples, 1)), axis=1)[:, :n]
        member = np.zeros((n_samples, n_topics))
        np.put_along_axis(member, order, 1.0, axis=1)
        a = short_of @ member.T / n
        square = short_of**2 @ member.T / n
        variance = np.maximum(square - a**2, 0.0) * n / max(n - 1, 1)
        error = np.sqrt(left * variance / n)
        off = np.abs(short[mine, draw][:, None] - a)
        plain = np.abs(true[mine] @ member.T / n - mean_true[mine])
        sums["adjusted"] += off.sum()
        # What the topics that are not common are short of, from all and the common ones.
        rest = (n_topics * short[mine, draw][:, None] - n * a) / (n_topics - n)
        sums["unadjusted_rest"] += np.abs(rest).sum()
        sums["plain"] += plain.sum()
        sums["better"] += (off < plain).sum()
        # Where nothing is short the interval has no width, and rounding must not count against it.
        sums["normal"] += (off <= by_normal * error + 1e-12).sum()
        sums["t"] += (off <= by_t * error + 1e-12).sum()
        others = open_[mine, :, draw] @ (1 - member).T / (n_topics - n)
        wide = np.maximum(variance, padded(variance, n, others))
        sums["padded"] += (off <= by_t * np.sqrt(left * wide / n) + 1e-12).sum()
        n_valid += off.size
        for at in range(min(BOOTSTRAPPED, n_samples)):
            below, above = reach("bootstrap", short_of[:, order[at]], n_topics, random)
            distance = a[:, at] - short[mine, draw]
            held = (distance <= below + 1e-12) & (-distance <= above + 1e-12)
            sums["bootstrap"] += held.sum()
            n_boot += held.size
    unadjusted = float(np.abs(short)[valid].mean())
    return {
        "unadjusted": unadjusted,
        "mixed": unadjusted * left,
        "plain": sums["plain"] / n_valid,
        "adjusted": sums["adjusted"] / n_valid,
        "unadjusted_rest": sums["unadjusted_rest"] / n_valid,
        # The common topics are corrected exactly: all of the error lies on the others.
        "adjusted_rest": sums["adjusted"] / n_valid / left,
        "better": sums["better"] / n_valid,
        "normal": sums["normal"] / n_valid,
        "t": sums["t"] / n_valid,
        "padded": sums["padded"] / n_valid,
        "bootstrap": sums["bootstrap"] / max(n_boot, 1),
    }


def _mae(error: Floats) -> float:
    return float(np.abs(error).mean())


def _quartiles(error: Floats) -> list[float]:
    return [float(error.mean()), *(float(each) for each in np.quantile(error, [0.25, 0.75]))]


def describe() -> str:
    """How often things are drawn, in words."""
    return (
        f"{SYSTEM_SAMPLES} samples of runs, {TOPIC_SAMPLES} of topics in each, "
        f"{RESAMPLES:,} resamples for bootstrap intervals"
    )
