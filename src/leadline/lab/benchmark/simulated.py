"""Simulated collections, of which everything is known: truth, families, newcomers.

A topic has N_DOCS documents. Each is relevant with the topic's own chance, log-uniform between 2
and 20%. Run r gives document d the score

    (quality_r - hardness_t) * grade_d + a * z_fd + sqrt(1 - a^2) * e_rd

with quality even between .2 and 2, hardness normal (0, .4), z what all runs of a family f see in
the document, e what only this run sees, both standard normal, and returns the best N_RANKS. So a
family returns much the same documents, and a good run is not good on every topic.

simulated/mixed     families of two, a = .3: runs of mixed quality, each with its own view
simulated/families  families of six, a = .8: six near-copies of every view
simulated/newcomer  as mixed, but a third of the documents is seen by the last family of six alone
"""

from dataclasses import dataclass, replace

import numpy as np

from leadline.data.runs import Runs
from leadline.io.collection import Collection
from leadline.io.read import read
from leadline.simulate import seed_of

N_TOPICS, N_RUNS, N_DOCS, N_RANKS = 40, 36, 400, 100
LEAST_SHARE, MOST_SHARE = 0.02, 0.2


@dataclass(frozen=True)
class Recipe:
    """How many runs a family has, how much they see alike, and what only the last one sees."""

    family: int
    alike: float
    unseen: float = 0.0


SIMULATED = {
    "simulated/mixed": Recipe(2, 0.3),
    "simulated/families": Recipe(6, 0.8),
    "simulated/newcomer": Recipe(6, 0.3, 1 / 3),
}


def simulated(name: str) -> Collection:
    """The collection of that name; always the same.

    >>> simulated("simulated/mixed").runs.length.shape
    (36, 40)
    """
    recipe = SIMULATED[name]
    random = np.random.default_rng(seed_of(name))
    n_families = N_RUNS // recipe.family
    family = np.repeat(np.arange(n_families), recipe.family)
    quality = random.uniform(0.2, 2.0, N_RUNS)
    runs: dict[str, dict[str, dict[str, float]]] = {
        f"f{of:02}r{run:02}": {} for run, of in enumerate(family.tolist())
    }
    qrels: dict[str, dict[str, int]] = {}
    for topic in range(1, N_TOPICS + 1):
        share = np.exp(random.uniform(np.log(LEAST_SHARE), np.log(MOST_SHARE)))
        grade = (random.random(N_DOCS) < share).astype(np.int64)
        # A topic without a relevant document has no truth to be found.
        grade[random.integers(N_DOCS)] = 1
        alike = random.standard_normal((n_families, N_DOCS))
        alone = random.standard_normal((N_RUNS, N_DOCS))
        score = (quality - random.normal(0.0, 0.4))[:, None] * grade + recipe.alike * alike[family]
        score += np.sqrt(1 - recipe.alike**2) * alone
        hidden = random.random(N_DOCS) < recipe.unseen
        score[np.ix_(family < n_families - 1, hidden)] = -np.inf
        best = np.argsort(-score, axis=1)[:, :N_RANKS].tolist()
        for ranking, ranks in zip(runs.values(), best, strict=True):
            ranking[str(topic)] = {f"d{doc:03}": float(-at) for at, doc in enumerate(ranks)}
        qrels[str(topic)] = {f"d{doc:03}": grade for doc, grade in enumerate(grade.tolist())}
    made = read(qrels, runs)
    groups = made.groups.with_columns(group=made.groups["run"].str.head(3))
    group = tuple(name[:3] for name in made.runs.names)
    was = made.runs
    return replace(
        made, runs=Runs.trusted(was.pairs, was.names, was.pair, was.length, group), groups=groups
    )
