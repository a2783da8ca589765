"""run: what a retriever may be and answer, failures, and the run file."""

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import leadline
from leadline.api.run import run
from leadline.io.datasets import COLLECTION
from leadline.io.problems import InputError

TOPICS = {"1": "fog at sea", "2": "tides"}


def ranked(answer: Any, **how: Any) -> list[tuple[str, float]]:
    result = run({"1": "fog"}, retriever=lambda query: answer, **how)
    return result.select("doc", "score").rows()


def test_names_pairs_and_mappings_are_answers() -> None:
    assert ranked(["b", "a"]) == [("b", 2.0), ("a", 1.0)]
    assert ranked([("b", 0.5), ("a", 0.25)]) == [("b", 0.5), ("a", 0.25)]
    assert ranked({"a": 1, "b": 3}) == [("b", 3.0), ("a", 1.0)]
    assert ranked(iter([7, 8])) == [("7", 2.0), ("8", 1.0)]
    # A list that is not sorted is sorted by score, and cut after that.
    assert ranked([("a", 1.0), ("b", 3.0), ("c", 2.0)], depth=2) == [("b", 3.0), ("c", 2.0)]


def test_distances_keep_the_order_of_the_list() -> None:
    result = run({"1": "fog"}, retriever=lambda query: [("a", 0.1), ("b", 0.1), ("c", 0.4)])
    assert result.select("doc", "score").rows() == [("a", 3.0), ("b", 2.0), ("c", 1.0)]
    assert "rise along the list, as distances do" in str(result.notices.problems[0])
    assert ranked([("a", 0.5), ("b", 0.5)]) == [("a", 0.5), ("b", 0.5)]


