"""The GitHub Action and the GitLab job, their steps run as scripts with the real program."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from leadline.io.datasets import COLLECTION

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
JOB = yaml.safe_load((ROOT / "templates" / "gate.yml").read_text())[".leadline-gate"]


@dataclass(frozen=True)
class Ended:
    """What is left when a pipeline has ended."""

    code: int
    out: str
    outputs: dict[str, str]
    summary: str


def environment(folder: Path, **more: str) -> dict[str, str]:
    """A path on which `leadline` and `python` are those of the tests."""
    tools = folder / "tools"
    tools.mkdir()
    for name, words in (("leadline", "-m leadline"), ("python", "")):
        (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        (tools / name).chmod(0o755)
    source = str(ROOT / "src")
    return {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": source, **more}


def bash(text: str, folder: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    # As both services call it: the first command that fails ends the step.
    words = [shutil.which("bash") or "bash", "-eo", "pipefail", "-c", text]
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)


def action(folder: Path, **given: str) -> Ended:
    """The steps of the Action one after the other, with what GitHub fills in."""
    inputs = {name: each.get("default", "") for name, each in ACTION["inputs"].items()}
    inputs |= {name.replace("_", "-"): value for name, value in given.items()} | {"install": "none"}
    needed = {name for name, each in ACTION["inputs"].items() if each.get("required")}
    assert needed <= given.keys()
    output, summary = folder / "output", folder / "summary"
    env = environment(folder, GITHUB_OUTPUT=str(output), GITHUB_STEP_SUMMARY=str(summary))

    def filled(text: str) -> str:
        text = re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda name: inputs[name[1]], text)
        return text.replace("${{ github.action_path }}", str(ROOT))

    said = ""
    for step in ACTION["runs"]["steps"]:
        own = {name: filled(value) for name, value in step["env"].items()}
        done = bash(step["run"], folder, env | own)
        said += done.stdout + done.stderr
        if done.returncode:
            break
    lines = output.read_text().splitlines() if output.exists() else []
    told = dict(line.split("=", 1) for line in lines)
    text = summary.read_text() if summary.exists() else ""
    return Ended(done.returncode, said, told, text)


@pytest.mark.parametrize(
    ("new", "undecided", "code", "verdict"),
    [
        ("holmsand-reversed", "warn", 1, "worse"),
        ("greyness-fusion", "", 0, "undecided"),
        ("greyness-fusion", "warn", 0, "undecided"),
        ("greyness-fusion", "fail", 3, "undecided"),
    ],
)
def test_the_action_ends_as_the_gate_does(
    new: str, undecided: str, code: int, verdict: str, tmp_path: Path
) -> None:
    done = action(
        tmp_path,
        collection=str(COLLECTION),
        baseline="corran-lsa60",
        new=new,
        measures="nDCG@10 P@10",
        options="--seed 1",
        # Where nothing is given the default of action.yml holds.
        **({"undecided": undecided} if undecided else {}),
    )
    assert done.code == code, done.out
    assert done.outputs["verdict"] == verdict
    warning = f"::warning title=Leadline gate undecided::{new} against corran-lsa60, margin 0.01"
    assert (warning in done.out) == (verdict == "undecided")
    assert done.outputs["exit-code"] == ("1" if verdict == "worse" else "3")
    assert f"{new} against corran-lsa60: {verdict}" in done.summary
    assert "| P@10 |" in done.summary
    root = ElementTree.parse(tmp_path / "leadline-gate" / "gate.xml").getroot()
    assert root.get("tests") == "2"
    assert (tmp_path / "leadline-gate" / "judge-next.csv").exists()


def test_the_action_fails_on_bad_input_and_says_why(tmp_path: Path) -> None:
    done = action(tmp_path, collection=str(COLLECTION), baseline="nobody", new="corran-lsa60")
    assert done.code == 2
    assert "nobody: is no file, and no run is named so" in done.out
    assert done.outputs == {"exit-code": "2"}


@pytest.mark.parametrize(("new", "code"), [("holmsand-reversed", 1), ("greyness-fusion", 3)])
def test_the_job_for_gitlab_ends_as_the_gate_does(new: str, code: int, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"COLLECTION": str(COLLECTION), "BASELINE": "corran-lsa60", "NEW": new}
    given = JOB["variables"] | asked | {"INSTALL": "none"}
    env = environment(tmp_path, **given)
    done = bash("\n".join(JOB["script"]), tmp_path, env)
    assert done.returncode == code, done.stderr
    assert ("WARNING: the gate is undecided" in done.stdout) == (code == 3)
    assert JOB["allow_failure"]["exit_codes"] == [3]
    report = JOB["artifacts"]["reports"]["junit"].replace("$FOLDER", given["FOLDER"])
    assert ElementTree.parse(tmp_path / report).getroot().get("tests") == "1"
