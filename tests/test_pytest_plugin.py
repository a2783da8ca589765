"""The pytest plug-in: verdicts become outcomes, figures reach JUnit and the summary."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from leadline.io.datasets import COLLECTION
from leadline.pytest_plugin import assert_not_worse

HOW = {"baseline": "anstey-bm25"}


def test_a_run_that_is_not_worse_passes_and_a_worse_one_fails_with_the_reason() -> None:
    assert assert_not_worse(COLLECTION, new="corran-lsa60", **HOW).verdict == "not_worse"
    with pytest.raises(AssertionError, match="holmsand-reversed is worse than anstey-bm25 by more"):
        assert_not_worse(COLLECTION, new="holmsand-reversed", **HOW)


def test_an_undecided_run_is_skipped_unless_asked_otherwise() -> None:
    how = {"baseline": "corran-lsa60", "new": "greyness-fusion"}
    with pytest.raises(pytest.skip.Exception, match="146 topics like these"):
        assert_not_worse(COLLECTION, **how)
    with pytest.raises(AssertionError, match="it is open whether"):
        assert_not_worse(COLLECTION, **how, undecided="fail")
    assert assert_not_worse(COLLECTION, **how, undecided="pass").verdict == "undecided"
    with pytest.raises(ValueError, match="must be skip, fail or pass, not 'maybe'"):
        assert_not_worse(COLLECTION, **how, undecided="maybe")  # type: ignore[arg-type]


TESTS = """
import pytest
from leadline.pytest_plugin import assert_not_worse

@pytest.mark.parametrize("new", ["corran-lsa60", "holmsand-reversed"])
def test_new(leadline_gate, new):
    leadline_gate(new=new, measures=["nDCG@10", "AP"])

def test_classic(leadline_gate):
    leadline_gate(new="corran-lsa60", unjudged_as="lower")

def test_open(leadline_gate):
    leadline_gate(baseline="corran-lsa60", new="greyness-fusion")
"""


def run_pytest(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "sea").symlink_to(COLLECTION)
    (folder / "test_search.py").write_text(TESTS)
    settings = "leadline_collection = sea\nleadline_baseline = anstey-bm25\n"
    (folder / "pytest.ini").write_text(f"[pytest]\n{settings}")
    return folder


def test_the_fixture_takes_settings_and_fills_junit_and_the_summary(project: Path) -> None:
    done = run_pytest(project, "--junitxml=out.xml")
    assert "1 failed, 2 passed, 1 skipped" in done.stdout
    assert "AssertionError: worse: by nDCG@10, AP, holmsand-reversed is worse" in done.stdout
    summary = done.stdout.partition(" leadline gate ")[2]
    assert "test_new[corran-lsa60]: nDCG@10, all: corran-lsa60 against anstey-bm25" in summary
    assert "margin 0.01, unjudged counted as non-relevant" in summary
    assert "test_open: nDCG@10, all: greyness-fusion against corran-lsa60: undecided" in summary
    cases = ElementTree.parse(project / "out.xml").getroot().iter("testcase")
    (properties,) = [
        {each.get("name"): each.get("value") for each in case.iter("property")}
        for case in cases
        if case.get("name") == "test_new[holmsand-reversed]"
    ]
    assert set(properties) == {"leadline nDCG@10, all", "leadline AP, all"}
    assert "worse: difference -0." in str(properties["leadline AP, all"])


def test_workers_report_the_same_summary(project: Path) -> None:
    done = run_pytest(project, "-n", "1", "-k", "classic")
    assert "unjudged counted as non-relevant" in done.stdout.partition(" leadline gate ")[2]


def test_without_settings_the_message_names_them(project: Path, tmp_path: Path) -> None:
    (tmp_path / "test_search.py").write_text(TESTS)
    done = run_pytest(tmp_path, "-k", "classic")
    assert "give a collection, or set leadline_collection in pytest's configuration" in done.stdout


def test_pytest_loads_neither_numpy_nor_polars_for_the_plug_in(tmp_path: Path) -> None:
    test = "import sys\ndef test_light():\n    assert not {'numpy', 'polars'} & set(sys.modules)\n"
    (tmp_path / "test_light.py").write_text(test)
    words = ("-p", "no:hypothesispytest", "-p", "no:xdist")
    assert "1 passed" in run_pytest(tmp_path, *words).stdout
