"""What was computed is found again, if nothing that it was made from has changed."""

from pathlib import Path

from leadline.lab.papers.runner import all_there, key_of
from leadline.simulate import digest


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


def test_files_that_are_lost_or_changed_are_not_all_there(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n")
    digests = {"a.csv": digest([b"x\n"])}
    assert all_there(tmp_path, digests)
    assert not all_there(tmp_path, {})
    assert not all_there(tmp_path, {"a.csv": digest([b"y\n"])})
    assert not all_there(tmp_path, digests | {"b.csv": digest([b""])})
    assert not all_there(tmp_path, {"x" * 5000: ""})
