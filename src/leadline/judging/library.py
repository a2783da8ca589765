"""What an assessor reads: documents, images, fields, guidelines, and where they may lie.

A folder or a backup may come from somebody else, and its judge.toml may name any file; documents
and guidelines are shown to everybody who judges. What was confirmed is kept in the user's state
folder, not in the project, which could bring its own.
"""

import codecs
import contextlib
import glob
import os
import re
from collections.abc import Collection, Container, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

from leadline.data.documents import Document
from leadline.io.datasets import is_id
from leadline.io.documents import documents_from
from leadline.io.problems import InputError, Progress
from leadline.io.topics import Texts, TopicText, read_documents, read_topics
from leadline.judging.project import NAME, Project, parse_template, read_records

LARGEST = 10_000_000
"""Bytes of an image that is shown."""

BEGINNINGS = {
    "image/png": (b"\x89PNG\r\n\x1a\n", b""),
    "image/jpeg": (b"\xff\xd8\xff", b""),
    "image/gif": (b"GIF8", b""),
    "image/webp": (b"RIFF", b"WEBP"),
}
"""What an image begins with, and has from its ninth byte on. SVG is none: it may hold programs."""


@dataclass(frozen=True)
class Image:
    """What a browser is sent."""

    kind: str
    data: bytes


def kind_of(data: bytes) -> str | None:
    """The type of an image by how it begins, whatever its name says; None if it is none.

    >>> kind_of(b"GIF89a..."), kind_of(b"<svg onload=alert(1)>")
    ('image/gif', None)
    """
    for kind, (first, later) in BEGINNINGS.items():
        if data.startswith(first) and data[8:].startswith(later):
            return kind
    return None


def read_image(folder: Path, name: str) -> Image:
    """An image of a folder; a ValueError that says why it cannot be shown."""
    home = folder.resolve()
    try:
        path = (home / name).resolve(strict=True)
    except (OSError, ValueError):
        raise ValueError("the image is not there") from None
    if not path.is_relative_to(home) or not path.is_file():
        raise ValueError("the image is not there")
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError:
        raise ValueError("the image cannot be read") from None
    if len(data) > LARGEST:
        raise ValueError(f"the image is larger than {LARGEST:,} bytes")
    kind = kind_of(data)
    if kind is None:
        raise ValueError("this is no image: PNG, JPEG, GIF and WebP are shown")
    return Image(kind, data)


PLAIN = (".txt", ".md", ".html", ".htm", "")
LONGEST = 8_000_000
"""Bytes of a document's file that are read, and characters of a text among many."""

QUICK = 200_000
"""Bytes of a page that is read while somebody waits; a longer one is read aside."""

LONGEST_LINK = 2_000

MARKUP = re.compile(
    r"\s*<(!doctype\s+html|html|head|body|p|div|span|h[1-6]|table|ul|ol|article|section|main)\b",
    re.IGNORECASE,
)
"""How a text begins that is a page, wherever it comes from."""

DECLARED = re.compile(rb"<meta[^>]{0,200}charset\s{0,5}=\s{0,5}[\"']?([\w-]{1,40})", re.IGNORECASE)


