"""In a notebook every verb shows a table or a picture, from a collection that is read once."""

import html
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

import leadline
from leadline.io.datasets import COLLECTION

SOURCES = (
    "import leadline\nfrom leadline.io.datasets import COLLECTION",
    "sea = leadline.read(COLLECTION, topics=['1', '2', '3'])\nsea",
    "leadline.evaluate(sea, measures=['RBP(p=0.8)', 'AP'])",
    "leadline.evaluate(sea, measures='P@5').chart()",
    "leadline.compare(sea, measures='P@5')",
    "leadline.report(sea, measures='P@5')",
)


def run(sources: tuple[str, ...], folder: Path) -> list[dict[str, Any]]:
    """What each cell shows, by the kind of its content."""
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    notebook = nbformat.v4.new_notebook(cells=cells)
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=resources).execute()
    shown: list[dict[str, Any]] = []
    for cell in notebook.cells:
        results = [each for each in cell.outputs if each.output_type == "execute_result"]
        shown.append(dict(results[0].data) if results else {})
    return shown


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    return run(SOURCES, tmp_path_factory.mktemp("notebook"))


def test_a_collection_shows_its_runs_and_not_its_arrays(cells: list[dict[str, Any]]) -> None:
    assert cells[1]["text/plain"].startswith("Collection of 24 runs (16 pooled), 3 topics, ")
    assert cells[1]["text/html"].count("<tr>") == 1 + 24
    assert "farlight-hand" in cells[1]["text/html"]


def test_evaluate_shows_a_leaderboard_with_bars(cells: list[dict[str, Any]]) -> None:
    board = cells[2]["text/html"]
    assert board.count("<table") == 2
    assert board.count('class="iv"') == 2 * 24
    runs = re.findall(r'<tr><td class="text">(.*?)</td>', board)[:24]
    scores = leadline.evaluate(COLLECTION, measures="RBP(p=0.8)", topics=["1", "2", "3"])
    best = scores.sort("value", "run", descending=[True, False])["run"].to_list()
    assert [html.unescape(name) for name in runs] == best


def test_a_chart_is_a_picture(cells: list[dict[str, Any]]) -> None:
    assert "vega" in cells[3]["text/html"]
    assert "certain to hold it" in cells[3]["text/html"]


def test_compare_shows_its_pairs(cells: list[dict[str, Any]]) -> None:
    table = cells[4]["text/html"]
    assert "<th>p_corrected</th>" in table
    assert table.count("<tr>") == 1 + 23
    assert f"the 23 of {24 * 23 // 2} pairs that have the best run" in table


def test_report_shows_its_page_in_a_frame_of_its_own(cells: list[dict[str, Any]]) -> None:
    frame = cells[5]["text/html"]
    page = html.unescape(frame.split('srcdoc="', 1)[1].split('" title=', 1)[0])
    assert page.startswith("<!doctype html>")
    assert "farlight-hand" in page


def test_wrong_arguments_are_answered_in_pythons_words(tmp_path: Path) -> None:
    with pytest.raises(CellExecutionError, match="unexpected keyword argument 'tset'"):
        run(("import leadline", "leadline.compare({}, {}, tset='t')"), tmp_path)


def test_help_shows_the_parameters() -> None:
    text = leadline.compare.__doc__ or ""
    for name in (
        "test",
        "unjudged_as",
        "tails",
        "correction",
        "alpha",
        "baseline",
        "details",
        "seed",
    ):
        assert re.search(rf"^\s+{name}[:,]", text, re.MULTILINE), name
