"""Estimates from samples of real judgments: as trec_eval, complete at rate 1, without bias."""

import os
import subprocess
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import pytrec_eval

import leadline
from leadline.api.evaluate import evaluate
from leadline.data.arrays import Floats
from leadline.data.draw import draw
from leadline.data.lists import Lists
from leadline.data.pool import Pool
from leadline.io.collection import Collection
from leadline.io.source import read_source
from leadline.measures.measure import Weighted
from tests.shared_data.test_oracles import run_scores
from tests.shared_data.where import collection

COLLECTIONS = ["trec8_adhoc", "robust2004_pooled42", "trec_covid_round1"]


def sampled_qrels(folder: Path, rate: float) -> dict[str, dict[str, int]]:
    """The collection's judgments with -1 for those that were not drawn."""
    rng = np.random.default_rng(5)
    grades: dict[str, dict[str, int]] = {}
    for line in read_source(folder / "qrels.txt.gz").data.decode().splitlines():
        topic, _, doc, grade = line.split()
        drawn = rng.random() < rate
        grades.setdefault(topic, {})[doc] = max(int(grade), 0) if drawn else -1
    return grades


@pytest.mark.parametrize("name", COLLECTIONS)
def test_infap_of_a_sample_equals_trec_evals(name: str) -> None:
    folder = collection(name)
    paths = sorted((folder / "runs").iterdir())[2::40]
    for rate in (0.1, 0.3):
        qrels = sampled_qrels(folder, rate)
        ours = evaluate(qrels, paths, ["infAP"]).scores["infAP"]
        oracle = pytrec_eval.RelevanceEvaluator(qrels, {"infAP"})
        n_compared = 0
        for r, path in enumerate(paths):
            theirs = oracle.evaluate(run_scores(path))
            for t, topic in enumerate(ours.topics):
                if topic in theirs and not np.isnan(ours.value[r, t]):
                    n_compared += 1
                    assert abs(ours.value[r, t] - theirs[topic]["infAP"]) <= 1e-9
        assert n_compared > 20 * len(paths)


COMPLETE = {
    "infAP": "AP",
    "xinfAP": "AP",
    "statAP": "AP",
    "infNDCG": "nDCG",
    "infNDCG@10": "nDCG@10",
    "HorvitzThompson(of=NumRel)": "NumRel",
    "HorvitzThompson(of=P@10)": "P@10",
    "HorvitzThompson(of=RBP(p=0.95))": "RBP(p=0.95)",
    "HorvitzThompson(of=DCG@100)": "DCG@100",
}


def check_complete(name: str, step: int) -> None:
    folder = collection(name)
    paths = sorted((folder / "runs").iterdir())[::step]
    read = leadline.read(folder / "qrels.txt.gz", paths)
    judged = read.judgments.judged
    stratum = np.where(judged, read.runs.best_rank > 10, -1)
    pool = Pool(read.runs.pairs, judged, judged * 1.0, stratum, "all of it")
    lists = Lists.of(read.runs, pool.restrict(read.judgments))
    for estimate, complete in COMPLETE.items():
        scores = leadline.parse_measure(estimate).score(lists)
        expected = leadline.parse_measure(complete).score(lists).value
        assert np.allclose(scores.value, expected, rtol=0, atol=1e-5, equal_nan=True), estimate


@pytest.mark.parametrize("name", COLLECTIONS)
def test_at_rate_one_a_few_runs_have_the_complete_score(name: str) -> None:
    check_complete(name, 20)


@pytest.mark.slow
@pytest.mark.parametrize("name", COLLECTIONS)
def test_at_rate_one_every_run_has_the_complete_score(name: str) -> None:
    check_complete(name, 1)


WEIGHTED = ["P@10", "RBP(p=0.95)", "DCG@100", "SDCG@1000"]


def contributions(read: Collection, name: str, pair: np.ndarray) -> Floats:
    """[run, pair]: what each relevant pair adds to the mean over topics of each run."""
    runs, n_topics = read.runs, len(read.runs.pairs.topics)
    place = np.full(len(runs.pairs), -1)
    place[pair] = np.arange(len(pair))
    entry = np.flatnonzero(place[runs.pair] >= 0)
    if name == "NumRel":
        return np.full((len(runs.names), len(pair)), 1 / n_topics)
    measure = leadline.parse_measure(name)
    assert isinstance(measure, Weighted)
    gain = measure.gain(read.judgments.max_grade)[read.judgments.grade[runs.pair[entry]]]
    weight = measure.weights(int(runs.entries.rank.max()))[runs.entries.rank[entry] - 1]
    last = runs.stop[:, -1]
    table = np.zeros((len(runs.names), len(pair)))
    table[np.searchsorted(last, entry, side="right"), place[runs.pair[entry]]] = gain * weight
    return table / n_topics


