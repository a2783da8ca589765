"""How often `leadline audit` finds a dishonest judge, and how often it accuses an honest one.

Judges are made from a real one: honest, its labels drawn anew from its own table of confusion, so
that errors depend on the human grade alone, or with --null rank on the grade and on the fifth of
the document's fused rank; and dishonest, an honest (or with --base real the real)
one that goes one grade up on documents that only one group returns where the measure looks, in
random order, until that group's runs gain .05 on average. All groups take turns that can gain so
much. 400 judgments are drawn by --strategy, or all are made with --strategy everything. With
--bound nothing is drawn: the share that could be found with every pair judged, by arithmetic.
Usage:

    python scripts/audit_power.py ../shared/data/trec_dl21_half umbrela-gpt4 --draws 200
"""

import argparse
import json
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

from leadline.completions.pair_weights import PairWeights
from leadline.data.arrays import Int16s, Int64s
from leadline.data.judgments import Judgments
from leadline.data.labels import NO_LABEL, NoisyLabels
from leadline.data.runs import Runs
from leadline.io.read import read
from leadline.labels.audit import agreement_rows
from leadline.labels.audited_pairs import AuditedPairs, calibration_rows
from leadline.labels.favour import (
    HELD_BACK,
    MARKED_DOWN,
    RUNS_SHARE,
    OwnedDocuments,
    favour_rows,
    level_shares,
)
from leadline.labels.run_bias import AuditedScores
from leadline.measures.measure import parse_numerator
from leadline.pooling.strategies import pools

GAIN, LEVEL = 0.05, 0.05
MEASURE = "SDCG(gains=linear)@10"
N_FIFTHS = 5
EVERYTHING = "everything"
"""In the place of a strategy: people judge every pair."""


