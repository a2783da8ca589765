"""Documents made ready to be shown, once, as a tree of plain nodes in a bounded cache."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from leadline.app.models import AssignmentOut, TextOut
from leadline.app.room import Unavailable
from leadline.data.documents import Document
from leadline.judging.library import LONGEST

if TYPE_CHECKING:
    import re

    from leadline.app.site import Site


MOST = 50_000_000
"""Characters that are kept ready."""

WINDOW = 50_000
"""Characters of a long text that are sent at a time."""

TITLE, FIELD = 500, 2_000
"""Characters of a title and of a field that are shown; longer ones stand whole in the text."""

THREADS, QUEUE = 2, 50
"""Threads that read long documents, and how many documents they may have to read."""

SEARCHED = 200
"""Characters before a window's end in which it may end between two words."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Shown:
    """A document as it is shown; `trouble` says why it cannot be."""

    title: str = ""
    text: str = ""
    found: bool = False
    trouble: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    image: bool = False

    def window(self, at: int) -> tuple[str, int | None]:
        """The text from a place on, as much as is sent at a time, and where the rest begins."""
        end = at + WINDOW
        if end >= len(self.text):
            return self.text[at:], None
        between = max(self.text.rfind(space, end - SEARCHED, end) for space in " \n\t")
        end = between + 1 if between >= 0 else end
        return self.text[at:end], end


class DocumentCache:
    """Every document is prepared by whoever asks first; others who ask meanwhile wait for it.

    Long ones are prepared in threads of their own: see `begin`.
    """

    def __init__(self, read: Callable[[str], Document | None], most: int = MOST) -> None:
        self.read, self.most = read, most
        self._lock = threading.Lock()
        self._ready: OrderedDict[str, Future[Shown]] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._total = 0
        self._aside = ThreadPoolExecutor(THREADS, "documents")
        self._waiting = 0

    def document(self, doc: str) -> Shown:
        """A document, ready to be shown."""
        ready, mine = self._future(doc)
        if mine:
            self._make(doc, ready)
        return ready.result()

    def begin(self, doc: str) -> Future[Shown]:
        """The same, prepared aside; an Unavailable if too many documents wait already."""
        with self._lock:
            if doc not in self._ready and self._waiting >= QUEUE:
                raise Unavailable("too many long documents are being read: ask again soon")
        ready, mine = self._future(doc)
        if mine:
            with self._lock:
                self._waiting += 1
            self._aside.submit(self._make_aside, doc, ready)
        return ready

    def _make_aside(self, doc: str, ready: Future[Shown]) -> None:
        self._make(doc, ready)
        with self._lock:
            self._waiting -= 1

    def _future(self, doc: str) -> tuple[Future[Shown], bool]:
        """What is or will be a document, and whether nobody has begun to prepare it."""
        with self._lock:
            known = self._ready.get(doc)
            ready: Future[Shown] = known or Future()
            self._ready[doc] = ready
            self._ready.move_to_end(doc)
        return ready, known is None

    def _make(self, doc: str, ready: Future[Shown]) -> None:
        made = self._prepare(doc)
        # Before anybody goes on: what is kept is counted.
        self._keep(doc, made)
        ready.set_result(made)

    def _prepare(self, doc: str) -> Shown:
        try:
            found = self.read(doc)
        except Exception as error:
            # Whatever is wrong with one document is no reason to stop anybody.
            log.warning("document %r cannot be shown: %s", doc[:200], type(error).__name__)
            return Shown(trouble="This document cannot be shown: its file cannot be read.")
        if found is None:
            return Shown()
        # Blanks alone are nothing to read: it is empty, and the page says so.
        parts = [found.title] if len(found.title) > TITLE else []
        parts += [] if found.text.isspace() else [found.text]
        parts += [f"{label}: {value}" for label, value in found.fields if len(value) > FIELD]
        fields = tuple((label, _cut(value, FIELD)) for label, value in found.fields)
        text = "\n\n".join(filter(None, parts))[:LONGEST]
        return Shown(_cut(found.title, TITLE), text, True, "", fields, bool(found.image))

    def _keep(self, doc: str, made: Shown) -> None:
        with self._lock:
            if doc not in self._ready:
                return
            self._sizes[doc] = len(made.text) + len(made.title) + 1000
            self._total += self._sizes[doc]
            while self._total > self.most and len(self._ready) > 1:
                name, _ = self._ready.popitem(last=False)
                self._total -= self._sizes.pop(name, 0)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} …"


