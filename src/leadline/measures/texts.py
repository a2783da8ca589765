"""From text to words: tokens, collection statistics, BM25, and the texts of lists."""

import atexit
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

from leadline.data.arrays import Floats, Int32s, Int64s
from leadline.data.documents import Documents, WordCounts
from leadline.data.lists import Lists
from leadline.io.documents import DocumentFiles, DocumentLookup, DocumentSource, with_title
from leadline.io.formats import MissingDocs
from leadline.io.problems import MOST, InputError, Notices, Progress
from leadline.io.source import shown_path
from leadline.io.write import is_plain, whole_file
from leadline.measures.subtopic_lists import subtopics_of

Tokens = Literal["words", "ascii"]
Stop = Literal["none", "english"]

_PATTERN = {"words": re.compile(r"\w+"), "ascii": re.compile(r"[a-z0-9]+")}
_LETTERS = b"abcdefghijklmnopqrstuvwxyz0123456789"
_STOP_TEXT = (
    "a about above after again against all am an and any are as at be because been before being "
    "below between both but by can cannot could did do does doing down during each few for from "
    "further had has have having he her here hers herself him himself his how i if in into is it "
    "its itself just me more most my myself no nor not now of off on once only or other our ours "
    "ourselves out over own same she should so some such than that the their theirs them "
    "themselves then there these they this those through to too under until up very was we were "
    "what when where which while who whom why will with would you your yours yourself yourselves "
    "s t d ll m re ve"
)
_STOP = frozenset(_STOP_TEXT.split())


@dataclass(frozen=True)
class Tokeniser:
    """Lower-case stretches of word characters; perhaps without stop words, perhaps stemmed.

    `words`: what Unicode counts as letters, digits and the underscore. `ascii`: a-z and 0-9 only.
    `stem` names a language of the Snowball stemmers, which need leadline[stemming].

    >>> Tokeniser().split("The naïve Sailor's log_2")
    ['the', 'naïve', 'sailor', 's', 'log_2']
    >>> Tokeniser("ascii", stop="english").split("The naïf Sailor's log_2")
    ['na', 'f', 'sailor', 'log', '2']
    """

    tokens: Tokens = "words"
    stop: Stop = "none"
    stem: str = "none"

    def __str__(self) -> str:
        return f"tokens={self.tokens}, stop={self.stop}, stem={self.stem}"

    def split(self, text: str) -> list[str]:
        """The words of a text, in order."""
        found = _PATTERN[self.tokens].findall(text.lower())
        if self.plain:
            return found
        change = self.change(set(found))
        return [made for word in found if (made := change[word])]

    @property
    def plain(self) -> bool:
        """Whether words stay as they are found."""
        return self.stop == "none" and self.stem == "none"

    def change(self, words: set[str]) -> dict[str, str]:
        """What becomes of each word: nothing of a stop word, its stem of another."""
        stop = _STOP if self.stop == "english" else frozenset()
        left = [word for word in words if word not in stop]
        stems = left if self.stem == "none" else stemmer(self.stem)(left)
        return dict.fromkeys(words, "") | dict(zip(left, stems, strict=True))

    def totals(self, texts: Sequence[str]) -> "Counter[str]":
        """How often each word occurs in all these texts together."""
        simple = [text for text in texts if text.isascii()]
        others = [text for text in texts if not text.isascii()]
        # Bytes translated and split: the same words as by pattern, in a third of the time.
        joined = "\n".join(simple).encode()
        found = Counter(joined.translate(_table(self.tokens)).split())
        counts = Counter({word.decode(): n for word, n in found.items()})
        for text in others:
            counts.update(_PATTERN[self.tokens].findall(text.lower()))
        return counts if self.plain else self.merged(counts)

    def merged(self, counts: "Counter[str]") -> "Counter[str]":
        """Counts of words as they are found, added up by what becomes of them."""
        change = self.change(set(counts))
        made: Counter[str] = Counter()
        for word, n in counts.items():
            if change[word]:
                made[change[word]] += n
        return made


