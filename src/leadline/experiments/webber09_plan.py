"""The draws of webber09: samples of pooled runs, and of common topics, by width of the pool."""

from typing import Any

import numpy as np
from scipy import stats

from leadline.adjusters.from_topics import RESAMPLES, padded, reach
from leadline.experiments.papers import Setting
from leadline.experiments.runner import Cell
from leadline.experiments.webber09_draws import Draws
from leadline.experiments.webber09_setup import newcomers, sample, setup
from leadline.tables.arrays import Bools, Floats

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
    adjusted = raw + draws.amount["systems"]
    learnt = raw + draws.amount["predicted"]
    bias = {name: (each.mean(axis=1) - true)[valid] for name, each in scores.items()}
    bias["predicted"] = learnt[valid]
    found: dict[str, Any] = {
        "runs": len(on.runs.names),
        "topics": len(topics),
        "newcomers": len(new),
        "notices": list(on.notices),
        "bias": {name: _quartiles(each) for name, each in bias.items()},
        "raw": _mae(raw[valid]),
        "adjusted": _mae(adjusted[valid]),
        "predicted": _mae(learnt[valid]),
        "systems_bias": float(adjusted[valid].mean()),
        "topics_by": {},
    }
    open_ = draws.open_weight
    sizes = common_sizes(kind, len(topics))
    for name, each in scores.items():
        beta = on.true[new][:, :, None] - each
        found["topics_by"][name] = {
            str(n): _common(beta, on.true[new], open_, valid, n, n_topic_samples, learnt, random)
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
    learnt: Floats,
    random: np.random.Generator,
) -> dict[str, float]:
    """Errors over samples of n common topics, and how often intervals hold the true mean.

    `beta[new, topic, draw]` is what each run is short of, `open_` what its unjudged ranks weigh.
    """
    _, n_topics, n_draws = beta.shape
    short = beta.mean(axis=1)
    sums = {
        "adjusted": 0.0,
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
        "adjusted": sums["adjusted"] / n_valid,
        "predicted": float(np.abs(learnt)[valid].mean()),
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
