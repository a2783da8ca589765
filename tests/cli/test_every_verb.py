"""Every verb checks what evaluate checks, and none ends by accident, whatever it is given."""

import os
import shutil
from pathlib import Path
from unittest.mock import patch

import pytest

from leadline.cli import app
from tests.cli.every_verb import commands, small
from tests.cli.program import Result, call, verb_commands

COMMANDS = verb_commands()
VERBS = sorted(COMMANDS)
READING = [
    "audit",
    "evaluate",
    "explain",
    "plan",
    "pool",
    "next",
    "estimate",
    "adjust",
    "compare",
    "gate",
    "report",
]
"""Verbs that read qrels and runs; plan also takes topics that nobody judged yet."""


HEAVY = ("reproduce", "benchmark", "demo", "judge", "report", "plan")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return small(tmp_path / "in")


def expected(result: Result, what: object) -> Result:
    """The result, which came by no accident: neither the last resort nor a traceback ended it."""
    assert result.code in (0, 1, 2, 3), (what, result.err)
    assert "Traceback" not in result.err, what
    assert result.code != 2 or result.err.strip(), (what, "says nothing")
    return result


@pytest.mark.parametrize("verb", VERBS)
def test_the_sound_command_of_a_verb_ends_well(verb: str, folder: Path) -> None:
    result = expected(call(verb, *commands(folder)[verb]), verb)
    assert result.code == 0, result.err


@pytest.mark.parametrize("verb", [*READING, "reproduce"])
def test_a_run_without_a_topic_in_common_is_refused(verb: str, folder: Path) -> None:
    path = folder / "runs" / "a"
    path.write_text("".join(f"00{line}\n" for line in path.read_text().splitlines()))
    result = expected(call(verb, *commands(folder)[verb]), verb)
    assert result.code == 2
    assert "a: has no topic in common with" in result.err
    assert "001" in result.err, "what the run has is shown"
    assert result.out == ""


@pytest.mark.parametrize("verb", [verb for verb in READING if verb != "explain"])
def test_topics_that_a_run_lacks_or_has_alone_are_said(verb: str, folder: Path) -> None:
    path = folder / "runs" / "a"
    lines = [line for line in path.read_text().splitlines() if not line.startswith("2 ")]
    path.write_text("\n".join([*lines, "99 Q0 d1 1 5 a", ""]))
    result = expected(call(verb, *commands(folder)[verb]), verb)
    assert result.code == 0, result.err
    assert "a: returns nothing for 1 judged topics" in result.err
    assert ": 2\n" in result.err
    assert verb == "plan" or "1 topics of runs have no judgments" in result.err


ODD = [
    "",
    "\udcff",
    "9" * 30,
    "-1",
    "nan",
    "1e999",
    "\0",
    "x" * 5000,
    "(",
    "\uff11\uff12",
    "P(rel=1e5)@5",
]
NINES = "9" * 25
MORE = [
    *("-" + NINES, "0", "../..", "/dev/null/x", f"P@{NINES}", f"RBP(p=0.8)@{NINES}", "P@1000000"),
    *(f"Depth(d={NINES})", f"Budget(n={NINES})", f"RBP(p={'[' * 150})", "9223372036854775807"),
    *("-9223372036854775808", "2147483648", "1" * 5000, "1e308", "inf", "Uniform(theta=1e308)"),
    *("Stratified(strata=[(999999999999999, 1)])", f"{NINES}=1", "MaxMean\udcff", "none"),
]


def try_options(verb: str, folder: Path, values: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """Every option and argument of a verb with every value; how many commands that were."""
    work = folder.parent / "work"
    work.mkdir(exist_ok=True)
    monkeypatch.chdir(work)
    sound, n = commands(folder)[verb], 0
    for option in COMMANDS[verb].params:
        if getattr(option, "is_flag", False) or option.name == "help":
            continue
        for value in values:
            named = [name for name in option.opts if name.startswith("--")]
            words = [f"{named[0]}={value}"] if named else [value]
            with patch.object(app, "_unexpected", side_effect=AssertionError):
                expected(call(verb, *sound, *words), (verb, option.name, value[:40]))
            shutil.rmtree(folder.parent / "out", ignore_errors=True)
            (folder.parent / "out").mkdir()
            n += 1
    return n


QUICK_VERBS = [verb for verb in VERBS if verb not in HEAVY]


@pytest.mark.parametrize("verb", QUICK_VERBS)
def test_no_option_of_a_verb_reaches_the_last_resort(
    verb: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert try_options(verb, folder, ODD[1:4], monkeypatch) > 0


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_nothing_that_an_option_may_be_given_reaches_the_last_resort(
    verb: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heavy = verb in HEAVY
    n = try_options(verb, folder, ODD if heavy else [*ODD, *MORE], monkeypatch)
    with Path(os.environ.get("LEADLINE_COUNTS", os.devnull)).open("a") as file:
        file.write(f"options,{verb},{n}\n")
