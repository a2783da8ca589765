"""A LangChain retriever for `leadline run`: its documents are taken as they are.

    pip install langchain-core
    DOCUMENTS=FOLDER/docs.jsonl leadline run FOLDER \\
        --retriever examples/retrievers/langchain_memory.py:retriever -o FOLDER/runs/vectors.run

Any other retriever of LangChain works in the same way. `--id-field` names the metadata that holds a
document's name; the default finds `id` and `doc_id`.
"""

import json
import os
from pathlib import Path

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from words import vector


class WordCounts(Embeddings):
    """Replace it by the embeddings of your application."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vector of each text."""
        return [vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query."""
        return vector(text)


def _documents() -> list[Document]:
    lines = Path(os.environ["DOCUMENTS"]).read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [Document(row["text"], metadata={"doc_id": row["id"]}) for row in rows]


store = InMemoryVectorStore(WordCounts())
store.add_documents(_documents())
retriever = store.as_retriever(search_kwargs={"k": 20})


def with_scores(query: str, k: int) -> list[tuple[Document, float]]:
    """Return documents with their similarity, which a retriever of LangChain leaves out."""
    return store.similarity_search_with_score(query, k=k)
