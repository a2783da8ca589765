"""Measures that read documents: Leadline against vectors over the vocabulary, and counting words.

    python -m benchmarks.diversity [COLLECTION] [--dense-runs N] [--gigabytes X]

COLLECTION has ndeval's qrels, runs and documents; the demo's without. The dense way is the
textbook's: for each rank a vector of probabilities over all words, and a sum over all words for
each subtopic. It is timed on some of the runs. Both ways must agree before anything is printed.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.process import measure
from leadline.data.documents import WordCounts
from leadline.data.lists import Lists
from leadline.io.datasets import COLLECTION
from leadline.lab.papers.hui17_plan import DEPTH, READING, Hui17Setup, hui17_setup
from leadline.measures.text_diversity import top_documents

MU, THETA = 2500.0, 0.8
UNUSED = 100_000
COUNT = """
import sys
from pathlib import Path
from leadline.measures.texts import count_words
from leadline.measures.texts import Tokeniser
from leadline.io.documents import documents_from
found = count_words(documents_from(sys.argv[1]), Tokeniser(), Path(sys.argv[2]))
print(found.n_documents, found.total)
"""


def main() -> None:
    """Print times and their ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("collection", type=Path, nargs="?", default=COLLECTION)
    parser.add_argument("--dense-runs", type=int, default=2)
    parser.add_argument("--gigabytes", type=float, default=1.0)
    asked = parser.parse_args()
    # First, because a process counts the memory of the one that started it as its own.
    if asked.gigabytes > 0:
        count_large(asked.gigabytes)
    on = hui17_setup(str(asked.collection))
    compare(on, on.words, asked.dense_runs)


def compare(on: Hui17Setup, words: WordCounts, n_runs: int) -> None:
    """Both ways on the same lists, then both with words that nobody uses."""
    some = first_runs(on.lists, n_runs)
    wide = with_unused(words, UNUSED)
    for label, table in (("", words), (f" and {UNUSED:,} words that nobody uses", wide)):
        all_seconds, _ = ours(on.lists, table)
        seconds, values = ours(some, table)
        begin = time.process_time()
        expected = dense(some, table)
        slow = time.process_time() - begin
        off = max(float(np.nanmax(np.abs(values[name] - expected[name]))) for name in values)
        if not off < 1e-9:
            sys.exit(f"the two ways differ by {off}")
        print(f"\n{len(table.words):,} words{label}; largest difference {off:.1g}")
        print(f"leadline, {len(on.lists.runs)} runs, 4 measures: {all_seconds:.2f} s")
        print(f"dense, {n_runs} runs: {slow:.1f} s; leadline, the same: {seconds:.3f} s")
        estimate = slow * len(on.lists.runs) / n_runs
        print(f"dense for all runs, from these: {estimate:.0f} s, {estimate / all_seconds:.0f} x")


def first_runs(lists: Lists, n: int) -> Lists:
    """The first n runs."""
    return replace(lists, runs=lists.runs[:n], start=lists.start[:n], stop=lists.stop[:n])


def with_unused(words: WordCounts, n: int) -> WordCounts:
    """The same counts in a vocabulary with n more words, each as rare as the rarest."""
    rare = float(words.background.min())
    share = np.concatenate([words.background, np.full(n, rare)])
    names = pl.concat([words.words, pl.Series([f"\uffffunused{i}" for i in range(n)])])
    return WordCounts(names, share / share.sum(), words.start, words.word, words.count)


def ours(lists: Lists, words: WordCounts) -> tuple[float, dict[str, np.ndarray]]:
    """Processor seconds and scores of all four measures, words being counted already."""
    assert lists.documents is not None
    fresh = replace(lists.documents, kept={READING[0].how: words})
    seen = replace(lists, documents=fresh)
    begin = time.process_time()
    scores = {str(each): each.score(seen).value for each in READING}
    return time.process_time() - begin, scores


