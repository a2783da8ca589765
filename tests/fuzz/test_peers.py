"""Scores of generated collections equal those of pytrec_eval, ir_measures, pyndeval, trec_eval."""

import math
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import ir_measures
import numpy as np
import pyndeval
import pytest
import pytrec_eval

import leadline
from leadline.api.evaluate import evaluate
from leadline.io.problems import InputError
from scripts.peer_cases import CASES, Case
from tests.fuzz.generated import Generated, generated
from tests.shared_data.test_ndeval import NAMES as DIVERSITY
from tests.shared_data.test_oracles import CUT, WHOLE

REFUSED = {
    *("docno in Latin-1", "docno of a megabyte", "score in Arabic digits"),
    *("grade of 30 digits", "grade 4294967296", "grade in Arabic digits"),
}
"""What has a meaning, but not one that we take."""

LONG = bool(os.environ.get("LEADLINE_RANDOM_EXAMPLES"))
FIRST = int.from_bytes(os.urandom(4), "little") if LONG else 0
MANY, FEW = (2000, 1000) if LONG else (60, 25)
TREC = [*WHOLE, *(f"{name}_{k}" for name in CUT for k in (1, 3, 10))]
IR_MEASURES = ["AP", "AP@3", "nDCG", "nDCG@3", "P@3", "R@3", "RR", "Rprec", "Bpref", "NumRet"]


def collections(n: int, tmp_path: Path, subtopics: bool = False) -> Iterator[tuple[int, Generated]]:
    """Collections by their seed, each written to the files qrels and run."""
    for seed in range(FIRST, FIRST + n):
        made = generated(seed, subtopics)
        if all(grade <= -1 for *_, grade in made.judged):
            continue
        (tmp_path / "qrels").write_bytes(made.qrels())
        (tmp_path / "run").write_bytes(made.run())
        yield seed, made


def ours(tmp_path: Path, names: list[str]) -> dict[str, dict[str, float]]:
    """Our scores by the peer's name of the measure and by topic, undefined ones NaN."""
    scores = evaluate(tmp_path / "qrels", tmp_path / "run", names).scores
    found = {}
    for name in names:
        each = scores[str(leadline.parse_measure(name))]
        found[name] = dict(zip(each.topics, each.value[0].tolist(), strict=True))
    return found


def same(value: float, theirs: float) -> bool:
    """Equal, where a peer that has no undefined scores says 0 for them."""
    return theirs == 0 if math.isnan(value) else abs(value - theirs) <= 1e-9


def as_dicts(made: Generated) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    grades: dict[str, dict[str, int]] = {}
    for topic, _, doc, grade in made.judged:
        grades.setdefault(topic, {})[doc] = grade
    run = {t: {doc: float(s) for doc, s in docs} for t, docs in made.lists.items()}
    return grades, run


def test_pytrec_eval_says_the_same(tmp_path: Path) -> None:
    n_compared = 0
    asked = {*WHOLE, *(f"{name}.1,3,10" for name in CUT)}
    for seed, made in collections(MANY, tmp_path):
        grades, run = as_dicts(made)
        theirs = pytrec_eval.RelevanceEvaluator(grades, asked).evaluate(run)
        for name, values in ours(tmp_path, TREC).items():
            for topic, value in values.items():
                if topic in theirs:
                    assert same(value, theirs[topic][name]), (seed, name, topic, value)
                    n_compared += 1
    assert n_compared > MANY * len(TREC)


def test_ir_measures_says_the_same(tmp_path: Path) -> None:
    measures = [ir_measures.parse_measure(name) for name in IR_MEASURES]
    n_compared = 0
    for seed, _ in collections(MANY, tmp_path):
        qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "qrels")))
        run = list(ir_measures.read_trec_run(str(tmp_path / "run")))
        values = ours(tmp_path, IR_MEASURES)
        for each in ir_measures.iter_calc(measures, qrels, run):
            if each.query_id in values[str(each.measure)]:
                value = values[str(each.measure)][each.query_id]
                assert same(value, each.value), (seed, each, value)
                n_compared += 1
    assert n_compared > MANY * len(measures)


def test_pyndeval_says_the_same(tmp_path: Path) -> None:
    n_compared = 0
    for seed, made in collections(FEW, tmp_path, subtopics=True):
        run = [(t, doc, float(s)) for t, docs in made.lists.items() for doc, s in docs]
        theirs = pyndeval.RelevanceEvaluator(made.judged, list(DIVERSITY)).evaluate(run)
        n_subtopics: dict[str, set[str]] = {}
        for topic, subtopic, _, grade in made.judged:
            if grade > 0:
                n_subtopics.setdefault(topic, set()).add(subtopic)
        try:
            values = ours(tmp_path, list(DIVERSITY))
        except InputError as error:
            assert "has no subtopics" in str(error)
            assert len({subtopic for _, subtopic, *_ in made.judged}) == 1
            continue
        for name, by_topic in values.items():
            for topic in set(by_topic) & set(theirs) & set(n_subtopics):
                expected = theirs[topic][name]
                if name in ("ERR-IA@1", "alpha-DCG@1"):
                    # ndeval's loop that divides by the ideal begins at the second rank.
                    expected /= len(n_subtopics[topic])
                assert abs(by_topic[topic] - expected) <= 1e-9, (seed, name, topic, expected)
                n_compared += 1
    assert n_compared > FEW * len(DIVERSITY) / 2


@pytest.mark.skipif(not os.environ.get("TREC_EVAL"), reason="TREC_EVAL names no trec_eval")
def test_trec_eval_says_the_same(tmp_path: Path) -> None:
    asked = ["map", "Rprec", "recip_rank", "bpref", "ndcg", "P_5", "ndcg_cut_10", "recall_5"]
    command = [os.environ["TREC_EVAL"], "-q", "-c", "-m", "all_trec"]
    for seed, _ in collections(FEW, tmp_path):
        files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
        out = subprocess.run([*command, *files], capture_output=True, text=True, check=True).stdout
        theirs = {tuple(words[:2]): words[2] for words in map(str.split, out.splitlines())}
        for name, values in ours(tmp_path, asked).items():
            for topic, value in values.items():
                # It prints four digits.
                expected = float(theirs.get((name, topic), "0"))
                shown = 0.0 if np.isnan(value) else value
                assert abs(shown - expected) <= 5.1e-5, (seed, name, topic, value)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def test_no_odd_input_gives_a_wrong_number(case: Case, tmp_path: Path) -> None:
    """Where docs/peers.md has other tools silently wrong, ours is right or refuses."""
    qrels, run = tmp_path / "qrels", tmp_path / f"run{case.suffix}"
    qrels.write_bytes(case.qrels)
    run.write_bytes(case.run)
    try:
        value = evaluate(qrels, run, "AP").scores["AP"].mean()
    except InputError as error:
        refused = case.meant is None or case.what in REFUSED
        assert refused, error
        return
    assert case.what not in REFUSED
    assert case.meant is not None, "taken for something"
    assert value == pytest.approx([case.average_precision()])
