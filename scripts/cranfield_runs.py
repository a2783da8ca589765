"""Runs for Cranfield, which has none, so that noisy judges can be tried on it.

    python -m scripts.cranfield_runs ../shared/data/cranfield FOLDER

Writes a collection folder: topics, texts and judgments as they are, BM25 runs of three groups with
several settings each (words as they are, without common words, titles alone), and groups.tsv.
Grades stay Cranfield's own, 1 best to 4, and -1: read them with
--map-grade 1=4 --map-grade 2=3 --map-grade 3=2 --map-grade 4=1 --map-grade -1=0.
"""

import gzip
import json
import shutil
import sys
from pathlib import Path

import numpy as np

from leadline.io.documents import DocumentLookup
from leadline.measures.texts import BM25, Tokeniser, count_words, word_counts

DEPTH = 50
SETTINGS = ((0.9, 0.4), (1.2, 0.75), (2.0, 1.0), (0.4, 0.0))
"""k1 and b of the runs of each group."""


def write_runs(source: Path, folder: Path) -> None:
    """A collection folder with runs."""
    (folder / "runs").mkdir(parents=True)
    shutil.copy(source / "docs.jsonl.gz", folder)
    shutil.copy(source / "qrels.txt", folder)
    shutil.copy(source / "queries.tsv", folder / "topics.tsv")
    with gzip.open(source / "docs.jsonl.gz", "rt") as lines:
        documents = [json.loads(line) for line in lines]
    names = [str(each["id"]) for each in documents]
    queries = [line.split("\t") for line in (source / "queries.tsv").read_text().splitlines()]
    groups = ["run\tgroup"]
    for group, field, stop in (
        ("words", "text", None),
        ("content", "text", "english"),
        ("titles", "title", None),
    ):
        texts, how = [each[field] or "" for each in documents], Tokeniser(stop=stop)
        lookup = DocumentLookup(dict(zip(names, texts, strict=True)), str(source))
        counted = word_counts(texts, how, count_words(lookup, how))
        for k1, b in SETTINGS:
            run = f"{group}-{k1:g}-{b:g}"
            groups.append(f"{run}\t{group}")
            index, every = BM25(counted, k1, b), np.arange(len(names))
            rows = []
            for topic, query in queries:
                score = index.scores(how.split(query), every)
                best = np.argsort(-score, kind="stable")[:DEPTH]
                rows += [
                    f"{topic} Q0 {names[at]} {rank} {score[at]:.6f} {run}\n"
                    for rank, at in enumerate(best, 1)
                    if score[at] > 0
                ]
            (folder / "runs" / f"{run}.txt").write_text("".join(rows))
    (folder / "groups.tsv").write_text("\n".join(groups) + "\n")


if __name__ == "__main__":
    write_runs(Path(sys.argv[1]), Path(sys.argv[2]))