def dense(lists: Lists, words: WordCounts) -> dict[str, np.ndarray]:
    """The same by vectors over the vocabulary."""
    grades, n_runs = lists.subtopics, len(lists.runs)
    assert grades is not None
    assert lists.documents is not None
    share = words.background
    values = {str(each): np.full(lists.start.shape, np.nan) for each in READING}
    for topic in range(len(grades.topics)):
        models = list(dense_models(lists, words, topic))
        if not models:
            continue
        apart = [float(np.sum(q * np.log(q / share))) for q in models]
        doc, listed = top_documents(lists, topic, DEPTH)
        for run in range(n_runs):
            total = np.zeros(len(share))
            gains = np.zeros((DEPTH, len(models)))
            for rank in range(int(listed[run].sum())):
                part = slice(words.start[doc[run, rank]], words.start[doc[run, rank] + 1])
                total[words.word[part]] += words.count[part]
                seen = (total + MU * share) / (total.sum() + MU)
                for at, q in enumerate(models):
                    gains[rank, at] = max(0.0, 1 - np.sum(q * np.log(q / seen)) / apart[at])
            best = gains.max(axis=1)
            rise = np.maximum(0, np.diff(gains, axis=0, prepend=0).max(axis=1))
            weights = (1 - THETA) * THETA ** np.arange(DEPTH)
            for name, gain in (("ABS", best), ("DELTA", rise)):
                values[f"{name}nb@20"][run, topic] = gain.sum()
                values[f"{name}rb@20"][run, topic] = (gain * weights).sum()
    return values


def dense_models(lists: Lists, words: WordCounts, topic: int) -> Iterator[np.ndarray]:
    """The subtopics' vectors."""
    grades = lists.subtopics
    assert grades is not None
    assert lists.documents is not None
    for subtopic in range(grades.first[topic], grades.first[topic + 1]):
        docs = grades.of_label[grades.subtopic == subtopic]
        counts = np.zeros(len(words.words))
        for row in lists.documents.learned[docs]:
            part = slice(words.start[row], words.start[row + 1])
            counts[words.word[part]] += words.count[part]
        if counts.sum():
            yield (counts + MU * words.background) / (counts.sum() + MU)


def count_large(gigabytes: float) -> None:
    """Count the words of a large collection, made here, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path, target = Path(folder) / "docs.jsonl", Path(folder) / "words.parquet"
        write = (
            "import sys; from benchmarks.diversity import write_large; write_large(*sys.argv[1:])"
        )
        measure([sys.executable, "-c", write, str(path), str(int(gigabytes * 1e9))])
        size = path.stat().st_size
        found = measure([sys.executable, "-c", COUNT, str(path), str(target)])
        cost = f"{found.seconds:.0f} s, processor {found.cpu:.0f} s, {found.peak_mb:.0f} MB"
        print(f"\ncounting {size / 1e9:.2f} GB of JSON lines: {cost}")
        print(f"documents and words: {found.output.strip()}")


def write_large(name: str, n_bytes: str) -> None:
    """Documents of 600 words from a Zipfian vocabulary of a million, some not ASCII.

    After a tenth of the size the texts come again, under other names.
    """
    path, size = Path(name), int(n_bytes)
    random = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    lengths = random.integers(2, 11, 1_000_000)
    drawn = "".join(letters[random.integers(0, 26, lengths.sum())])
    ends = np.cumsum(lengths)
    names = np.array([drawn[e - n : e] for e, n in zip(ends, lengths, strict=True)], dtype=object)
    names[::50] = [f"{name}é" for name in names[::50]]
    texts: list[str] = []
    while sum(map(len, texts[-1:])) * len(texts) < size / 10:
        at = np.minimum(random.zipf(1.2, (200, 600)) - 1, len(names) - 1)
        texts += [json.dumps(" ".join(row), ensure_ascii=False) for row in names[at]]
    written = number = 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            text = texts[number % len(texts)]
            written += file.write(f'{{"id": "d{number}", "text": {text}}}\n')
            number += 1


if __name__ == "__main__":
    main()