Node = str | list[Any]
"""Text, or a tag and what stands in it: ["p", ["one ", ["strong", ["two"]]]]."""

TEXT = ["p", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "code", "pre", "blockquote", "br"]
LISTS = ["ul", "ol", "li", "hr", "table", "thead", "tbody", "tr", "th", "td"]
TAGS = frozenset(TEXT + LISTS)


def tree(text: str) -> list[Node]:
    """The nodes of a text; markup that is not Markdown's own stays text.

    >>> tree("one **two**")
    [['p', ['one ', ['strong', ['two']]]]]
    >>> tree("<b onclick=x>no</b>")
    [['p', ['<b onclick=x>no</b>']]]
    """
    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    return _nodes(reader.parse(text))


def _nodes(tokens: list[Token]) -> list[Node]:
    root: list[Node] = []
    stack: list[list[Node]] = [root]
    for token in tokens:
        if token.nesting == 1:
            inside: list[Node] = []
            # A list's tight paragraphs are hidden; so is whatever is not known here.
            if token.hidden or token.tag not in TAGS:
                stack.append(stack[-1])
                continue
            stack[-1].append([token.tag, inside])
            stack.append(inside)
        elif token.nesting == -1:
            stack.pop()
        elif token.type == "inline":
            stack[-1].extend(_nodes(token.children or []))
        else:
            _leaf(token, stack[-1])
    return root


def _leaf(token: Token, into: list[Node]) -> None:
    if token.type in ("fence", "code_block"):
        into.append(["pre", [token.content]])
    elif token.type == "code_inline":
        into.append(["code", [token.content]])
    elif token.type == "softbreak":
        into.append("\n")
    elif token.tag in ("hr", "br"):
        into.append([token.tag, []])
    elif token.content:
        if into and isinstance(into[-1], str):
            into[-1] += token.content
        else:
            into.append(token.content)


def assignment(site: "Site", pair: int) -> AssignmentOut:
    """What the page shows; nothing of runs or ranks where judging is blind.

    A long document is made ready before: see `Site.made_ready`.
    """
    library = site.judging.library
    runs = site.judging.room.state.session.runs
    topic, doc = runs.pairs.name(pair)
    query, description = library.texts.topics.get(topic, ("", ""))
    document = site.prepared.document(doc)
    text, rest = document.window(0)
    terms = library.texts.terms(topic)
    made = AssignmentOut(
        topic=topic,
        doc=doc,
        query=query,
        description=description,
        guidelines=guidelines(site, topic),
        title=document.title,
        text=text,
        rest=rest,
        length=len(document.text),
        title_spans=spans(document.title, terms),
        spans=spans(text, terms),
        found=document.found,
        trouble=document.trouble,
        fields=list(document.fields),
        image=document.image,
        link=library.link(doc),
    )
    if not site.judging.project.blind:
        holders = runs.postings
        part = slice(holders.start[pair], holders.start[pair + 1])
        made.returned_by = int(holders.start[pair + 1] - holders.start[pair])
        made.best_rank = int(holders.rank[part].min(initial=2**31 - 1))
    return made


def text_from(site: "Site", pair: int, at: int) -> TextOut:
    """More of a text that was too long to be sent at once."""
    topic, doc = site.judging.room.state.name(pair)
    text, rest = site.prepared.document(doc).window(at)
    return TextOut(text=text, rest=rest, spans=spans(text, site.judging.library.texts.terms(topic)))


def guidelines(site: "Site", topic: str) -> list[Any]:
    """The guidelines of a topic, "" for those of all topics, as a tree."""
    known = site.guidelines.get(topic)
    if known is None:
        known = tree(site.judging.library.guidelines.get(topic, ""))
        site.guidelines[topic] = known
    return known


def spans(text: str, terms: "re.Pattern[str] | None") -> list[list[int]]:
    """Where the terms are, counted in UTF-16 units as browsers count.

    >>> import re
    >>> spans("\\U0001f40b whale", re.compile("whale"))
    [[3, 8]]
    """
    if terms is None:
        return []
    found = [list(match.span()) for match in terms.finditer(text)]
    if not text or ord(max(text)) < 0x10000:
        return found
    moved, seen, units = [], 0, 0
    for start, stop in found:
        units += len(text[seen:start].encode("utf-16-le", "surrogatepass")) // 2
        first = units
        units += len(text[start:stop].encode("utf-16-le", "surrogatepass")) // 2
        moved.append([first, units])
        seen = stop
    return moved
