"""What runs and judgments do not share is said once, or refused."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from leadline.io.problems import MOST, InputError, Notices
from leadline.io.rows import Rows, rank
from leadline.io.topics_seen import (
    RunTopics,
    TopicsSeen,
    some_of,
    warn_undefined,
    warn_unknown_topics,
)
from leadline.measures.measure import measures
from tests.collections import Small
from tests.io.plain_files import cli, text


def topics_of(*topics: str) -> RunTopics:
    rows = [(topic, "d", 1.0) for topic in topics]
    table = Rows.of_frame(pl.DataFrame(rows, ["topic", "doc", "run_score"], orient="row"))
    (found,) = RunTopics.of(table, rank(table), TopicsSeen(["1", "2"], "qrels", None))
    return found


def said(seen: TopicsSeen, missing: str = "lowest", unjudged: str = "ignore") -> list[str]:
    notices = Notices()
    seen.report(notices, missing, unjudged)  # type: ignore[arg-type]
    return notices.lines()


def test_a_run_has_judged_topics_by_number_and_others_by_name() -> None:
    assert topics_of("2", "9", "1") == RunTopics(frozenset({0, 1}), ["9"])


def test_parts_of_a_run_join_unless_they_share_a_topic() -> None:
    one, other = topics_of("1", "8"), topics_of("2", "9")
    assert RunTopics.union([one, other]) == RunTopics(frozenset({0, 1}), ["8", "9"])
    assert RunTopics.union([one, topics_of("1")]) is None
    assert RunTopics.union([one, topics_of("8")]) is None


def test_missing_and_unjudged_topics_are_said() -> None:
    seen = TopicsSeen(["1", "2"], "my.qrels", None)
    seen.add("x", topics_of("1", "9"))
    seen.add("y", topics_of("1", "2", "9", "8"))
    lowest, ignored = said(seen)
    assert lowest == "x: returns nothing for 1 judged topics, which score their lowest: 2"
    assert ignored == "my.qrels: 2 topics of runs have no judgments and are ignored: 9, 8"
    skipped, included = said(seen, "skip", "include")
    assert "are skipped" in skipped
    assert "scored with everything unjudged" in included


def test_topics_nobody_asked_for_are_not_missed() -> None:
    seen = TopicsSeen(["1"], "qrels", ["1", "8"])
    seen.add("x", RunTopics(frozenset({0}), ["8", "9"]))
    assert said(seen) == ["qrels: 1 topics of runs have no judgments and are ignored: 8"]


def test_no_common_topic_is_an_error_with_both_sides() -> None:
    with pytest.raises(
        InputError, match="x: has no topic in common with q: the run has 01, the ju"
    ):
        TopicsSeen(["1"], "q", None).add("x", RunTopics(frozenset(), ["01"]))


def test_without_judgments_the_runs_own_topics_count_as_they_come() -> None:
    seen = TopicsSeen(None, "", ["5", "7"])
    assert seen.numbers(["7", "6", "5"]).tolist() == [0, -1, 1]
    assert seen.numbers(["5", "7"]).tolist() == [1, 0]
    seen.add("x", RunTopics(frozenset(), ["6"]))
    assert said(seen) == []


def test_topics_asked_for_that_are_not_there() -> None:
    notices = Notices()
    warn_unknown_topics("qrels", ["1", "8"], {"1", "2"}, notices)
    assert notices.lines() == ["qrels: has no judgments for 8 of the topics asked for"]
    warn_unknown_topics("", ["1"], {"1"}, notices)
    assert len(notices.problems) == 1
    with pytest.raises(InputError, match="no run returns anything for the topics given: 9"):
        warn_unknown_topics("", ["9"], {"1"}, notices)


def test_a_topic_undefined_for_every_run_is_said() -> None:
    small = Small({"x": {"1": ["a"], "2": ["a"]}}, {"1": {"a": 1}, "2": {"a": 0}}, 1)
    notices = Notices()
    warn_undefined(measures.parse("AP").score(small.lists()), notices)
    assert notices.lines() == ["AP: is undefined on 1 topics, which no mean includes: 2"]
    warn_undefined(measures.parse("P@1").score(small.lists()), notices)
    assert len(notices.problems) == 1


@pytest.mark.parametrize("n", [0, 1, MOST, MOST + 1])
def test_names_are_listed_as_far_as_one_reads(n: int) -> None:
    text = some_of([str(at) for at in np.arange(n)])
    assert text.count(",") == max(0, min(n, MOST) - 1) + (n > MOST)
    assert (f"({n} in all)" in text) == (n > MOST)


TWO_TOPICS = ["1 0 a 1", "2 0 b 1"]


def test_a_topic_missing_from_a_run_scores_its_lower_bound_and_is_listed(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(text(TWO_TOPICS))
    (tmp_path / "gappy.run").write_bytes(b"1 Q0 a 1 1 t\n")
    result = cli(
        tmp_path / "q", tmp_path / "gappy.run", "-m", "P@1", "-m", "RBP(p=0.8)", "--per-topic"
    )
    got = result.table()
    row = got["gappy", "2", "P@1"]
    assert [float(row[key]) for key in ("value", "lower", "upper")] == [0, 0, 0]
    # The reader of plain RBP does not stop where the list ends, not even at once.
    row = got["gappy", "2", "RBP(p=0.8)"]
    assert [float(row[key]) for key in ("value", "lower", "upper")] == [0, 0, 1]
    assert float(got["gappy", "all", "P@1"]["value"]) == 0.5
    said = next(line for line in result.err.splitlines() if "gappy" in line)
    assert said.rstrip(".").endswith("2")


def test_topics_missing_from_a_run_can_be_skipped(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(text(TWO_TOPICS))
    (tmp_path / "gappy.run").write_bytes(b"1 Q0 a 1 1 t\n")
    result = cli(tmp_path / "q", tmp_path / "gappy.run", "-m", "P@1", "--missing-topics", "skip")
    assert float(result.table()["gappy", "all", "P@1"]["value"]) == 1
    assert "gappy" in result.err


def test_at_most_ten_runs_with_missing_topics_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(text(TWO_TOPICS))
    for number in range(15):
        (tmp_path / f"gappy{number}.run").write_bytes(b"1 Q0 a 1 1 t\n")
    result = cli(tmp_path / "q", tmp_path / "gappy*.run", "-m", "P@1")
    lines = result.err.splitlines()
    assert sum("gappy" in line for line in lines) == 10
    assert any("5" in line for line in lines if "gappy" not in line)


def test_topics_without_judgments_are_ignored_and_counted(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(b"1 0 a 1\n")
    (tmp_path / "r").write_bytes(b"1 Q0 a 1 1 t\n7 Q0 a 1 1 t\n8 Q0 a 1 1 t\n")
    result = cli(tmp_path / "q", tmp_path / "r", "-m", "P@1", "--per-topic")
    assert {row["topic"] for row in result.rows()} == {"1", "all"}
    assert float(result.table()["r", "all", "P@1"]["value"]) == 1
    assert "2 topics" in result.err
    assert "no judgments" in result.err


def test_topics_without_judgments_can_be_included(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(b"1 0 a 1\n")
    (tmp_path / "r").write_bytes(b"1 Q0 a 1 1 t\n7 Q0 a 1 1 t\n")
    result = cli(
        tmp_path / "q", tmp_path / "r", "-m", "P@1", "--per-topic", "--unjudged-topics", "include"
    )
    got = result.table()
    row = got["r", "7", "P@1"]
    assert [float(row[key]) for key in ("value", "lower", "upper", "judged")] == [0, 0, 1, 0]
    row = got["r", "all", "P@1"]
    assert [float(row[key]) for key in ("value", "lower", "upper")] == [0.5, 0.5, 1]


def test_runs_with_different_topics_without_judgments_can_be_included(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(b"1 0 a 1\n")
    (tmp_path / "x.run").write_bytes(b"1 Q0 a 1 1 t\n7 Q0 a 1 1 t\n")
    (tmp_path / "y.run").write_bytes(b"8 Q0 a 1 1 t\n1 Q0 a 1 1 t\n")
    arguments = ("-m", "P@1", "--per-topic", "--unjudged-topics", "include")
    got = cli(tmp_path / "q", tmp_path / "x.run", tmp_path / "y.run", *arguments).table()
    assert float(got["x", "7", "P@1"]["upper"]) == 1
    assert float(got["y", "8", "P@1"]["upper"]) == 1
    assert {topic for _, topic, _ in got} == {"1", "7", "8", "all"}


def test_a_topic_with_only_unjudged_documents_has_no_judgments(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(b"1 0 a 1\n2 0 a -1\n")
    (tmp_path / "r").write_bytes(b"1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n")
    result = cli(tmp_path / "q", tmp_path / "r", "-m", "P@1", "--per-topic")
    assert {row["topic"] for row in result.rows()} == {"1", "all"}
