"""Runs scored in pieces come out as runs scored whole: scores, notices and errors."""

from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import leadline
from leadline.io import run_stream as run_pieces
from leadline.io.parallel import Workforce, attempt
from leadline.io.problems import InputError
from tests.io.test_workforce import Backwards

MEASURES = ["AP", "nDCG@10", "RBP(p=0.8)"]


class Travelling(Workforce):
    """Everything goes there and back as between processes, the last piece first."""

    def outcomes(
        self, work: Callable[[Any, Any], Any], shared: Any, pieces: Sequence[Any]
    ) -> Generator[tuple[int, Any]]:
        import pickle

        travelled = pickle.loads(pickle.dumps((work, shared, list(pieces))))
        for number, outcome in Backwards().outcomes(*travelled):
            yield number, pickle.loads(pickle.dumps(outcome))


@pytest.fixture(autouse=True)
def _small_spans() -> Iterator[None]:
    with patch.object(run_pieces, "RANGE", 2000):
        yield


def write(path: Path, lines: list[str]) -> str:
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


def lines_of(topics: list[int], depth: int = 40, tag: str = "x") -> list[str]:
    return [
        f"{t} Q0 d{t * 7 % 5 + doc} {doc} {50 - doc // 2} {tag}"
        for t in topics
        for doc in range(depth)
    ]


def qrels_of(folder: Path, n_topics: int = 12) -> str:
    judged = [f"{t} 0 d{doc} {doc % 3}" for t in range(n_topics) for doc in range(0, 30, 2)]
    return write(folder / "qrels", judged)


def both(qrels: str, runs: list[str], **how: Any) -> tuple[Any, Any]:
    here = leadline.evaluate(qrels, runs, MEASURES, per_topic=True, **how)
    return here, leadline.evaluate(qrels, runs, MEASURES, per_topic=True, dask=Travelling(), **how)


CASES = {
    "plain": [*range(12)],
    "topics missing and not judged": [*range(3, 20)],
    "a topic in two places": [*range(12), 12, 0],
}


@pytest.mark.parametrize("unjudged", ["ignore", "include"])
@pytest.mark.parametrize("case", CASES)
def test_scores_and_notices_are_those_of_one_process(
    case: str, unjudged: Any, tmp_path: Path
) -> None:
    topics = CASES[case]
    lines = lines_of(topics)
    if case == "a topic in two places":
        # Other documents of the topic, so that the run is sound.
        lines = lines_of(topics[:-1]) + [line.replace(" d", " e") for line in lines_of([0])]
    runs = [
        write(tmp_path / "large.run", lines),
        write(tmp_path / "small.run", lines_of([1, 2], 5)),
        write(tmp_path / "last.run", lines_of([*range(12)], 30, "y")),
    ]
    here, there = both(qrels_of(tmp_path), runs, unjudged_topics=unjudged)
    assert there.frame.equals(here.frame)
    assert there.notices.lines() == here.notices.lines()
    assert here.notices.lines()


def test_large_runs_were_cut(tmp_path: Path) -> None:
    pieces = run_pieces.run_pieces(
        leadline.io.inputs.runs_from(write(tmp_path / "a.run", lines_of([*range(12)]))),
        True,
    )
    assert pieces is not None
    assert len(pieces) > 2


@pytest.mark.parametrize("fault", ["5 Q0 d1 1 9 x", "5 Q0 zz 1 nine x"])
def test_faults_are_told_as_one_process_tells_them(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = lines_of([*range(12)])
    lines.insert(5 * 40 + 20, fault)
    write(tmp_path / "sound.run", lines_of([*range(12)]))
    write(tmp_path / "faulty.run", lines)
    write(tmp_path / "worse.run", ["nothing"])
    qrels_of(tmp_path)
    told = []
    for force in (None, Travelling()):
        with pytest.raises(InputError) as caught:
            leadline.evaluate(
                "qrels", ["sound.run", "faulty.run", "worse.run"], MEASURES, dask=force
            )
        told.append(str(caught.value))
    assert told[0] == told[1]
    assert told[0].startswith("faulty.run:")
    here, there = both("qrels", ["sound.run", "faulty.run"], skip_bad_lines=True)
    assert there.frame.equals(here.frame)
    assert there.notices.lines() == here.notices.lines()
    assert any("faulty.run" in line for line in here.notices.lines())


def test_runs_that_are_tables_travel() -> None:
    qrels = {"1": {"a": 1, "b": 0}}
    runs = {"one": {"1": {"a": 2.0, "b": 1.0}}, "two": {"1": {"b": 2.0, "a": 1.0}}}
    here = leadline.evaluate(qrels, runs, "RR")
    assert leadline.evaluate(qrels, runs, "RR", dask=Travelling()).frame.equals(here.frame)


def test_an_attempt_is_what_a_worker_makes() -> None:
    assert attempt(max, 1, 2) == 2
