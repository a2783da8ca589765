"""Collections cut small enough to run every verb on, in a folder where all paths are relative.

NAME/                  the collection, or every so many of its runs and topics
whole/NAME             a link to all of it
shallow/NAME/          the same runs; of the judgments only those that pooling the first 5 gives
aside/NAME/topics.txt  every second topic
aside/NAME/common.txt  every third topic; reference.txt has the judgments of these alone
aside/NAME/intents.txt a probability for every subtopic, where there are subtopics

Nothing is drawn at random and nothing of leadline is used, so the same data give the same files.
"""

import gzip
import io
import os
import shutil
import struct
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "src" / "leadline" / "demo" / "collection"
SHALLOW = 5
QRELS = ("qrels.txt.gz", "qrels.ndeval.txt.gz", "qrels.ndeval.txt")


@dataclass(frozen=True)
class Source:
    """Which part of a collection is used: every so many runs, every so many topics."""

    every_run: int = 1
    every_topic: int = 1


SOURCES = {
    "demo": Source(),
    "trec8_adhoc": Source(6, 3),
    "robust2004_pooled42": Source(3, 3),
    "trec_covid_round1": Source(6),
    "ambient": Source(2),
    "trec_dl21_half": Source(3),
}


def shared_data() -> Path:
    """The folder of real collections, found as the tests find it; it may be absent."""
    return Path(os.environ.get("LEADLINE_DATA", ROOT.parent / "shared" / "data"))


def place(name: str) -> Path:
    """Where a collection lies."""
    return DEMO if name == "demo" else shared_data() / name


def present(name: str) -> bool:
    """Whether it is there."""
    return place(name).is_dir()


def prepare(name: str, into: Path) -> None:
    """Write all of the above for one collection."""
    source, part = place(name), SOURCES[name]
    folder = into / name
    (into / "whole").mkdir(exist_ok=True)
    (into / "whole" / name).symlink_to(source.resolve(), target_is_directory=True)
    (folder / "runs").mkdir(parents=True)
    qrels = next(source / q for q in QRELS if (source / q).is_file())
    topics = _sorted_topics(line.split()[0] for line in _lines(qrels))[:: part.every_topic]
    for path in sorted(source.iterdir()):
        if path.name in QRELS:
            _copy(path, folder / path.name, set(topics))
        elif path.is_file():
            shutil.copyfile(path, folder / path.name)
        elif path.name == "judges":
            for judge in sorted(path.iterdir()):
                _copy(judge, folder / path.name / judge.name, set(topics))
    for run in sorted((source / "runs").iterdir())[:: part.every_run]:
        _copy(run, folder / "runs" / run.name, set(topics))
    _write_shallow(folder, into / "shallow" / name, qrels.name)
    _write_aside(folder, into / "aside" / name, qrels.name, topics)


def _write_shallow(folder: Path, shallow: Path, qrels: str) -> None:
    shallow.mkdir(parents=True)
    for path in folder.iterdir():
        if path.name not in QRELS:
            (shallow / path.name).symlink_to(Path("..", "..", folder.name, path.name))
    pool = _pool(folder)
    kept = [row for row in _lines(folder / qrels) if (row.split()[0], row.split()[2]) in pool]
    _write(shallow / qrels.removesuffix(".gz"), kept)


def _write_aside(folder: Path, aside: Path, qrels: str, topics: list[str]) -> None:
    aside.mkdir(parents=True)
    common = topics[::3]
    reference = [line for line in _lines(folder / qrels) if line.split()[0] in set(common)]
    _write(aside / "topics.txt", (f"{topic}\n" for topic in topics[::2]))
    _write(aside / "common.txt", (f"{topic}\n" for topic in common))
    _write(aside / "reference.txt", reference)
    ndeval = [folder / q for q in QRELS if "ndeval" in q and (folder / q).is_file()]
    for path in ndeval:
        found = dict.fromkeys(tuple(line.split()[:2]) for line in _lines(path))
        weights = (f"{t} {subtopic} {1 + at % 4}\n" for at, (t, subtopic) in enumerate(found))
        _write(aside / "intents.txt", weights)


def _pool(folder: Path) -> set[tuple[str, str]]:
    """Topic and document of the first few of every run that groups.tsv calls pooled."""
    rows = [line.rstrip("\n").split("\t") for line in _lines(folder / "groups.tsv")]
    at = rows[0].index("pooled")
    pooled = {row[0] for row in rows[1:] if row[at] == "yes"}
    pool = set()
    for path in sorted((folder / "runs").iterdir()):
        if path.name.removesuffix(".gz") not in pooled:
            continue
        lists: dict[str, list[tuple[float, str]]] = defaultdict(list)
        for line in _lines(path):
            topic, _, doc, _, score, *_ = line.split()
            # As trec_eval ranks: by 32-bit score, then by name, both descending.
            lists[topic].append((struct.unpack("f", struct.pack("f", float(score)))[0], doc))
        for topic, entries in lists.items():
            pool |= {(topic, doc) for _, doc in sorted(entries, reverse=True)[:SHALLOW]}
    return pool


def _lines(path: Path) -> Iterable[str]:
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    return io.StringIO(text, newline="\n")


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(lines), encoding="utf-8")


def _copy(source: Path, target: Path, topics: set[str]) -> None:
    """The lines of these topics."""
    target.parent.mkdir(exist_ok=True)
    text = "".join(line for line in _lines(source) if line.split(None, 1)[0] in topics)
    data = text.encode()
    # Without the time of day, so that the same lines give the same file.
    target.write_bytes(gzip.compress(data, 1, mtime=0) if target.suffix == ".gz" else data)


def _sorted_topics(topics: Iterable[str]) -> list[str]:
    return sorted(set(topics), key=lambda topic: (len(topic), topic))
