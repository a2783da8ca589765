"""Hierarchical logistic regression: Gaussian variational fit, scales by empirical Bayes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leadline.data.arrays import Floats, Int64s

_NODE, _MASS = np.polynomial.hermite_e.hermegauss(7)
_MASS = _MASS / _MASS.sum()

LARGEST_STEP = 6.0
"""A Newton step moves no logit further than this."""

TOLERANCE, SCALE_TOLERANCE = 0.005, 0.03
"""The fit ends when no probability moves by more, and no log variance of a block."""

MEANS_TOLERANCE = 0.03
"""Where means alone move, a fit ends here: the next Newton step would be about the square."""

SETTLED = 0.1
"""Scales are learnt as soon as a step moves no probability further than this."""

LEAST_VARIANCE = 1e-4
"""Of a block of effects."""

SINGLE = 5_000
"""With more rows, single precision is used."""

LARGE = 40_000
"""With more rows, the fit starts from a part of the rows."""


def expected_sigmoid(logit: Floats, variance: Floats) -> tuple[Floats, Floats]:
    """Return E sigma(z) and E sigma'(z) for z ~ N(logit, variance), by 7-point Gauss-Hermite.

    >>> p, slope = expected_sigmoid(np.array([0.0, -4.0]), np.array([1.0, 4.0]))
    >>> p.round(4).tolist()
    [0.5, 0.0673]
    """
    from scipy.special import expit

    if not np.any(variance):
        p = expit(logit)
        return p, p * (1 - p)
    p = expit(logit + np.sqrt(variance) * _NODE[:, None])
    return _MASS @ p, _MASS @ (p * (1 - p))


@dataclass
class EffectBlock:
    """Columns `start` to `stop` whose effects share one variance.

    `per_topic` blocks are columns of the topics' own matrix, with effects of their own in every
    topic. The variance has a scaled inverse chi-squared prior: `prior_variance` counts as much as
    `prior_weight` effects; with an infinite weight the variance is fixed.
    """

    name: str
    start: int
    stop: int
    prior_variance: float
    prior_weight: float = 2.0
    per_topic: bool = False
    variance: float = 0.0
    last_move: float = 0.0

    def __post_init__(self) -> None:
        self.variance = self.variance or self.prior_variance

    @property
    def columns(self) -> slice:
        """The block's columns."""
        return slice(self.start, self.stop)

    def update(self, mean: Floats, variance: Floats) -> float:
        """Re-estimate the variance from the effects' posterior; return the move of its logarithm.

        MacKay's fixed point: variance = (sum m^2 + nu s0^2) / (n + nu), where n counts the
        effects that the data determine, n = sum of 1 - posterior variance / prior variance. Moves
        that shrink by a steady factor q are extrapolated to their sum, move / (1 - q).
        """
        if np.isinf(self.prior_weight) or not mean.size:
            return 0.0
        determined = max(float((1 - variance / self.variance).sum()), 0.0)
        numerator = float((mean**2).sum()) + self.prior_weight * self.prior_variance
        target = numerator / (determined + self.prior_weight)
        move = float(np.clip(np.log(target / self.variance), -1.5, 1.5))
        steady = move / self.last_move if self.last_move else 0.0
        self.last_move = move
        if 0.3 < steady < 1.0:
            move = float(np.clip(move / (1 - min(steady, 0.8)), -1.5, 1.5))
            self.last_move = 0.0
        self.variance = max(self.variance * float(np.exp(move)), LEAST_VARIANCE)
        return abs(move)


