"""The example notebooks run, and each step shows what its text says."""

import html
import json
import re
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


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the researcher's notebook shows, by the first line of each cell."""
    notebook = nbformat.read(EXAMPLES / "researcher.ipynb", as_version=4)
    resources = {"metadata": {"path": str(tmp_path_factory.mktemp("work"))}}
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return {cell.source.partition("\n")[0].partition(" =")[0]: shown(cell) for cell in cells}


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
