"""What topics and documents say: topic files, probabilities of subtopics, texts to read."""

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import polars as pl

from leadline.data.documents import Document
from leadline.data.subtopics import Intents, Subtopics
from leadline.io.datasets import is_id, queries_of
from leadline.io.documents import DocumentSource, documents_in
from leadline.io.formats import FileFormat, format_of, formats
from leadline.io.json_table import has_lines, json_objects
from leadline.io.lines import is_number, numbered_lines, quoted
from leadline.io.problems import InputError, Progress
from leadline.io.source import Source, check_text, read_source

FILES = (
    *("topics.tsv", "topics.jsonl", "topics.xml", "topics.txt", "topics"),
    *("queries.tsv", "queries.jsonl"),
)
"""What a collection folder may call its topics."""

_IDS = ("topic", "_id", "id", "qid", "query_id", "topic_id", "number", "num")
_QUERIES = ("query", "text", "title")
_MORE = ("description", "desc", "question", "narrative", "narr")
_TOP = re.compile(r"<top>(.*?)(?:</top>|(?=<top>)|\Z)", re.DOTALL | re.IGNORECASE)
_PART = re.compile(r"<(num|title|desc|narr)>([^<]*)", re.IGNORECASE)
_WHITE = bytes(range(1, 33)).decode()
"""What separates fields, and means nothing around them."""
_BLANKS = re.compile(r"[\x01-\x20]+")
_LABEL = re.compile(r"^\s*(number|topic|description|narrative)\s*:", re.IGNORECASE)


class TopicText(NamedTuple):
    """A topic's query, and what else is said about what is relevant."""

    query: str = ""
    description: str = ""


def read_topics(path: str | os.PathLike[str]) -> dict[str, TopicText]:
    """Query and description of every topic in a file of any known format."""
    if is_id(path):
        return {name: TopicText(query, more) for name, query, more in queries_of(path)}
    return topics_of(read_source(path))


def topics_of(source: Source) -> dict[str, TopicText]:
    """Query and description of every topic, whatever the format."""
    return (format_of(source, "topics") or TopicsTsv()).read_topics(source)


def topics_in(folder: Path) -> dict[str, TopicText]:
    """The topics of a collection folder; none if it has no file of them."""
    for name in FILES:
        for ending in ("", ".gz", ".zst"):
            if (folder / (name + ending)).is_file():
                return read_topics(folder / (name + ending))
    return {}


def _text_of(source: Source) -> str:
    check_text(source)
    data = b"".join(source.texts())
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        message = "is not UTF-8 text. Convert the file to UTF-8"
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError.of(source.name, "encoding", message, line) from None


def _name_of(value: object, name: str, line: int | None = None) -> str:
    """A topic's name; an InputError if it is none."""
    text = str(value).strip(_WHITE) if type(value) in (str, int) else ""
    if not text:
        message = f"a topic's name must be text or a whole number, found {value!r:.60}"
        raise InputError.of(name, "topics", message, line)
    return text


@formats.register
@dataclass(frozen=True)
class TopicsTsv(FileFormat):
    """Topics, one per line: name, query and optional description, separated by tabs.

    Formula: topic TAB query TAB description
    """

    def looks_like(self, source: Source) -> bool:
        first = source.head.lstrip()
        return b"\t" in first.partition(b"\n")[0] and first[:1] not in b"<{["

    def read_topics(self, source: Source) -> dict[str, TopicText]:
        names = ["topic", "query", "description"]
        topics: dict[str, TopicText] = {}
        headed = False
        for number, line in enumerate(_text_of(source).split("\n"), 1):
            if not line.strip(_WHITE) or line.lstrip(_WHITE).startswith("#"):
                continue
            # Where there is no tab, the first word is the name.
            cells = line.split("\t") if "\t" in line else _BLANKS.split(line.strip(_WHITE), 1)
            cells = [cell.strip(_WHITE) for cell in cells]
            if not topics and not headed and {"topic", "query"} <= set(cells):
                names, headed = cells, True
                continue
            row = dict(zip(names, cells, strict=False))
            name = _name_of(row.get("topic", ""), source.name, number)
            topics[name] = TopicText(row.get("query", ""), row.get("description", ""))
        if not topics:
            raise InputError.of(source.name, "empty", "holds no topic")
        return topics


@formats.register
@dataclass(frozen=True)
class TopicsJson(FileFormat):
    """Topics as JSON lines, such as BEIR's queries.jsonl.

    Formula: {"_id": "401", "text": "foreign minorities, Germany"}
    """

    def looks_like(self, source: Source) -> bool:
        return has_lines(source)

    def read_topics(self, source: Source) -> dict[str, TopicText]:
        topics = {}
        for line, row in json_objects(source):
            name = next((row[key] for key in _IDS if key in row), None)
            query = next((row[key] for key in _QUERIES if key in row), None)
            if name is None or query is None:
                message = 'expected an object with "_id" and "text", or "topic" and "query"'
                raise InputError.of(source.name, "topics", message, line)
            more = [str(row[key]) for key in _MORE if row.get(key)]
            text = TopicText(str(query), "\n\n".join(more))
            topics[_name_of(name, source.name, line)] = text
        return topics


