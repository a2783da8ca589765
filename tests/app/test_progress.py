"""Progress of a project made from a pool: its pairs, its texts, the pace, the time to finish."""

import json
from pathlib import Path

import pytest

from leadline.app.opening import new_project, open_project, other_scale
from leadline.app.progress import JudgingPace, by_topic, left_for, progress
from leadline.app.room import Assessor, Room
from leadline.app.snapshot import Snapshots
from leadline.judging.project import Project, read_project, write_project
from leadline.judging.stops import Budget, stops
from tests.app.projects import ANN, small_runs
from tests.app.rooms import Clock

BEN = Assessor("ben")


def pooled(folder: Path, **settings: object) -> Path:
    """Four documents of two runs, three of them in the pool."""
    small_runs(folder)
    (folder / "pool.csv").write_text("topic,doc\n1,d4\n1,d2\n1,d1\n")
    texts = [{"id": doc, "text": "words"} for doc in ("d1", "d2")]
    (folder / "docs.jsonl").write_text("".join(json.dumps(each) + "\n" for each in texts))
    write_project(
        folder,
        Project(pool="pool.csv", stop="", documents="docs.jsonl", **settings),  # type: ignore[arg-type]
    )
    return folder


def judged_at(room: Room, who: Assessor, seconds: float, clock: Clock) -> None:
    clock.now += seconds
    pair = room.next(who)
    assert pair is not None
    room.judge(who, pair, 1)


def test_progress_is_that_of_the_pool(tmp_path: Path) -> None:
    judging = open_project(pooled(tmp_path / "p", assessors_per_document=2))
    clock = Clock()
    judging.room.clock = clock
    snapshots = Snapshots(judging)
    before = snapshots.now()["progress"]
    assert (before["pairs"], before["judged"], before["to_judge"]) == (3, 0, (6, 6))
    assert (before["per_hour"], before["hours"]) == (None, None)
    for who in (ANN, BEN, ANN):
        judged_at(judging.room, who, 30, clock)
    now = snapshots.now()
    # One pair has both judgments, another one of two; the third has none.
    assert (now["pairs"], now["judged"]) == (3, 1)
    assert now["progress"]["to_judge"] == (3, 3)
    assert (now["progress"]["per_hour"], now["progress"]["people"]) == (120, 2)
    assert now["progress"]["hours"] == [0.025, 0.025]
    [count] = by_topic(judging.room.state.session)
    assert (count.topic, count.pairs, count.judged) == ("1", 3, 1)
    assert count.left == 2
    judging.close()


def test_a_budget_ends_a_pool_sooner(tmp_path: Path) -> None:
    folder = pooled(tmp_path / "p")
    text = (folder / "judge.toml").read_text().replace('stop = ""', 'stop = "2"')
    (folder / "judge.toml").write_text(text)
    judging = open_project(folder)
    assert progress(judging.room.state, (2, 2)).to_judge == (2, 2)
    assert Snapshots(judging).now()["progress"]["to_judge"] == (2, 2)
    judging.close()


def test_only_texts_of_the_pool_are_missing(tmp_path: Path) -> None:
    judging = open_project(pooled(tmp_path / "p"))
    [missing] = [each for each in judging.notices.problems if "missing" in each.message]
    assert missing.message.startswith("1 of 3 documents are missing")
    judging.close()


def test_the_pace_leaves_out_breaks_and_what_was_long_ago() -> None:
    assert JudgingPace.of([]) is None
    assert JudgingPace.of([(0.0, "ann")]) is None
    assert JudgingPace.of([(0.0, "ann"), (10.0, "ben")]) == JudgingPace(360.0, 2)
    # A break of more than five minutes, and half an hour before the last one.
    assert JudgingPace.of([(0.0, "ann"), (10.0, "ann"), (500.0, "ben")]) == JudgingPace(360.0, 2)
    assert JudgingPace.of([(0.0, "eve"), (3000.0, "ann"), (3020.0, "ann")]) == JudgingPace(180.0, 1)


def test_a_number_is_a_budget(tmp_path: Path) -> None:
    assert stops.parse("200") == Budget(200)
    small_runs(tmp_path / "p")
    new_project(tmp_path / "p", stop="200")
    assert read_project(tmp_path / "p").stop == "Budget(n=200)"
    with pytest.raises(ValueError, match="at least 1"):
        new_project(tmp_path / "q", stop="0", runs=str(tmp_path / "p" / "runs"))


def test_a_pool_is_judged_to_its_end_unless_a_rule_is_named(tmp_path: Path) -> None:
    small_runs(tmp_path / "p")
    (tmp_path / "p" / "pool.csv").write_text("topic,doc\n1,d4\n")
    new_project(tmp_path / "p", pool=str(tmp_path / "p" / "pool.csv"))
    assert read_project(tmp_path / "p").stop == ""


@pytest.mark.parametrize(
    ("given", "scale", "warned"),
    [
        ([0, 1], [0, 1], False),
        ([0, 3], [0, 1, 2, 3], False),
        ([0, 1], [0, 1, 2, 3], True),
        ([0, 4], [0, 1, 2, 3], True),
        ([2], [0, 1], True),
    ],
)
def test_judgments_on_another_scale_are_told(
    given: list[int], scale: list[int], warned: bool
) -> None:
    assert bool(other_scale(given, scale)) is warned


def test_the_warning_names_the_file_and_the_way_out(tmp_path: Path) -> None:
    small_runs(tmp_path / "p")
    (tmp_path / "p" / "qrels.txt").write_text("1 0 d1 1\n1 0 d2 0\n")
    _, notices = new_project(tmp_path / "p")
    [told] = [each for each in notices.problems if each.code == "scale"]
    assert "qrels.txt: uses the grades 0 to 1, and the project the grades 0 to 3" in str(told)
    assert "--no-use-judgments" in told.message


def test_assessors_see_how_much_is_left_for_them(tmp_path: Path) -> None:
    judging = open_project(pooled(tmp_path / "p", assessors_per_document=2))
    room, snapshots = judging.room, Snapshots(judging)
    assert snapshots.to_go_for(room.state, "ann", 0) == (3, 3)
    judged_at(room, ANN, 1, Clock())
    judged_at(room, BEN, 1, Clock())
    # Counted down with each judgment, and measured again after some.
    assert snapshots.to_go_for(room.state, "ann", 1) == (2, 2)
    assert left_for(room.state, "ann") == (2, 2)
    room.state.topics.holders.assign("1", ["ben"])
    assert left_for(room.state, "ben") == (2, 2)
    assert left_for(room.state, "ann") == (0, 0)
    judging.close()
