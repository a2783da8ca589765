"""A LlamaIndex retriever for `leadline run`: its nodes are taken as they are.

    pip install llama-index-core
    DOCUMENTS=FOLDER/docs.jsonl leadline run FOLDER \\
        --retriever examples/retrievers/llama_index_memory.py:retriever -o FOLDER/runs/vectors.run

Several nodes of one document count once, at the place of the best.
"""

import json
import os
from pathlib import Path

from llama_index.core import VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.schema import TextNode
from words import vector


class WordCounts(BaseEmbedding):
    """Replace it by the embedding of your application."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return vector(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return vector(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return vector(query)


def _nodes() -> list[TextNode]:
    lines = Path(os.environ["DOCUMENTS"]).read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [TextNode(text=row["text"], metadata={"doc_id": row["id"]}) for row in rows]


index = VectorStoreIndex(_nodes(), embed_model=WordCounts())
retriever = index.as_retriever(similarity_top_k=20)
