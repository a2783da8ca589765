"""What was computed is found again, if nothing that it was made from has changed."""

from pathlib import Path

import pytest

from leadline.lab.papers.runner import CACHE, Cache, digest, key_of


def make(folder: Path, qrels: str = "1 0 a 1\n") -> Path:
    (folder / "runs").mkdir(parents=True)
    (folder / "runs" / "x").write_text("1 Q0 a 1 2.0 x\n")
    (folder / "qrels.txt").write_text(qrels)
    return folder


def test_the_key_follows_content_and_options(tmp_path: Path) -> None:
    first, copy = make(tmp_path / "one"), make(tmp_path / "two")
    other = make(tmp_path / "three", "1 0 a 0\n")
    assert key_of(first, {"quick": True}) == key_of(copy, {"quick": True})
    assert key_of(first, {"quick": True}) != key_of(first, {"quick": False})
    assert key_of(first, {}) != key_of(other, {})
    (copy / "runs" / "x").rename(copy / "runs" / "y")
    assert key_of(first, {}) != key_of(copy, {})


def test_a_cache_knows_its_own_files(tmp_path: Path) -> None:
    cache = Cache(tmp_path, "key")
    assert not cache.whole()
    cache.keep("cell", [1, 2])
    cache.write({"a.csv": "x,y\n"})
    again = Cache(tmp_path, "key")
    assert again.whole()
    assert again.cells == {"cell": [1, 2]}
    assert Cache(tmp_path, "another").cells == {}
    (tmp_path / "a.csv").write_text("changed\n")
    assert not Cache(tmp_path, "key").whole()


@pytest.mark.parametrize(
    "text", ["", "[]", '{"key": "key"}', '{"key": "key", "cells": 3}', "nul", "[" * 100_000]
)
def test_what_is_no_cache_is_passed_over(text: str, tmp_path: Path) -> None:
    (tmp_path / CACHE).write_text(text)
    assert Cache(tmp_path, "key").cells == {}


def test_the_key_follows_documents_and_groups_too(tmp_path: Path) -> None:
    folder = make(tmp_path / "one")
    seen = {key_of(folder, {})}
    for name in ("groups.tsv", "docs.jsonl", "official_map.csv"):
        (folder / name).write_text("x")
        seen.add(key_of(folder, {}))
    assert len(seen) == 4
    # What no experiment reads changes nothing.
    (folder / "README.md").write_text("x")
    assert key_of(folder, {}) in seen


def test_a_digest_tells_where_one_part_ends() -> None:
    assert digest([b"ab", b"c"]) != digest([b"a", b"bc"])
    assert digest([b"a", b""]) != digest([b"a"])


def test_a_lost_file_makes_it_less_than_whole(tmp_path: Path) -> None:
    cache = Cache(tmp_path, "key")
    cache.write({"a.csv": "x\n", "b.csv": "y\n"})
    (tmp_path / "b.csv").unlink()
    assert not Cache(tmp_path, "key").whole()


def test_a_name_that_no_file_can_have_makes_it_less_than_whole(tmp_path: Path) -> None:
    text = '{"key": "key", "cells": {}, "files": {"' + "x" * 5000 + '": ""}}'
    (tmp_path / CACHE).write_text(text)
    assert not Cache(tmp_path, "key").whole()
