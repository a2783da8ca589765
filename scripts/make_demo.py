"""Build the bundled demo collection from the files in scripts/demo_source.

python scripts/make_demo.py            write src/leadline/demo/collection
python scripts/make_demo.py --check    exit 1 if what is on disk differs
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import random
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import demo_rankers as rank
from demo_rankers import Counts, Matrix

SCRIPTS = Path(__file__).resolve().parent
SOURCE = SCRIPTS / "demo_source"
TARGET = SCRIPTS.parent / "src" / "leadline" / "demo" / "collection"

SCORE_TOLERANCE = 1e-4
FORGOTTEN_TOPICS = (7, 13)


@dataclass(frozen=True)
class Doc:
    """A doc with its grade for each (topic, subtopic) it serves."""

    id: str
    title: str
    text: str
    grades: dict[tuple[int, int], int]


@dataclass(frozen=True)
class Topic:
    """A topic with its subtopics in order, the first being number 1."""

    id: int
    query: str
    description: str
    subtopics: list[str]


@dataclass(frozen=True)
class Run:
    """A run before it is cut to lists; an untidy one is shuffled and ranks from 0."""

    name: str
    group: str
    scores: Matrix
    pooled: bool = True
    type: str = "automatic"
    depth: int = rank.DEPTH
    skipped: tuple[int, ...] = ()
    untidy: bool = False


def read_topics() -> list[Topic]:
    """Topics in the order of the source."""
    with (SOURCE / "topics.toml").open("rb") as handle:
        return [Topic(**entry) for entry in tomllib.load(handle)["topic"]]


def read_docs(topics: list[Topic]) -> list[Doc]:
    """All docs in the order of their ids."""
    known = {(topic.id, number) for topic in topics for number, _ in numbered(topic)}
    docs: dict[str, Doc] = {}
    for path in sorted(SOURCE.glob("[0-9]*.toml")):
        with path.open("rb") as handle:
            entries = tomllib.load(handle)["doc"]
        for entry in entries:
            if entry["id"] in docs:
                raise ValueError(f"{path.name}: doc id {entry['id']} is used twice")
            grades = dict(read_grade(place) for place in entry["serves"])
            if not grades.keys() <= known or not set(grades.values()) <= {1, 2, 3}:
                raise ValueError(f"{path.name}: {entry['id']} serves what is not in topics.toml")
            text = " ".join(entry["text"].split())
            docs[entry["id"]] = Doc(entry["id"], entry["title"], text, grades)
    return [docs[doc_id] for doc_id in sorted(docs)]


def read_grade(place: str) -> tuple[tuple[int, int], int]:
    """Take "7.2:3" apart into ((7, 2), 3)."""
    where, grade = place.split(":")
    topic, subtopic = where.split(".")
    return (int(topic), int(subtopic)), int(grade)


def numbered(topic: Topic) -> Iterable[tuple[int, str]]:
    """Subtopics with their numbers."""
    return enumerate(topic.subtopics, start=1)


def topic_grade(doc: Doc, topic: Topic) -> int:
    """The best grade the doc has for any subtopic."""
    return max(doc.grades.get((topic.id, number), 0) for number, _ in numbered(topic))


def lineup(topics: list[Topic], docs: list[Doc]) -> list[Run]:
    """The runs that take part."""
    texts = [f"{doc.title} {doc.text}" for doc in docs]
    queries = [topic.query for topic in topics]
    wordy = [f"{topic.query} {topic.query} {topic.description}" for topic in topics]
    short = Counts.of(texts, queries, rank.words)
    long = Counts.of(texts, wordy, rank.words)
    raw = Counts.of(texts, queries, rank.plain_words)
    titles = Counts.of([doc.title for doc in docs], wordy, rank.words)
    grams = Counts.of(texts, queries, rank.char_grams(4))
    grades = [[topic_grade(doc, topic) for doc in docs] for topic in topics]

    bm25 = rank.bm25(short, k1=0.9, b=0.4)
    bm25_long = rank.bm25(long, k1=0.9, b=0.4)
    likelihood = rank.dirichlet(short, mu=80)
    widened = rank.dirichlet(rank.feedback(short, mu=80, docs=5, terms=25, weight=0.6), mu=80)
    widened_long = rank.dirichlet(rank.feedback(long, mu=80, docs=6, terms=40, weight=0.5), mu=80)
    cosine = rank.cosine(short)
    latent = rank.latent(short, rank=60)
    latent_long = rank.latent(long, rank=100)
    by_grams = rank.cosine(grams)

    return [
        Run("anstey-bm25", "Anstey", bm25),
        Run("anstey-bm25-tuned", "Anstey", rank.bm25(short, k1=1.2, b=0.75)),
        Run("anstey-bm25-sharp", "Anstey", rank.bm25(short, k1=2.0, b=0.3), pooled=False),
        Run("anstey-bm25-desc", "Anstey", bm25_long),
        Run("brinemouth-ql", "Brinemouth", likelihood),
        Run("brinemouth-ql-smooth", "Brinemouth", rank.dirichlet(short, mu=2000), pooled=False),
        Run("brinemouth-rm3", "Brinemouth", widened),
        Run("corran-cosine", "Corran", cosine),
        Run("corran-lsa60", "Corran", latent),
        Run("corran-lsa100-desc", "Corran", latent_long, pooled=False),
        Run("dunholm-chargram", "Dunholm", by_grams, pooled=False),
        Run("dunholm-untidy", "Dunholm", rank.bm25(raw, k1=1.2, b=0.75), untidy=True),
        Run("eastwick-title", "Eastwick", rank.bm25(titles, k1=1.2, b=0.75)),
        Run("eastwick-mmr", "Eastwick", rank.diversified(bm25_long, short, balance=0.7)),
        Run("eastwick-brief", "Eastwick", widened, depth=5),
        Run("farlight-hand", "Farlight", rank.person(grades, 0.9, 30, seed=11), type="manual"),
        Run(
            "farlight-novice",
            "Farlight",
            rank.person(grades, 1.3, 40, seed=12),
            pooled=False,
            type="manual",
        ),
        Run("greyness-fusion", "Greyness", rank.fused([bm25_long, widened, latent])),
        Run(
            "greyness-fusion-wide",
            "Greyness",
            rank.fused([bm25_long, widened_long, latent_long, by_grams]),
            pooled=False,
        ),
        Run("greyness-gaps", "Greyness", widened_long, skipped=FORGOTTEN_TOPICS),
        Run("holmsand-random", "Holmsand", rank.chance(short, seed=13)),
        Run("holmsand-flat", "Holmsand", rank.flat(short)),
        Run("holmsand-length", "Holmsand", rank.by_length(short), pooled=False),
        Run("holmsand-reversed", "Holmsand", rank.worst_first(bm25), pooled=False),
    ]


def run_lines(run: Run, topics: list[Topic], docs: list[Doc]) -> list[str]:
    """A run in the six columns of trec_eval."""
    shuffler = random.Random(run.name)
    lines: list[str] = []
    for row, topic in enumerate(topics):
        if topic.id in run.skipped:
            continue
        scores = run.scores[row]
        first = 0 if run.untidy else 1
        listed = [
            f"{topic.id} Q0 {docs[doc].id} {place} {scores[doc]:.{rank.DECIMALS}f} {run.name}"
            for place, doc in enumerate(rank.best_columns(scores, run.depth), start=first)
        ]
        lines += sorted(listed, key=lambda _: shuffler.random()) if run.untidy else listed
    return lines


def collection() -> dict[str, list[str]]:
    """Every file of the collection by its path, as lines."""
    topics = read_topics()
    docs = read_docs(topics)
    runs = lineup(topics, docs)
    files = {
        "docs.jsonl.gz": [
            json.dumps({"id": d.id, "title": d.title, "text": d.text}, ensure_ascii=False)
            for d in docs
        ],
        "topics.tsv": ["topic\tquery\tdescription"]
        + [f"{t.id}\t{t.query}\t{t.description}" for t in topics],
        "subtopics.tsv": ["topic\tsubtopic\tdescription"]
        + [f"{t.id}\t{number}\t{line}" for t in topics for number, line in numbered(t)],
        "qrels.txt.gz": [f"{t.id} 0 {d.id} {topic_grade(d, t)}" for t in topics for d in docs],
        "qrels.ndeval.txt.gz": [
            f"{t.id} {number} {d.id} {d.grades.get((t.id, number), 0)}"
            for t in topics
            for number, _ in numbered(t)
            for d in docs
        ],
        "groups.tsv": ["run\tgroup\ttype\tpooled"]
        + [f"{r.name}\t{r.group}\t{r.type}\t{'yes' if r.pooled else 'no'}" for r in runs],
    }
    return files | {f"runs/{run.name}.gz": run_lines(run, topics, docs) for run in runs}


def packed(lines: list[str]) -> bytes:
    """Gzip whose bytes depend on the lines alone."""
    buffer = io.BytesIO()
    # A name or a time in the header would make equal contents differ from build to build.
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0) as handle:
        handle.write(joined(lines))
    return buffer.getvalue()


def joined(lines: list[str]) -> bytes:
    """Lines as they stand in the file."""
    return "".join(f"{line}\n" for line in lines).encode()


def write(files: dict[str, list[str]]) -> None:
    """Replace the collection on disk."""
    (TARGET / "runs").mkdir(parents=True, exist_ok=True)
    for stray in stray_runs(files):
        stray.unlink()
    for name, lines in files.items():
        data = packed(lines) if name.endswith(".gz") else joined(lines)
        (TARGET / name).write_bytes(data)


def stray_runs(files: dict[str, list[str]]) -> list[Path]:
    """Runs on disk that are no longer built."""
    return [path for path in sorted(TARGET.glob("runs/*")) if f"runs/{path.name}" not in files]


def differing(files: dict[str, list[str]]) -> list[str]:
    """Names of the files that a build would change."""
    strays = [f"runs/{path.name}" for path in stray_runs(files)]
    return strays + [name for name, lines in files.items() if not same_on_disk(name, lines)]


def same_on_disk(name: str, lines: list[str]) -> bool:
    """Whether the file holds these lines."""
    path = TARGET / name
    if not path.exists():
        return False
    data = path.read_bytes()
    # Contents are compared unpacked because versions of zlib pack differently.
    stored = gzip.decompress(data) if name.endswith(".gz") else data
    if stored == joined(lines):
        return True
    return name.startswith("runs/") and same_run(stored.decode().splitlines(), lines)


def same_run(stored: list[str], fresh: list[str]) -> bool:
    """Equal but for the last digits of scores, which linear algebra may settle differently."""
    if len(stored) != len(fresh):
        return False
    return all(
        same_run_line(one.split(), two.split()) for one, two in zip(stored, fresh, strict=True)
    )


def same_run_line(stored: list[str], fresh: list[str]) -> bool:
    """Equal in all columns, the score within the tolerance."""
    if len(stored) != len(fresh) or stored[:4] != fresh[:4] or stored[5:] != fresh[5:]:
        return False
    return abs(float(stored[4]) - float(fresh[4])) <= SCORE_TOLERANCE


def main() -> int:
    """Build or check, as the command line asks."""
    parser = argparse.ArgumentParser(description="Build the bundled demo collection.")
    parser.add_argument("--check", action="store_true", help="compare with what is on disk")
    checking = parser.parse_args().check
    files = collection()
    if not checking:
        write(files)
        return 0
    wrong = differing(files)
    for name in wrong:
        print(f"differs: {name}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
