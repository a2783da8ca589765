"""Entrants are found, and files of others become entrants."""

from pathlib import Path

import pytest

from leadline.lab.benchmark.play import TASKS
from leadline.lab.benchmark.question import entrants, entrants_of, load_entrants


@pytest.mark.parametrize("task", [task.name for task in TASKS])
def test_titles_of_a_task_are_all_different_and_names_parse(task: str) -> None:
    everybody = entrants_of(task)
    titles = [each.title for each in everybody]
    assert len(set(titles)) == len(titles) > 3
    for each in everybody:
        assert entrants.parse(str(each)) == each


def test_what_is_registered_takes_part() -> None:
    titles = {each.title for each in entrants_of("shallow")}
    assert {
        "Regression",
        "Linear",
        "Zipf",
        "Weibull",
        "Uniform",
        "TwoStage(fit=scores)",
        "TwoStage",
        "as judged",
    } <= titles
    assert {"Regression", "WebberSystems", "WebberLeaveOneOut"} <= {
        e.title for e in entrants_of("newcomer")
    }


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no such file"):
        load_entrants(str(tmp_path / "no.py"))
    empty = tmp_path / "empty.py"
    empty.write_text("x = 1\n")
    with pytest.raises(ValueError, match="registers no entrant"):
        load_entrants(str(empty))
    faulty = tmp_path / "faulty.py"
    faulty.write_text("import nothing_like_it\n")
    with pytest.raises(ValueError, match=r"faulty.py: cannot be run: ModuleNotFoundError"):
        load_entrants(str(faulty))
    text = tmp_path / "mine.txt"
    text.write_text("")
    with pytest.raises(ValueError, match=r"ends in .py"):
        load_entrants(str(text))
