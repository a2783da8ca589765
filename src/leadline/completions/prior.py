"""What other, fully judged collections say of a relevance model before anything is judged."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from leadline.completions.document_design import FEATURES
from leadline.data.arrays import Floats

FEW_GROUPS = 5
"""With at most so many pooled groups the coefficients of collections with few groups count."""

VAGUE_SCALES = {
    "other": 1.0,
    "run": 0.6,
    "group": 0.5,
    "flat": 0.2,
    "bend": 0.2,
    "topic": 1.2,
    "slope": 0.3,
    "topic bend": 0.2,
    "list": 1.0,
}
"""Standard deviations of effects, in logits, where no collection was seen."""

BLEND = 0.7
"""Of the covariance of coefficients between collections, so much is taken off the diagonal too."""

WIDEST_LEVEL = 5.0
"""Standard deviation of the level where no collection was seen."""


@dataclass(frozen=True)
class UnpooledScales:
    """Standard deviations of effects of documents that only an unpooled group returns, in logits.

    `intercept` and `slopes` are the prior means of the coefficients of what is known of them, and
    `df` the degrees of freedom of the effect of a new group.
    """

    group: float = 0.6
    run: float = 0.4
    list: float = 0.8
    slope: float = 0.5
    df: float = 4.0
    coefficient: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Coefficients:
    """b ~ N(mean, covariance) of the rank features, the level, and the scales of effects.

    `grade_step` is how much lower the level of each further grade is.
    """

    level: float
    level_variance: float
    grade_step: float
    mean: Floats
    covariance: Floats
    scales: dict[str, float] = field(default_factory=dict)

    @property
    def rotation(self) -> Floats:
        """W with W W' = covariance: with features F W the coefficients have unit variance."""
        return np.linalg.cholesky(self.covariance).astype(np.float64)

    @property
    def rotated_mean(self) -> Floats:
        """W^-1 mean."""
        return np.linalg.solve(self.rotation, self.mean).astype(np.float64)


@dataclass(frozen=True, eq=False)
class FittedPart:
    """What the model says of one fully judged part of a collection: see `RelevancePrior.of`."""

    collection: str
    few: bool
    level: float
    grade_steps: tuple[float, ...]
    coefficient: tuple[float, ...]
    scales: dict[str, float]


@dataclass(frozen=True, eq=False)
class RelevancePrior:
    """Prior of a `RelevanceModel`, for many and for few groups, and which collections made it.

    `widening` is how many times as far as the posterior says effects are drawn from their means.
    Documents of a topic are not independent given the effects, so that n judged ones tell as much
    as n / widening^2 would; it is calibrated on these collections.
    """

    collections: tuple[str, ...]
    many: Coefficients
    few: Coefficients
    widening: float = 2.0
    unpooled: UnpooledScales = UnpooledScales()

    @classmethod
    def vague(cls) -> "RelevancePrior":
        """Return the prior without any collection: coefficients near 0, wide level."""
        n = len(FEATURES)
        blank = Coefficients(-1.5, WIDEST_LEVEL**2, 1.0, np.zeros(n), np.eye(n), dict(VAGUE_SCALES))
        return cls((), blank, blank)

    @classmethod
    def of(cls, parts: Sequence[FittedPart]) -> "RelevancePrior":
        """Return the prior that parts of other collections make.

        Means are those over collections of the medians over their parts; the covariance is that of
        all parts around them, its off-diagonal part shrunk by BLEND. Every collection counts alike.
        """
        names = tuple(sorted({part.collection for part in parts}))
        many = _coefficients([part for part in parts if not part.few])
        few = _coefficients([part for part in parts if part.few] or list(parts))
        # With few groups coefficients may lie as far off as with many, and further.
        few = replace(few, level_variance=max(few.level_variance, many.level_variance))
        return cls(names, many, few)

    @classmethod
    def read(cls, path: Path) -> "RelevancePrior":
        """Read a prior from the file that `write` made."""
        return _from_json(json.loads(path.read_text(encoding="utf-8")))

    def write(self, path: Path) -> None:
        """Write the prior as JSON, numbers with four digits."""
        text = json.dumps(_rounded(_to_json(self)), indent=1)
        path.write_text(_compact(text) + "\n", encoding="utf-8")

    def coefficients(self, n_groups: int) -> Coefficients:
        """Return those for so many pooled groups."""
        return self.few if n_groups <= FEW_GROUPS else self.many


@cache
def default_prior() -> RelevancePrior:
    """Return the prior that ships, made by scripts/relevance_prior.py."""
    return RelevancePrior.read(Path(__file__).with_name("relevance_prior.json"))


def _coefficients(parts: Sequence[FittedPart]) -> Coefficients:
    names = sorted({part.collection for part in parts})
    own = [[part for part in parts if part.collection == name] for name in names]
    table = [np.array([part.coefficient for part in each]) for each in own]
    mean = np.mean([np.median(rows, axis=0) for rows in table], axis=0)
    spread = np.mean([(rows - mean).T @ (rows - mean) / len(rows) for rows in table], axis=0)
    spread = BLEND * spread + (1 - BLEND) * np.diag(np.diag(spread)) + 1e-3 * np.eye(len(mean))
    levels = [float(np.median([part.level for part in each])) for each in own]
    # One collection more than those seen, of which there are few.
    level_variance = (np.var(levels, ddof=1) if len(levels) > 1 else 1.0) * 2 + 0.25
    steps = [step for each in own for part in each for step in part.grade_steps]
    scales = {
        name: float(np.exp(np.mean([np.log(_median_scale(each, name)) for each in own])))
        for name in parts[0].scales
    }
    return Coefficients(
        float(np.mean(levels)),
        float(level_variance),
        float(np.mean(steps)) if steps else 1.0,
        mean,
        spread,
        {**VAGUE_SCALES, **scales},
    )


def _median_scale(parts: Sequence[FittedPart], name: str) -> float:
    return float(np.median([part.scales[name] for part in parts]))


def _to_json(prior: RelevancePrior) -> dict[str, Any]:
    def plain(coefficients: Coefficients) -> dict[str, Any]:
        table = {name: getattr(coefficients, name) for name in Coefficients.__dataclass_fields__}
        return {**table, "mean": table["mean"].tolist(), "covariance": table["covariance"].tolist()}

    return {
        "made_by": "scripts/relevance_prior.py",
        "collections": list(prior.collections),
        "features": list(FEATURES),
        "many": plain(prior.many),
        "few": plain(prior.few),
        "widening": prior.widening,
        "unpooled": asdict(prior.unpooled),
    }


def _from_json(table: dict[str, Any]) -> RelevancePrior:
    def coefficients(given: dict[str, Any]) -> Coefficients:
        arrays = {name: np.array(given[name]) for name in ("mean", "covariance")}
        return Coefficients(**{**given, **arrays})

    unpooled = {**table["unpooled"], "coefficient": tuple(table["unpooled"]["coefficient"])}
    return RelevancePrior(
        tuple(table["collections"]),
        coefficients(table["many"]),
        coefficients(table["few"]),
        table["widening"],
        UnpooledScales(**unpooled),
    )


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return value


def _compact(text: str) -> str:
    """A row of numbers on one line."""
    import re

    return re.sub(r"\[[^\[\]{}]*\]", lambda match: re.sub(r"\s+", " ", match[0]), text)
