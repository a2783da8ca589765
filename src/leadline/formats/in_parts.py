"""What a run is that need not be in memory: some whole topics of it at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from leadline.formats.read_options import Reading
    from leadline.formats.rows import Rows

ROWS = 1 << 18
"""Rows that are read at a time unless it is said."""


class InParts(ABC):
    """A run whose rows come in frames with the columns topic, doc and run_score."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Bytes, roughly those of its content as text."""

    @abstractmethod
    def frames(self, rows: int = ROWS) -> Iterator[pl.DataFrame]:
        """All of it, each topic whole in one frame of about so many rows."""

    @abstractmethod
    def rows(self, reading: Reading) -> Rows:
        """All of it at once; an InputError tells what is wrong, by file and row."""