@dataclass(frozen=True)
class Library:
    """Topics, guidelines as Markdown by topic ("" for all), and how to come by a document."""

    texts: Texts = field(default_factory=Texts)
    guidelines: dict[str, str] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)
    address: str = ""
    images: Path | None = None
    unseen: tuple[str, ...] = ()
    """Fields that the template names and no document has."""

    def image(self, doc: str) -> Image:
        """A document's image; a ValueError that says why there is none."""
        found = self.texts.documents.get(doc)
        if self.images is None or found is None or not found.image:
            raise ValueError("the document has no image")
        return read_image(self.images, found.image)

    def document(self, doc: str) -> Document | None:
        """A document's title and text, None if it is not here."""
        path = self.files.get(doc)
        if path is None:
            found = self.texts.documents.get(doc)
            if found is None or not MARKUP.match(found.text):
                return found
            page = from_html(found.text)
            return replace(found, title=found.title or page.title, text=page.text)
        with path.open("rb") as file:
            text = decoded(file.read(LONGEST))
        return from_html(text) if path.suffix in (".html", ".htm") else Document("", text)

    def size(self, doc: str) -> int:
        """Return how much has to be read, or taken apart as a page, to show a document."""
        path = self.files.get(doc)
        if path is not None:
            return path.stat().st_size if path.exists() else 0
        found = self.texts.documents.get(doc)
        return len(found.text) if found is not None and MARKUP.match(found.text) else 0

    def is_quick(self, doc: str) -> bool:
        """Whether a document is ready to be shown in no time."""
        return self.size(doc) <= QUICK

    def lacks(self, topics: Collection[str], docs: Collection[str]) -> Iterator[str]:
        """What assessors will not have to read, in words."""
        unsaid = sum(not self.texts.topics.get(topic, TopicText()).query for topic in topics)
        if unsaid:
            yield f"{unsaid:,} of {len(topics):,} topics have no text: assessors see their names"
        if self.address:
            return
        missing = sum(doc not in self.files and doc not in self.texts.documents for doc in docs)
        if missing:
            yield f"{missing:,} of {len(docs):,} documents are missing: assessors see their names"
        empty = sum(self._is_empty(doc) for doc in docs)
        if empty:
            yield f"{empty:,} of {len(docs):,} documents are empty, which the judging page says"
        for name in self.unseen:
            yield f"template: no document has the field {name}"

    def _is_empty(self, doc: str) -> bool:
        if doc in self.files:
            return self.files[doc].stat().st_size == 0
        found = self.texts.documents.get(doc)
        return found is not None and not any((found.title, found.text, found.fields, found.image))

    def query(self, topic: str) -> str:
        """The words of a topic's query, empty if there are none."""
        return self.texts.topics.get(topic, ("", ""))[0]

    def link(self, doc: str) -> str:
        """Where the document can be looked at, if not here."""
        if self.address:
            return self.address.replace("{doc}", quote(doc, safe=""))
        link = self.texts.documents.get(doc, Document()).link
        return link if len(link) <= LONGEST_LINK else ""


def _bounded(document: Document) -> Document:
    """A document of which no part is longer than what is read of a file."""
    fields = tuple((label, value[:LONGEST]) for label, value in document.fields)
    title, text = document.title[:LONGEST], document.text[:LONGEST]
    return replace(document, title=title, text=text, fields=fields)


def decoded(data: bytes) -> str:
    """Text in whatever encoding: UTF-8 if it is that, else what it says, else Windows' own.

    >>> decoded("é".encode()), decoded(b'<meta charset="iso-8859-2">\\xb1')[-1], decoded(b"\\xe9")
    ('é', 'ą', 'é')
    """
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    # The end may have been cut off within a letter.
    with contextlib.suppress(UnicodeDecodeError):
        return codecs.getincrementaldecoder("utf-8-sig")().decode(data, len(data) < LONGEST)
    said = DECLARED.search(data[:4096])
    if said is not None:
        with contextlib.suppress(LookupError, UnicodeError):
            return data.decode(said[1].decode())
    return data.decode("cp1252", errors="replace")


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
    guidelines = read_guidelines(folder, project)
    if not project.documents:
        return Library(Texts(topics), guidelines)
    if "://" in project.documents:
        return Library(Texts(topics), guidelines, {}, project.documents)
    path = _existing(folder, project.documents)
    if project.template:
        return _by_template(folder, project, Library(Texts(topics), guidelines), wanted, progress)
    if path.is_dir():
        return Library(Texts(topics), guidelines, _files(path, wanted))
    read = read_documents(documents_from(path), wanted, progress)
    documents = {name: _bounded(document) for name, document in read}
    return Library(Texts(topics, documents), guidelines)


def _by_template(
    folder: Path,
    project: Project,
    library: Library,
    wanted: Collection[str],
    progress: Progress | None,
) -> Library:
    template = parse_template(project.template)
    unseen = dict.fromkeys(template.fields)
    documents = {}
    for name, record in read_records(_existing(folder, project.documents), wanted, progress):
        documents[name] = _bounded(template.fill(record))
        for field_name in template.seen(record, unseen):
            del unseen[field_name]
    images = _existing(folder, project.images) if project.images else None
    return replace(
        library,
        texts=replace(library.texts, documents=documents),
        images=images,
        unseen=tuple(unseen),
    )


def _given(folder: Path, name: str, default: str) -> bool:
    """Whether a file is there, or was asked for by another name than the usual one."""
    return name != default or (folder / name).exists()


def _existing(folder: Path, name: str) -> Path:
    if is_id(name):
        return Path(name)
    path = folder / name
    if not path.exists():
        raise InputError.of(str(path), "project", "does not exist, but judge.toml names it")
    return path


def read_guidelines(folder: Path, project: Project) -> dict[str, str]:
    """Guidelines as Markdown by topic, "" for those of all topics."""
    if not project.guidelines:
        return {}
    path = _existing(folder, project.guidelines)
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


