"""The retrievers of examples/: Elasticsearch over HTTP, LangChain and LlamaIndex."""

import gzip
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import leadline
from leadline.io.datasets import COLLECTION
from leadline.io.documents import DocumentLookup
from leadline.measures.texts import BM25, Tokeniser, count_words, word_counts

EXAMPLES = Path(__file__).parents[1] / "examples" / "retrievers"


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's documents, not compressed, under the names that the examples read."""
    path = tmp_path_factory.mktemp("documents") / "docs.jsonl"
    lines = gzip.decompress((COLLECTION / "docs.jsonl.gz").read_bytes()).decode().splitlines()
    rows = [{"id": row["id"], "text": row["text"]} for row in map(json.loads, lines)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


class Engine(BaseHTTPRequestHandler):
    """The part of Elasticsearch's and OpenSearch's HTTP interface that the example uses."""

    index: BM25
    names: list[str]
    busy = 0
    """Requests that are answered with 503 before any is served."""

    def do_POST(self) -> None:
        if self.path != "/sea/_search" or self.headers["Authorization"] != "ApiKey secret":
            return self._reply(404, {"error": {"type": "index_not_found_exception"}})
        if Engine.busy:
            Engine.busy -= 1
            return self._reply(503, {"error": {"type": "unavailable_shards_exception"}})
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        match = asked["query"]["multi_match"]
        assert match["fields"] == ["title", "text"]
        import numpy as np

        words = Tokeniser(stop="english").split(match["query"])
        scores = self.index.scores(words, np.arange(len(self.names)))
        best = np.argsort(-scores, kind="stable")[: asked["size"]]
        hits = [
            {"_id": self.names[at], "_score": float(scores[at])} for at in best if scores[at] > 0
        ]
        return self._reply(200, {"took": 1, "hits": {"hits": hits}})

    def _reply(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *what: object) -> None:
        pass


@pytest.fixture
def engine(documents: Path) -> Iterator[dict[str, str]]:
    rows = [json.loads(line) for line in documents.read_text().splitlines()]
    texts, how = [row["text"] for row in rows], Tokeniser(stop="english")
    lookup = DocumentLookup({row["id"]: row["text"] for row in rows})
    Engine.index = BM25(word_counts(texts, how, count_words(lookup, how)))
    Engine.names = [row["id"] for row in rows]
    server = ThreadingHTTPServer(("127.0.0.1", 0), Engine)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"
    yield {"SEARCH_URL": address, "SEARCH_INDEX": "sea", "SEARCH_KEY": "secret"}
    server.shutdown()
    thread.join()
    server.server_close()


def leadline_run(retriever: str, output: Path, env: dict[str, str], *more: str) -> str:
    command = [sys.executable, "-m", "leadline", "run", str(COLLECTION), "--backoff", "0.01"]
    command += ["--retriever", f"{EXAMPLES / retriever}", "-o", str(output), *more]
    environment = os.environ | env
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stderr


def scores(run: Path) -> dict[str, float]:
    frame = leadline.evaluate(COLLECTION / "qrels.txt.gz", run, ["nDCG@10", "Judged@10"]).frame
    return dict(frame.select("measure", "value").rows())


def test_a_search_engine_over_http(engine: dict[str, str], tmp_path: Path) -> None:
    Engine.busy = 2
    said = leadline_run("elastic.py:bm25", tmp_path / "bm25.run", engine, "--depth", "50")
    assert "20 topics, 401 documents" in said
    ours = scores(tmp_path / "bm25.run")
    theirs = scores(COLLECTION / "runs" / "anstey-bm25.gz")
    # The demo's runs stem words, the stand-in does not.
    assert theirs["nDCG@10"] - 0.2 < ours["nDCG@10"] < theirs["nDCG@10"] + 0.05
    leadline_run(
        "elastic.py:bm25", tmp_path / "same.run", engine, "--depth", "50", "--concurrency", "4"
    )
    assert (tmp_path / "same.run").read_bytes() == (tmp_path / "bm25.run").read_bytes()


def test_a_search_engine_that_refuses(engine: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="HTTPError in 3 attempts: HTTP Error 404"):
        leadline_run("elastic.py:bm25", tmp_path / "x.run", engine | {"SEARCH_INDEX": "lake"})
    assert not (tmp_path / "x.run").exists()


def installed(package: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(
        find_spec(package.split(".")[0]) is None, reason=f"needs pip install {package}"
    )


@pytest.mark.parametrize(
    "retriever",
    [
        pytest.param("langchain_memory.py:retriever", marks=installed("langchain_core")),
        pytest.param("langchain_memory.py:with_scores", marks=installed("langchain_core")),
        pytest.param("llama_index_memory.py:retriever", marks=installed("llama_index.core")),
    ],
)
def test_retrievers_of_other_packages(retriever: str, documents: Path, tmp_path: Path) -> None:
    env = {"DOCUMENTS": str(documents)}
    said = leadline_run(retriever, tmp_path / "vectors.run", env, "--depth", "20")
    assert "20 topics, 400 documents" in said
    known = pl.read_ndjson(documents)["id"]
    docs = [line.split()[2] for line in (tmp_path / "vectors.run").read_text().splitlines()]
    assert set(docs) <= set(known)
    random = scores(COLLECTION / "runs" / "holmsand-random.gz")
    assert scores(tmp_path / "vectors.run")["nDCG@10"] > 3 * random["nDCG@10"]
