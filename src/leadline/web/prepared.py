"""Documents made ready to be shown, once, in a cache of a bounded size, under no room's lock."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from leadline.judging.room.library import LONGEST
from leadline.judging.room.room_lock import Unavailable
from leadline.tables.documents import Document

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


class Prepared:
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
