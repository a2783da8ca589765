"""Search in Elasticsearch or OpenSearch over HTTP, for `leadline run`.

    export SEARCH_URL=http://localhost:9200 SEARCH_INDEX=articles
    leadline run FOLDER --retriever examples/retrievers/elastic.py:bm25 -o FOLDER/runs/bm25.run

SEARCH_FIELDS names the fields to search (default: title and text), SEARCH_KEY an API key.
"""

import json
import os
import urllib.parse
import urllib.request


def bm25(query: str, k: int) -> list[tuple[str, float]]:
    """Return the k best documents by the engine's own ranking."""
    fields = os.environ.get("SEARCH_FIELDS", "title,text").split(",")
    return _search({"multi_match": {"query": query, "fields": fields}}, k)


def all_words(query: str, k: int) -> list[tuple[str, float]]:
    """Return the k best documents that hold all words of the query."""
    fields = os.environ.get("SEARCH_FIELDS", "title,text").split(",")
    wanted = {"query": query, "fields": fields, "operator": "and", "type": "cross_fields"}
    return _search({"multi_match": wanted}, k)


def _search(query: dict[str, object], k: int) -> list[tuple[str, float]]:
    address = os.environ["SEARCH_URL"].rstrip("/")
    index = urllib.parse.quote(os.environ["SEARCH_INDEX"], safe="")
    body = json.dumps({"query": query, "size": k, "_source": False}).encode()
    headers = {"Content-Type": "application/json"}
    if "SEARCH_KEY" in os.environ:
        headers["Authorization"] = f"ApiKey {os.environ['SEARCH_KEY']}"
    request = urllib.request.Request(f"{address}/{index}/_search", body, headers)
    with urllib.request.urlopen(request, timeout=30) as response:
        hits = json.load(response)["hits"]["hits"]
    return [(hit["_id"], hit["_score"]) for hit in hits]