HIDDEN = frozenset(["script", "style", "template", "noscript", "svg", "iframe", "object"])
BLOCKS = frozenset(
    ["p", "div", "br", "li", "ul", "ol", "tr", "table", "section", "article", "pre"]
    + [f"h{level}" for level in range(1, 7)]
)
ENDED_BY_THE_NEXT = frozenset(["p", "li", "tr", "br"])
"""Their ends are often left out, and are no ends of a line of their own."""


class _PageWords:
    """The words of a page as its parser meets them, the title apart; scripts are no words."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.title: list[str] = []
        self.hidden = 0
        self.titled = 0

    def start(self, tag: str, attributes: object) -> None:
        if tag == "title" and not self.hidden and not self.title:
            self.titled += 1
        elif tag in HIDDEN:
            self.hidden += 1
        elif tag in BLOCKS:
            self.parts.append("\n")
        elif tag in ("td", "th"):
            self.parts.append(" ")

    def end(self, tag: str) -> None:
        if tag == "title" and self.titled:
            self.titled -= 1
        elif tag in HIDDEN:
            self.hidden = max(0, self.hidden - 1)
        elif tag in BLOCKS - ENDED_BY_THE_NEXT:
            self.parts.append("\n")

    def data(self, text: str) -> None:
        if self.titled:
            self.title.append(text)
        elif not self.hidden:
            self.parts.append(re.sub(r"\s+", " ", text))

    def comment(self, text: str) -> None:
        """Nothing to read."""

    def close(self) -> "_PageWords":
        return self


def from_html(text: str) -> Document:
    """A page's title and words, nothing of its markup.

    By a parser that needs a time in proportion to the text, whatever is wrong with it.

    >>> page = from_html("<title>A</title><p>one <b>two</b><script>evil()</script><p>three")
    >>> page.title, page.text
    ('A', 'one two\\nthree')
    """
    from lxml import etree

    words = _PageWords()
    parser = etree.HTMLParser(target=words, encoding="utf-8", huge_tree=True)
    # Not what cannot be encoded: half of a pair of surrogates.
    parser.feed(text.encode("utf-8", errors="replace"))
    # A page without a single tag is none to the parser.
    with contextlib.suppress(etree.XMLSyntaxError):
        parser.close()
    lines = (" ".join(line.split()) for line in "".join(words.parts).split("\n"))
    body = re.sub(r"\n{2,}", "\n\n", "\n".join(lines)).strip()
    return Document(" ".join("".join(words.title).split()), body)


SETTINGS = ("runs", "topics", "documents", "guidelines", "images", "pool", "start_from", "labels")
"""Settings that name files."""

WHOLE = ("runs", "guidelines", "labels")
"""Those of which every file of a folder is read; of documents and images no link leads out."""


def _confirmed_file() -> Path:
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(home) / "leadline" / "outside.txt"


def _confirmed() -> set[str]:
    try:
        return set(_confirmed_file().read_text(encoding="utf-8").split("\n"))
    except OSError:
        return set()


def outside_paths(folder: Path, project: Project) -> dict[str, list[Path]]:
    """Return the files and folders outside that settings name and nobody confirmed."""
    home, known = folder.resolve(), _confirmed()
    found = {}
    for name in SETTINGS:
        value = getattr(project, name)
        if not value or "://" in value or is_id(value):
            continue
        paths = _named(folder / value, name in WHOLE)
        paths = [path for path in paths if not path.is_relative_to(home)]
        paths = [path for path in paths if str(path) not in known]
        if paths:
            found[name] = paths
    return found


def _named(path: Path, whole: bool) -> list[Path]:
    """A path, or what a pattern matches; of a `whole` folder also what links in it lead to."""
    matched = [Path(each) for each in sorted(glob.glob(str(path)))] or [path]  # noqa: PTH207
    found = {each.resolve(): None for each in matched}
    for each in matched if whole else ():
        links = [inner for inner in each.iterdir() if inner.is_symlink()] if each.is_dir() else []
        here = each.resolve()
        found |= {p: None for p in (link.resolve() for link in links) if not p.is_relative_to(here)}
    return list(found)


def check_inside(folder: Path, project: Project) -> None:
    """Raise an InputError if a project names what lies outside its folder, unconfirmed."""
    for name, paths in outside_paths(folder, project).items():
        message = (
            f"{name} names {paths[0]}, outside this folder, which would be read and perhaps shown. "
            f"If you trust this project: leadline judge {folder} --outside"
        )
        raise InputError.of(str(folder / NAME), "outside", message)


def confirm(folder: Path, project: Project) -> None:
    """Let projects read what this one names now outside its folder."""
    lines = [str(p) for paths in outside_paths(folder, project).values() for p in paths]
    if lines:
        file = _confirmed_file()
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as out:
            out.write("".join(f"{line}\n" for line in lines))
