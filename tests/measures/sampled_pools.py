"""Sampled pools for Hypothesis, and what every estimate from them must equal."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from hypothesis import strategies as st

from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.pairs import Pairs
from leadline.data.runs import Runs
from leadline.measures.measure import measures


@dataclass(frozen=True)
class Doc:
    """A document of the pool: its stratum, inclusion probability and grade, None if not drawn."""

    stratum: int
    inclusion: float
    grade: int | None


Pool = dict[str, Doc]
Plain = Callable[[list[str], Pool], float]


def rates(pool: Pool) -> dict[int, float]:
    """N / n of each stratum of which something was judged."""
    found = {}
    for stratum in {doc.stratum for doc in pool.values()}:
        docs = [doc for doc in pool.values() if doc.stratum == stratum]
        judged = sum(doc.grade is not None for doc in docs)
        if judged:
            found[stratum] = len(docs) / judged
    return found


def is_relevant(pool: Pool, name: str, rel: int = 1) -> bool:
    return name in pool and (pool[name].grade or 0) >= rel


@dataclass(frozen=True)
class SampledCase:
    """Rankings by run and topic, and the pool of each topic."""

    runs: list[dict[str, list[str]]]
    pools: dict[str, Pool]

    def lists(self, by_inclusion: bool) -> Lists:
        pairs_of = {
            (topic, doc)
            for topic, pool in self.pools.items()
            for doc in [*pool, *(d for run in self.runs for d in run[topic])]
        }
        topics = list(self.pools)
        pairs = Pairs.of([t for t, _ in pairs_of], [d for _, d in pairs_of], topics)
        pair, start, stop = [], [], []
        for run in self.runs:
            for topic in pairs.topics:
                start.append(len(pair))
                pair += pairs.find([topic] * len(run[topic]), run[topic]).tolist()
                stop.append(len(pair))
        shape = (len(self.runs), len(topics))
        runs = Runs(
            pairs,
            tuple(f"run{number}" for number in range(len(self.runs))),
            np.array(pair, np.int32),
            np.reshape(start, shape),
            np.reshape(stop, shape),
        )
        docs = [self.pools[topic].get(doc) for topic, doc in map(pairs.name, range(len(pairs)))]
        grades = [None if doc is None else doc.grade for doc in docs]
        return Lists.of(
            runs,
            Judgments(
                pairs,
                [grade is not None for grade in grades],
                [grade or 0 for grade in grades],
                [doc is not None for doc in docs],
                [0.0 if doc is None else doc.inclusion for doc in docs] if by_inclusion else None,
                None if by_inclusion else [-1 if doc is None else doc.stratum for doc in docs],
                max_grade=3,
            ),
        )

    def qrels(self, by_inclusion: bool) -> pl.DataFrame:
        rows = [
            (topic, name, -1 if doc.grade is None else doc.grade, doc.inclusion, doc.stratum)
            for topic, pool in self.pools.items()
            for name, doc in pool.items()
        ]
        frame = pl.DataFrame(
            rows, schema=["topic", "doc", "grade", "inclusion", "stratum"], orient="row"
        )
        return frame.drop("stratum" if by_inclusion else "inclusion")


@st.composite
def cases(draw: st.DrawFn) -> SampledCase:
    docs = [f"d{number}" for number in range(draw(st.integers(1, 12)))]
    shares = [1.0, 0.5, 0.2]
    pools = {}
    for topic in ("1", "2")[: draw(st.integers(1, 2))]:
        pool = {}
        for doc in docs:
            stratum = draw(st.integers(-1, 2))
            if stratum >= 0:
                grade = draw(st.none() | st.integers(0, 3))
                pool[doc] = Doc(stratum, shares[stratum], grade)
        # A topic without any judgment is no topic, and a sample has documents left out.
        pools[topic] = {**pool, "judged": Doc(0, 1.0, 0), "left out": Doc(1, 0.5, None)}
    everything = [*docs, "outside"]
    runs = [
        {
            topic: draw(st.permutations(everything))[: draw(st.integers(0, len(everything)))]
            for topic in pools
        }
        for _ in range(draw(st.integers(1, 3)))
    ]
    return SampledCase(runs, pools)


def jackknife(plain: Plain, ranking: list[str], pool: Pool, name: str, by_inclusion: bool) -> float:
    """The variance: sum over judged documents of (1 - inclusion) * (score - score without it)^2."""
    score = plain(ranking, pool)
    merged = {n: Doc(0, d.inclusion, d.grade) for n, d in pool.items()}
    weight = rates(merged if name.startswith("infAP") else pool)
    variance = 0.0
    for each, doc in pool.items():
        if doc.grade is None:
            continue
        less = plain(ranking, {**pool, each: Doc(doc.stratum, doc.inclusion, None)})
        stratum = 0 if name.startswith("infAP") else doc.stratum
        share = doc.inclusion if by_inclusion else 1 / weight[stratum]
        variance += (1 - share) * (score - (0.0 if math.isnan(less) else less)) ** 2
    return math.nan if math.isnan(score) else variance


def check_against_loops(case: SampledCase, loops: dict[str, Plain], by_inclusion: bool) -> None:
    """Scores and standard errors of measures are those of plain loops, and certain of nothing."""
    lists = case.lists(by_inclusion)
    for name, plain in loops.items():
        scores = measures.parse(name).score(lists)
        assert np.isnan(scores.lower).all()
        assert scores.standard_error is not None
        for r, run in enumerate(case.runs):
            for t, topic in enumerate(scores.topics):
                expected = plain(run[topic], case.pools[topic])
                variance = jackknife(plain, run[topic], case.pools[topic], name, by_inclusion)
                assert scores.value[r, t] == pytest.approx(expected, abs=1e-12, nan_ok=True), name
                error = scores.standard_error[r, t]
                if name.startswith("HorvitzThompson") and np.isnan(error):
                    # No relevant document was sampled at random, and some are unjudged.
                    assert variance == pytest.approx(0, abs=1e-10)
                    docs = map(case.pools[topic].get, run[topic])
                    assert name == "HorvitzThompson(of=NumRel)" or any(
                        doc is None or doc.grade is None for doc in docs
                    )
                    continue
                assert error**2 == pytest.approx(variance, abs=1e-10, nan_ok=True), name


def check_complete(case: SampledCase, complete: dict[str, str]) -> None:
    """Where all of the pool was judged, estimates are the complete measures, without error."""
    pools = {
        topic: {
            name: Doc(doc.stratum, 1.0, doc.grade)
            for name, doc in pool.items()
            if doc.grade is not None
        }
        for topic, pool in case.pools.items()
    }
    for by_inclusion in (False, True):
        lists = SampledCase(case.runs, pools).lists(by_inclusion)
        for name, measure in complete.items():
            scores = measures.parse(name).score(lists)
            expected = measures.parse(measure).score(lists).value
            assert np.allclose(scores.value, expected, rtol=0, atol=1e-5, equal_nan=True), name
            assert scores.standard_error is not None
            defined = ~np.isnan(scores.value)
            assert (scores.standard_error[defined] == 0).all()
