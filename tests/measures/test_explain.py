"""What words bring adds up to the gains, and the gains to the score."""

import polars as pl
import pytest

from leadline.api.explain import BEFORE, LENGTH, explain_list
from leadline.measures.diversity import sketch_texts
from leadline.measures.measure import measures
from leadline.measures.text_diversity import Divergence

COLLECTION = "tide tide fog sail reef reef reef rope"
SUBTOPICS = {"a": "tide tide fog", "b": "reef"}


def parsed(name: str) -> Divergence:
    measure = measures.parse(name)
    assert isinstance(measure, Divergence)
    return measure


@pytest.mark.parametrize("kind", ["ABSnb", "ABSrb", "DELTAnb", "DELTArb"])
@pytest.mark.parametrize("clip", ["true", "false"])
def test_parts_add_up(kind: str, clip: str) -> None:
    measure = parsed(f"{kind}(mu=2, clip={clip})@4")
    lists = sketch_texts("rope rope | tide fog | | reef reef", SUBTOPICS, COLLECTION)
    found = explain_list(measure, lists, 0, 0)
    assert found.score == measure.score(lists).value[0, 0]
    ranks = found.frame.group_by("rank", maintain_order=True).agg(
        pl.col("gain", "weight").first(), pl.col("part").sum()
    )
    assert ranks["rank"].to_list() == [1, 2, 3, 4]
    assert (ranks["gain"] * ranks["weight"]).sum() == pytest.approx(found.score)
    for row in ranks.iter_rows(named=True):
        if row["gain"] > 0:
            assert row["part"] == pytest.approx(row["gain"])
    if clip == "true":
        assert found.words()["part"].sum() == pytest.approx(found.score)


def test_the_word_of_the_subtopic_brings_the_gain_and_length_takes_away() -> None:
    found = explain_list(parsed("ABSnb(mu=1)@1"), sketch_texts("reef", SUBTOPICS, COLLECTION), 0, 0)
    assert found.frame["subtopic"].unique().to_list() == ["b"]
    assert found.frame["word"].to_list() == ["reef", LENGTH]
    above, below = found.frame["part"]
    assert above > 0 > below


def test_a_rise_from_below_nothing_tells_what_was_lacking() -> None:
    lists = sketch_texts("rope rope rope | reef", SUBTOPICS, COLLECTION)
    frame = explain_list(parsed("DELTAnb(mu=1)@2"), lists, 0, 0).frame
    assert frame.filter(pl.col("word") == BEFORE)["rank"].to_list() == [2]
    kept = explain_list(parsed("DELTAnb(mu=1, clip=false)@2"), lists, 0, 0).frame
    assert BEFORE not in kept["word"]


def test_nothing_defined_or_nothing_listed_has_no_rows() -> None:
    undefined = explain_list(
        parsed("ABSnb@2"), sketch_texts("reef", {"a:0": "x"}, COLLECTION), 0, 0
    )
    assert undefined.score != undefined.score
    silent = explain_list(parsed("ABSnb@2"), sketch_texts("reef", {"a": ""}, COLLECTION), 0, 0)
    assert silent.score == 0
    assert undefined.frame.is_empty()
    assert silent.frame.is_empty()
    assert silent.words().is_empty()
