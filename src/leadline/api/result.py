"""What every verb gives: a table that behaves like a polars frame, and what to say about it."""

from __future__ import annotations

import io
import os
from collections import namedtuple
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from leadline.io.problems import Notices
from leadline.io.write import write_whole

if TYPE_CHECKING:
    import altair as alt
    import polars as pl
    from rich.console import RenderableType


Kind = Literal["csv", "tsv", "json", "parquet", "markdown", "latex", "html", "trec_eval"]
"""What a table is written as."""

Typeset = Literal["markdown", "latex", "html"]
"""What a table for a paper or a page is written as."""

SUFFIXES: dict[str, Kind] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".parquet": "parquet",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
}


class Result:
    """A table, made when it is first asked for, with notices.

    Where a polars frame is expected it behaves like one: attributes and indices are those of
    `frame`, it is iterated over row by row, and polars, pandas and Arrow take it for a table. What
    there is to say goes to the log "leadline" and stays in `notices`.
    """

    notices: Notices

    def __post_init__(self) -> None:
        self.notices.log()

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The table."""
        raise NotImplementedError

    def wide(self) -> pl.DataFrame:
        """A row for each run and a column for each measure, where the verb scores runs."""
        raise TypeError(f"{type(self).__name__} does not score runs by measures, so is not wide")

    def chart(self) -> alt.TopLevelMixin:
        """A picture, where there is one; needs the extra `charts`."""
        raise TypeError(f"there is no picture of {type(self).__name__}")

    def table(self) -> RenderableType:
        """The table as the terminal shows it."""
        from leadline.views.tables import plain_table

        return plain_table(self.frame)

    def _repr_html_(self) -> str:
        """The table as a notebook shows it."""
        from leadline.views.notebook import frame_html

        return frame_html(self.frame)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the table to a file by its suffix: .csv .tsv .json .parquet .md .tex .html."""
        write_whole(path, self.encoded(kind_of_file(path)))

    def log_to(self, target: str | os.PathLike[str], **texts: Any) -> None:
        """Log the result to "mlflow", "wandb", or a file of JSON lines, such as results.jsonl.

        Numbers are logged as metrics, texts as tags and the table as a file. An active run of
        MLflow or Weights & Biases is used; without one, a new run is begun and ended.
        """
        from leadline import __version__
        from leadline.io.tracking import Tracked, log_to, metrics_of

        said = {"leadline": __version__, "notices": self.notices.lines(), **self.texts(), **texts}
        kind = type(self).__name__.lower().removesuffix("result")
        log_to(target, Tracked(kind, metrics_of(self.frame), said, self.frame))

    def texts(self) -> dict[str, Any]:
        """What `log_to` says of the result besides its numbers."""
        return {}

    def encoded(self, kind: Kind) -> bytes:
        """The content of a file of this kind."""
        if kind == "csv":
            return self.frame.write_csv().encode()
        if kind == "tsv":
            return self.frame.write_csv(separator="\t").encode()
        if kind == "json":
            return f"{self.frame.write_json()}\n".encode()
        if kind == "parquet":
            out = io.BytesIO()
            self.frame.write_parquet(out)
            return out.getvalue()
        if kind == "trec_eval":
            raise ValueError("only scores of evaluate are written as trec_eval prints them")
        return self.typeset(kind).encode()

    def typeset(self, kind: Typeset) -> str:
        """The table for a paper or a page."""
        from leadline.views.pair_tables import typeset_frame

        if kind == "html":
            return f"{self._repr_html_()}\n"

        return typeset_frame(self.frame, kind)

    def to_pandas(self) -> Any:
        """The table as a pandas frame; needs pandas and pyarrow."""
        return self.frame.to_pandas()

    def to_arrow(self) -> Any:
        """The table as an Arrow table; needs pyarrow."""
        return self.frame.to_arrow()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)

    def __getattr__(self, name: str) -> Any:
        # Python asks for names of its own, and for fields before they are there.
        if name.startswith("__") or name in ("frame", "notices"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        try:
            attribute = getattr(self.frame, name)
        except AttributeError:
            raise AttributeError(
                f"neither {type(self).__name__} nor its polars frame has {name!r}"
            ) from None
        return _taking_results(attribute) if callable(attribute) else attribute

    def __dir__(self) -> list[str]:
        import polars as pl

        frame = (name for name in dir(pl.DataFrame) if not name.startswith("_"))
        return sorted({*super().__dir__(), *frame})

    def __getitem__(self, key: Any) -> Any:
        return self.frame[key]

    def __contains__(self, column: object) -> bool:
        return column in self.frame.columns

    def __len__(self) -> int:
        return len(self.frame)

    def _rows(self) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """The names of the columns, and what stands in each row."""
        return self.frame.columns, self.frame.iter_rows()

    def __iter__(self) -> Iterator[Any]:
        columns, rows = self._rows()
        row = namedtuple("Row", columns, rename=True)  # type: ignore[misc]
        return map(row._make, rows)

    def __repr__(self) -> str:
        return repr(self.frame)


@dataclass(frozen=True, eq=False, repr=False)
class PlainResult(Result):
    """A table that is nothing but its rows."""

    rows: pl.DataFrame
    notices: Notices = field(default_factory=Notices)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The rows."""
        return self.rows


class RoundedResult(PlainResult):
    """Rows whose numbers a terminal shows to four digits."""

    def table(self) -> RenderableType:
        """Numbers to four digits."""
        from leadline.views.tables import plain_table

        return plain_table(rounded(self.frame))


def rounded(frame: pl.DataFrame) -> pl.DataFrame:
    """Numbers to four digits."""
    import polars as pl

    return frame.with_columns(pl.col(pl.Float64).round(4))


def _taking_results(method: Callable[..., Any]) -> Callable[..., Any]:
    """A frame's method that takes results where it takes frames, to join them for instance."""

    @wraps(method)
    def taking(*given: Any, **named: Any) -> Any:
        frames = (each.frame if isinstance(each, Result) else each for each in given)
        by_name = {
            name: each.frame if isinstance(each, Result) else each for name, each in named.items()
        }
        return method(*frames, **by_name)

    return taking


def kind_of_file(path: str | os.PathLike[str], *more: str) -> Kind:
    """What a file's suffix stands for; a ValueError if it stands for nothing that we write.

    The error names `more` suffixes, which the caller writes by itself.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        known = " ".join((*SUFFIXES, *more))
        raise ValueError(f"{os.fspath(path)}: a table is written by suffix: {known}")
    return SUFFIXES[suffix]
