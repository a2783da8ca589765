"""Runs in batches of bounded size, read while what came before is worked on."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby

from leadline.collection.inputs import NamedRun, plain_sources
from leadline.files.lines import Text
from leadline.files.pieces import PIECE, cut_texts
from leadline.files.prefetch import Prefetch
from leadline.files.white_space import plain_text, whole_text
from leadline.formats.ranking import Ranking, Ranks, rank
from leadline.formats.rows import Rows
from leadline.formats.trec_run import plain_rows

_STEPS = 2


@dataclass(frozen=True, eq=False)
class Part:
    """Rows of some runs, ranked; None where the runs need a closer look.

    They may still hold a document twice: see `Rows.are_sound`. A run that is `cut` comes in several
    parts, each with all its rows for some topics.
    """

    rows: Rows | None
    ranking: Ranking | None
    cut: bool


@dataclass(frozen=True)
class _Texts:
    """Regular lines, one text a run, or some topics of the one run of a batch that is `cut`."""

    batch: int
    texts: Sequence[Text]
    cut: bool


class RunStream:
    """Batches of runs and their parts. Small files are read together, large ones bit by bit.

    `cut`: whether a large file may come in several parts; else it comes as one.
    """

    def __init__(self, named: list[NamedRun], ranks: Ranks, cut: bool = True) -> None:
        self.batches = list(batches(named))
        self.ranks = ranks
        self.cut = cut
        self.failed: set[int] = set()
        # One thread reads files, and hands their text to one that makes rows of it.
        self.coming = Prefetch(self._coming(), _STEPS)

    def __iter__(self) -> Iterator[tuple[list[NamedRun], Iterator[Part]]]:
        parts = (part.result() for part in self.coming)
        for number, together in groupby(parts, key=lambda pair: pair[0]):
            yield self.batches[number], (part for _, part in together)

    def _coming(self) -> Iterator[Future[tuple[int, Part]]]:
        maker = ThreadPoolExecutor(1)
        for texts in self._texts():
            yield maker.submit(self._part, texts)

    def _texts(self) -> Iterator[_Texts]:
        for number, batch in enumerate(self.batches):
            sources = plain_sources(batch) or []
            if sources and self.cut and sum(run.size for run in batch) > 2 * PIECE:
                for text in cut_texts(sources[0]):
                    yield _Texts(number, [text], True)
                    # What comes after a part that needs a closer look is of no use.
                    if number in self.failed:
                        break
            else:
                texts = [whole_text(source) for source in sources]
                yield _Texts(number, texts, False)

    def _part(self, found: _Texts) -> tuple[int, Part]:
        rows = plain_rows(found.texts)
        if rows is None:
            # Perhaps only the white space further down is not as at the beginning.
            joined = [each if isinstance(each, bytes) else b"".join(each) for each in found.texts]
            rows = plain_rows([plain_text(text, False) for text in joined])
        if rows is None:
            self.failed.add(found.batch)
        ranking = None if rows is None else rank(rows, self.ranks)
        return found.batch, Part(rows, ranking, found.cut)


def batches(named: list[NamedRun]) -> Iterator[list[NamedRun]]:
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
