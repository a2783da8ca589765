"""Diversity measures equal their plain twins on random small collections, and on AMBIENT."""

import math
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.verbs.evaluate import evaluate
from tests.reference import divergence as text_twin
from tests.reference import diversity as twin
from tests.shared_data.where import collection

WORDS = ("tide", "fog", "rope", "sail", "Été", "mast_1", "reef")
READING = [("ABS", "nb"), ("ABS", "rb"), ("DELTA", "nb"), ("DELTA", "rb")]


@dataclass(frozen=True)
class Small:
    """Rankings, judgments by doc and subtopic, texts, and probabilities of one topic."""

    ranking: list[str]
    judged: twin.Judged
    texts: dict[str, str]
    intents: dict[str, float] | None

    def qrels(self) -> pl.DataFrame:
        rows = [("1", s, d, g) for d, grades in self.judged.items() for s, g in grades.items()]
        schema = {"topic": pl.String, "subtopic": pl.String, "doc": pl.String, "grade": pl.Int16}
        # A second topic, so that there are always two subtopics in the file.
        more = [("2", "x", "d0", 1), ("2", "y", "d0", 0)]
        return pl.DataFrame(rows + more, schema=schema, orient="row")

    def run(self) -> dict[str, dict[str, float]]:
        return {"1": {doc: -float(rank) for rank, doc in enumerate(self.ranking)}, "2": {"d0": 1.0}}

    def scores(self, names: list[str], **more: object) -> dict[str, float]:
        given = None
        if self.intents is not None:
            given = {"1": self.intents, "2": {"x": 1}}
        found = evaluate(self.qrels(), self.run(), names, intents=given, **more).scores
        return {name: float(each.over(("1", "2")).value[0, 0]) for name, each in found.items()}


@st.composite
def small(draw: st.DrawFn, weighed: bool = True) -> Small:
    docs = [f"d{number}" for number in range(6)]
    judged: twin.Judged = {}
    for doc in docs:
        chosen = draw(st.dictionaries(st.sampled_from("abc"), st.integers(0, 2), max_size=3))
        if chosen:
            judged[doc] = chosen
    if not judged:
        judged["d1"] = {"a": 1}
    ranking = draw(st.permutations(docs))[: draw(st.integers(1, 6))]
    texts = {doc: " ".join(draw(st.lists(st.sampled_from(WORDS), max_size=6))) for doc in docs}
    texts["d0"] += " tide fog"
    intents = None
    if weighed and draw(st.booleans()):
        shares = {name: draw(st.integers(1, 4)) for name in "abc"}
        counted = twin.subtopics_of(judged)
        total = sum(shares[name] for name in counted) or 1
        # The twin takes them as they are, so that those that count must add up to 1.
        intents = {name: shares[name] / total for name in "abc"}
    return Small(ranking, judged, texts, intents)


def same(value: float, expected: float) -> bool:
    return (math.isnan(value) and math.isnan(expected)) or abs(value - expected) <= 1e-9


@settings(max_examples=60)
@given(
    case=small(),
    k=st.integers(1, 6),
    alpha=st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0]),
    beta=st.sampled_from([0.2, 0.5, 0.8]),
    judged_only=st.booleans(),
)
def test_cascade_measures_equal_their_twins(
    case: Small, k: int, alpha: float, beta: float, judged_only: bool
) -> None:
    ranking = twin.condensed(case.ranking, case.judged) if judged_only else case.ranking
    more = f"judged_only={str(judged_only).lower()}"
    judged, intents = case.judged, case.intents
    given = (ranking, judged, k, alpha, 1, intents)
    expected = {
        f"alpha_DCG(alpha={alpha}, {more})@{k}": twin.alpha_dcg(*given),
        f"alpha_nDCG(alpha={alpha}, {more})@{k}": twin.alpha_ndcg(*given),
        f"ERR_IA(alpha={alpha}, {more})@{k}": twin.err_ia(*given),
        f"nERR_IA(alpha={alpha}, {more})@{k}": twin.nerr_ia(*given),
        f"NRBP(alpha={alpha}, beta={beta}, {more})": twin.nrbp(
            ranking, judged, alpha, beta, 1, intents
        ),
        f"nNRBP(alpha={alpha}, beta={beta}, {more})": twin.nnrbp(
            ranking, judged, alpha, beta, 1, intents
        ),
        f"P_IA({more})@{k}": twin.p_ia(ranking, judged, k, 1, intents),
        f"AP_IA({more})": twin.ap_ia(ranking, judged, 1, intents),
        f"ERR_IA(gains=exp2_scaled, max_grade=2, norm=false, {more})@{k}": twin.err_ia_as_printed(
            ranking, judged, k, 2, 1, intents
        ),
    }
    if intents is None:
        expected[f"StRec({more})@{k}"] = twin.strec(ranking, judged, k)
    found = list(case.scores(list(expected)).values())
    for (name, value), ours in zip(expected.items(), found, strict=True):
        assert same(ours, value), (name, ours, value)