def test_a_document_counts_once() -> None:
    result = run({"1": "fog"}, retriever=lambda query: ["a", "b", "a"], depth=2)
    assert result.select("doc", "score").rows() == [("a", 2.0), ("b", 1.0)]
    assert "1 documents were listed again" in str(result.notices.problems[0])


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("a b", "must be a list of documents, or of .document, score., found str 'a b'"),
        (None, "found NoneType None"),
        (["a b"], "no name without blanks for a document: 'a b'"),
        ([object()], "`id_field` names its field"),
        ([("a", float("nan"))], "has no finite score for a document"),
        ([("a", "high")], "has no finite score for a document"),
        ([("a", 2.0), "b", ("c", 1.0)], "has scores of 2 of 3 documents only"),
        ([""], "no name without blanks"),
    ],
)
def test_answers_that_are_none_are_refused(answer: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        ranked(answer)
    assert str(error.value).startswith("topic 1: the retriever's answer ")
    # Attempts and skipping are for failures, not for answers that nobody can read.
    with pytest.raises(InputError, match=message):
        ranked(answer, failed="skip")


def test_objects_of_other_packages_are_taken_as_they_are() -> None:
    chain = SimpleNamespace(page_content="x", metadata={"doc_id": "a", "url": "u"}, id="uuid")
    assert ranked([chain]) == [("a", 1.0)]
    assert ranked([(chain, 0.3)], id_field="url") == [("u", 0.3)]
    node = SimpleNamespace(metadata={}, ref_doc_id="b", node_id="n")
    assert ranked([SimpleNamespace(node=node, score=0.7)]) == [("b", 0.7)]
    with pytest.raises(InputError, match="its metadata has no field page"):
        ranked([chain], id_field="page")
    for method in ("invoke", "retrieve", "search"):
        engine = SimpleNamespace(**{method: lambda query: [query]})
        assert run({"1": "fog"}, retriever=engine)["doc"].to_list() == ["fog"]


def test_a_parameter_k_gets_the_depth() -> None:
    def search(query: str, k: int = 3) -> list[str]:
        return [f"d{number}" for number in range(k)]

    assert len(run({"1": "fog"}, retriever=search, depth=5)) == 5


def test_failures_are_tried_again_and_then_stop_or_are_skipped() -> None:
    calls: dict[str, int] = {}

    def shaky(query: str) -> list[str]:
        calls[query] = calls.get(query, 0) + 1
        if query == "tides" or calls[query] < 3:
            raise ConnectionError("no route")
        return ["a"]

    how: dict[str, Any] = {"retriever": shaky, "backoff": 0.0}
    with pytest.raises(InputError, match=r"topic 2: .* ConnectionError in 3 attempts: no route"):
        run(TOPICS, **how)
    assert calls == {"fog at sea": 3, "tides": 3}
    calls.clear()
    result = run(TOPICS, **how, failed="skip")
    assert result["topic"].to_list() == ["1"]
    assert "it has no documents" in str(result.notices.problems[0])
    calls.clear()
    with pytest.raises(ValueError, match="failed on every topic"):
        run(TOPICS, **how, tries=2, failed="skip")


def test_several_threads_give_the_same_run_and_only_so_many_at_once() -> None:
    lock, seen = threading.Lock(), [0, 0]

    def search(query: str) -> list[str]:
        with lock:
            seen[0] += 1
            seen[1] = max(seen)
        threading.Event().wait(0.01)
        with lock:
            seen[0] -= 1
        return [query, "z"]

    topics = {str(number): f"q{number}" for number in range(20)}
    done: list[tuple[int, int]] = []
    several = run(topics, retriever=search, concurrency=4, progress=lambda *at: done.append(at))
    assert 1 < seen[1] <= 4
    assert done[-1] == (20, 20)
    assert several.text == run(topics, retriever=search).text


def test_a_folder_with_judgments_runs_judged_topics(tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("1\tfog\tabout fog\n2\ttide\tabout tides\n")
    asked: list[str] = []

    def search(query: str) -> list[str]:
        asked.append(query)
        return ["a"]

    run(tmp_path, retriever=search)
    (tmp_path / "qrels.txt").write_text("2 0 a 1\n3 0 a 1\n")
    result = run(tmp_path, retriever=search, text_field="description")
    assert asked == ["fog", "tide", "about tides"]
    said = " ".join(map(str, result.notices.problems))
    assert "1 of 2 topics have no judgments and are left out" in said
    assert "has no query for 1 judged topics: 3" in said
    run(tmp_path, retriever=search, all_topics=True)
    run(tmp_path, retriever=search, only=["1"])
    assert asked[3:] == ["fog", "tide", "fog"]
    with pytest.raises(InputError, match="has no topic 9"):
        run(tmp_path, retriever=search, only=["9"])


def test_the_run_is_read_as_it_was_written(tmp_path: Path) -> None:
    def search(query: str) -> list[tuple[str, float]]:
        return [("b", 1e-7), ("a", 1 / 3), ("c", -2.0)]

    result = run(TOPICS, retriever=search, name="mine")
    for name in ("mine.run", "mine.run.gz"):
        result.write_run(tmp_path / name)
        scores = leadline.evaluate({"1": {"a": 1}}, tmp_path / name, "RR", ties="float64")
        assert scores["value"].to_list() == [1.0]
    assert (tmp_path / "mine.run").read_text().startswith("1 Q0 a 1 0.3333333333333333 mine\n")


def test_the_demo_is_run_and_evaluated(tmp_path: Path) -> None:
    result = run(COLLECTION, retriever=lambda query: ["d1"], name="one")
    judged = leadline.read(COLLECTION).runs.pairs.topics
    assert set(result["topic"]) == set(judged)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("words", "must be MODULE:FUNCTION"),
        ("no_such_module:f", "there is no module no_such_module"),
        ("math:no_such", "math has no no_such: it has acos"),
        ("nothing.py:f", "there is no file nothing.py"),
        ("math:pi", "is float: name a function"),
        ("collections:Counter", "is a class"),
    ],
)
def test_a_retriever_that_cannot_be_loaded(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run(TOPICS, retriever=name)


def test_a_file_that_does_not_run_and_an_asynchronous_function(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def f(:\n")
    with pytest.raises(ValueError, match="cannot be imported: SyntaxError"):
        run(TOPICS, retriever=f"{tmp_path / 'bad.py'}:f")

    async def search(query: str) -> list[str]:
        return []

    with pytest.raises(ValueError, match="is asynchronous"):
        run(TOPICS, retriever=search)
