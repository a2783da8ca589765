"""What kind of thing a user points at, told without reading it: a table, or a file with one."""

from collections.abc import Mapping
from typing import Literal

from leadline.files.source import Source

Kind = Literal["parquet", "json", "tsv", "csv"]

NAMES = {
    "topic": ("topic", "qid", "query_id", "query-id", "q_id", "topic_id", "query"),
    "doc": ("doc", "docno", "doc_id", "docid", "corpus-id", "corpus_id", "document_id"),
    "run_score": ("run_score", "score", "sim", "rank"),
    "grade": ("grade", "label", "relevance", "rel", "score"),
    "inclusion": ("inclusion",),
    "stratum": ("stratum",),
    "iteration": ("iteration", "iter", "subtopic", "subtopic_id"),
}
"""Our column names and how others call them, best first."""

SEPARATORS: dict[str, tuple[str, str | None]] = {"tsv": ("\t", None), "csv": (",", '"')}
"""What stands between columns, and around those that hold it."""


def is_table(what: object) -> bool:
    """Whether this is a table or nested dict rather than a path."""
    return isinstance(what, Mapping) or hasattr(what, "columns") or hasattr(what, "column_names")


def kind_of(source: Source) -> Kind | None:
    """What kind of table a file holds, by its first bytes; None if it is none, as TREC's are."""
    head = source.head.lstrip(b" \t\r\n")
    if head[:4] == b"PAR1":
        return "parquet"
    if head[:1] == b"{":
        return "json"
    first = head.split(b"\n")[0].strip().decode("utf-8", "replace")
    kinds: tuple[Kind, ...] = ("tsv", "csv")
    for kind in kinds:
        separator, quote = SEPARATORS[kind]
        columns = first.replace(quote or "\0", "").split(separator)
        if set(columns) & set(NAMES["topic"]) and len(columns) > 1:
            return kind
    return None
