"""Questions that make a project: what is given is not asked, Enter takes what lies there."""

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from leadline.cli.interactive import QUESTIONS, ask_for_project
from tests.app.projects import small_runs

NAMES = [name for name, _, _ in QUESTIONS]


def asked(
    monkeypatch: pytest.MonkeyPatch, folder: Path, answers: str, scale: str | None, **given: Any
) -> tuple[dict[str, Any], str]:
    settings = dict.fromkeys([*NAMES, "merge"]) | given
    monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
    chosen = ask_for_project(folder, settings, scale)
    return settings, chosen


def test_enter_takes_what_is_usual_and_what_lies_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small_runs(tmp_path)
    (tmp_path / "docs.jsonl").touch()
    monkeypatch.chdir(tmp_path)
    settings, scale = asked(monkeypatch, tmp_path, "\n" * 10, None)
    usual = {name: value for name, _, value in QUESTIONS}
    assert settings == usual | {"documents": "docs.jsonl", "topics": "", "merge": None}
    assert scale == "graded"
    # Standard output is for data.
    said = capsys.readouterr()
    assert said.out.strip() == ""
    assert "docs.jsonl" in said.err


def test_what_is_given_is_not_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given = dict.fromkeys(NAMES, "x") | {"assessors_per_document": 1}
    settings, scale = asked(monkeypatch, tmp_path, "", "binary", **given)
    assert settings == given | {"merge": None}
    assert scale == "binary"


def test_several_assessors_are_asked_how_to_merge(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given = dict.fromkeys(NAMES, "x") | {"assessors_per_document": None}
    settings, _ = asked(monkeypatch, tmp_path, "3\nlatest\n", "binary", **given)
    assert settings["assessors_per_document"] == 3
    assert settings["merge"] == "latest"


def test_a_number_must_be_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = dict.fromkeys(NAMES, "x") | {"assessors_per_document": None}
    settings, _ = asked(monkeypatch, tmp_path, "many\n2\n\n", "binary", **given)
    assert (settings["assessors_per_document"], settings["merge"]) == (2, "majority")
    assert "many is not a whole number" in capsys.readouterr().err


def test_a_wrong_answer_is_asked_again_and_the_others_stay(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small_runs(tmp_path / "p")
    monkeypatch.chdir(tmp_path)
    answers = [
        "Mine",
        "nowhere",
        "p/runs",
        "",
        "",
        "",
        "",
        "Sideways",
        "MoffatA(p=0.8)",
        "",
        "",
        "",
    ]
    settings, _ = asked(monkeypatch, tmp_path / "p", "\n".join(answers) + "\n", None)
    assert (settings["title"], settings["runs"]) == ("Mine", "runs")
    assert settings["order"] == "MoffatA(p=0.8)"
    said = capsys.readouterr().err
    assert "nowhere: there is no such file or folder here" in said
    assert "no order is named Sideways" in said
