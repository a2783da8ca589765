"""How often each word occurs in a whole collection: counted once in one pass, kept as parquet."""

import atexit
import os
import tempfile
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from leadline.diversity.tokens import Tokeniser
from leadline.files.problems import InputError, Progress
from leadline.files.source import shown_path
from leadline.files.whole_file import is_plain, whole_file
from leadline.formats.document_files import DocumentFiles, DocumentSource, with_title
from leadline.tables.arrays import Floats

MOST_WORDS = 2_000_000
"""Different words that are counted in memory; then they go to disk, to be added up at the end."""

WORTH_KEEPING = 32_000_000
"""Characters of text from which on counts are kept beside the collection without being asked."""

SCHEMA = {"word": pl.String, "count": pl.Int64}


@dataclass(frozen=True, eq=False)
class Statistics:
    """Words with their counts in the collection, in memory or in a parquet file."""

    words: pl.DataFrame | Path
    total: int
    n_documents: int
    n_characters: int = 0
    told: dict[str, str] = field(default_factory=dict)

    def lazy(self) -> pl.LazyFrame:
        """Columns word and count."""
        return pl.scan_parquet(self.words) if isinstance(self.words, Path) else self.words.lazy()

    def shares(self, words: pl.Series) -> Floats:
        """The share that each word has in the collection, 0 where it does not occur."""
        wanted = pl.DataFrame({"word": words}).with_row_index("at").lazy()
        found = (
            self.lazy().join(wanted, on="word").select("at", "count").collect(engine="streaming")
        )
        shares = np.zeros(len(words))
        shares[found["at"].to_numpy()] = found["count"].to_numpy() / max(1, self.total)
        return shares


def count_words(
    source: DocumentSource,
    how: Tokeniser,
    target: Path | None = None,
    progress: Progress | None = None,
) -> Statistics:
    """The counts of all documents, with the memory of one piece and of the different words."""
    counts: Counter[str] = Counter()
    total = n_documents = n_characters = 0
    with tempfile.TemporaryDirectory(prefix="leadline-") as folder:
        parts: list[Path] = []
        for table in source.tables():
            texts = with_title(table)["text"].to_list()
            found = how.totals(texts)
            counts.update(found)
            total += found.total()
            n_documents += len(table)
            n_characters += sum(map(len, texts))
            if len(counts) > MOST_WORDS:
                parts.append(_part(counts, Path(folder), len(parts)))
                counts.clear()
            if progress is not None:
                progress(n_documents, 0)
        if total == 0:
            message = f"holds no words in {n_documents} documents"
            raise InputError.of(source.name, "no-words", message)
        told = {
            "leadline.words": str(how),
            "leadline.total": str(total),
            "leadline.documents": str(n_documents),
            "leadline.source": source.mark(),
        }
        if not parts and target is None:
            return Statistics(_frame(counts), total, n_documents, n_characters, told)
        if parts:
            parts.append(_part(counts, Path(folder), len(parts)))
            words = pl.scan_parquet(parts).group_by("word").agg(pl.col("count").sum())
        else:
            words = _frame(counts).lazy()
        made = _write(words, told, target or _place())
    return Statistics(made, total, n_documents, n_characters, told)


def _frame(counts: "Counter[str]") -> pl.DataFrame:
    columns = {"word": list(counts.keys()), "count": list(counts.values())}
    return pl.DataFrame(columns, schema=SCHEMA).sort("word")


def _part(counts: "Counter[str]", folder: Path, number: int) -> Path:
    return _write(_frame(counts).lazy(), {}, folder / f"{number}.parquet")


def _place() -> Path:
    """A file that is gone when the program ends."""
    handle, name = tempfile.mkstemp(prefix="leadline-", suffix=".parquet")
    os.close(handle)
    atexit.register(Path(name).unlink, missing_ok=True)
    return Path(name)


def _write(words: pl.LazyFrame, told: dict[str, str], target: Path) -> Path:
    """The file, there whole or not at all."""
    try:
        with whole_file(target) as part:
            words.sink_parquet(part, metadata=told)
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise InputError.of(str(target), "unwritable", f"cannot be written: {reason}") from None
    return target


def read_statistics(path: Path, how: Tokeniser, mark: str | None = None) -> Statistics | None:
    """What a file holds; None if it was made from other documents than those with this mark."""
    try:
        told = pl.read_parquet_metadata(path)
        total, n_documents = int(told["leadline.total"]), int(told["leadline.documents"])
    except (KeyError, ValueError, pl.exceptions.PolarsError):
        message = "holds no statistics of a collection. Remove it, or name another file"
        raise InputError.of(str(path), "statistics", message) from None
    if mark is not None and told["leadline.source"] != mark:
        return None
    if told["leadline.words"] != str(how):
        message = f"was made with {told['leadline.words']}, not with {how}. Name another file"
        raise InputError.of(str(path), "statistics", message)
    return Statistics(path, total, n_documents)


def beside(source: DocumentSource, how: Tokeniser) -> Path | None:
    """Where a collection's counts are kept unless a file is named; None if it is no file."""
    if not isinstance(source, DocumentFiles) or not source.paths:
        return None
    path = Path(source.name)
    kind = "" if how == Tokeniser() else f".{how.tokens}-{how.stop}-{how.stem}"
    return path.with_name(f"{path.name}.words{kind}.parquet")


def statistics_of(
    source: DocumentSource,
    how: Tokeniser,
    file: Path | None = None,
    progress: Progress | None = None,
) -> Statistics:
    """The collection's counts: from the file if it is there, else counted and kept there.

    Without a file they are kept beside a large collection, if that can be written to, and counted
    anew when its files change.
    """
    if file is not None:
        if not is_plain(file):
            raise InputError.of(str(file), "unwritable", "is no plain file to keep word counts in")
        if shown_path(file) != str(file):
            # Polars cannot open it.
            message = "has a name that is not UTF-8: choose another"
            raise InputError.of(shown_path(file), "unwritable", message)
        found = read_statistics(file, how) if file.is_file() else None
        return found or count_words(source, how, file, progress)
    own = beside(source, how)
    if own is not None and own.is_file():
        found = read_statistics(own, how, source.mark())
        if found is not None:
            return found
    made = count_words(source, how, None, progress)
    if own is not None and made.n_characters >= WORTH_KEEPING:
        # A collection that cannot be written to is counted every time.
        with suppress(InputError):
            _write(made.lazy(), made.told, own)
    return made
