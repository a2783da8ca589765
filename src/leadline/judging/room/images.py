"""Images of documents: only what lies in their folder, only what is one, only so large."""

from dataclasses import dataclass
from pathlib import Path

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
