"""Counts over a collection, and where they are kept."""

import os
from pathlib import Path

import polars as pl
import pytest

from leadline.io.documents import documents_from
from leadline.io.problems import InputError
from leadline.measures import texts as statistics
from leadline.measures.texts import Tokeniser, beside, count_words, read_statistics, statistics_of

PLAIN = Tokeniser()


DOCS = {"a": "Fog, fog and tide", "b": "Tide ÉTÉ_1", "c": ""}


def test_counts_of_a_collection() -> None:
    found = count_words(documents_from(DOCS), PLAIN)
    assert (found.total, found.n_documents) == (6, 3)
    shares = found.shares(pl.Series(["tide", "nobody", "fog", "été_1"]))
    assert shares.tolist() == [2 / 6, 0, 2 / 6, 1 / 6]


def test_more_words_than_memory_holds_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {str(n): " ".join(f"w{n * k % 97}" for k in range(50)) for n in range(3000)}
    whole = count_words(documents_from(texts), PLAIN)
    monkeypatch.setattr(statistics, "MOST_WORDS", 20)
    parts = count_words(documents_from(texts), PLAIN)
    assert parts.total == whole.total
    assert parts.lazy().sort("word").collect().equals(whole.lazy().sort("word").collect())


def test_counts_are_kept_in_a_file_and_read_from_it(tmp_path: Path) -> None:
    file = tmp_path / "words.parquet"
    made = statistics_of(documents_from(DOCS), PLAIN, file)
    again = statistics_of(documents_from({"x": "nothing like it"}), PLAIN, file)
    assert again.total == made.total == 6
    with pytest.raises(InputError, match="was made with tokens=words"):
        statistics_of(documents_from(DOCS), Tokeniser("ascii"), file)
    assert [each.name for each in tmp_path.iterdir()] == ["words.parquet"]


def test_large_collections_keep_their_counts_beside_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text('{"id": "a", "text": "fog tide"}\n')
    assert statistics_of(documents_from(path), PLAIN).total == 2
    own = beside(documents_from(path), PLAIN)
    assert own == tmp_path / "docs.jsonl.words.parquet"
    assert not own.exists()
    monkeypatch.setattr(statistics, "WORTH_KEEPING", 5)
    assert statistics_of(documents_from(path), PLAIN).total == 2
    assert own.exists()
    kept = statistics_of(documents_from(path), PLAIN)
    assert kept.words == own
    path.write_text('{"id": "a", "text": "fog tide sail"}\n')
    assert statistics_of(documents_from(path), PLAIN).total == 3
    assert beside(documents_from(path), Tokeniser("ascii")) != own


def test_bad_files_of_counts_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("nonsense")
    pl.DataFrame({"x": [1]}).write_parquet(tmp_path / "b")
    for name in ("a", "b"):
        with pytest.raises(InputError, match="holds no statistics"):
            read_statistics(tmp_path / name, PLAIN)
    with pytest.raises(InputError, match="cannot be written"):
        count_words(documents_from(DOCS), PLAIN, tmp_path / "no" / "such" / "folder")
    with pytest.raises(InputError, match="no words in 1 documents"):
        count_words(documents_from({"a": "..."}), PLAIN)


def test_a_device_a_pipe_and_a_name_that_is_not_utf8_are_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for odd in (Path(os.devnull), pipe, tmp_path / "words\udcff.parquet"):
        with pytest.raises(InputError, match=r"no plain file|not UTF-8"):
            statistics_of(documents_from(DOCS), PLAIN, odd)
    assert list(tmp_path.iterdir()) == [pipe]
    assert Path(os.devnull).is_char_device()


def test_a_link_stays_one_and_leads_to_the_counts(tmp_path: Path) -> None:
    link, file = tmp_path / "link.parquet", tmp_path / "words.parquet"
    link.symlink_to(file)
    statistics_of(documents_from(DOCS), PLAIN, link)
    assert link.is_symlink()
    assert read_statistics(file, PLAIN) is not None
