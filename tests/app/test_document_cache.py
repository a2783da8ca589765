"""Documents are made ready once, few are kept, and one that cannot be shown stops nobody."""

import threading
import time

from leadline.app.document_cache import WINDOW, DocumentCache, Shown
from leadline.data.documents import Document


def test_ten_who_ask_at_once_wait_for_one() -> None:
    asked: list[str] = []

    def read(doc: str) -> Document:
        asked.append(doc)
        time.sleep(0.05)
        return Document("", doc)

    prepared = DocumentCache(read)
    threads = [threading.Thread(target=prepared.document, args=["a"]) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert prepared.document("a") == Shown("", "a", found=True)
    assert asked == ["a"]


def test_so_many_characters_are_kept_and_the_longest_unused_go() -> None:
    asked: list[str] = []

    def read(doc: str) -> Document:
        asked.append(doc)
        return Document("", "x" * 10_000)

    prepared = DocumentCache(read, most=25_000)
    for doc in "abacab":
        prepared.document(doc)
    assert asked == ["a", "b", "c", "b"]


def test_a_document_that_cannot_be_read_says_so() -> None:
    def read(doc: str) -> Document:
        raise PermissionError(doc)

    shown = DocumentCache(read).document("a")
    assert not shown.found
    assert "cannot be shown" in shown.trouble
    assert DocumentCache(lambda doc: None).document("a") == Shown()


def test_windows_put_together_are_the_text_and_end_between_words() -> None:
    for text in ("word " * 30_000, "x" * (2 * WINDOW + 7), "", "short"):
        shown, at, pieces = Shown(text=text), 0, []
        while at is not None:
            piece, at = shown.window(at)  # type: ignore[assignment]
            assert len(piece) <= WINDOW
            pieces.append(piece)
        assert "".join(pieces) == text
        if "word" in text:
            assert all(piece.endswith(" ") for piece in pieces)


def test_blanks_alone_are_an_empty_document() -> None:
    assert DocumentCache(lambda doc: Document("", " \n\t ")).document("a") == Shown(found=True)