@dataclass(frozen=True, eq=False)
class World:
    """A collection of which everything is judged where the measure looks, and a real judge."""

    runs: Runs
    human: Judgments
    label: Int16s
    top: int
    measure: str = MEASURE

    @classmethod
    def of(cls, folder: Path, judge: Path, measure: str = MEASURE) -> "World":
        """Documents that nobody judged answer 0."""
        collection = read(folder, labels=judge)
        labels, known = collection.runs.pairs.labels, collection.judgments
        assert labels is not None
        looked = PairWeights.of(collection.runs, parse_numerator(measure)).pair
        judged = known.judged.copy()
        judged[looked] = True
        human = Judgments(known.pairs, judged, known.grade, max_grade=known.max_grade)
        return cls(collection.runs, human, labels.grade[0], int(labels.grade.max()), measure)

    @cached_property
    def owned(self) -> OwnedDocuments:
        """What groups alone return."""
        return OwnedDocuments.of(self.weights, self.runs.group)

    @cached_property
    def weights(self) -> PairWeights:
        """Of the measure."""
        return PairWeights.of(self.runs, parse_numerator(self.measure))

    @cached_property
    def fused_fifth(self) -> Int64s:
        """Return the fifth of its topic's pairs that each pair is in by reciprocal rank fusion."""
        entries, n_pairs = self.runs.entries, len(self.runs.pairs)
        fused = np.bincount(self.runs.pair, 1 / (60 + entries.rank), n_pairs)
        fifth = np.zeros(n_pairs, np.int64)
        # Among the pairs that get a label: most of the others stand deeper.
        for topic in range(len(self.runs.pairs.topics)):
            here = np.flatnonzero((self.runs.pairs.topic == topic) & self.human.judged)
            fifth[here[np.argsort(fused[here])]] = np.arange(len(here)) * N_FIFTHS // len(here)
        return fifth

    def honest(self, random: np.random.Generator, null: str = "grade") -> Int16s:
        """Return labels drawn from the judge's own confusion, given grade, or grade and rank."""
        both = self.human.judged & (self.label != NO_LABEL)
        grade = self.human.grade.astype(np.int64)
        by_grade = np.zeros((self.human.max_grade + 1, self.top + 1))
        np.add.at(by_grade, (grade[both], self.label[both]), 1)
        cell, table = grade, by_grade
        if null == "rank":
            cell = grade * N_FIFTHS + self.fused_fifth
            # A cell without labels has those of its grade.
            table = 1e-9 * np.repeat(by_grade, N_FIFTHS, axis=0)
            np.add.at(table, (cell[both], self.label[both]), 1)
        ends = (table / table.sum(axis=1, keepdims=True)).cumsum(axis=1)[cell]
        drawn = (random.random(len(ends))[:, None] > ends).sum(axis=1)
        return np.where(self.human.judged, np.minimum(drawn, self.top), NO_LABEL).astype(np.int16)

    def dishonest(
        self, label: Int16s, group: int, random: np.random.Generator
    ) -> tuple[Int16s, float]:
        """Labels one grade up for documents of one group, and what its runs gain by that."""
        owned, weights = self.owned, self.weights
        rise = np.append(np.diff(parse_numerator(self.measure).gain(self.top)), 0.0)
        of_pair = label[weights.pair]
        amount = np.where(of_pair >= 0, owned.weight[group] * rise[np.maximum(of_pair, 0)], 0.0)
        order = random.permutation(np.flatnonzero(amount))
        total = np.cumsum(amount[order])
        n = int(np.searchsorted(total, GAIN - 1e-12)) + 1
        if n > len(order):
            return label, float("nan")
        raised = label.copy()
        raised[weights.pair[order[:n]]] += 1
        return raised, float(total[n - 1])

    def audited(self, label: Int16s, strategy: str, seed: int) -> AuditedScores:
        """The judge with these labels, and what people say of a pool that is drawn, or of all."""
        if strategy == EVERYTHING:
            whole = AuditedPairs(self.human, label, self.top, "complete")
            return AuditedScores(whole, self.runs, parse_numerator(self.measure))
        pairs = replace(self.runs.pairs, labels=NoisyLabels(("judge",), label[None]))
        was = self.runs
        runs = Runs.trusted(pairs, was.names, was.pair, was.length, was.group)
        human = replace(self.human, pairs=pairs)
        design = pools.parse(strategy)
        pool = None
        for _ in range(getattr(design, "batches", 1)):
            pool = design.next_batch(runs, seed, human, pool)
        assert pool is not None
        expected = pool.expected is not None and not np.isnan(pool.expected).all()
        sample = AuditedPairs(pool.restrict(human), label, self.top, "drawn", expected)
        return AuditedScores(sample, runs, parse_numerator(self.measure))


@dataclass(frozen=True)
class Found:
    """What came of one dishonest judge: is its group named, what is said, what is true."""

    group: str
    named: bool
    others: int
    value: float
    lower: float
    upper: float
    gained: float


def try_dishonest(
    world: World, strategy: str, draw: int, seed: int, base: str, null: str = "grade"
) -> Found | None:
    """One judge that favours a group; None if no label leaves room for that."""
    random = np.random.default_rng([seed, draw, 1])
    label = world.honest(random, null) if base == "honest" else world.label
    names = world.owned.names
    able = [at for at in range(len(names)) if able_to_gain(world, at)]
    group = able[draw % len(able)]
    raised, gained = world.dishonest(label, group, random)
    if np.isnan(gained):
        return None
    rows = favour_rows(world.audited(raised, strategy, seed * 10_007 + draw), (), draw)
    line = next(r for r in rows if r.section == "favour by group" and r.item == names[group])
    favoured = [row.item for row in rows if row.section == "favoured"]
    item = f"group {names[group]}"
    runs = {
        f"run {n}"
        for n, g in zip(world.runs.names, world.runs.group, strict=True)
        if g == names[group]
    }
    others = [name for name in favoured if name != item and name not in runs]
    ends = (np.nan if end is None else end for end in (line.value, line.ci_lower, line.ci_upper))
    return Found(names[group], item in favoured, len(others), *ends, gained)


