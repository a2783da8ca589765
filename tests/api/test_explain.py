"""explain: what words bring adds up to what evaluate scores."""

import polars as pl
import pytest

import leadline
from leadline.io.datasets import COLLECTION
from leadline.io.problems import InputError


def test_explain_adds_up() -> None:
    for name in ("DELTArb@20", "ABSnb@5"):
        frame = leadline.explain(COLLECTION, run="farlight-hand", topic="2", measure=name)
        by_rank = frame.group_by("rank").agg(
            pl.col("gain").first(), pl.col("weight").first(), pl.col("part").sum()
        )
        for rank, gain, weight, total in by_rank.rows():
            assert weight > 0, rank
            assert gain == pytest.approx(total, abs=1e-9) or gain == 0
        score = (by_rank["gain"] * by_rank["weight"]).sum()
        whole = leadline.evaluate(COLLECTION, measures=name, per_topic=True)
        value = whole.filter(run="farlight-hand", topic="2")["value"].item()
        assert score == pytest.approx(value, abs=1e-12)


def test_a_collection_read_before_gives_the_same() -> None:
    read = leadline.read(COLLECTION, subtopics=True)
    given = {"run": "farlight-hand", "topic": "2", "measure": "ABSnb@3"}
    again = leadline.explain(read, docs=COLLECTION, **given)
    assert again.frame.equals(leadline.explain(COLLECTION, **given).frame)


def test_only_so_many_words_of_each_rank() -> None:
    given = {"run": "farlight-hand", "topic": "2", "measure": "ABSnb@3"}
    whole, two = (leadline.explain(COLLECTION, words=words, **given) for words in (None, 2))
    assert two.frame.group_by("rank").len()["len"].max() == 2
    assert two.score == whole.score
    first = whole.frame.group_by("rank", maintain_order=True).head(2)
    assert two.frame.equals(first)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"measure": "P@5"}, "only measures that read documents can be explained"),
        ({"run": "nobody"}, "no run named nobody: choose one of anstey-"),
        ({"topic": "99"}, "topic 99 has no judgments per subtopic"),
    ],
)
def test_what_is_not_there_is_named(change: dict[str, str], told: str) -> None:
    given = {"run": "farlight-hand", "topic": "2", "measure": "ABSnb@3"} | change
    with pytest.raises((InputError, ValueError), match=told):
        leadline.explain(COLLECTION, **given)