@formats.register
@dataclass(frozen=True)
class TopicsTrec(FileFormat):
    """Topics of TREC tracks, in SGML without end tags.

    Formula: <top> <num> Number: 401 <title> ... <desc> ... <narr> ... </top>
    """

    def looks_like(self, source: Source) -> bool:
        return source.head.lstrip()[:5].lower() == b"<top>"

    def read_topics(self, source: Source) -> dict[str, TopicText]:
        topics = {}
        for top in _TOP.findall(_text_of(source)):
            texts = [(tag.lower(), _LABEL.sub("", text)) for tag, text in _PART.findall(top)]
            parts = {tag: " ".join(text.split()) for tag, text in texts}
            if not parts.get("num"):
                message = f"a <top> has no <num>: {top.strip()[:60]!r}"
                raise InputError.of(source.name, "topics", message)
            more = [parts[tag] for tag in ("desc", "narr") if parts.get(tag)]
            topics[parts["num"]] = TopicText(parts.get("title", ""), "\n\n".join(more))
        return topics


@formats.register
@dataclass(frozen=True)
class TopicsXml(FileFormat):
    """Topics as XML: elements `topic` with a number and a query, or with words alone.

    Formula: <topics><topic number="1"><query>...</query><question>...</question></topic></topics>
    """

    def looks_like(self, source: Source) -> bool:
        start = source.head.lstrip().lower()
        return start.startswith((b"<?xml", b"<topics", b"<topic ", b"<queries", b"<!--"))

    def read_topics(self, source: Source) -> dict[str, TopicText]:
        check_text(source)
        try:
            root = ElementTree.fromstring(b"".join(source.texts()))
        except ElementTree.ParseError as error:
            message = f"is no XML: {error}"
            raise InputError.of(source.name, "topics", message, error.position[0]) from None
        except (ValueError, LookupError) as error:
            # An encoding that nobody knows, or of several bytes a letter.
            raise InputError.of(source.name, "encoding", f"is no XML: {error}", 1) from None
        topics = {}
        for topic in root.iter():
            name = next((topic.get(key) for key in ("number", "id", "num") if topic.get(key)), None)
            if topic.tag not in ("topic", "top", "query") or name is None:
                continue
            words = {child.tag: " ".join("".join(child.itertext()).split()) for child in topic}
            query = next((words[key] for key in _QUERIES if words.get(key)), None)
            more = [words[key] for key in _MORE if words.get(key)]
            plain = " ".join("".join(topic.itertext()).split())
            topics[_name_of(name, source.name)] = TopicText(
                plain if query is None else query, "\n\n".join(more)
            )
        if not topics:
            raise InputError.of(source.name, "topics", 'has no element <topic number="...">')
        return topics


def intents_from(what: Any, subtopics: Subtopics) -> Intents:
    """The probability of each (topic, subtopic); every topic with judgments must have some."""
    if isinstance(what, str | os.PathLike):
        name, found = os.fspath(what), _read(what)
    elif isinstance(what, Mapping):
        name = "intents"
        found = {
            (str(topic), str(subtopic)): float(share)
            for topic, inner in what.items()
            for subtopic, share in inner.items()
        }
    else:
        raise InputError.of("intents", "intents", f"expected a file or a mapping, not {what!r}")
    wrong = next((key for key, share in found.items() if not 0 <= share < float("inf")), None)
    if wrong is not None:
        message = f"topic {wrong[0]}, subtopic {wrong[1]}: {found[wrong]} is no probability"
        raise InputError.of(name, "intents", message)
    some = {topic for (topic, _), share in found.items() if share > 0}
    judged = subtopics.frame.filter(pl.col("grade") > 0)["topic"].unique().to_list()
    missing = sorted(set(judged) - some)
    if missing:
        message = f"has no probability for topic {missing[0]}, which has judgments"
        raise InputError.of(name, "intents", message)
    return found


def _read(path: str | os.PathLike[str]) -> dict[tuple[str, str], float]:
    source = read_source(path)
    found = {}
    for number, fields in numbered_lines(source):
        if len(fields) != 3 or not is_number(fields[2]):
            text = quoted(" ".join(fields), 60)
            message = f"expected topic, subtopic and probability, found {text}"
            raise InputError.of(source.name, "intents", message, number)
        found[fields[0], fields[1]] = float(fields[2])
    return found


_WORDS = (
    "a an and are as at be by do does for from how in into is it its not of on or that the their "
    "them they this to was were what when where which who why will with"
)
_COMMON = frozenset(_WORDS.split())


@dataclass(frozen=True)
class Texts:
    """Query and description of topics, and documents by id; what is not known is not there."""

    topics: dict[str, TopicText] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)

    def terms(self, topic: str) -> re.Pattern[str] | None:
        """What to look for in a document: the query's words, also with other endings."""
        query = self.topics.get(topic, TopicText()).query
        words = [w for w in re.findall(r"\w+", query.lower()) if w not in _COMMON and len(w) > 1]
        if not words:
            return None
        stems = {re.escape(_stem(word)) for word in words}
        return re.compile(rf"\b(?:{'|'.join(sorted(stems))})\w{{0,4}}\b", re.IGNORECASE)


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "es", "ed", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def read_texts(
    folder: Path | None,
    wanted: Collection[str],
    progress: Progress | None = None,
) -> Texts:
    """The topics and the wanted documents of a collection folder."""
    if folder is None:
        return Texts()
    topics = topics_in(folder)
    source = documents_in(folder)
    if source is None:
        return Texts(topics)
    return Texts(topics, dict(read_documents(source, wanted, progress)))


def read_documents(
    source: DocumentSource,
    wanted: Collection[str],
    progress: Progress | None = None,
) -> Iterator[tuple[str, Document]]:
    """The wanted documents, by name."""
    names = pl.Series(list(wanted), dtype=pl.String).implode()
    done = 0
    for table in source.tables():
        found = table.filter(pl.col("id").is_in(names))
        for name, title, text in found.select("id", "title", "text").iter_rows():
            yield name, Document(title or "", text or "")
        done += len(found)
        if progress is not None:
            progress(done, len(wanted))
