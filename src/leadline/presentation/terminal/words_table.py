"""The words behind a score as a table for the terminal."""

import polars as pl
from rich.table import Table


def words_table(frame: pl.DataFrame, n_words: int) -> Table:
    """One row a rank: document, gain, the subtopic it is for, and the words that make it."""
    table = Table(box=None, pad_edge=False)
    table.add_column("rank", justify="right")
    table.add_column("doc")
    table.add_column("gain", justify="right")
    table.add_column("subtopic")
    table.add_column("words")
    for (rank,), part in frame.group_by("rank", maintain_order=True):
        gain = float(part["gain"][0])
        words = part.filter(~pl.col("word").str.starts_with("(") & (pl.col("part") > 0))
        pairs = words["word", "part"].head(n_words).rows()
        told = ", ".join(f"{word} {value:.3f}" for word, value in pairs)
        doc = part["doc"][0] or "(no text)"
        table.add_row(str(rank), doc, f"{gain:.4f}", part["subtopic"][0], told if gain > 0 else "")
    return table