def able_to_gain(world: World, group: int) -> bool:
    """Whether the documents of a group weigh enough, should half of the grades have room."""
    rise = np.diff(parse_numerator(world.measure).gain(world.top)).max()
    return bool(world.owned.own[group] * rise > 1.25 * GAIN)


def try_honest(world: World, strategy: str, draw: int, seed: int, null: str = "grade") -> list[str]:
    """Return whom an honest judge is accused of favouring or marking down."""
    label = world.honest(np.random.default_rng([seed, draw, 2]), null)
    rows = favour_rows(world.audited(label, strategy, seed * 10_007 + draw), (), draw)
    return [row.item for row in rows if row.section in ("favoured", "marked down")]


def coverage(world: World, strategy: str, draws: int, seed: int) -> dict[str, float]:
    """The share of intervals of the real judge that hold what all pairs would have shown."""
    measure = parse_numerator(world.measure)
    looked = np.zeros(len(world.label), np.bool_)
    looked[world.weights.pair] = True
    human = Judgments(
        world.human.pairs, looked, np.where(looked, world.human.grade, 0), max_grade=3
    )
    whole = AuditedPairs(human, world.label, world.top, "complete")
    gain = measure.gain(human.max_grade)
    rows = agreement_rows(whole, 2) + calibration_rows(whole, gain)
    truth = {(row.section, row.item): row.value for row in rows}
    people = AuditedScores(whole, world.runs, measure).people
    names = world.runs.names
    mix = np.eye(len(names))
    held: dict[str, list[bool]] = {}
    for draw in range(draws):
        scores = world.audited(world.label, strategy, seed * 10_007 + draw)
        for row in agreement_rows(scores.audited, 2) + calibration_rows(scores.audited, gain):
            true = truth.get((row.section, row.item))
            if row.ci_lower is not None and row.ci_upper is not None and true is not None:
                name = row.section if row.section != "agreement" else row.item
                held.setdefault(name, []).append(row.ci_lower <= true <= row.ci_upper)
        # Bias is of the calibrated labels at hand, so its error is that of the score by people.
        value, error, _ = scores.combined(mix)
        real = value + scores.people - people
        told = np.isfinite(error)
        held.setdefault("bias by run", []).extend((np.abs(value - real) <= 1.96 * error)[told])
    return {name: float(np.mean(each)) for name, each in held.items()}


def bounds(world: World) -> dict[str, dict[str, float]]:
    """The chance to find each group's favour of .05 with every pair judged, by arithmetic.

    An honest label y of a document with human grade h has the chance P(y | h), its gain the sd s_h.
    A share q = .05 / (what it adds if all labels go up) is raised. Told by `weight` it errs by
    sqrt(sum of W_Gp^2 s_h^2), by the `count` of raised labels as if all weighed alike, which tells
    more since any may be raised; by `likelihood` q errs by 1 / sqrt(sum_p sum_y (P_1 - P)^2 / P),
    P_1 the chances of labels one up: none does better where q is small. Found is what lies beyond
    the quantile of what each group is left of 5%.
    """
    owned, weights = world.owned, world.weights
    grade, label = world.human.grade[weights.pair], world.label[weights.pair]
    gain = parse_numerator(world.measure).gain(world.top)
    some = label != NO_LABEL
    table = np.zeros((world.human.max_grade + 1, world.top + 1))
    np.add.at(table, (grade[some], label[some]), 1)
    chance = table / table.sum(axis=1, keepdims=True)
    spread = np.sqrt(chance @ gain**2 - (chance @ gain) ** 2)[grade]
    moved = np.zeros_like(chance)
    moved[:, 1:] = chance[:, :-1]
    moved[:, -1] += chance[:, -1]
    known = np.divide((moved - chance) ** 2, chance, out=np.zeros_like(chance), where=chance > 0)
    of_favour = LEVEL * (1 - HELD_BACK - RUNS_SHARE) * (1 - MARKED_DOWN)
    whole = (np.ones(len(label), np.bool_), np.ones(len(label)))
    raised, of_level = owned.raised(label.astype(np.int64), gain, grade.astype(np.int64), *whole)
    size = (GAIN / (owned.own * raised.errors(of_level)))[owned.tested]
    critical = np.full(len(owned.names), np.inf)
    critical[owned.tested] = ndtri(1 - of_favour * level_shares(size, of_favour))
    at_best = {}
    for group, name in enumerate(owned.names):
        if not able_to_gain(world, group):
            continue
        mine = owned.member[group]
        rise = ((moved - chance) @ gain)[grade[mine]]
        share = GAIN / float(owned.weight[group][mine] @ rise)
        size = {
            "weight": GAIN / float(((owned.weight[group][mine] * spread[mine]) ** 2).sum()) ** 0.5,
            "count": share * float(rise.sum()) / float((spread[mine] ** 2).sum()) ** 0.5,
            "likelihood": share * float(known.sum(axis=1)[grade[mine]].sum()) ** 0.5,
        }
        at_best[name] = {key: float(ndtr(each - critical[group])) for key, each in size.items()}
    mean = {key: float(np.mean([each[key] for each in at_best.values()])) for key in size}
    return at_best | {"mean": mean}


