"""What each pooled run would have lost, had its group not been pooled: a sentence for each run."""

from typing import Any

import polars as pl
from rich.console import Group, RenderableType
from rich.text import Text


def left_out_sentences(frame: pl.DataFrame) -> list[str]:
    """Return a sentence for each row, with the measure first where there are several."""
    several = frame["measure"].n_unique() > 1
    return [
        (f"{row['measure']}: " if several else "") + _sentence(row)
        for row in frame.iter_rows(named=True)
    ]


def left_out_text(frame: pl.DataFrame) -> RenderableType:
    """Return the sentences of each measure for a terminal, the largest losses first."""
    parts: list[Text] = []
    for (measure,), rows in frame.group_by("measure", maintain_order=True):
        parts.append(Text(f"{measure}: each pooled group left out in turn", style="bold"))
        rows = rows.sort("loss", "run", descending=[True, False], nulls_last=True)
        parts += [Text(_sentence(row)) for row in rows.iter_rows(named=True)]
    return Group(*parts)


def _sentence(row: dict[str, Any]) -> str:
    loss, place, unpooled = row["loss"], row["place"], row["place_unpooled"]
    if row["withdrawn"] == 0:
        return f"{row['run']}: its group alone brought no judged document, so it would lose nothing"
    changed = "lose nothing"
    if abs(loss) >= 0.0005:
        changed = f"lose {loss:.3f}" if loss > 0 else f"gain {-loss:.3f}"
    elif loss:
        changed = f"{'lose' if loss > 0 else 'gain'} less than 0.001"
    moved = f"keep place {place}"
    if unpooled != place:
        moved = f"{'fall' if unpooled > place else 'rise'} from place {place} to {unpooled}"
    interval = ""
    if row["pred_lower"] is not None:
        interval = f" [{row['pred_lower']:.3f}, {row['pred_upper']:.3f}]"
    return (
        f"{row['run']}: unpooled, it would {changed} and {moved}; "
        f"adjusted {row['adjusted']:.3f}{interval} against {row['complete']:.3f} by all judgments"
    )
