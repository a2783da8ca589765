"""Documents made ready to be shown, once, in a cache of a bounded size, under no room's lock."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from leadline.tables.documents import Document

MOST = 50_000_000
"""Characters that are kept ready."""

WINDOW = 50_000
"""Characters of a long text that are sent at a time."""

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
    """Every document is prepared by whoever asks first; others who ask meanwhile wait for it."""

    def __init__(self, read: Callable[[str], Document | None], most: int = MOST) -> None:
        self.read, self.most = read, most
        self._lock = threading.Lock()
        self._ready: OrderedDict[str, Future[Shown]] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._total = 0

    def document(self, doc: str) -> Shown:
        """A document, ready to be shown."""
        with self._lock:
            known = self._ready.get(doc)
            mine = known is None
            ready: Future[Shown] = known or Future()
            self._ready[doc] = ready
            self._ready.move_to_end(doc)
        if mine:
            made = self._prepare(doc)
            ready.set_result(made)
            self._keep(doc, made)
        return ready.result()

    def _prepare(self, doc: str) -> Shown:
        try:
            found = self.read(doc)
        except Exception as error:
            # Whatever is wrong with one document is no reason to stop anybody.
            log.warning("document %r cannot be shown: %s", doc[:200], type(error).__name__)
            return Shown(trouble="This document cannot be shown: its file cannot be read.")
        if found is None:
            return Shown()
        fields, image = found.fields, bool(found.image)
        # Blanks alone are nothing to read: it is empty, and the page says so.
        text = "" if found.text.isspace() else found.text
        return Shown(found.title, text, found=True, fields=fields, image=image)

    def _keep(self, doc: str, made: Shown) -> None:
        with self._lock:
            if doc not in self._ready:
                return
            self._sizes[doc] = len(made.text) + 1000
            self._total += self._sizes[doc]
            while self._total > self.most and len(self._ready) > 1:
                name, _ = self._ready.popitem(last=False)
                self._total -= self._sizes.pop(name, 0)