@settings(max_examples=60)
@given(
    case=small(weighed=False),
    k=st.integers(1, 6),
    mu=st.sampled_from([0.5, 10.0, 2500.0]),
    theta=st.sampled_from([0.0, 0.5, 0.8]),
    clip=st.booleans(),
)
def test_measures_that_read_equal_a_dense_twin(
    case: Small, k: int, mu: float, theta: float, clip: bool
) -> None:
    texts = {doc: text_twin.words(text) for doc, text in case.texts.items()}
    whole = text_twin.Collection(texts)
    relevant = {
        subtopic: [doc for doc in case.judged if subtopic in twin.covered(doc, case.judged)]
        for subtopic in "abc"
    }
    expected = {}
    for kind, bias in READING:
        more = f"mu={mu}" + (f", theta={theta}" if bias == "rb" else "")
        more += "" if clip else ", clip=false"
        name = f"{kind}{bias}({more})@{k}"
        expected[name] = text_twin.divergence(
            whole, case.ranking, relevant, kind, bias, k, mu, theta, clip
        )
    found = list(case.scores(list(expected), docs=case.texts).values())
    for (name, value), ours in zip(expected.items(), found, strict=True):
        assert same(ours, value), (name, ours, value)


def ambient(every: int) -> None:
    """Scores of every so many runs, on all topics, equal the dense twin's."""
    folder = collection("ambient")
    names = [f"{kind}{bias}@20" for kind, bias in READING]
    runs = sorted((folder / "runs").iterdir())[::every]
    found = evaluate(folder / "qrels.ndeval.txt", runs, names, docs=folder)
    assert found.lists is not None
    rows = pl.read_csv(
        folder / "qrels.ndeval.txt", separator=" ", has_header=False, infer_schema=False
    )
    docs = pl.read_ndjson(_unpacked(folder / "docs.jsonl.gz"))
    whole = text_twin.Collection(
        {name: text_twin.words(text) for name, text in docs["id", "text"].rows()}
    )
    relevant: dict[str, dict[str, list[str]]] = {}
    for topic, subtopic, doc, grade in rows.rows():
        if int(grade) > 0:
            relevant.setdefault(topic, {}).setdefault(subtopic, []).append(doc)
    lists, n_compared = found.lists, 0
    assert lists.documents is not None
    assert lists.in_documents is not None
    for run in range(len(lists.runs)):
        for at, topic in enumerate(lists.topics):
            part = slice(lists.start[run, at], lists.stop[run, at])
            ranking = lists.documents.names.gather(lists.in_documents[part]).to_list()
            gains = text_twin.subtopic_gains(whole, ranking, relevant[topic], 20)
            for kind, bias in READING:
                rank = np.array(text_twin.rank_gains(gains, kind))
                weights = 0.2 * 0.8 ** np.arange(len(rank)) if bias == "rb" else 1.0
                value = found.scores[f"{kind}{bias}@20"].value[run, at]
                assert abs(value - float((rank * weights).sum())) <= 1e-9
                n_compared += 1
    assert n_compared == len(runs) * 44 * 4


def _unpacked(path: object) -> bytes:
    from leadline.files.source import read_source

    return read_source(path).data  # type: ignore[arg-type]


def test_one_run_of_ambient_equals_a_dense_twin() -> None:
    ambient(every=39)


@pytest.mark.slow
def test_every_run_of_ambient_equals_a_dense_twin() -> None:
    ambient(every=1)
