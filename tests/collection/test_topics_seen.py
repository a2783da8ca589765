"""What runs and judgments do not share is said once, or refused."""

import numpy as np
import polars as pl
import pytest

from leadline.collection.topics_seen import (
    RunTopics,
    TopicsSeen,
    say_undefined,
    say_unknown,
    some_of,
)
from leadline.files.problems import MOST, InputError, Notices
from leadline.formats.ranking import rank
from leadline.formats.rows import Rows
from leadline.measures.measure import measures
from tests.collections import Small


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
    say_unknown("qrels", ["1", "8"], {"1", "2"}, notices)
    assert notices.lines() == ["qrels: has no judgments for 8 of the topics asked for"]
    say_unknown("", ["1"], {"1"}, notices)
    assert len(notices.problems) == 1
    with pytest.raises(InputError, match="no run returns anything for the topics given: 9"):
        say_unknown("", ["9"], {"1"}, notices)


def test_a_topic_undefined_for_every_run_is_said() -> None:
    small = Small({"x": {"1": ["a"], "2": ["a"]}}, {"1": {"a": 1}, "2": {"a": 0}}, 1)
    notices = Notices()
    say_undefined(measures.parse("AP").score(small.lists()), notices)
    assert notices.lines() == ["AP: is undefined on 1 topics, which no mean includes: 2"]
    say_undefined(measures.parse("P@1").score(small.lists()), notices)
    assert len(notices.problems) == 1


@pytest.mark.parametrize("n", [0, 1, MOST, MOST + 1])
def test_names_are_listed_as_far_as_one_reads(n: int) -> None:
    text = some_of([str(at) for at in np.arange(n)])
    assert text.count(",") == max(0, min(n, MOST) - 1) + (n > MOST)
    assert (f"({n} in all)" in text) == (n > MOST)
