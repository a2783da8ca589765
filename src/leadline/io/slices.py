"""Slices: a table of topics and the groups that they are in."""

import os
from pathlib import Path

import numpy as np

from leadline.data.arrays import Bools
from leadline.io.problems import InputError, Notices
from leadline.io.source import read_source
from leadline.io.tabular import read_table

TOPIC_COLUMNS = ("topic", "qid", "query_id", "query-id", "topic_id")
SLICE_COLUMNS = ("slice", "group", "type", "category")


def read_slices(
    path: str | os.PathLike[str], topics: tuple[str, ...], notices: Notices
) -> dict[str, Bools]:
    """Which of the topics each slice holds, as the table names slices first.

    The first line names the columns: one for the topic (topic, qid or query_id) and one for the
    slice (slice, group, type or category, or any name if there is no other). Fields are separated
    by tabs, or by commas in a file that ends in .csv. A topic may stand in several lines.
    """
    separator = "," if Path(path).suffix == ".csv" else "\t"
    table = read_table(read_source(path), separator)
    columns = [name for name in table.columns if name != "line"]
    topic = next((name for name in TOPIC_COLUMNS if name in columns), None)
    others = [name for name in columns if name != topic]
    named = next((name for name in SLICE_COLUMNS if name in others), None)
    slice_ = others[0] if named is None and len(others) == 1 else named
    if topic is None or slice_ is None:
        message = (
            "needs a column topic and one of slices, slice for instance, separated by tabs; "
            f"found {', '.join(columns)}"
        )
        raise InputError.of(os.fspath(path), "slices", message, 1)
    place = {name: at for at, name in enumerate(topics)}
    slices: dict[str, Bools] = {}
    unknown = []
    for name, group, line in table.select(topic, slice_, "line").iter_rows():
        name, group = name.strip(), group.strip()
        if not group or group == "all":
            message = (
                "a slice has no name"
                if not group
                else "the name all is reserved for all topics: rename the slice"
            )
            raise InputError.of(os.fspath(path), "slices", message, line)
        if name not in place:
            unknown.append(name)
            continue
        slices.setdefault(group, np.zeros(len(topics), np.bool_))[place[name]] = True
    if not slices:
        raise InputError.of(os.fspath(path), "slices", "names none of the topics that are scored")
    if unknown:
        some = ", ".join(unknown[:5]) + (", ..." if len(unknown) > 5 else "")
        message = f"names {len(unknown)} topics that are not scored: {some}"
        notices.add(os.fspath(path), "notice", "slices", message)
    missing = int((~np.any(list(slices.values()), axis=0)).sum())
    if missing:
        message = f"{missing} of the topics are in no slice"
        notices.add(os.fspath(path), "notice", "no-slice", message)
    return slices
