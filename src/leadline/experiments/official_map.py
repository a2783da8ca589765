"""The order of the runs by MAP, as TREC published it where a collection has that."""

import numpy as np
import polars as pl

from leadline.collection.collection import Collection
from leadline.measures.ap import AP
from leadline.tables.arrays import Floats
from leadline.tables.lists import Lists

NAME = "official_map.tsv"


def official_map(collection: Collection) -> tuple[Floats, bool]:
    """MAP of every run, and whether it is the official one.

    Where the folder has no official_map.tsv that names every run, it is that of all judgments.
    """
    path = None if collection.folder is None else collection.folder / NAME
    if path is not None and path.is_file():
        table = pl.read_csv(path, separator="\t", has_header=False, new_columns=["run", "map"])
        known = dict(table.iter_rows())
        if set(collection.runs.names) <= set(known):
            return np.array([known[run] for run in collection.runs.names], np.float64), True
    scores = AP().score(Lists.of(collection.runs, collection.judgments))
    return np.nan_to_num(scores.mean()), False
