"""Data sets of ir_datasets by id: one that is registered here, since others need a download."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import leadline
from leadline.io.datasets import is_id
from leadline.io.documents import documents_from
from leadline.io.problems import InputError
from leadline.io.topics import read_topics
from tests.newcomers import without_package

ID = "ir_datasets:leadline-test/sea"


@pytest.fixture
def registered(tmp_path: Path) -> Iterator[Any]:
    ir_datasets = pytest.importorskip("ir_datasets", reason="the extra datasets is not installed")
    (tmp_path / "docs.tsv").write_text("d1\ta rope with a weight\nd2\ttides\n")
    (tmp_path / "queries.tsv").write_text("1\thow deep\n2\twhich knot\n")
    (tmp_path / "qrels.txt").write_text("1 0 d1 1\n1 0 d2 0\n2 0 d2 2\n")
    data = ir_datasets.create_dataset(
        docs_tsv=str(tmp_path / "docs.tsv"),
        queries_tsv=str(tmp_path / "queries.tsv"),
        qrels_trec=str(tmp_path / "qrels.txt"),
    )
    name = ID.removeprefix("ir_datasets:")
    ir_datasets.registry.register(name, data)
    yield data
    del ir_datasets.registry._registered[name]


def test_judgments_are_those_of_the_data_set(registered: Any) -> None:
    run = {"1": {"d2": 2.0, "d1": 1.0}, "2": {"d2": 1.0}}
    assert leadline.evaluate(ID, run, "RR")["value"].to_list() == [0.75]


def test_topics_and_documents_are_its_own(registered: Any) -> None:
    assert read_topics(ID)["2"].query == "which knot"
    assert leadline.evaluate(ID, {"1": {"d1": 1.0}}, "P@1", topics=ID)["value"].to_list() == [0.5]
    found = documents_from(ID).find(["d1", "x"])
    assert found["text"].to_list() == ["a rope with a weight"]


def test_what_it_lacks_is_told(registered: Any) -> None:
    with pytest.raises(InputError, match="has no scoreddocs, only qrels, queries, docs"):
        leadline.evaluate(ID, ID, "RR")
    with pytest.raises(InputError, match="ir_datasets knows no such data set"):
        leadline.evaluate("ir_datasets:leadline-test/none", {"1": {"d1": 1.0}}, "RR")


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    without_package(monkeypatch, "ir_datasets")
    with pytest.raises(InputError, match="needs the package ir_datasets"):
        leadline.evaluate(ID, {"1": {"d1": 1.0}}, "RR")


def test_only_an_id_is_taken_for_one() -> None:
    assert is_id(Path(ID))
    assert not is_id("qrels.txt")
    assert not is_id({"1": {}})