def summary(found: list[Found], honest: list[list[str]]) -> dict[str, float]:
    """Shares and errors."""
    named = [{item.partition(" ")[0] for item in items} for items in honest]
    accused = {
        "honest judges": len(honest),
        "honest accused": float(np.mean([bool(n) for n in named])) if honest else float("nan"),
        "honest accused, a group": float(np.mean(["group" in n for n in named] or [np.nan])),
        "honest accused, a run": float(np.mean(["run" in n for n in named] or [np.nan])),
    }
    if not found:
        return accused
    value = np.array([each.value for each in found])
    gained = np.array([each.gained for each in found])
    held = [each.lower <= each.gained <= each.upper for each in found]
    return accused | {
        "dishonest judges": len(found),
        "found and named": float(np.mean([each.named for each in found])),
        "somebody else named too": float(np.mean([each.others > 0 for each in found])),
        "mean of favour told": float(value.mean()),
        "rmse of favour told": float(np.sqrt(np.mean((value - gained) ** 2))),
        "interval holds it": float(np.mean(held)),
    }


def main() -> None:
    """Print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collection", type=Path)
    parser.add_argument("judge")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--strategy", default="AuditSample(n=400)")
    parser.add_argument("--base", choices=["honest", "real"], default="honest")
    parser.add_argument(
        "--null", choices=["grade", "rank"], default="grade", help="what honest labels depend on"
    )
    parser.add_argument("--coverage", action="store_true", help="of the real judge's intervals")
    parser.add_argument("--bound", action="store_true", help="of the share found, by arithmetic")
    parser.add_argument("--only", choices=["dishonest", "honest"], help="draw judges of one kind")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    judge = next((asked.collection / "judges").glob(f"{asked.judge}*"))
    world = World.of(asked.collection, judge)
    if asked.bound:
        print(json.dumps(bounds(world), indent=1))
        return
    if asked.coverage:
        print(json.dumps(coverage(world, asked.strategy, asked.draws, asked.seed), indent=1))
        return
    found: list[Found] = []
    honest: list[list[str]] = []
    for draw in range(2 * asked.draws):
        if len(honest if asked.only == "honest" else found) == asked.draws:
            break
        if asked.only != "honest":
            made = try_dishonest(world, asked.strategy, draw, asked.seed, asked.base, asked.null)
            found += [] if made is None else [made]
        if asked.base == "honest" and asked.only != "dishonest":
            honest.append(try_honest(world, asked.strategy, draw, asked.seed, asked.null))
    told = {
        "judge": asked.judge,
        "strategy": asked.strategy,
        "base": asked.base,
        "null": asked.null,
    }
    by_group = {
        name: [sum(f.named for f in found if f.group == name), sum(f.group == name for f in found)]
        for name in sorted({each.group for each in found})
    }
    print(json.dumps(told | summary(found, honest) | {"named, of": by_group}, indent=1))


if __name__ == "__main__":
    main()
