"""Make the prior of the relevance model from fully judged collections.

    python -m scripts.relevance_prior [COLLECTION...] [--output FILE.json] [--leave-one-out FOLDER]

Parts of every collection, half of its topics and 24 to 40 or 2 to 5 of its runs, are fitted with
all their judgments: coefficients, levels and scales of effects go into the prior. Then parts are
pooled to depths 5, 10 and 20, and predicted with the prior of the other collections: how often
intervals of mean scores and of their differences hold tells how far posteriors must be widened;
from pooled groups that are left out come the scales of the effects of new groups. By
default the file that ships is written, from all collections. --leave-one-out writes
FOLDER/without_COLLECTION.json for each collection, made from the others alone, for evaluation.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from leadline.completions import prior as shipped
from leadline.completions.model import RelevanceModel
from leadline.completions.prior import (
    FittedPart,
    RelevancePrior,
    UnpooledScales,
)
from leadline.data.arrays import Floats
from leadline.data.judgments import Judgments
from leadline.io.collection import Collection
from leadline.measures.measure import Measure, parse_measure
from leadline.pooling.strategies import Depth
from scripts.model_trials import (
    COLLECTIONS,
    DEEPEST,
    complete,
    left_out,
    of_draws,
    part_of,
    read_corpus,
    true_means,
)

MANY = ((10, 24), (11, 24), (12, 24), (13, 40))
FEW = ((14, 2), (15, 3), (16, 4), (17, 5), (18, 3), (19, 5))
"""Number of the random part, and of its runs. Trials use parts from 0 on."""

REPLAY_PARTS = (20, 21, 22, 23, 24, 25)
REPLAY_DEPTHS = (5, 10, 20)
REPLAY_MEASURES = ("RBP(p=0.8)", "RBP(p=0.95)", "P@10", "P@30")
UNPOOLED_DEPTHS = (5, 10, 20)
N_DRAWS = 200
WIDENINGS = (2.5, 3.0, 3.5)
MEAN_COVERED, LEAST_COVERED = 0.97, 0.93


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
class Replay:
    """A part pooled to a depth, the model of these judgments, and the truth."""

    part: Collection
    full: Judgments
    depth: int
    model: RelevanceModel

    @classmethod
    def of(cls, part: Collection, depth: int, prior: RelevancePrior) -> "Replay":
        """Fit the model to the pool of that depth."""
        full = complete(part.judgments)
        known = Depth(depth).pool(part.runs).restrict(full)
        everyone = np.ones(len(part.runs.names), np.bool_)
        source = replace(part, judgments=known)
        return cls(part, full, depth, RelevanceModel.fit(source, pooled=everyone, prior=prior))

    @property
    def measures(self) -> list[Measure]:
        """Those that look deeper than the pool."""
        every = [parse_measure(text) for text in REPLAY_MEASURES]
        return [measure for measure in every if (measure.depth or DEEPEST) > self.depth]

    def covered(self, widening: float) -> Floats:
        """Return the shares of means and of differences that 95% intervals hold."""
        prior = replace(self.model.prior, widening=widening)
        completions = replace(self.model, prior=prior).draw(N_DRAWS)
        everyone = np.ones(len(self.part.runs.names), np.bool_)
        shares = []
        for measure in self.measures:
            truth = true_means(self.part.runs, measure, self.full)
            told = of_draws(completions.means(measure), truth, everyone)
            shares.append([told[kind].covered for kind in ("means", "differences")])
        return np.mean(shares, axis=0)


def calibrated_widening(replays: Sequence[Sequence[Replay]]) -> float:
    """Return the least widening with which 95% intervals of means and of differences hold.

    They hold if that is so in MEAN_COVERED of the cases on average over collections, which count
    alike, and in LEAST_COVERED of the cases of every collection. More than 95% is asked for on
    average, because a few collections say little about a further one.
    """
    for widening in WIDENINGS:
        held = np.array(
            [np.mean([replay.covered(widening) for replay in own], axis=0) for own in replays]
        )
        print("widening", widening, held.round(3).tolist(), flush=True)
        if held.mean(axis=0).min() >= MEAN_COVERED and held.min() >= LEAST_COVERED:
            break
    return widening


def fitted_unpooled(
    collections: dict[str, Collection], names: Sequence[str], prior: RelevancePrior
) -> UnpooledScales:
    """Return geometric means over collections of the scales, and means of the coefficients."""
    scales, coefficients = [], []
    for name in names:
        own, told = [], []
        for draw in REPLAY_PARTS:
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
    replays = []
    for name in names:
        others = [part for other in names if other != name for part in parts[other]]
        prior = RelevancePrior.of(others or parts[name])
        replays.append(
            [
                Replay.of(part_of(collections[name], draw), depth, prior)
                for draw in REPLAY_PARTS
                for depth in REPLAY_DEPTHS
            ]
        )
    prior = RelevancePrior.of([part for name in names for part in parts[name]])
    prior = replace(prior, widening=calibrated_widening(replays))
    prior = replace(prior, unpooled=fitted_unpooled(collections, names, prior))
    print("prior of", *names, prior.widening, prior.unpooled, flush=True)
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
