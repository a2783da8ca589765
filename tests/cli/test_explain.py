"""`leadline explain`: a table of words, and what it does not know."""

from leadline.io.datasets import COLLECTION
from tests.cli.program import call, good


def test_explain_shows_a_table_and_refuses_what_it_does_not_know() -> None:
    given = ("explain", COLLECTION, "--run", "farlight-hand", "--topic", "1")
    done = call(*given, "--format", "table")
    assert done.code == 0
    assert "DELTArb@20 of farlight-hand on topic 1" in done.err
    assert call("explain", COLLECTION, "--run", "nobody", "--topic", "1").code == 2
    assert call("explain", COLLECTION, "--run", "farlight-hand", "--topic", "99").code == 2
    wrong = call(*given, "-m", "P@10")
    assert "only measures that read documents" in wrong.err


def test_only_so_many_words_of_each_rank_are_written() -> None:
    given = ("explain", COLLECTION, "--run", "farlight-hand", "--topic", "1", "-m", "ABSnb@3")
    rows = good(call(*given, "--words", "2")).rows()
    ranks = [row["rank"] for row in rows]
    assert sorted(set(ranks)) == ["1", "2", "3"]
    assert all(ranks.count(rank) <= 2 for rank in ranks)