@lru_cache
def _table(tokens: Tokens) -> bytes:
    """Every byte as it stands in words, a blank where it does not."""
    kept = _LETTERS + (b"_" if tokens == "words" else b"")
    return bytes(byte if byte in kept else 32 for byte in bytes(range(256)).lower())


@lru_cache
def stemmer(language: str) -> Callable[[list[str]], list[str]]:
    """The Snowball stemmer of a language."""
    try:
        import snowballstemmer
    except ImportError:
        message = "stemming needs the package snowballstemmer: pip install 'leadline[stemming]'"
        raise ValueError(message) from None
    known = snowballstemmer.algorithms()
    if language not in known:
        raise ValueError(f"stem must be none or one of {', '.join(sorted(known))}, not {language}")
    made: Callable[[list[str]], list[str]] = snowballstemmer.stemmer(language).stemWords
    return made


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


def word_counts(texts: Sequence[str | None], how: Tokeniser, statistics: Statistics) -> WordCounts:
    """The words of each text that the collection knows; a text that is missing has none."""
    split = [how.split(text) if text else [] for text in texts]
    doc = np.repeat(np.arange(len(split)), [len(words) for words in split])
    word = pl.Series("word", list(chain.from_iterable(split)), dtype=pl.String)
    counted = pl.DataFrame({"doc": doc, "word": word}).group_by("doc", "word").len("count")
    words = counted["word"].unique().sort()
    shares = statistics.shares(words)
    known = shares > 0
    words = words.filter(pl.Series(known))
    code = pl.DataFrame({"word": words, "code": np.arange(len(words), dtype=np.int32)})
    table = counted.join(code, on="word").sort("doc", "code")
    start = np.searchsorted(table["doc"].to_numpy(), np.arange(len(texts) + 1))
    count = table["count"].cast(pl.Int32).to_numpy()
    return WordCounts(words, shares[known], start, table["code"].to_numpy(), count)


@dataclass(frozen=True, eq=False)
class Reader:
    """Where texts come from, and what happens to documents that are not there.

    `docs` has what the runs return, `subtopic_docs` the judged documents if those are elsewhere.
    The collection is `docs`, its statistics kept in the file `statistics`. A missing document is
    skipped, so that its rank adds no text, or it stops everything; it is counted and said.
    """

    docs: DocumentSource
    subtopic_docs: DocumentSource | None = None
    statistics: Path | None = None
    missing: MissingDocs = "skip"
    progress: Progress | None = None

    def read(self, lists: Lists, doc: pl.Series, notices: Notices) -> Lists:
        """The lists with their documents; `doc` names that of each entry."""
        grades = subtopics_of(lists)
        labelled = np.diff(grades.start) > 0
        models = grades.docs.filter(pl.Series(labelled)).unique(maintain_order=True)
        shown = doc.unique(maintain_order=True)
        if self.subtopic_docs is None:
            names = pl.concat([shown, models]).unique(maintain_order=True)
            texts = _texts(self.docs, names)
            self._missing(self.docs, shown, texts[: len(shown)], "returned", notices)
            at = _number(names, models)
            self._missing(self.docs, models, texts.gather(at), "judged relevant", notices)
            learned, place = _number(names, grades.docs), _number(names, doc)
        else:
            own, other = _texts(self.docs, shown), _texts(self.subtopic_docs, models)
            self._missing(self.docs, shown, own, "returned", notices)
            self._missing(self.subtopic_docs, models, other, "judged relevant", notices)
            names, texts = pl.concat([shown, models]), pl.concat([own, other])
            learned = _number(models, grades.docs)
            learned = np.where(learned >= 0, learned + len(shown), -1).astype(np.int32)
            # Not among all names: both collections may know a document by the same name.
            place = _number(shown, doc)
        # From a text that is missing nothing is learned, not even that it is empty.
        there = texts.is_not_null().to_numpy()[learned]
        learned = np.where(labelled & (learned >= 0) & there, learned, -1).astype(np.int32)
        held = texts.to_list()

        def count(how: Tokeniser) -> WordCounts:
            return word_counts(held, how, self._statistics(how, held, notices))

        documents = Documents(names, count, learned)
        return replace(lists, documents=documents, in_documents=place)

    def words(self, names: pl.Series, how: Tokeniser, notices: Notices) -> WordCounts:
        """The words of these documents, a row each."""
        texts = _texts(self.docs, names)
        self._missing(self.docs, names, texts, "returned or judged", notices)
        held = texts.to_list()
        return word_counts(held, how, self._statistics(how, held, notices))

    def _statistics(self, how: Tokeniser, held: list[str | None], notices: Notices) -> Statistics:
        given = self.statistics is not None and self.statistics.is_file()
        if given or self.docs.whole:
            return statistics_of(self.docs, how, self.statistics, self.progress)
        message = (
            "cannot be gone through as a whole, so the collection's words are those of the "
            "documents returned and judged; a file of statistics would be better"
        )
        notices.add(self.docs.name, "warning", "statistics", message)
        some = {str(number): text for number, text in enumerate(held) if text}
        return count_words(DocumentLookup(some, self.docs.name), how)

    def _missing(
        self,
        source: DocumentSource,
        names: pl.Series,
        texts: pl.Series,
        what: str,
        notices: Notices,
    ) -> None:
        gone = names.filter(texts.is_null()).to_list()
        if not gone:
            return
        some = ", ".join(gone[:MOST]) + (", ..." if len(gone) > MOST else "")
        message = f"has no text for {len(gone)} of {len(names)} documents {what}: {some}"
        if self.missing == "stop" or len(gone) == len(names):
            raise InputError.of(source.name, "missing-doc", message)
        notices.add(source.name, "warning", "missing-doc", f"{message}. They count as empty")


