"""Runs given in another order give the same table from every verb and registered method.

Ties are made on purpose: lists of equal scores, runs that are alike, judgments that are few.
"""

import random
import re
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import leadline
from leadline.api.result import Result
from leadline.listing import KINDS
from tests.contracts.examples import example_of

Runs = dict[str, dict[str, dict[str, float]]]


def a_collection(seed: int) -> tuple[dict[str, dict[str, int]], Runs]:
    """Nine runs over six topics, two of them the same, with a third of the documents judged."""
    draw = random.Random(seed)
    topics, docs = [str(number) for number in range(1, 7)], [f"d{at:02}" for at in range(20)]
    runs: Runs = {}
    for number in range(8):
        lists = {topic: draw.sample(docs, draw.randint(6, 14)) for topic in topics}
        # Scores tie in pairs.
        runs[f"run{number}"] = {
            topic: {doc: float(100 - at // 2) for at, doc in enumerate(listed)}
            for topic, listed in lists.items()
        }
    runs["twin"] = runs["run3"]
    qrels = {
        topic: {doc: draw.randint(0, 2) for doc in docs if draw.random() < 0.35} | {"d00": 1}
        for topic in topics
    }
    return qrels, runs


def judged_to(runs: Runs, depth: int, seed: int) -> dict[str, dict[str, int]]:
    """Judgments of all that some run has at this depth or better."""
    draw = random.Random(seed)
    qrels: dict[str, dict[str, int]] = {}
    for topic in sorted(next(iter(runs.values()))):
        pooled: set[str] = set()
        for name in sorted(runs):
            scores = runs[name][topic]
            pooled |= set(sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)[:depth])
        qrels[topic] = {doc: draw.randint(0, 1) for doc in sorted(pooled)}
    return qrels


Verb = Callable[[dict[str, dict[str, int]], Runs], Result]

EXAMPLES = {
    "pools": {
        "AuditSample": "AuditSample(n=30)",
        "Depth": "Depth(d=3)",
        "WeightedSample": "WeightedSample(n=30)",
        "UniformSample": "UniformSample(d=5, rate=0.4)",
        "Stratified": "Stratified(strata=[(2, 1), (6, 0.4)])",
        "TwoStrata": "TwoStrata(d=2, deep=8, rate=0.3)",
    },
    "orders": {"SampledBatches": "SampledBatches(aim='run1,run2')"},
    "estimators": {},
    "adjusters": {"Lipani": "Lipani(merge=replace)"},
    "tests": {"bootstrap": "bootstrap(n=200)", "randomisation": "randomisation(n=200)"}
    | {"tukey": "tukey(n=200)"},
    "stops": {},
}
TWO_STRATA = "TwoStrata(d=2, deep=12, rate=0.5)"
NEED_A_SAMPLE = ("ModelAssisted", "InfRBP")
ELSEWHERE = {"WebberTopics", "ShrunkTopics", "LARA", "LabelsAsJudgments", "OneShot"}
"""They need what this collection has not: topics judged in full, labels, texts."""


def verb_of(kind: str, name: str) -> Verb:
    given: Any = EXAMPLES[kind].get(name) or str(example_of(KINDS[kind].classes()[name]))
    match kind:
        case "pools":
            return lambda qrels, runs: leadline.pool(qrels, runs, strategy=given)
        case "orders":
            return lambda qrels, runs: leadline.next(qrels, runs, order=given, budget=25)
        case "stops":
            asks = "LikelyWinner" if name.endswith("Likely") else "MoffatC(p=0.8)"
            if name == "NonInferior":
                asks = EXAMPLES["orders"]["SampledBatches"]
            return lambda qrels, runs: leadline.next(
                None, runs, order=asks, stop=given, simulate=qrels
            )
        case "estimators" if name in NEED_A_SAMPLE:
            return lambda qrels, runs: leadline.estimate(
                judged_to(runs, 20, 1),
                runs,
                ["P@5"],
                [given],
                pool=leadline.pool(None, runs, strategy=TWO_STRATA, undrawn=True),
            )
        case "estimators":
            return lambda qrels, runs: leadline.estimate(
                judged_to(runs, 3, 1), runs, ["P@5"], [given]
            )
        case "tests":
            return lambda qrels, runs: leadline.compare(qrels, runs, ["P@5"], test=given)
        case _:
            return lambda qrels, runs: leadline.adjust(
                judged_to(runs, 3, 1), runs, new=["run1"], measures=["P@5"], method=given
            )


def registered() -> list[tuple[str, str]]:
    kinds = [(kind, leadline.list(kind).frame["name"].to_list()) for kind in EXAMPLES]
    return [(kind, name) for kind, names in kinds for name in names if name not in ELSEWHERE]


def plain(result: Result) -> pl.DataFrame:
    """Its rows in an order of their own, a pair of runs from the first name to the second."""
    frame = result.frame
    if "run_a" in frame.columns:
        swapped = pl.col("run_a") > pl.col("run_b")
        turned = {"better": "worse", "worse": "better"}
        words = [
            pl.when(swapped).then(pl.col(name).replace(turned)).otherwise(name).alias(name)
            for name in ("verdict", "on_these_topics")
        ]
        frame = frame.with_columns(
            pl.when(swapped).then("run_b").otherwise("run_a").alias("run_a"),
            pl.when(swapped).then("run_a").otherwise("run_b").alias("run_b"),
            pl.when(swapped)
            .then(-pl.col("difference"))
            .otherwise("difference")
            .alias("difference"),
            pl.when(swapped).then(-pl.col("upper")).otherwise("lower").alias("lower"),
            pl.when(swapped).then(-pl.col("lower")).otherwise("upper").alias("upper"),
            *words,
        )
    if "step" in frame.columns:
        return frame
    names = [column for column, kind in frame.schema.items() if kind == pl.String]
    return frame.sort(names)


def the_same(verb: Verb, seed: int) -> None:
    qrels, runs = a_collection(seed)
    expected = plain(verb(qrels, runs))
    for shuffle in range(2):
        turned = list(runs.items())
        random.Random(shuffle).shuffle(turned)
        found = plain(verb(qrels, dict(turned)))
        assert found.schema == expected.schema
        for column in expected.columns:
            ours, theirs = found[column], expected[column]
            if ours.dtype == pl.Float64:
                assert ours.to_list() == pytest.approx(theirs.to_list(), abs=1e-9, nan_ok=True)
            else:
                assert ours.to_list() == theirs.to_list(), column


@pytest.mark.parametrize(("kind", "name"), registered())
def test_every_registered_method(kind: str, name: str) -> None:
    the_same(verb_of(kind, name), 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize(("kind", "name"), registered())
def test_every_registered_method_on_more_collections(kind: str, name: str, seed: int) -> None:
    the_same(verb_of(kind, name), seed)


def test_every_measure() -> None:
    names = ["RBP(p=0.8)", "AP", "nDCG@5", "P@5", "ERR@5", "RR", "Rprec", "bpref", "infAP"]
    the_same(lambda qrels, runs: leadline.evaluate(qrels, runs, names, per_topic=True), 1)


def test_tiers_and_the_best_of_a_report_are_settled_by_name() -> None:
    def tiers(qrels: dict[str, dict[str, int]], runs: Runs) -> Result:
        return leadline.compare(qrels, runs, ["P@5"]).tiers

    the_same(tiers, 1)
    qrels, runs = a_collection(1)
    turned = dict(reversed(runs.items()))
    pages = [leadline.report(qrels, each, ["P@5"], command="x").page for each in (runs, turned)]
    shown = [re.findall(r'<th[^>]* title="([^"]+)"', page) for page in pages]
    assert shown[0] == shown[1]
    assert set(shown[0]) >= set(runs)