def check_unbiased(n_draws: int, step: int) -> None:
    """Every run's mean of each total over many draws, and that of its variance, beside the truth.

    The pool draws a pair by a number that depends on seed, topic and doc; so does this. Totals are
    sums over pairs, so all draws are one product of matrices, checked against the measures.
    """
    folder = collection("trec8_adhoc")
    read = leadline.read(folder / "qrels.txt.gz", sorted((folder / "runs").iterdir())[::step])
    judgments, pairs = read.judgments, read.runs.pairs
    near = read.runs.best_rank <= 10
    inclusion = np.where(judgments.judged, np.where(near, 0.5, 0.1), 0.0)
    stratum = np.where(judgments.judged, np.where(near, 0, 1), -1)
    pair = np.flatnonzero(judgments.grade > 0)
    share = inclusion[pair]
    names = [pairs.name(int(each)) for each in pair]
    drawn = np.stack([draw(seed, names) for seed in range(n_draws)]) < share
    for name in ("NumRel", *WEIGHTED):
        scores = leadline.parse_measure(name).score(Lists.of(read.runs, judgments))
        # Counts are summed over topics, all else is a mean.
        n_means = len(scores.topics) if scores.over_topics == "sum" else 1
        part = n_means * contributions(read, name, pair)
        truth = part.sum(axis=1)
        assert np.allclose(truth, scores.mean(), rtol=0, atol=1e-9)
        totals = (drawn / share) @ part.T
        error = totals.std(axis=0, ddof=1) / np.sqrt(n_draws)
        assert (abs(totals.mean(axis=0) - truth) <= 4 * error + 1e-12).all(), name
        variances = (drawn * (1 - share) / share**2) @ (part**2).T
        exact = ((1 - share) / share * part**2).sum(axis=1)
        error = variances.std(axis=0, ddof=1) / np.sqrt(n_draws)
        assert (abs(variances.mean(axis=0) - exact) <= 4 * error + 1e-12).all(), name
        for seed in range(3):
            member = np.zeros(len(pairs), np.bool_)
            member[pair] = drawn[seed]
            pool = Pool(pairs, member, inclusion, stratum, "drawn", seed)
            lists = Lists.of(read.runs, pool.restrict(judgments))
            scores = leadline.parse_measure(f"HorvitzThompson(of={name})").score(lists)
            assert np.allclose(scores.mean(), totals[seed], rtol=1e-9)
            assert scores.standard_error is not None
            # A topic without an error adds nothing here, and leaves the mean without one.
            by_topic = np.nan_to_num(scores.standard_error) ** 2
            n_topics = len(scores.topics) / n_means
            assert np.allclose(by_topic.sum(axis=1) / n_topics**2, variances[seed], rtol=1e-9)
            unknown = np.isnan(scores.standard_error).any(axis=1)
            assert (np.isnan(scores.mean_error()) == unknown).all()


def test_horvitz_thompson_totals_have_no_bias_over_a_few_draws() -> None:
    check_unbiased(200, 16)


@pytest.mark.slow
def test_horvitz_thompson_totals_have_no_bias_over_2000_draws() -> None:
    check_unbiased(2000, 1)


@pytest.mark.parametrize("name", COLLECTIONS)
def test_estimates_over_strata_equal_sample_evals(name: str, tmp_path: Path) -> None:
    script = os.environ.get("SAMPLE_EVAL")
    if script is None:
        pytest.skip("set SAMPLE_EVAL to the path of NIST's sample_eval.pl")
    folder = collection(name)
    paths = sorted((folder / "runs").iterdir())[1::30]
    strategy = "Stratified(strata=[(10, 1), (20, 0.4), (70, 0.1)])"
    pool = leadline.pool(folder, strategy=strategy, all_runs=True, undrawn=True)
    qrels = pl.DataFrame(
        [
            (topic, doc, grade)
            for topic, docs in sampled_qrels(folder, 1.0).items()
            for doc, grade in docs.items()
        ],
        schema=["topic", "doc", "grade"],
        orient="row",
    )
    lines = pool.join(qrels, on=["topic", "doc"], maintain_order="left").select(
        "topic",
        pl.lit(0).alias("iteration"),
        "doc",
        "stratum",
        grade=pl.when("drawn").then("grade").otherwise(-1),
    )
    lines.write_csv(tmp_path / "prels", separator=" ", include_header=False)
    names = {"infAP": "xinfAP@1000", "infNDCG": "infNDCG@1000"}
    ours = evaluate(tmp_path / "prels", paths, [*names.values()], ties="float64").scores
    for r, path in enumerate(paths):
        (tmp_path / "run").write_bytes(read_source(path).data)
        asked = ["perl", script, "-q", str(tmp_path / "prels"), str(tmp_path / "run")]
        done = subprocess.run(asked, capture_output=True, text=True, check=True)
        shown = [line.split() for line in done.stdout.splitlines()]
        theirs = {(each[0], each[1]): float(each[2]) for each in shown if len(each) == 3}
        for theirs_name, our_name in names.items():
            scores = ours[our_name]
            values = dict(zip(scores.topics, np.nan_to_num(scores.value[r]), strict=True))
            known = [topic for topic in scores.topics if (theirs_name, topic) in theirs]
            assert len(known) > 20
            for topic in known:
                assert abs(values[topic] - theirs[theirs_name, topic]) <= 0.5001e-4
