"""Exit codes of the gate on the demo, on TREC-8 and on sparse judgments made from Cranfield."""

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from leadline.io.datasets import COLLECTION
from scripts.cranfield_runs import write_runs
from tests.cli.program import call
from tests.shared_data.where import collection

Lines = list[list[str]]
"""Of a run: topic, doc, rank, best first."""


def lists(path: Path) -> Lines:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt") as file:
        return [[words[0], words[2], words[3]] for words in map(str.split, file)]


def write(path: Path, lines: Lines) -> str:
    rows = [f"{topic} Q0 {doc} {at} {10_000 - at} new" for at, (topic, doc, *_) in enumerate(lines)]
    path.write_text("\n".join([*rows, ""]))
    return str(path)


def judged_docs(folder: Path) -> dict[tuple[str, str], int]:
    (file,) = folder.glob("qrels.txt*")
    opened = gzip.open if file.suffix == ".gz" else open
    with opened(file, "rt") as lines:
        return {(w[0], w[2]): int(w[3]) for w in map(str.split, lines)}


def demo(folder: Path) -> tuple[Path, str]:
    return Path(shutil.copytree(COLLECTION, folder)), "anstey-bm25"


def trec8(folder: Path) -> tuple[Path, str]:
    return collection("trec8_adhoc"), "att99atde"


def sparse(folder: Path) -> tuple[Path, str]:
    """Cranfield with the two best grades only: about two judged documents a topic."""
    write_runs(collection("cranfield"), folder)
    lines = (folder / "qrels.txt").read_text().splitlines()
    kept = [line for line in lines if line.split()[3] in ("1", "2", "-1")]
    grade = {"1": "2", "2": "1", "-1": "0"}
    rows = [f"{t} {i} {d} {grade[g]}\n" for t, i, d, g in map(str.split, kept)]
    (folder / "qrels.txt").write_text("".join(rows))
    return folder, "content-0.9-0.4"


MADE = [
    pytest.param(demo, id="demo"),
    pytest.param(trec8, id="trec8", marks=pytest.mark.slow),
    pytest.param(sparse, id="sparse"),
]


@pytest.fixture(scope="module", params=MADE)
def made(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, str]:
    make: Callable[[Path], tuple[Path, str]] = request.param
    return make(tmp_path_factory.mktemp("gate") / "made")


def gate(made: tuple[Path, str], new: str) -> tuple[int, str]:
    folder, baseline = made
    done = call("gate", str(folder), "--baseline", baseline, "--new", new, "-m", "nDCG@10")
    return done.code, done.err


def file_of(made: tuple[Path, str]) -> Path:
    return run_file(made[0], made[1])


def run_file(folder: Path, name: str) -> Path:
    return next(
        folder / "runs" / f"{name}{end}"
        for end in (".gz", ".txt", "")
        if (folder / "runs" / f"{name}{end}").exists()
    )


def test_a_run_against_itself_is_not_worse(made: tuple[Path, str], tmp_path: Path) -> None:
    code, said = gate(made, made[1])
    assert code == 0, said
    assert "return the same documents in the same order" in said
    # And so is the same file under another name.
    assert gate(made, write(tmp_path / "copy.txt", lists(file_of(made))))[0] == 0


def test_a_run_that_returns_one_non_relevant_document_is_worse(
    made: tuple[Path, str], tmp_path: Path
) -> None:
    first = {topic: doc for (topic, doc), grade in judged_docs(made[0]).items() if grade <= 0}
    new = write(tmp_path / "broken.txt", [[topic, doc] for topic, doc in first.items()])
    code, said = gate(made, new)
    assert code == 1, said


def test_ids_of_another_index_are_refused(made: tuple[Path, str], tmp_path: Path) -> None:
    foreign = [[topic, f"other-{doc}"] for topic, doc, _ in lists(file_of(made))]
    code, said = gate(made, write(tmp_path / "foreign.txt", foreign))
    assert code == 2, said
    # A folder with documents names those that it lacks; without, none of the run's is known.
    assert "documents is known" in said or "documents that" in said
    assert "another index?" in said


BETTER = {
    "anstey-bm25": "corran-lsa60",
    "att99atde": "READWARE2",
    "content-0.9-0.4": "content-1.2-0.75",
}
"""Runs that are better than the baseline, or as good, when all is judged."""


def test_unjudged_documents_that_others_return_leave_it_undecided(
    made: tuple[Path, str], tmp_path: Path
) -> None:
    """No document of a better run is judged, but other runs return all of them."""
    folder, baseline = made
    others = {
        (topic, doc)
        for path in (folder / "runs").iterdir()
        if path != run_file(folder, BETTER[baseline])
        for topic, doc, _ in lists(path)
    }
    own = [line for line in lists(run_file(folder, BETTER[baseline])) if tuple(line[:2]) in others]
    returned = {(topic, doc) for topic, doc, _ in own}
    left = {pair: grade for pair, grade in judged_docs(folder).items() if pair not in returned}
    assert left
    (tmp_path / "qrels.txt").write_text("".join(f"{t} 0 {d} {g}\n" for (t, d), g in left.items()))
    (tmp_path / "runs").symlink_to(folder / "runs", target_is_directory=True)
    code, said = gate((tmp_path, baseline), write(tmp_path / "better.txt", own))
    assert code == 3, said
    assert "so sparse" in said
    assert "will rarely decide" in said
    assert "--judge-next" in said
