"""Retrievers: any Python function or object that answers a query with documents."""

import importlib
import importlib.util
import inspect
import math
import sys
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from leadline.io.problems import InputError

METHODS = ("invoke", "retrieve", "search")
"""Methods of objects that are no functions, the first that there is: LangChain's, LlamaIndex's."""

FIELDS = ("id", "doc_id", "docid", "_id", "docno")
"""Fields of a document's metadata that may hold its name."""

_BLANK = " \t\n\r\v\f\0"


class Hit(NamedTuple):
    """A document of an answer; without a score its place counts."""

    doc: str
    score: float | None


class RankedAnswer(NamedTuple):
    """The documents of an answer by rank, each once, with scores that fall.

    repeated: how many documents were listed again, for instance as another chunk.
    rising: whether scores rose along the list, as distances do; then ranks became scores.
    """

    hits: list[Hit]
    repeated: int = 0
    rising: bool = False


def load_retriever(name: str) -> Any:
    """Return the object of MODULE:NAME or FILE.py:NAME; a ValueError if there is none.

    >>> load_retriever("math:sqrt")(9.0)
    3.0
    """
    module, colon, attribute = name.rpartition(":")
    if not colon or not module or not attribute:
        raise ValueError(
            f"`retriever` must be MODULE:FUNCTION or FILE.py:FUNCTION, for instance "
            f"search:bm25, not {name!r}"
        )
    found: Any = _module(module)
    for part in attribute.split("."):
        if not hasattr(found, part):
            names = [each for each in dir(found) if not each.startswith("_")]
            listed = f": it has {', '.join(names[:10])}" if names else ""
            raise ValueError(f"`retriever`: {module} has no {part}{listed}")
        found = getattr(found, part)
    return found


def _module(name: str) -> Any:
    path = Path(name)
    try:
        if path.suffix == ".py":
            if not path.is_file():
                raise ValueError(f"`retriever`: there is no file {name}")
            spec = importlib.util.spec_from_file_location(path.stem, path)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            # A file imports what lies beside it, as a script does.
            sys.path.insert(0, str(path.resolve().parent))
            sys.modules[path.stem] = module
            spec.loader.exec_module(module)
            return module
        sys.path.insert(0, str(Path.cwd()))
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ValueError(f"`retriever`: there is no module {error.name}") from error
    except (ImportError, SyntaxError) as error:
        message = f"`retriever`: {name} cannot be imported: {type(error).__name__}: {error}"
        raise ValueError(message) from error


def search_function(retriever: Any, depth: int) -> Callable[[str], Any]:
    """Return a function of a query; one that takes `k` gets the depth.

    >>> search_function(lambda query, k: [query] * k, 2)("a")
    ['a', 'a']
    """
    function = retriever
    if not inspect.isroutine(retriever):
        names = [name for name in METHODS if callable(getattr(retriever, name, None))]
        function = getattr(retriever, names[0]) if names else retriever
    if inspect.isclass(retriever) or not callable(function):
        what = "a class" if inspect.isclass(retriever) else type(retriever).__name__
        raise ValueError(
            f"`retriever` is {what}: name a function of a query, or an object with a method "
            f"{', '.join(METHODS)}"
        )
    if inspect.iscoroutinefunction(function):
        raise ValueError("`retriever` is asynchronous: name a function that calls it and waits")
    try:
        parameters: Mapping[str, Any] = inspect.signature(function).parameters
    except ValueError:
        parameters = {}
    return (lambda query: function(query, k=depth)) if "k" in parameters else function


def read_answer(answer: Any, topic: str, depth: int, id_field: str | None = None) -> RankedAnswer:
    """Return the documents that a retriever answered; an InputError if it is no list of them.

    >>> read_answer(["b", "a", "b"], "1", 10).hits
    [Hit(doc='b', score=2.0), Hit(doc='a', score=1.0)]
    >>> read_answer({"a": 0.5, "b": 0.7}, "1", 1).hits
    [Hit(doc='b', score=0.7)]
    """
    # A mapping has no order, so that its scores cannot be distances.
    unordered = isinstance(answer, Mapping)
    if unordered:
        answer = list(answer.items())
    if isinstance(answer, str | bytes) or not isinstance(answer, Iterable):
        told = f"{type(answer).__name__} {answer!r:.60}"
        raise _bad(topic, f"must be a list of documents, or of (document, score), found {told}")
    hits = [_hit(each, topic, id_field) for each in answer]
    if unordered:
        hits.sort(key=lambda hit: -(hit.score or 0.0))
    scores = [hit.score for hit in hits if hit.score is not None]
    steps = [later - score for score, later in pairwise(scores)]
    rising = bool(steps) and min(steps) >= 0 and max(steps) > 0
    by_rank = rising or len(scores) < len(hits)
    if by_rank and scores and not rising:
        raise _bad(topic, f"has scores of {len(scores)} of {len(hits)} documents only")
    if not by_rank:
        hits.sort(key=lambda hit: -(hit.score or 0.0))
    first: dict[str, Hit] = {}
    for hit in hits:
        first.setdefault(hit.doc, hit)
    once = list(first.values())
    repeated = len(hits) - len(once)
    once = once[:depth]
    if by_rank:
        once = [Hit(hit.doc, float(len(once) - at)) for at, hit in enumerate(once)]
    return RankedAnswer(once, repeated, rising)


def _hit(given: Any, topic: str, id_field: str | None) -> Hit:
    doc, score = given, None
    if isinstance(given, tuple | list) and len(given) == 2:
        doc, score = given
    elif not isinstance(given, str | int) and getattr(given, "score", None) is not None:
        score = given.score
    if score is not None:
        try:
            score = float(score)
        except (TypeError, ValueError):
            score = math.nan
        if not math.isfinite(score):
            raise _bad(topic, f"has no finite score for a document: {given!r:.80}")
    name = _name(doc, id_field)
    if name is None or not name or any(sign in _BLANK for sign in name):
        what = "no name without blanks for a document"
        hint = f"its metadata has no field {id_field}" if id_field else "`id_field` names its field"
        raise _bad(topic, f"has {what}: {doc!r:.80}. {hint}")
    return Hit(name, score)


def _name(doc: Any, id_field: str | None) -> str | None:
    """The name of a document: itself, a field of it or of its metadata, or the attribute id."""
    if isinstance(doc, str | int) and not isinstance(doc, bool):
        return str(doc)
    if type(doc).__module__ == "numpy":
        return str(doc.item())
    node = getattr(doc, "node", doc)
    metadata = node if isinstance(node, Mapping) else getattr(node, "metadata", None)
    metadata = metadata if isinstance(metadata, Mapping) else {}
    if id_field is not None:
        value = metadata.get(id_field, getattr(node, id_field, None))
        return None if value is None else str(value)
    found = [metadata[field] for field in FIELDS if metadata.get(field) is not None]
    attributes = ("id", "doc_id", "ref_doc_id", "node_id")
    found += [getattr(node, name) for name in attributes if getattr(node, name, None) is not None]
    return str(found[0]) if found else None


def _bad(topic: str, message: str) -> InputError:
    return InputError.of(f"topic {topic}", "answer", f"the retriever's answer {message}")
