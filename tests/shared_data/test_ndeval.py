"""Established diversity measures equal ndeval's (pyndeval) on TREC's Web Track and on AMBIENT."""

from pathlib import Path

import numpy as np
import pyndeval
import pytest

from leadline.api.evaluate import evaluate
from leadline.io.source import read_source
from tests.shared_data.where import collection

CUTS = (1, 3, 5, 10, 20)
OURS = {
    "alpha-DCG": "alpha_DCG",
    "alpha-nDCG": "alpha_nDCG",
    "ERR-IA": "ERR_IA",
    "nERR-IA": "nERR_IA",
    "P-IA": "P_IA",
    "strec": "StRec",
}
NAMES = {f"{theirs}@{k}": f"{ours}@{k}" for theirs, ours in OURS.items() for k in CUTS}
NAMES |= {"NRBP": "NRBP", "nNRBP": "nNRBP", "MAP-IA": "AP_IA"}
YEARS = {
    "2009": ("2009.qrels.diversity.gz",),
    "2010": ("2010.10.diversity-qrels.final.txt.gz",),
    "2011": ("2011.qrels-for-ndeval.txt.gz", "2011.qrels.diversity.txt.gz"),
    "2012": ("2012.qrels-for-ndeval.txt.gz", "2012.qrels.diversity.txt.gz"),
}


def judgments(path: Path) -> list[tuple[str, str, str, int]]:
    rows = [line.split() for line in read_source(path).data.decode().splitlines()]
    return [(topic, subtopic, doc, int(grade)) for topic, subtopic, doc, grade in rows]


def ranked(path: Path) -> list[tuple[str, str, float]]:
    """The run by falling score, ties by falling docno as in ndeval -traditional.

    Ranks as scores, because pyndeval breaks ties in the other direction.
    """
    lists: dict[str, list[tuple[np.float32, str]]] = {}
    for line in read_source(path).data.decode().splitlines():
        topic, _, doc, _, score, _ = line.split()
        lists.setdefault(topic, []).append((np.float32(score), doc))
    return [
        (topic, doc, -float(rank))
        for topic, docs in lists.items()
        for rank, (_, doc) in enumerate(sorted(docs, reverse=True))
    ]


def compare(qrels: Path, runs: list[Path]) -> None:
    rows = judgments(qrels)
    n_subtopics: dict[str, set[str]] = {}
    for topic, subtopic, _, grade in rows:
        if grade > 0:
            n_subtopics.setdefault(topic, set()).add(subtopic)
    oracle = pyndeval.RelevanceEvaluator(rows, list(NAMES))
    ours = evaluate(qrels, runs, list(NAMES)).scores
    assert list(ours) == list(NAMES.values())
    n_compared = 0
    for r, path in enumerate(runs):
        theirs = oracle.evaluate(ranked(path))
        for their, our in NAMES.items():
            scores = ours[our]
            for t, topic in enumerate(scores.topics):
                if topic not in theirs:
                    assert scores.value[r, t] == 0 or np.isnan(scores.value[r, t])
                    continue
                expected, value = theirs[topic][their], scores.value[r, t]
                if topic not in n_subtopics:
                    assert np.isnan(value)
                    assert np.isnan(expected) or expected == 0
                    continue
                if their in ("ERR-IA@1", "alpha-DCG@1"):
                    # ndeval's loop that divides by the ideal begins at the second rank.
                    expected /= len(n_subtopics[topic])
                assert abs(value - expected) <= 1e-9, (path.name, topic, our, value, expected)
                n_compared += 1
    assert n_compared >= len(runs) * len(NAMES) * 40


def web_runs(folder: Path, year: str) -> list[Path]:
    found = [folder / f"indri_baseline_wt{year}.gz"]
    return found + (sorted((folder / "runs2012").iterdir()) if year == "2012" else [])


@pytest.mark.parametrize("year", YEARS)
def test_every_topic_of_the_web_track_equals_ndeval(year: str) -> None:
    folder = collection("trec_web")
    for name in YEARS[year]:
        compare(folder / name, web_runs(folder, year))


def test_every_topic_and_run_of_ambient_equals_ndeval() -> None:
    folder = collection("ambient")
    compare(folder / "qrels.ndeval.txt", sorted((folder / "runs").iterdir()))
