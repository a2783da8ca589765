"""merge: judgments of several sources as one qrels, in the format of the first."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import polars as pl

from leadline.api.result import Result
from leadline.io.by_content import is_table, qrels_from
from leadline.io.formats import Reading, SecondField, format_of, is_trec
from leadline.io.problems import InputError, Notices
from leadline.io.qrels import Qrels
from leadline.io.source import Source, read_source
from leadline.io.tabular import NAMES, HeadedTable, find_column
from leadline.io.trec import qrels_text
from leadline.io.write import write_whole
from leadline.options import READING_PANEL, Argument, Option
from leadline.registry import check_choice

if TYPE_CHECKING:
    import altair as alt

Conflicts = Literal["stop", "first", "last", "highest", "lowest", "median"]
"""The grade of a pair that sources grade differently."""

SHOWN = 5
"""Conflicts that an error names."""

Layout = tuple[str, tuple[str, str, str]]
"""How the first source is written: trec, csv, tsv, lines or nested; and what columns are called."""


@dataclass(frozen=True, eq=False, repr=False)
class Merged(Result):
    """The merged judgments; `text` is them in the format of the first source."""

    rows: pl.DataFrame
    layout: Layout
    notices: Notices = field(default_factory=Notices)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """topic, doc, grade (null: pooled but unjudged), source (the first that has the pair),

        n_sources (that judged it) and conflict.
        """
        return self.rows

    @property
    def text(self) -> str:
        """The judgments in the format of the first source."""
        return _text(self.frame, self.layout)

    def write_qrels(self, path: str | os.PathLike[str]) -> None:
        """Write the judgments in the format of the first source."""
        write_whole(path, self.text)

    def chart(self) -> alt.TopLevelMixin:
        """How many judgments there are of each grade, by the source that they come from."""
        from leadline.views.charts import count_bars

        return count_bars(self.frame, "grade", "source", f"{len(self.frame):,} judgments")


def merge(
    files: Annotated[Any, Argument(metavar="QRELS", many=True)],
    *,
    conflicts: Conflicts = "stop",
    second_field: Annotated[SecondField | None, Option(metavar="WHAT", panel=READING_PANEL)] = None,
    map_grades: Annotated[
        Mapping[int, int] | None, Option("--map-grade", "FROM=TO", many=True, panel=READING_PANEL)
    ] = None,
) -> Merged:
    """Columns topic, doc, grade, source, n_sources and conflict, a row for each judged pair.

    The pairs of the first source come first, in their order; what other sources add follows.

    files: qrels in any format, the ones to add to first. In Python also tables, dicts, or a mapping
        of names to these.
    conflicts: the grade of a pair that sources grade differently: that of the first or last source,
        the highest, the lowest or the median (of two in the middle the lower). The default stops
        and names the pairs.
    second_field: as for `evaluate`.
    map_grades: read a grade of every source but the first as another, for instance 3=4. In Python
        that is {3: 4}.

    >>> merge([{"1": {"a": 1}}, {"1": {"b": 0}}]).select("doc", "grade").rows()
    [('a', 1), ('b', 0)]
    """
    check_choice("conflicts", conflicts, Conflicts)
    given = _sources(files)
    if len(given) < 2:
        raise ValueError(f"to merge takes two sources of judgments, found {len(given)}")
    notices = Notices()
    parts, scales = [], []
    for at, (name, what) in enumerate(given.items()):
        mapped = map_grades if at else None
        reading = Reading(map_grades=mapped, notices=notices, second_field=second_field)
        qrels = qrels_from(what, reading)
        _refuse_what_is_lost(qrels, name)
        parts.append(qrels.frame.select("topic", "doc", "grade", pl.lit(name).alias("source")))
        grades = qrels.grade[qrels.judged]
        scales.append((name, int(grades.min()), int(grades.max()), len(grades)))
    rows = pl.concat(parts)
    pair = ["topic", "doc"]
    known = pl.col("grade").drop_nulls()
    merged = rows.group_by(pair, maintain_order=True).agg(
        _grade(conflicts).cast(pl.Int16).alias("grade"),
        pl.col("source").first(),
        known.len().alias("n_sources"),
        (known.n_unique() > 1).alias("conflict"),
        known.alias("all"),
        pl.col("source").filter(pl.col("grade").is_not_null()).alias("by"),
    )
    differ = merged.filter("conflict")
    if len(differ) and conflicts == "stop":
        raise InputError.of("", "conflict", _told(differ))
    _say(scales, merged, conflicts, notices)
    first = next(iter(given.values()))
    return Merged(merged.drop("all", "by"), _layout(first), notices)


def _grade(conflicts: Conflicts) -> pl.Expr:
    known = pl.col("grade").drop_nulls()
    ways = {
        "last": known.last(),
        "highest": known.max(),
        "lowest": known.min(),
        "median": known.quantile(0.5, interpolation="lower"),
    }
    return ways.get(conflicts, known.first())


def _sources(files: Any) -> dict[str, Any]:
    """The sources by name."""
    if isinstance(files, Mapping):
        return {str(name): each for name, each in files.items()}
    if isinstance(files, str | os.PathLike) or is_table(files):
        files = [files]
    found: dict[str, Any] = {}
    for at, each in enumerate(files, 1):
        name = os.fspath(each) if isinstance(each, str | os.PathLike) else f"source {at}"
        if name in found:
            raise InputError.of(name, "name-twice", "is given twice")
        found[name] = each
    return found


def _refuse_what_is_lost(qrels: Qrels, name: str) -> None:
    lost = ""
    if qrels.inclusion is not None or qrels.stratum is not None:
        lost = "was sampled: merged, its inclusion probabilities would no longer hold"
    elif qrels.subtopics is not None:
        lost = (
            "has judgments per subtopic, which a merged file has not. If the second field is "
            "something else, say so with `second_field`"
        )
    if lost:
        raise InputError.of(name, "merge", lost)


def _told(differ: pl.DataFrame) -> str:
    lines = []
    for topic, doc, names, grades in differ.head(SHOWN).select("topic", "doc", "by", "all").rows():
        said = ", ".join(f"{grade} in {name}" for name, grade in zip(names, grades, strict=True))
        lines.append(f"topic {topic}, doc {doc}: {said}")
    more = f"; and {len(differ) - SHOWN:,} more" if len(differ) > SHOWN else ""
    return (
        f"{len(differ):,} pairs have different grades: {'; '.join(lines)}{more}. Choose one with "
        "`conflicts` first, last, highest, lowest or median"
    )


def _say(
    scales: list[tuple[str, int, int, int]],
    merged: pl.DataFrame,
    conflicts: Conflicts,
    notices: Notices,
) -> None:
    """Note the sources with their scales, and what was settled how."""
    for name, least, most, n in scales:
        message = f"{n:,} judgments with grades {least} to {most}"
        notices.add(name, "notice", "source", message)
    (first, _, top, _), *others = scales
    for name, _, most, _ in others:
        if most != top:
            message = (
                f"its best grade is {most}, that of {first} is {top}: if they mean the same, read "
                f"it with `map_grades` {most}={top}"
            )
            notices.add(name, "warning", "scale", message)
    n_both, n_differ = int((merged["n_sources"] > 1).sum()), int(merged["conflict"].sum())
    settled = f", {n_differ:,} with different grades, of which the {conflicts} counts"
    message = f"{len(merged):,} pairs, {n_both:,} in several sources{settled if n_differ else ''}"
    notices.add("", "notice", "merged", message)


def _layout(what: Any) -> Layout:
    """How to write what was read: as a file like the first, TREC's qrels for what is no file."""
    plain = ("topic", "doc", "grade")
    if not isinstance(what, str | os.PathLike) or not Path(what).exists():
        return "trec", plain
    source = read_source(what)
    known = None if is_trec(source) else format_of(source, "qrels")
    if known is None:
        return "trec", plain
    if isinstance(known, HeadedTable):
        return ("csv" if known.separator == "," else "tsv"), _columns(known, source)
    kind = {"JsonLines": "lines", "RanxJson": "nested"}.get(type(known).registered_name())
    if kind is None:
        message = (
            f"is read as {type(known).registered_name()}, which is not written: give qrels of "
            "TREC, BEIR, csv or JSON first"
        )
        raise InputError.of(source.name, "format", message)
    return kind, plain if kind == "nested" else _columns(known, source)


def _columns(known: Any, source: Source) -> tuple[str, str, str]:
    table: pl.DataFrame = known.table(source)
    names = [
        find_column(table.columns, NAMES[what], what, source.name)
        for what in ("topic", "doc", "grade")
    ]
    return names[0], names[1], names[2]


def _text(frame: pl.DataFrame, layout: Layout) -> str:
    kind, names = layout
    # What is pooled but unjudged has grade -1 in files.
    rows = frame.select("topic", "doc", pl.col("grade").fill_null(-1)).rows()
    if kind == "trec":
        return qrels_text({(topic, doc): grade for topic, doc, grade in rows})
    if kind == "lines":
        return "".join(
            json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n"
            for row in rows
        )
    if kind == "nested":
        nested: dict[str, dict[str, int]] = {}
        for topic, doc, grade in rows:
            nested.setdefault(topic, {})[doc] = grade
        return json.dumps(nested, ensure_ascii=False, indent=1) + "\n"
    out = io.StringIO()
    if kind == "csv":
        csv.writer(out, lineterminator="\n").writerows([names, *rows])
    else:
        out.writelines("\t".join(map(str, row)) + "\n" for row in [names, *rows])
    return out.getvalue()
