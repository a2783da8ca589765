"""What an assessor reads: documents from a file, a folder or an address, and guidelines."""

import html.parser
import re
from collections.abc import Collection, Container
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from leadline.files.problems import InputError, Progress
from leadline.formats.document_files import documents_from
from leadline.formats.topic_files import TopicText, read_topics
from leadline.judging.reading_texts import Texts, read_documents
from leadline.judging.room.project import Project
from leadline.tables.documents import Document

PLAIN = (".txt", ".md", ".html", ".htm", "")
LONGEST = 1_000_000
"""Characters of a document that are shown."""


@dataclass(frozen=True)
class Library:
    """Topics, guidelines as Markdown by topic ("" for all), and how to come by a document."""

    texts: Texts = field(default_factory=Texts)
    guidelines: dict[str, str] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)
    address: str = ""

    def document(self, doc: str) -> Document | None:
        """A document's title and text, None if it is not here."""
        path = self.files.get(doc)
        if path is None:
            return self.texts.documents.get(doc)
        text = path.read_text(encoding="utf-8", errors="replace")[:LONGEST]
        return from_html(text) if path.suffix in (".html", ".htm") else Document("", text)

    def link(self, doc: str) -> str:
        """Where the document can be looked at, if not here."""
        return self.address.replace("{doc}", quote(doc, safe="")) if self.address else ""


def read_library(
    folder: Path,
    project: Project,
    wanted: Collection[str],
    progress: Progress | None = None,
) -> Library:
    """What a project says there is to read; an InputError if something named is not there."""
    topics: dict[str, TopicText] = {}
    if project.topics and _given(folder, project.topics, "topics.tsv"):
        topics = read_topics(_existing(folder, project.topics))
    guidelines = {}
    if project.guidelines:
        guidelines = _guidelines(_existing(folder, project.guidelines))
    if not project.documents:
        return Library(Texts(topics), guidelines)
    if "://" in project.documents:
        if not re.match(r"https?://[^/\s]+/", project.documents):
            message = "documents: an address begins with http:// or https:// and a host"
            raise InputError.of(str(folder), "project", message)
        return Library(Texts(topics), guidelines, {}, project.documents)
    path = _existing(folder, project.documents)
    if path.is_dir():
        return Library(Texts(topics), guidelines, _files(path, wanted))
    documents = dict(read_documents(documents_from(path), wanted, progress))
    return Library(Texts(topics, documents), guidelines)


def _given(folder: Path, name: str, default: str) -> bool:
    """Whether a file is there, or was asked for by another name than the usual one."""
    return name != default or (folder / name).exists()


def _existing(folder: Path, name: str) -> Path:
    path = folder / name
    if not path.exists():
        raise InputError.of(str(path), "project", "is not there; judge.toml names it")
    return path


def _guidelines(path: Path) -> dict[str, str]:
    if path.is_file():
        return {"": path.read_text(encoding="utf-8")}
    found = {file.stem: file.read_text(encoding="utf-8") for file in sorted(path.glob("*.md"))}
    found[""] = found.pop("general", "")
    return found


def _files(folder: Path, wanted: Container[str]) -> dict[str, Path]:
    """Files by document: its name with or without an ending. Only what lies here can be read."""
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
            name = path.relative_to(folder).as_posix()
            stem = name.removesuffix(path.suffix) if path.suffix in PLAIN else name
            for each in (name, stem):
                if each in wanted:
                    found.setdefault(each, path)
    return found


BLOCKS = "p div br li ul ol tr table h1 h2 h3 h4 h5 h6 section article pre"


class _Text(html.parser.HTMLParser):
    """The words of a page, its title apart; scripts and styles are no words."""

    HIDDEN = frozenset(["script", "style", "template", "noscript", "svg", "iframe", "object"])
    BLOCK = frozenset(re.findall(r"\w+", BLOCKS))

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.title = ""
        self.inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.HIDDEN or tag == "title":
            self.inside.append(tag)
        elif tag in self.BLOCK:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self.inside:
            self.inside.remove(tag)
        elif tag in self.BLOCK:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if "title" in self.inside:
            self.title += data
        elif not self.inside:
            self.parts.append(re.sub(r"\s+", " ", data))


def from_html(text: str) -> Document:
    """A page's title and words, nothing of its markup.

    >>> from_html("<title>A</title><p>one <b>two</b><script>evil()</script><p>three")
    Document(title='A', text='one two\\nthree')
    """
    reader = _Text()
    reader.feed(text)
    reader.close()
    lines = [line.strip() for line in "".join(reader.parts).split("\n")]
    body = re.sub(r"\n{2,}", "\n\n", "\n".join(lines)).strip()
    return Document(reader.title.strip(), body)