class HierarchicalLogistic:
    """logit P(y = 1) = offset + X g + Z l_topic, g ~ N(m, diag), l_topic ~ N(0, diag).

    Rows are sorted by topic: those of topic t are `start[t]` to `start[t + 1]`. The posterior of
    (g, l) is Gaussian; its precision has the shape of an arrow, so topics are eliminated one by
    one: in the space of effects, or of rows where a topic has fewer rows than effects, which is
    exact too.
    """

    def __init__(
        self,
        shared: Floats,
        own: Floats,
        start: Int64s,
        blocks: Sequence[EffectBlock],
        prior_mean: Floats,
        offset: Floats | None = None,
    ) -> None:
        self.both = np.hstack([own, shared])
        self.Z, self.X = self.both[:, : own.shape[1]], self.both[:, own.shape[1] :]
        self.start, self.blocks, self.prior_mean = start, tuple(blocks), prior_mean
        self.offset = np.zeros(len(shared)) if offset is None else offset
        self.weight = np.ones(len(shared))
        self.g = prior_mean.copy()
        self.l = np.zeros((len(start) - 1, own.shape[1]))
        self.row_variance = np.zeros(len(shared))
        self.n_iterations = 0
        self._topics: list[_TopicFactor] = []
        self._H = np.zeros((0, 0))

    @property
    def n_topics(self) -> int:
        """The number of topics."""
        return len(self.start) - 1

    def block(self, name: str) -> EffectBlock:
        """Return the block of that name."""
        return next(block for block in self.blocks if block.name == name)

    def precisions(self) -> tuple[Floats, Floats]:
        """Return prior precisions of the shared effects and of a topic's own."""
        shared, own = np.empty(self.X.shape[1]), np.empty(self.Z.shape[1])
        for block in self.blocks:
            (own if block.per_topic else shared)[block.columns] = 1 / block.variance
        return shared, own

    def logit(self) -> Floats:
        """Return the mean logit of every row."""
        return self.offset + self._moved(self.g, self.l)

    def _moved(self, shared: Floats, own: Floats) -> Floats:
        moved: Floats = np.asarray(self.X @ shared.astype(self.X.dtype), np.float64)
        for topic, (begin, end) in enumerate(self._spans()):
            moved[begin:end] += self.Z[begin:end] @ own[topic].astype(self.Z.dtype)
        return moved

    def _spans(self) -> list[tuple[int, int]]:
        return list(zip(self.start[:-1].tolist(), self.start[1:].tolist(), strict=True))

    def fit(self, y: Floats, iterations: int = 40, learn_scales: bool = True) -> None:
        """Fit to outcomes y in [0, 1]; with `learn_scales` the variances of blocks too."""
        if len(y) > LARGE and not self.row_variance.any():
            self._start_from_part(y, iterations, learn_scales)
        for _ in range(iterations):
            moved = self.newton_step(y, self._factorise)
            self.n_iterations += 1
            shared, own, variance_now = self.variances()
            # Half-way, because means and variances of rare outcomes otherwise take turns.
            was = self.row_variance if self.row_variance.any() else variance_now
            self.row_variance = (was + variance_now) / 2
            scale = 0.0
            settled = learn_scales and moved < SETTLED
            for block in self.blocks if settled else ():
                mean = self.l if block.per_topic else self.g - self.prior_mean
                variance = own if block.per_topic else shared
                at = (..., block.columns)
                scale = max(scale, block.update(mean[at], variance[at]))
            if moved < TOLERANCE and scale < SCALE_TOLERANCE:
                break
        self.prepare()

    def fit_means(self, y: Floats, iterations: int) -> None:
        """Fit the means alone, with the scales and row variances of an earlier fit."""
        for _ in range(iterations):
            self.n_iterations += 1
            if self.newton_step(y, self._factorise) < MEANS_TOLERANCE:
                break

    def start_from(self, earlier: "HierarchicalLogistic", row: Int64s) -> None:
        """Begin where another fit with the same effects ended; `row` is its row of each, or -1."""
        self.g = earlier.g.copy()
        if earlier.l.shape == self.l.shape:
            self.l = earlier.l.copy()
        for block, was in zip(self.blocks, earlier.blocks, strict=True):
            block.variance = was.variance
        known = earlier.row_variance
        usual = float(np.mean(known)) if len(known) else 0.0
        self.row_variance = np.append(known, usual)[row]

    def _start_from_part(self, y: Floats, iterations: int, learn_scales: bool) -> None:
        """Begin where a fit to every k-th row ends: it costs a k-th of a step each time."""
        chosen = np.arange(0, len(y), -(-2 * len(y) // LARGE))
        start = np.searchsorted(chosen, self.start)
        part = HierarchicalLogistic(
            self.X[chosen],
            self.Z[chosen],
            start,
            self.blocks,
            self.prior_mean,
            self.offset[chosen],
        )
        part.fit(y[chosen], iterations, learn_scales)
        self.g, self.l = part.g, part.l
        self.n_iterations = part.n_iterations

    def newton_step(self, y: Floats, factorise: Any = None) -> float:
        """Move the means by one Newton step and return the largest move of a probability.

        Without `factorise` the factors of the last step are used again, which is a good direction
        after small changes of the rows' weights.
        """
        p, slope = expected_sigmoid(self.logit(), self.row_variance)
        if factorise is not None:
            factorise(self.weight * np.maximum(slope, 1e-6))
        residual = self.weight * (y - p)
        precision, own_precision = self.precisions()
        rg = np.asarray(self.X.T @ residual.astype(self.X.dtype), np.float64)
        rg -= precision * (self.g - self.prior_mean)
        rl = -own_precision * self.l
        for topic, (begin, end) in enumerate(self._spans()):
            rl[topic] += self.Z[begin:end].T @ residual[begin:end].astype(self.Z.dtype)
        dg, dl = self._solve(rg, rl)
        move = np.abs(self._moved(dg, dl))
        step = min(1.0, LARGEST_STEP / max(float(move.max(initial=0.0)), 1e-9))
        self.g = self.g + step * dg
        self.l = self.l + step * dl
        # Where a probability is near 0 or 1 the slope is too, however wrong it is.
        return 1.0 if step < 1.0 else float((move * slope).max(initial=0.0))

    def _factorise(self, weight: Floats) -> None:
        from scipy.linalg import cholesky

        precision, own_precision = self.precisions()
        H = np.diag(precision)
        self._topics = []
        few: list[Floats] = []
        for begin, end in self._spans():
            part = slice(begin, end)
            of_topic = self.both[part], weight[part], own_precision
            if end - begin < self.Z.shape[1]:
                by_rows = _ByRows(*of_topic)
                few.append(by_rows.A)
                self._topics.append(by_rows)
            else:
                by_effects = _ByEffects(*of_topic)
                H += by_effects.information()
                self._topics.append(by_effects)
        if few:
            # One product for all topics with few rows.
            rows = np.concatenate(few)
            H += rows.T @ rows
        self._H = cholesky(H.T, lower=True, check_finite=False)

    def prepare(self) -> None:
        """Factorise at the present means, as draws need."""
        _, slope = expected_sigmoid(self.logit(), self.row_variance)
        self._factorise(self.weight * np.maximum(slope, 1e-6))

    def _solve(self, rg: Floats, rl: Floats) -> tuple[Floats, Floats]:
        from scipy.linalg import cho_solve

        condensed = rg.copy()
        for factor, right in zip(self._topics, rl, strict=True):
            condensed -= factor.condensed(right)
        dg = cho_solve((self._H, True), condensed, check_finite=False)
        steps = [factor.own_step(right, dg) for factor, right in zip(self._topics, rl, strict=True)]
        return dg, np.stack(steps) if steps else np.zeros_like(self.l)

    def variances(self) -> tuple[Floats, Floats, Floats]:
        """Return posterior variances of g, of every l, and of every row's logit."""
        from scipy.linalg import solve_triangular

        inverse = solve_triangular(self._H, np.eye(len(self._H)), lower=True, check_finite=False)
        own, row = np.empty(self.l.shape), np.empty(len(self.X))
        single = inverse.astype(self.both.dtype)
        for topic, (begin, end) in enumerate(self._spans()):
            own[topic], row[begin:end] = self._topics[topic].variances(single)
        return (inverse**2).sum(axis=0), own, row

    def covariance(self, n: int) -> Floats:
        """Return the posterior covariance of the first n shared effects."""
        from scipy.linalg import cho_solve

        unit = np.eye(len(self._H), n)
        covariance: Floats = cho_solve((self._H, True), unit, check_finite=False)[:n]
        return covariance

    def draw_shared(self, normal: Floats) -> Floats:
        """Return deviations [effects, draws] of g from its mean, from standard normal numbers."""
        from scipy.linalg import solve_triangular

        drawn: Floats = solve_triangular(self._H, normal, lower=True, trans=1, check_finite=False)
        return drawn

    def draw_own(self, topic: int, normal: Floats, shared: Floats) -> tuple[Floats, Floats]:
        """Return deviations [effects, draws] of a topic's own effects, in two parts to be added.

        The first is their mean given the deviations of g, the second their own.
        """
        factor = self._topics[topic]
        return factor.response(shared), factor.drawn(normal)


class _TopicFactor:
    """What is left of a topic in the equations of the shared effects."""

    def condensed(self, right: Floats) -> Floats:
        """Return what a right side of the topic's own equations takes from that of g."""
        raise NotImplementedError

    def own_step(self, right: Floats, shared: Floats) -> Floats:
        """Return the solution for the topic's own effects, given that of g."""
        raise NotImplementedError

    def variances(self, inverse: Floats) -> tuple[Floats, Floats]:
        """Return variances of own effects and of rows; H^-1 = inverse' inverse."""
        raise NotImplementedError

    def response(self, shared: Floats) -> Floats:
        """Return the mean of own effects, given those of g."""
        raise NotImplementedError

    def drawn(self, normal: Floats) -> Floats:
        """Return a draw of own effects around that mean."""
        raise NotImplementedError


class _ByEffects(_TopicFactor):
    """D D' = Z'WZ + prior precision, and D^-1 Z'WX."""

    def __init__(self, both: Floats, weight: Floats, precision: Floats) -> None:
        from scipy.linalg import cholesky, get_blas_funcs, solve_triangular

        self.both, q = both, len(precision)
        rooted = both * np.sqrt(weight)[:, None].astype(both.dtype)
        # The transpose of a C-ordered matrix is what Fortran takes, without a copy.
        (syrk,) = get_blas_funcs(("syrk",), (rooted,))
        product = syrk(1.0, rooted.T, lower=1).T
        self._whole = product[q:, q:]
        D = product[:q, :q].astype(np.float64)
        D[np.diag_indices_from(D)] += precision
        self.D = cholesky(D.T, lower=True, check_finite=False)
        cross = product[:q, q:].astype(np.float64)
        self.DC: Floats = solve_triangular(self.D, cross, lower=True, check_finite=False)

    def information(self) -> Floats:
        """Return the topic's part of the precision of g; only its upper triangle counts."""
        part: Floats = self._whole - self.DC.T @ self.DC
        del self._whole
        return part

    def condensed(self, right: Floats) -> Floats:
        return self.DC.T @ self._forward(right)

    def own_step(self, right: Floats, shared: Floats) -> Floats:
        return self._backward(self._forward(right) - self.DC @ shared)

    def response(self, shared: Floats) -> Floats:
        return self._backward(-(self.DC @ shared))

    def drawn(self, normal: Floats) -> Floats:
        return self._backward(normal)

    def variances(self, inverse: Floats) -> tuple[Floats, Floats]:
        from scipy.linalg import get_blas_funcs

        D, q, kind = self._forward(np.eye(len(self.D))), len(self.D), self.both.dtype
        response = D.T.astype(kind) @ (self.DC.astype(kind) @ inverse.T)
        own = (D**2).sum(axis=0) + np.einsum("ij,ij->i", response, response)
        # Rows (z, x) times the upper triangular root of the covariance of (l, g).
        root = np.zeros((self.both.shape[1], self.both.shape[1]), kind)
        root[:q, :q], root[:q, q:], root[q:, q:] = D.T, -response, inverse.T
        (trmm,) = get_blas_funcs(("trmm",), (root, self.both))
        rotated = trmm(1.0, root.T, self.both.T, lower=1).T
        row = np.einsum("ij,ij->i", rotated, rotated)
        return own, row.astype(np.float64)

    def _forward(self, right: Floats) -> Floats:
        from scipy.linalg import solve_triangular

        solved: Floats = solve_triangular(self.D, right, lower=True, check_finite=False)
        return solved

    def _backward(self, right: Floats) -> Floats:
        from scipy.linalg import solve_triangular

        solved: Floats = solve_triangular(self.D, right, lower=True, trans=1, check_finite=False)
        return solved


class _ByRows(_TopicFactor):
    """C C' = I + W^1/2 K W^1/2 with K = Z diag(prior variance) Z', and C^-1 W^1/2 (X, Z).

    With effects scaled by their prior deviations the posterior covariance is I - M'M,
    M = C^-1 W^1/2 Z; its symmetric root is I + M' U diag((sqrt(1 - e) - 1) / e) U' M with the
    eigenvectors U and eigenvalues e of MM'.
    """

    def __init__(self, both: Floats, weight: Floats, precision: Floats) -> None:
        from scipy.linalg import cholesky, solve_triangular

        self.root, self.deviation = np.sqrt(weight), 1 / np.sqrt(precision)
        q = len(precision)
        scaled = np.asarray(both[:, :q], np.float64) * self.deviation * self.root[:, None]
        B = scaled @ scaled.T
        B[np.diag_indices_from(B)] += 1.0
        self.C = cholesky(B, lower=True, check_finite=False) if len(B) else B
        rooted = np.hstack([scaled, self.root[:, None] * both[:, q:]])
        if len(B):
            rooted = solve_triangular(self.C, rooted, lower=True, check_finite=False)
        self.M, self.A = rooted[:, :q], rooted[:, q:]

    def condensed(self, right: Floats) -> Floats:
        return self.A.T @ (self.M @ (self.deviation * right))

    def own_step(self, right: Floats, shared: Floats) -> Floats:
        scaled = self.deviation * right
        return self.deviation * (scaled - self.M.T @ (self.M @ scaled + self.A @ shared))

    def response(self, shared: Floats) -> Floats:
        return -self.deviation[:, None] * (self.M.T @ (self.A @ shared))

    def drawn(self, normal: Floats) -> Floats:
        value, U = np.linalg.eigh(self.M @ self.M.T)
        value = np.clip(value, 1e-12, 1.0)
        along = U.T @ (self.M @ normal)
        along *= ((np.sqrt(1 - value) - 1) / value)[:, None]
        return self.deviation[:, None] * (normal + self.M.T @ (U @ along))

    def variances(self, inverse: Floats) -> tuple[Floats, Floats]:
        from scipy.linalg import solve_triangular

        if not len(self.C):
            return self.deviation**2, np.zeros(0)
        AH = self.A @ inverse.T
        own = 1 - (self.M**2).sum(axis=0) + ((self.M.T @ AH) ** 2).sum(axis=1)
        C = solve_triangular(self.C, np.eye(len(self.C)), lower=True, check_finite=False)
        row = 1 - (C**2).sum(axis=0) + ((C.T @ AH) ** 2).sum(axis=1)
        return self.deviation**2 * own, row / self.root**2
