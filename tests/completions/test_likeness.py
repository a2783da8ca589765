"""What words add to the estimates: likeness against its twin, and the option that asks for it."""

import gzip
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leadline
from leadline.api.estimate import estimate
from leadline.completions.features import likeness
from leadline.data.documents import WordCounts
from leadline.data.judgments import Judgments
from leadline.data.pairs import Pairs
from leadline.io.datasets import COLLECTION
from leadline.io.problems import InputError
from tests.reference.likeness import likeness as twin

WORDS = ["tide", "fog", "sail", "the"]
SHARES = {"tide": 0.2, "fog": 0.05, "sail": 0.01, "the": 1.0}

texts = st.dictionaries(st.sampled_from(WORDS), st.integers(1, 4), max_size=4)
verdicts = st.sampled_from([None, False, True])


@given(
    st.lists(texts, min_size=1, max_size=5),
    st.lists(st.lists(verdicts, min_size=5, max_size=5), min_size=1, max_size=3),
)
def test_likeness_equals_its_twin(docs: list[dict[str, int]], judged: list[list[object]]) -> None:
    names = [f"d{n}" for n in range(len(docs))]
    topics = [str(n) for n in range(len(judged))]
    pairs = Pairs.of([t for t in topics for _ in names], [d for _ in topics for d in names])
    counts = [sorted((WORDS.index(word), n) for word, n in each.items()) for each in docs]
    flat = [cell for each in counts for cell in each]
    words = WordCounts(
        pl.Series(WORDS),
        np.array([SHARES[word] for word in WORDS]),
        np.cumsum([0, *map(len, counts)]),
        np.array([word for word, _ in flat], np.int32),
        np.array([n for _, n in flat], np.int32),
    )
    known = [judged[t][d] for t in range(len(topics)) for d in range(len(names))]
    judgments = Judgments(
        pairs,
        np.array([each is not None for each in known]),
        np.array([int(each is True) for each in known], np.int16),
        max_grade=1,
    )
    found = likeness(words, pairs, judgments)
    for t, topic in enumerate(topics):
        told = {d: bool(v) for d, v in zip(names, judged[t], strict=False) if v is not None}
        wanted = twin(names, dict(zip(names, docs, strict=True)), SHARES, told)
        for d, doc in enumerate(names):
            assert found[t * len(names) + d] == pytest.approx(wanted[doc], abs=1e-12), topic


def test_text_changes_the_estimates_and_keeps_them_in_the_interval() -> None:
    names = ["Regression(draws=50)", "Regression(draws=50, text=true)"]
    found = leadline.estimate(COLLECTION, None, ["RBP(p=0.95)"], names, pool_depth=5)
    plain, reading = (found.filter(pl.col("estimator") == name) for name in names)
    assert (plain["value"] - reading["value"]).abs().max() > 1e-4  # type: ignore[operator]
    assert (found["value"] >= found["lower"]).all()
    assert (found["value"] <= found["upper"]).all()


def test_documents_may_be_given_and_missing_ones_are_said(tmp_path: Path) -> None:
    docs = tmp_path / "docs.jsonl"
    lines = gzip.decompress((COLLECTION / "docs.jsonl.gz").read_bytes()).decode().splitlines()
    docs.write_text("\n".join(lines[:-3]) + "\n")
    gone = [json.loads(line)["id"] for line in lines[-3:]]
    options = {"pool_depth": 5, "docs": docs}
    found = estimate(COLLECTION, None, "RBP(p=0.95)", "Regression(text=true)", **options)  # type: ignore[arg-type]
    [said] = [str(p) for p in found.notices.problems if p.code == "missing-doc"]
    assert "no text for 3 of" in said
    assert all(name in said for name in gone)


def test_without_documents_it_says_how_to_name_them() -> None:
    qrels, run = COLLECTION / "qrels.txt.gz", next((COLLECTION / "runs").iterdir())
    with pytest.raises(InputError, match="name them with `docs`"):
        leadline.estimate(qrels, [run], "RBP(p=0.95)", "Regression(text=true)")
