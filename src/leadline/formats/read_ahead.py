"""Runs in batches of bounded size, read while what came before is worked on."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby

from leadline.formats.ahead import Ahead
from leadline.formats.inputs import NamedRun, plain_sources
from leadline.formats.ranking import Ranking, Ranks, rank
from leadline.formats.rows import Rows
from leadline.formats.run_pieces import PIECE, RunPiece, one_by_one, together


@dataclass(frozen=True, eq=False)
class Part:
    """Rows of some runs, ranked, and whether they may be used; it is being found out meanwhile.

    A run that is `cut` comes in several parts, each with all its rows for some topics. None where
    the runs need a closer look.
    """

    rows: Rows | None = None
    ranking: Ranking | None = None
    are_sound: Callable[[], bool] = lambda: False
    cut: bool = False


class ReadAhead:
    """Batches of runs and their parts. Small files are read together, large ones bit by bit.

    `cut`: whether a large file may come in several parts; else it comes as one.
    """

    def __init__(self, named: list[NamedRun], ranks: Ranks, cut: bool = True) -> None:
        self.batches = list(_batches(named))
        self.ranks = ranks
        self.cut = cut
        self.pieces = Ahead(self._pieces(), 3)

    def __iter__(self) -> Iterator[tuple[list[NamedRun], Iterator[Part]]]:
        for number, parts in groupby(self._parts(), key=lambda pair: pair[0]):
            yield self.batches[number], (part for _, part in parts)

    def _parts(self) -> Iterator[tuple[int, Part]]:
        checker = ThreadPoolExecutor(1)
        try:
            for number, found in self.pieces:
                if found is None:
                    yield number, Part()
                else:
                    piece, ranking, cut = found
                    is_sound = checker.submit(piece.are_sound).result
                    yield number, Part(piece.rows, ranking, is_sound, cut)
        finally:
            checker.shutdown(wait=False)

    def _pieces(self) -> Iterator[tuple[int, tuple[RunPiece, Ranking, bool] | None]]:
        for number, batch in enumerate(self.batches):
            sources = plain_sources(batch) or []
            cut = self.cut and sum(run.size for run in batch) > 2 * PIECE
            for piece in one_by_one(sources[0]) if sources and cut else [together(sources)]:
                ranking = None if piece is None else self._ranked(piece.rows)
                yield number, None if ranking is None or piece is None else (piece, ranking, cut)

    def _ranked(self, rows: Rows) -> Ranking | None:
        """None where rows are so wrong that they cannot be ranked."""
        try:
            return rank(rows, self.ranks)
        except (ValueError, IndexError):
            return None


def _batches(named: list[NamedRun]) -> Iterator[list[NamedRun]]:
    """Runs in their order, as many at a time as are small together."""
    batch: list[NamedRun] = []
    size = 0
    for run in named:
        if batch and size + run.size > PIECE:
            yield batch
            batch, size = [], 0
        batch.append(run)
        size += run.size
    if batch:
        yield batch