def _texts(source: DocumentSource, names: pl.Series) -> pl.Series:
    """The text of each, null where there is none."""
    found = source.find(names)
    wanted = pl.DataFrame({"id": names})
    return wanted.join(found, on="id", how="left", maintain_order="left")["text"]


def _number(names: pl.Series, wanted: pl.Series) -> Int32s:
    """The place of each wanted name among the names, -1 where it is not one of them."""
    known = pl.DataFrame({"id": names}).with_row_index("at")
    found = pl.DataFrame({"id": wanted}).join(known, on="id", how="left", maintain_order="left")
    return found["at"].cast(pl.Int32).fill_null(-1).to_numpy()


@dataclass(frozen=True, eq=False)
class BM25:
    """score(q, d) = sum over words w of q of n_qw idf_w tf (k1 + 1) / (tf + k1 (1 - b + b L / A)).

    tf is how often w stands in d, n_qw in q, L the length of d and A the mean length; idf_w =
    ln(1 + (N - n_w + .5) / (n_w + .5)), n_w being how many of the N documents hold w. All of it by
    the documents at hand; words that none of them holds count nothing.

    Robertson and Zaragoza, The probabilistic relevance framework, 2009; k1 and b as in Anserini.
    """

    words: WordCounts
    k1: float = 0.9
    b: float = 0.4

    @cached_property
    def weight(self) -> Floats:
        """What every element of the word counts adds to a query that holds its word once."""
        words, n_documents = self.words, len(self.words.start) - 1
        length = np.bincount(words.document, words.count, n_documents)
        mean = max(float(length.mean()) if n_documents else 0.0, 1.0)
        holding = np.bincount(words.word, minlength=len(words.words))
        idf = np.log1p((n_documents - holding + 0.5) / (holding + 0.5))
        frequency = words.count.astype(np.float64)
        usual = self.k1 * (1 - self.b + self.b * length[words.document] / mean)
        weight: Floats = idf[words.word] * frequency * (self.k1 + 1) / (frequency + usual)
        return weight

    @cached_property
    def _place(self) -> dict[str, int]:
        return {word: at for at, word in enumerate(self.words.words)}

    def scores(self, query: Iterable[str], row: Int32s | Int64s) -> Floats:
        """The score of some documents, by their numbers, for the words of a query."""
        asked = np.zeros(len(self.words.words))
        for word, n in Counter(query).items():
            if word in self._place:
                asked[self._place[word]] = n
        element, owner = self.words.elements(row)
        amount = asked[self.words.word[element]] * self.weight[element]
        return np.bincount(owner, amount, len(row)).astype(np.float64, copy=False)
