"""Tasks and what they need."""

from pathlib import Path

from leadline.io.datasets import COLLECTION
from leadline.lab.benchmark.play import TASKS
from leadline.lab.benchmark.question import has_subtopics, judge_files
from leadline.measures.measure import parse_measure


def test_names_letters_and_measures_are_sound() -> None:
    assert [task.letter for task in TASKS] == list("abcddef")
    assert len({task.name for task in TASKS}) == len(TASKS)
    for task in TASKS:
        assert task.title
        assert task.unit
        assert list(task.budgets) == sorted(task.budgets)
        assert task.loss in ("rmse", "regret", "regret_five", "tau")
        for name in task.measures:
            parse_measure(name)


def test_a_collection_may_have_judgments_per_subtopic_or_not(tmp_path: Path) -> None:
    assert has_subtopics(str(COLLECTION))
    assert not has_subtopics("simulated/mixed")
    (tmp_path / "runs").mkdir()
    (tmp_path / "qrels.ndeval.txt").touch()
    # Without texts not even diversity is played.
    assert not any(task.plays_on(str(tmp_path)) for task in TASKS)
    (tmp_path / "docs.jsonl").touch()
    assert [task.name for task in TASKS if task.plays_on(str(tmp_path))] == ["diversity"]


def test_judges_are_the_files_of_a_folder(tmp_path: Path) -> None:
    assert judge_files(str(tmp_path)) == ()
    (tmp_path / "judges").mkdir()
    for name in ("b.qrels.gz", "a.qrels", "readme.txt"):
        (tmp_path / "judges" / name).touch()
    assert [Path(file).name for file in judge_files(str(tmp_path))] == ["a.qrels", "b.qrels.gz"]
