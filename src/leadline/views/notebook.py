"""Tables as a notebook shows them: HTML with its own style, light and dark."""

import polars as pl
from markupsafe import Markup

from leadline.stats.pairwise import Pairwise
from leadline.views.page import fold, interval_svg, paragraph, part_of_page
from leadline.views.pair_tables import MOST_PAIRS, led_by

MOST_ROWS = 50
"""Rows that are shown; of more, it is said how many there are."""

STYLE = Markup(
    # As exact as a notebook's own rules, so that what comes last holds: tables stand at the left.
    "<style>table.leadline-table{border-collapse:collapse;font-variant-numeric:tabular-nums;"
    "margin:0 0 1em}"
    ".leadline-table caption{caption-side:top;text-align:left;font-weight:600;color:inherit;"
    "padding:.3em .7em}"
    ".leadline-table th,.leadline-table td{padding:.15em .7em;text-align:right;border:0}"
    ".leadline-table td:not(.text){white-space:nowrap}"
    ".leadline-table th{border-bottom:1px solid #8888}"
    ".leadline-table .text{text-align:left}"
    ".leadline-table svg{width:14em;height:.8em;display:block}"
    ".leadline-table .iv{fill:#3b8bd0;opacity:.45}.leadline-table .mk{fill:currentColor}"
    ".leadline-note{opacity:.7;font-size:.9em}</style>"
)


def frame_html(frame: pl.DataFrame, caption: str = "") -> Markup:
    """Any table; numbers with four digits."""
    return STYLE + _frame(frame, caption)


def _frame(frame: pl.DataFrame, caption: str = "") -> Markup:
    text = [not dtype.is_numeric() for dtype in frame.dtypes]
    rows = [[_cell(cell) for cell in row] for row in frame.head(MOST_ROWS).iter_rows()]
    return _table(caption, frame.columns, text, rows) + _more(len(frame))


def scores_html(frame: pl.DataFrame) -> Markup:
    """A table for each measure of what `evaluate` gives, best run first, the interval as a bar."""
    parts = [STYLE]
    means = frame.filter(pl.col("topic") == "all")
    for (measure,), rows in means.group_by("measure", maintain_order=True):
        parts.append(board_html(rows, str(measure)))
    if len(means) < len(frame):
        topics = frame.filter(pl.col("topic") != "all")
        parts.append(fold("by topic", _frame(topics)))
    return Markup().join(parts)


def board_html(rows: pl.DataFrame, caption: str, value: str = "value") -> Markup:
    """Runs, best first, with score, interval and, where it is there, the share judged.

    The interval is the 95% prediction interval where the rows have one, else the bounds.
    """
    rows = rows.sort(value, "run", descending=[True, False], nulls_last=True)
    predicted = "pred_lower" in rows.columns and rows["pred_lower"].is_not_null().any()
    below, above = ("pred_lower", "pred_upper") if predicted else ("lower", "upper")
    bounded = rows[above].is_not_null().any()
    judged = "judged" in rows.columns
    # Of an estimate the interval tells what its standard error does.
    error = ("pred_lower", "pred_upper") if "pred_lower" in rows.columns else ("standard_error",)
    other = [name for name in ("unadjusted", *error) if name in rows.columns]
    other = [name for name in other if rows[name].is_not_null().any()]
    most = rows.select(pl.max_horizontal(value, above).max()).item()
    shown = "score" if value == "value" else value
    kind = "95% prediction interval" if predicted else "bounds"
    ends_of = [below, above, kind] * bounded
    labelled = ["value_with_labels"] * ("value_with_labels" in rows.columns)
    head = ["run", shown, *other, *ends_of, *["judged"] * judged, *["with labels"] * len(labelled)]
    cells = []
    for row in rows.head(MOST_ROWS).iter_rows(named=True):
        line = [_cell(row[name]) for name in ("run", value, *other)]
        if bounded:
            ends = row[below], row[value], row[above]
            known = None not in ends
            bar = interval_svg(*ends, (0.0, max(1.0, most or 1.0))) if known else ""
            line += [_cell(row[below]), _cell(row[above]), bar]
        if judged:
            line.append("" if row["judged"] is None else f"{row['judged']:.0%}")
        line += [_cell(row[name]) for name in labelled]
        cells.append(line)
    text = [name in ("run", kind) for name in head]
    return _table(caption, head, text, cells) + _more(len(rows))


def pairs_html(pairs: Pairwise) -> Markup:
    """Pairs of runs as `compare` gives them; of many, those with the best run."""
    rows = pairs.frame().drop("measure", "test", "unjudged_as")
    caption = f"{pairs.scores.measure}: {pairs.test}, {pairs.unjudged_as}, {pairs.tails}-tailed"
    n_pairs, note = len(rows), Markup()
    if n_pairs > MOST_PAIRS:
        best = pairs.scores.runs[int(pairs.order[0])]
        rows = led_by(rows, best).drop("run_a").rename({"run_b": f"{best} against"})
        note = _note(
            f"the {len(rows):,} of {n_pairs:,} pairs that have the best run; .frame has all"
        )
    return frame_html(rows, f"{caption}, {pairs.correction}") + note


def _table(caption: str, head: list[str], text: list[bool], rows: list[list[str]]) -> Markup:
    return part_of_page("notebook_table", caption, list(zip(head, text, strict=True)), rows)


def _cell(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:.4f}"
    return "" if cell is None else str(cell)


def _more(n_rows: int) -> Markup:
    if not n_rows:
        return _note("no rows")
    return Markup() if n_rows <= MOST_ROWS else _note(f"{MOST_ROWS} of {n_rows:,} rows")


def _note(text: str) -> Markup:
    return paragraph(text, "leadline-note")
