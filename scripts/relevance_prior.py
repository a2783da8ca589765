"""Make the prior of the relevance model from fully judged collections.

    python -m scripts.relevance_prior [COLLECTION...] [--output FILE.json] [--leave-one-out FOLDER]

Parts of every collection, half of its topics and 24 to 40 or 2 to 5 of its runs, are fitted with
all their judgments: coefficients, levels and scales of effects go into the prior. Then parts are
pooled to depths 5, 10, 20 and 30, and predicted with the prior of the other collections: from the
errors of mean scores and of their differences come the scales of the misfit and their spread over
collections; from pooled groups that are left out come the scales of the effects of new groups. By
default the file that ships is written, from all collections. --leave-one-out writes
FOLDER/without_COLLECTION.json for each collection, made from the others alone, for evaluation.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from leadline.completions import prior as shipped
from leadline.completions.model import RelevanceModel
from leadline.completions.prior import (
    FittedPart,
    Misfit,
    RelevancePrior,
    UnpooledScales,
)
from leadline.data.arrays import Floats
from leadline.io.collection import Collection
from leadline.measures.measure import parse_measure
from leadline.pooling.strategies import Depth
from scripts.model_trials import (
    COLLECTIONS,
    DEEPEST,
    complete,
    left_out,
    part_of,
    read_corpus,
    true_means,
)

MANY = ((10, 24), (11, 24), (12, 24), (13, 40))
FEW = ((14, 2), (15, 3), (16, 4), (17, 5), (18, 3), (19, 5))
"""Number of the random part, and of its runs. Trials use parts from 0 on."""

MISFIT_PARTS = (20, 21, 22, 23)
MISFIT_DEPTHS = (5, 10, 20, 30)
MISFIT_MEASURES = ("RBP(p=0.8)", "RBP(p=0.95)", "P@30")
UNPOOLED_DEPTHS = (5, 10, 20)
N_DRAWS = 200


def fitted_parts(name: str, collection: Collection) -> list[FittedPart]:
    """Return the model of every part, all of it judged, by a vague prior."""
    parts = []
    for few, cases in ((False, MANY), (True, FEW)):
        for draw, n_runs in cases:
            part = part_of(collection, draw, n_runs)
            known = Depth(DEEPEST).pool(part.runs).restrict(complete(part.judgments))
            everyone = np.ones(len(part.runs.names), np.bool_)
            source = replace(part, judgments=known)
            model = RelevanceModel.fit(source, pooled=everyone, prior=RelevancePrior.vague())
            first = model.steps[0].fit
            levels = [step.fit.g[0] for step in model.steps]
            scales = {
                block.name: float(np.sqrt(block.variance))
                for block in first.blocks
                if block.name not in ("level", "feature", "other")
            }
            coefficient = first.g[model.design.columns["feature"]]
            parts.append(
                FittedPart(
                    name,
                    few,
                    float(first.g[0]),
                    tuple(float(step) for step in -np.diff(levels)),
                    tuple(coefficient.tolist()),
                    scales,
                )
            )
            print(name, draw, n_runs, len(model.steps[0].pair), round(float(first.g[0]), 2), scales)
    return parts


@dataclass(frozen=True, eq=False)
class ErrorTerms:
    """Errors of mean scores and of differences, and the parts of their variance.

    variance = model + run^2 by_run + list^2 by_list: that of the model's own draws, and the
    linearised effect of misfit of runs and of lists with unit scale. `n_effective` tells how many
    independent errors they are worth: (sum e)^2 / sum e^2 of the eigenvalues e of the correlation
    of the drawn scores.
    """

    error: Floats
    model: Floats
    by_run: Floats
    by_list: Floats
    n_effective: float

    def loss(self, run: float, of_list: float) -> float:
        """Return the negative composite normal log-likelihood, worth `n_effective` errors."""
        variance = self.model + run**2 * self.by_run + of_list**2 * self.by_list
        some = self.model > 1e-14
        each = self.error[some] ** 2 / variance[some] + np.log(variance[some])
        return 0.5 * self.n_effective * float(each.mean()) if some.any() else 0.0


def error_terms(part: Collection, depth: int, prior: RelevancePrior) -> list[ErrorTerms]:
    """Return the terms of one part and depth, one for each measure."""
    full = complete(part.judgments)
    known = Depth(depth).pool(part.runs).restrict(full)
    source = replace(part, judgments=known)
    everyone = np.ones(len(part.runs.names), np.bool_)
    model = RelevanceModel.fit(source, pooled=everyone, prior=prior)
    model = replace(model, misfit=Misfit(0.0, 0.0))
    completions = model.draw(N_DRAWS)
    open_ = completions.pair
    p = np.zeros(len(part.runs.pairs))
    p[open_] = (completions.drawn > 0).mean(axis=1)
    even = np.zeros((len(part.runs.pairs), len(everyone)))
    even[open_] = model.design.even_shares(open_)
    terms = []
    for text in MISFIT_MEASURES:
        measure = parse_measure(text)
        if (measure.depth or DEEPEST) <= depth:
            continue
        drawn = completions.means(measure)
        error = true_means(part.runs, measure, full) - drawn.mean(axis=0)
        cut = part.runs.cut(measure.depth)
        n_runs, n_topics = cut.start.shape
        weight = measure.numerator.weights(int(cut.length.max()))[cut.entries.rank - 1] / n_topics
        slope = weight * (p * (1 - p))[cut.pair] * ~known.judged[cut.pair]
        moved = np.zeros((n_runs * n_topics, n_runs))
        np.add.at(moved, cut.entries.list, slope[:, None] * even[cut.pair])
        lists = moved.reshape(n_runs, n_topics, n_runs)
        runs = lists.sum(axis=1)
        first, second = np.triu_indices(n_runs, 1)
        value = np.linalg.eigvalsh(np.corrcoef(drawn.T + 1e-12 * np.arange(N_DRAWS)))
        terms.append(
            ErrorTerms(
                np.append(error, error[first] - error[second]),
                np.append(drawn.var(axis=0), (drawn[:, first] - drawn[:, second]).var(axis=0)),
                np.append((runs**2).sum(1), ((runs[first] - runs[second]) ** 2).sum(1)),
                np.append(
                    (lists**2).sum((1, 2)), ((lists[first] - lists[second]) ** 2).sum((1, 2))
                ),
                float(value.sum() ** 2 / (value**2).sum()),
            )
        )
    return terms


def fitted_misfit(terms: Sequence[Sequence[ErrorTerms]]) -> Misfit:
    """Return the scales of the largest composite likelihood; every collection counts alike.

    The spread is the standard deviation of the logarithm of a further collection's factor, from
    the factors that fit each collection best.
    """

    def loss(at: Floats, among: Sequence[Sequence[ErrorTerms]]) -> float:
        run, of_list = np.exp(at)
        return sum(float(np.mean([term.loss(run, of_list) for term in own])) for own in among)

    bounds = [(np.log(0.02), np.log(3.0)), (np.log(0.05), np.log(5.0))]
    best = minimize(loss, np.log([0.3, 1.2]), (terms,), method="L-BFGS-B", bounds=bounds)
    grid = np.linspace(-2.0, 2.0, 41)
    factors = [grid[int(np.argmin([loss(best.x + move, [own]) for move in grid]))] for own in terms]
    n = len(factors)
    variance = float(np.var(factors, ddof=1)) * (1 + 1 / n) if n > 1 else 0.25
    run, of_list = np.exp(best.x)
    print("factors of collections", np.exp(factors).round(2), flush=True)
    return Misfit(float(run), float(of_list), float(np.sqrt(variance)))


def fitted_unpooled(
    collections: dict[str, Collection], names: Sequence[str], prior: RelevancePrior
) -> UnpooledScales:
    """Return geometric means over collections of the scales, and means of the coefficients."""
    scales, coefficients = [], []
    for name in names:
        own, told = [], []
        for draw in MISFIT_PARTS:
            part = part_of(collections[name], draw)
            full = complete(part.judgments)
            for depth in UNPOOLED_DEPTHS:
                new = next(left_out(part, draw))
                known = Depth(depth).pool(part.runs.only(~new)).restrict(full)
                source = replace(part, judgments=known)
                model = RelevanceModel.fit(source, pooled=~new, prior=prior)
                assert model.unpooled is not None
                effects = model.unpooled.effects[0]
                if effects is not None:
                    own.append([effects.scales[key] for key in ("group", "run", "list")])
                    told.append(effects.coefficient)
        scales.append(np.log(own).mean(axis=0))
        coefficients.append(np.median(told, axis=0))
        print("unpooled", name, np.exp(scales[-1]).round(2), coefficients[-1].round(2), flush=True)
    group, run, of_list = np.exp(np.mean(scales, axis=0)).tolist()
    mean = np.mean(coefficients, axis=0)
    spread = float(np.sqrt(np.mean((np.array(coefficients) - mean)[:, 1:] ** 2)))
    usual = UnpooledScales()
    return UnpooledScales(
        group, run, of_list, max(spread, 0.2), usual.df, tuple(mean.round(3).tolist())
    )


def made_from(
    names: Sequence[str],
    collections: dict[str, Collection],
    parts: dict[str, list[FittedPart]],
) -> RelevancePrior:
    """Return the prior by some collections; each is predicted by the prior of the others."""
    terms = []
    for name in names:
        others = [part for other in names if other != name for part in parts[other]]
        prior = RelevancePrior.of(others or parts[name])
        own = [
            term
            for draw in MISFIT_PARTS
            for depth in MISFIT_DEPTHS
            for term in error_terms(part_of(collections[name], draw), depth, prior)
        ]
        terms.append(own)
    prior = RelevancePrior.of([part for name in names for part in parts[name]])
    prior = replace(prior, misfit=fitted_misfit(terms))
    prior = replace(prior, unpooled=fitted_unpooled(collections, names, prior))
    print("prior of", *names, prior.misfit, prior.unpooled, flush=True)
    return prior


def main() -> None:
    """Write the prior, or those that leave one collection out."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("collections", nargs="*", default=COLLECTIONS)
    default = Path(shipped.__file__).with_name("relevance_prior.json")
    parser.add_argument("--output", type=Path, default=default)
    parser.add_argument("--leave-one-out", type=Path, metavar="FOLDER")
    asked = parser.parse_args()
    collections = {name: read_corpus(name) for name in asked.collections}
    parts = {name: fitted_parts(name, each) for name, each in collections.items()}
    if asked.leave_one_out is None:
        made_from(list(collections), collections, parts).write(asked.output)
        return
    asked.leave_one_out.mkdir(parents=True, exist_ok=True)
    for name in collections:
        rest = [other for other in collections if other != name]
        path = asked.leave_one_out / f"without_{name}.json"
        made_from(rest, collections, parts).write(path)


if __name__ == "__main__":
    main()
