"""The example notebooks run, and each step shows what its text says."""

import html
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parents[1] / "examples"


def shown(cell: Any) -> str:
    """Everything that a cell printed or showed, as text and as HTML."""
    parts = []
    for output in cell.outputs:
        parts += [output.get("text", ""), *map(str, output.get("data", {}).values())]
    return html.unescape("\n".join(parts))


def executed(name: str, folder: Path) -> dict[str, str]:
    """What a notebook shows, by the first line of each cell."""
    notebook = nbformat.read(EXAMPLES / name, as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return {cell.source.partition("\n")[0].partition(" =")[0]: shown(cell) for cell in cells}


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the researcher's notebook shows."""
    return executed("researcher.ipynb", tmp_path_factory.mktemp("work"))


@pytest.fixture(scope="module")
def engineer(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the engineer's notebook shows; it runs in a folder with the other examples."""
    folder = tmp_path_factory.mktemp("examples")
    left_out = shutil.ignore_patterns("sea", "__pycache__")
    shutil.copytree(EXAMPLES / "search_tests", folder / "search_tests", ignore=left_out)
    return executed("engineer.ipynb", folder)


def test_notebooks_are_kept_without_outputs() -> None:
    for path in EXAMPLES.glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells), path


def test_the_researcher_gets_tables_for_the_paper(steps: dict[str, str]) -> None:
    table = steps["table"]
    assert table.count("<tr>") == 1 + 6
    assert re.search(r"farlight-hand</td><td><b>0\.\d{3}</b>", table)
    assert "Bonferroni's correction over 15 pairs" in steps["compared"] + table
    assert "| P@10 |" not in steps['scores.write(work / "scores.md")']
    assert "| nDCG@10 | farlight-hand |" in steps['scores.write(work / "scores.md")']
    assert "† significantly better than anstey-bm25" in steps["against"]


def test_the_researcher_learns_what_pooling_did(steps: dict[str, str]) -> None:
    lines = [line for line in steps["left_out"].splitlines() if "unpooled, it would" in line]
    assert len(lines) == 16
    assert any(re.match(r"farlight-hand: .* fall from place \d+ to \d+; ", line) for line in lines)


def test_the_researcher_adds_judgments_and_fewer_signs_are_open(steps: dict[str, str]) -> None:
    (merged,) = [text for first, text in steps.items() if first.startswith("with gzip.open")]
    assert "350 pairs, 0 in several sources" in merged
    counts = re.findall(
        r"│ (?:shallow pool|and the next 40) +┆ (\d+) +┆ (\d+) +┆ (\d+)", steps["runs"]
    )
    (_, _, open_before), (_, _, open_after) = counts
    assert int(open_after) <= int(open_before)


def test_the_researcher_compares_two_collections(steps: dict[str, str]) -> None:
    assert "on first (10 topics), second (10 topics), and the mean of these" in steps["topics"]
    assert "MB" in steps["page"]


def test_the_engineer_makes_runs_of_judged_queries(engineer: dict[str, str]) -> None:
    made = engineer["examples"]
    assert made.count("2 of 22 topics have no judgments and are left out") == 2
    assert "# ir_metadata.start\n# schema-version: 0.1" in made


def test_the_engineer_gates_a_change_that_documents_without_judgments_leave_open(
    engineer: dict[str, str],
) -> None:
    assert "### ❔ new against old: undecided" in engineer["first"]
    assert engineer["classic"].startswith("not_worse | ")
    assert "unjudged counted as non-relevant" in engineer["classic"]
    assert "beir/corpus.jsonl does not hold: x-1, x-2" in engineer["foreign"]


def test_the_engineer_sees_labels_beside_judgments(engineer: dict[str, str]) -> None:
    assert "pairs: the unjudged documents among the first 10 of every run" in engineer["labels"]
    assert "value_with_labels" in engineer["labels"]
    assert "labels did not matter: every verdict is the same" in engineer["with_labels"]


def test_the_engineer_judges_what_decides(engineer: dict[str, str]) -> None:
    first, second = re.findall(r"│ ([\d.-]+) +┆ .* ┆ (\w+) +│", engineer["asked"])
    assert (first[1], second[1]) == ("undecided", "not_worse")


def test_the_engineer_has_tests_and_a_record(engineer: dict[str, str]) -> None:
    assert "2 passed, 1 skipped" in engineer["left_out"]
    assert "nDCG@10, all: new against old: not worse" in engineer["left_out"]
    logged = next(text for first, text in engineer.items() if first.startswith("scores.log_to"))
    assert "gate stems not_worse 12 numbers" in logged


def test_the_project_runs_without_the_notebook(tmp_path: Path) -> None:
    left_out = shutil.ignore_patterns("sea", "__pycache__")
    project = shutil.copytree(EXAMPLES / "search_tests", tmp_path / "project", ignore=left_out)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=300)
    assert "2 passed, 1 skipped" in done.stdout, done.stdout
