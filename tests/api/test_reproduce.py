"""reproduce: files as promised, the same for any number of workers, nothing done twice."""

import csv
from pathlib import Path

import pytest

from leadline.io.datasets import COLLECTION
from leadline.lab.reproduce import reproduce
from tests.cli.program import call

COLUMNS = {
    "table2": "order,judgments,relevant,handled",
    "table3": "p_a,p_b,common",
    "table4": "judged_with,evaluation_p,residual",
    "table5": "order,judgments,unjudged_as,fraction",
    "certainty": "order,stop,judgments",
    "contenders": "order,judgments,contenders",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reproduced")
    result = reproduce("moffat07", COLLECTION, path, quick=True)
    assert not result.cached
    return path


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_files_have_the_promised_columns(folder: Path) -> None:
    for name, columns in COLUMNS.items():
        both = [name] if name in ("certainty", "contenders") else [name, f"{name}_ours"]
        for each in both:
            assert (folder / f"{each}.csv").read_text(encoding="utf-8").startswith(f"{columns}\n")
    assert len(rows(folder / "certainty.csv")) == 9 * 4
    assert len(rows(folder / "table3.csv")) == 3
    assert {row["judgments"] for row in rows(folder / "table2.csv")} == {"1000", "2000"}


def test_certainty_by_joint_intervals_never_comes_later(folder: Path) -> None:
    # The demo's runs have short lists, whose tails only own intervals count.
    until = {
        (row["order"], row["stop"]): int(row["judgments"] or 10**9)
        for row in rows(folder / "certainty.csv")
    }
    for order, stop in until:
        if "joint=true" in stop:
            own = stop.replace("true", "false")
            assert until[order, stop] <= until[order, own]
    first = "WinnerCertain(joint=true)"
    assert until["CertainWinner", first] == min(
        n for (_, stop), n in until.items() if stop == first
    )


def test_contenders_only_ever_fall_for_one_order(folder: Path) -> None:
    pooling = [row for row in rows(folder / "contenders.csv") if row["order"] == "DepthFirst"]
    assert [int(row["judgments"]) for row in pooling[:3]] == [0, 100, 200]
    assert int(pooling[0]["contenders"]) == 23
    assert int(pooling[-1]["contenders"]) == 0


def test_the_page_is_whole_and_needs_no_network(folder: Path) -> None:
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.endswith("</html>\n")
    assert page.count("<svg") == 7
    for word in ("Table 2", "Table 5", "Figure 3", "Judgments until certain", "viewport"):
        assert word in page
    for word in ("<script", 'src="http', 'href="http', "@import", "url(http"):
        assert word not in page


def state(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in sorted(folder.iterdir())
    }


def test_a_second_call_touches_nothing(folder: Path) -> None:
    before = state(folder)
    result = reproduce("moffat07", COLLECTION, folder, quick=True)
    assert result.cached
    assert state(folder) == before
    assert {file.name for file in result.files} == set(before) - {"cells.jsonl"}


def test_a_file_that_was_lost_comes_back_without_new_work(folder: Path) -> None:
    before = (folder / "table2.csv").read_bytes()
    (folder / "table2.csv").unlink()
    told: list[int] = []
    result = reproduce(
        "moffat07", COLLECTION, folder, quick=True, progress=lambda done, total: told.append(done)
    )
    assert not result.cached
    assert len(told) == 1
    assert (folder / "table2.csv").read_bytes() == before


@pytest.mark.slow
def test_two_workers_give_the_same_files(folder: Path, tmp_path: Path) -> None:
    reproduce("moffat07", COLLECTION, tmp_path, workers=2, quick=True)
    for file in folder.glob("*.csv"):
        assert (tmp_path / file.name).read_bytes() == file.read_bytes(), file.name
    assert (tmp_path / "report.html").read_bytes() == (folder / "report.html").read_bytes()


def test_the_command_says_where_to_look(folder: Path) -> None:
    result = call("reproduce", "moffat07", COLLECTION, "-o", folder, "--quick")
    assert (result.code, result.out) == (0, "")
    assert f"{folder / 'report.html'}" in result.err


def test_a_collection_of_one_run_and_one_document(tmp_path: Path) -> None:
    folder = tmp_path / "collection"
    (folder / "runs").mkdir(parents=True)
    (folder / "qrels.txt").write_text("1 0 a 1\n")
    (folder / "runs" / "only").write_text("1 Q0 a 1 1.0 only\n")
    reproduce("moffat07", folder, tmp_path / "out")
    assert len(rows(tmp_path / "out" / "certainty.csv")) == 36


def test_a_collection_of_a_few_documents_has_every_table_of_moffat07(tmp_path: Path) -> None:
    folder = tmp_path / "collection"
    (folder / "runs").mkdir(parents=True)
    (folder / "qrels.txt").write_text("1 0 a 1\n2 0 b 1\n")
    for run, docs in (("x", "ab"), ("y", "bc")):
        lines = [f"{topic} Q0 {doc} 1 5 x\n" for topic in (1, 2) for doc in docs]
        (folder / "runs" / run).write_text("".join(lines))
    result = call("reproduce", "moffat07", folder, "-o", tmp_path / "out", "--quick")
    assert result.code == 0, result.err
    assert (tmp_path / "out" / "report.html").exists()
    result = call("reproduce", "lu17", folder, "-o", tmp_path / "other", "--quick")
    assert (result.code, "lu17 needs longer lists" in result.err) == (2, True)


def test_an_option_that_a_paper_does_not_heed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="moffat07 does not take `newcomers`"):
        reproduce("moffat07", COLLECTION, tmp_path, newcomers="manual")
    with pytest.raises(ValueError, match=r"none\.tsv: there is no such table"):
        reproduce("moffat07", COLLECTION, tmp_path, groups=tmp_path / "none.tsv")
    assert not list(tmp_path.iterdir())
