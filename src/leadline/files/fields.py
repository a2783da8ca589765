"""Checks on columns of text, shared by the readers that must name the faults of a file."""

import polars as pl

from leadline.files.problems import Problem

NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
"""Python would also take 1_0, Arabic digits and blanks; a run file that has them is broken."""

UNREADABLE = pl.col("text").str.contains("\ufffd", literal=True)
INFINITE = r"^[+-]?(?i:inf|infinity)$"
WHOLE = r"^[+-]?[0-9]+$"


def n_lines(problems: list[Problem]) -> int:
    """How many lines these problems are about: a line may be wrong in two ways."""
    return len({problem.line for problem in problems})


def problems_of(
    name: str, rows: pl.DataFrame, code: str, message: pl.Expr, level: str = "error"
) -> list[Problem]:
    """One problem per row, from its line and a message built of its columns."""
    found = rows.select("line", message=message)
    return [Problem(name, line, level, code, text) for line, text in found.iter_rows()]  # type: ignore[arg-type]


def short(column: pl.Expr, most: int = 80) -> pl.Expr:
    """The text in quotation marks, cut where it is long, for showing in a message."""
    cut = pl.when(column.str.len_chars() > most).then(column.str.head(most) + "...")
    return pl.format('"{}"', cut.otherwise(column))


def wrong_fields(name: str, lines: pl.DataFrame, wanted: int) -> list[Problem]:
    """A problem for every line that has not as many fields as wanted."""
    bad = lines.filter(pl.col("n_fields") != wanted)
    nbsp = pl.when(pl.col("text").str.contains("[\u00a0\u2007\u202f\u3000]"))
    hint = nbsp.then(pl.lit(" (a no-break space does not separate fields)")).otherwise(pl.lit(""))
    message = pl.format(
        f"expected {wanted} fields, found {{}}: {{}}{{}}",
        "n_fields",
        short(pl.col("text")),
        hint,
    )
    return problems_of(name, bad, "fields", message)


def wrong_encoding(name: str, lines: pl.DataFrame, data: bytes) -> list[Problem]:
    """A problem for every line with bytes that are not UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        bad = lines.filter(UNREADABLE)
        message = pl.format(
            "is not UTF-8 text: {}. Convert the file to UTF-8", short(pl.col("text"))
        )
        return problems_of(name, bad, "encoding", message)
    return []
