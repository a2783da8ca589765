"""BEIR's qrels: a tab-separated table with its own names of columns, which calls grades scores."""

from dataclasses import dataclass

from leadline.files.source import Source
from leadline.formats.csv_table import Tsv
from leadline.formats.format import formats


@formats.register
@dataclass(frozen=True)
class BeirQrels(Tsv):
    """BEIR's qrels, as in qrels/test.tsv; its queries and corpus are JSON lines.

    Formula: query-id TAB corpus-id TAB score
    """

    def looks_like(self, source: Source) -> bool:
        header = source.head.partition(b"\n")[0].strip().lower().split(b"\t")
        return super().looks_like(source) and {b"query-id", b"corpus-id"} <= set(header)
