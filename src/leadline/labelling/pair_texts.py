"""The pairs to label with what a model reads of them, from a collection's or a project's folder."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import polars as pl

from leadline.files.problems import InputError, Notices, Progress
from leadline.formats.topic_files import TopicText
from leadline.judging.reading_texts import Texts, read_texts
from leadline.judging.room.library import Library, read_library
from leadline.judging.room.outside import check_inside
from leadline.judging.room.project import NAME, Project, read_project
from leadline.judging.room.scale import Grade
from leadline.labelling.prompt import FILE, Prompt, has_instructions, read_template
from leadline.tables.documents import Document

SHOWN = 10
"""Documents that a warning names."""

CUT = "\n[the document goes on, but is cut here]"


class PairText(NamedTuple):
    """What a model is asked about a pair: "" if there is no text to judge."""

    topic: str
    doc: str
    ask: str
    cut: bool
    instructs: bool = False


@dataclass(frozen=True)
class ReadingRoom:
    """A folder's texts, and what its project says about grades and guidelines."""

    folder: Path
    library: Library
    project: Project | None

    @classmethod
    def of(cls, folder: Path, wanted: set[str], progress: Progress | None = None) -> "ReadingRoom":
        """What is in a folder: as judge.toml says if it has one, else by the usual names."""
        if not folder.is_dir():
            raise InputError.of(str(folder), "missing", "is no collection folder")
        if not (folder / NAME).is_file():
            return cls(folder, Library(read_texts(folder, wanted, progress)), None)
        project = read_project(folder)
        check_inside(folder, project)
        library = read_library(folder, project, wanted, progress)
        if library.address:
            message = "documents are at an address, which is not asked: name a file of them"
            raise InputError.of(str(folder / NAME), "project", message)
        if not project.documents:
            texts = read_texts(folder, wanted, progress)
            topics = library.texts.topics or texts.topics
            library = Library(Texts(topics, texts.documents), library.guidelines)
        return cls(folder, library, project)

    def prompt(self, path: Path | None, scale: tuple[Grade, ...] | None) -> Prompt:
        """A template of the user's, the folder's or our own, with the scale and the guidelines."""
        if scale is None and self.project is not None:
            scale = self.project.grades
        prompt = Prompt(guidelines=self.library.guidelines)
        if path is None and (self.folder / FILE).is_file():
            path = self.folder / FILE
        template, name = (prompt.template, prompt.name) if path is None else read_template(path)
        return Prompt(template, name, scale or prompt.grades, prompt.guidelines)


def pair_texts(
    pool: pl.DataFrame, room: ReadingRoom, prompt: Prompt, cut_at: int, notices: Notices
) -> list[PairText]:
    """The pairs of a pool, in its order; an InputError if a topic has no query or no doc a text."""
    topics = _topics(pool, room)
    document = room.library.document
    pairs = [
        _pair(topic, doc, topics[topic], document, prompt, cut_at)
        for topic, doc in pool.select("topic", "doc").iter_rows()
    ]
    if not any(pair.ask for pair in pairs):
        message = "has no text of any document in the pool; expected docs.jsonl or the like"
        raise InputError.of(str(room.folder), "documents", message)
    told = list(dict.fromkeys(pair.doc for pair in pairs if pair.instructs))
    if told:
        named = ", ".join(told[:SHOWN]) + (", ..." if len(told) > SHOWN else "")
        message = (
            f"{len(told):,} documents hold what reads like instructions to a model, which may obey "
            f"them: {named}. Have people judge these"
        )
        notices.add("", "warning", "instructions", message)
    asks = [pair.ask for pair in pairs if pair.ask]
    n_same = len(asks) - len(set(asks))
    if n_same:
        message = f"{n_same:,} pairs have the same words as another, and share its answers"
        notices.add("", "notice", "same-words", message)
    n_cut = sum(pair.cut for pair in pairs)
    if n_cut:
        message = (
            f"{n_cut:,} of {len(pairs):,} documents are longer than {cut_at:,} letters and were "
            "cut there (`cut_at`); the column cut tells which"
        )
        notices.add("", "warning", "cut", message)
    return pairs


def _topics(pool: pl.DataFrame, room: ReadingRoom) -> dict[str, TopicText]:
    """What all topics of the pool are about; an InputError if one has no query."""
    topics = room.library.texts.topics
    for topic in pool["topic"].unique(maintain_order=True):
        if not topics.get(topic, TopicText()).query.strip():
            have = f"its topics are {', '.join(list(topics)[:5])}, ..." if topics else "it has none"
            message = f"has no query for topic {topic} of the pool; {have}"
            raise InputError.of(str(room.folder), "topics", message)
    return topics


def plain_texts(pool: pl.DataFrame, room: ReadingRoom) -> tuple[dict[str, str], dict[str, str]]:
    """The queries of a pool's topics, and its documents with their titles, "" without text."""
    queries = {topic: text.query for topic, text in _topics(pool, room).items()}
    found = {doc: room.library.document(doc) or Document() for doc in pool["doc"].unique()}
    return queries, {doc: _words(each) for doc, each in found.items()}


def _words(document: Document) -> str:
    parts = [part for part in (document.title.strip(), document.text.strip()) if part]
    return "\n\n".join(parts)


def _pair(
    topic: str,
    doc: str,
    text: TopicText,
    document: Callable[[str], Document | None],
    prompt: Prompt,
    cut_at: int,
) -> PairText:
    words = _words(document(doc) or Document())
    if not words:
        return PairText(topic, doc, "", False)
    cut = len(words) > cut_at
    shown = words[:cut_at] + CUT if cut else words
    return PairText(topic, doc, prompt.ask(topic, text, shown), cut, has_instructions(shown))
