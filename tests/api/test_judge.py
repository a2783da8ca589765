"""judge: projects opened, made, and refused where they do not fit."""

from pathlib import Path

import pytest

from leadline.app.opening import demo_project, new_project, open_project
from leadline.app.room import Assessor
from leadline.io.problems import InputError
from leadline.judging.ledger import Entry
from leadline.judging.project import lying_there, read_project
from tests.app.projects import ANN, asked_for, small, small_runs
from tests.newcomers import beir_folder as judged_beir


def beir_folder(folder: Path) -> Path:
    small_runs(folder)
    (folder / "queries.jsonl").write_text('{"_id": "1", "text": "tides"}\n')
    (folder / "corpus.jsonl").write_text('{"_id": "d1", "title": "", "text": "High water"}\n')
    return folder


def test_a_new_project_finds_what_lies_there_and_says_what_is_missing(tmp_path: Path) -> None:
    folder = beir_folder(tmp_path / "p")
    _, notices = new_project(folder, title="T")
    made = read_project(folder)
    assert (made.topics, made.documents, made.title) == ("queries.jsonl", "corpus.jsonl", "T")
    assert any("3 of 4 documents are missing" in line for line in notices.lines())
    judging = open_project(folder)
    assert judging.library.texts.topics["1"].query == "tides"
    assert any("3 of 4 documents are missing" in line for line in judging.notices.lines())
    judging.close()


def test_paths_are_found_from_where_one_stands_and_the_folder_can_be_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = beir_folder(tmp_path / "p")
    (tmp_path / "old.txt").write_text("1 0 d1 1\n")
    monkeypatch.chdir(tmp_path)
    paths = {"runs": "p/runs", "topics": "p/queries.jsonl", "start_from": "old.txt"}
    new_project("p", order="MoffatA(p=0.8)", stop="", **paths)
    made = read_project(folder)
    assert (made.runs, made.topics) == ("runs", "queries.jsonl")
    assert made.start_from == str(tmp_path / "old.txt")
    folder.rename(tmp_path / "moved")
    monkeypatch.chdir(tmp_path / "moved")
    assert sorted(asked_for(tmp_path / "moved")) == ["d2", "d3", "d4"]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"runs": "nowhere"}, "nowhere: there is no such file or folder here"),
        ({"topics": "runs"}, "runs"),
        ({"start_from": "else.txt"}, "judges no document that these runs return"),
        ({"order": "Sideways"}, "no order is named Sideways"),
        ({"merge": "vote"}, "merge"),
    ],
)
def test_nothing_is_written_where_something_cannot_be_used(
    tmp_path: Path, settings: dict[str, str], said: str
) -> None:
    folder = beir_folder(tmp_path / "p")
    (folder / "else.txt").write_text("1 0 elsewhere 1\n")
    with pytest.raises((ValueError, OSError), match=said):
        new_project(folder, **settings)
    assert not (folder / "judge.toml").exists()


def test_what_was_judged_before_is_not_asked_for(tmp_path: Path) -> None:
    folder = small(tmp_path / "p", start_from="known.txt", order="MoffatA(p=0.8)", stop="")
    (folder / "known.txt").write_text("1 0 d1 1\n1 0 d3 0\n1 0 other 1\n")
    assert sorted(asked_for(folder)) == ["d2", "d4"]


def test_a_shuffled_batch_holds_what_the_order_asked_for(tmp_path: Path) -> None:
    folder = small(tmp_path / "p", batch=4, shuffle=True, order="MoffatA(p=0.8)", stop="")
    assert sorted(asked_for(folder)) == ["d1", "d2", "d3", "d4"]


def test_a_ledger_of_other_runs_is_refused(tmp_path: Path) -> None:
    folder = small(tmp_path / "p")
    asked_for(folder)
    for run in (folder / "runs").iterdir():
        run.write_text(run.read_text().replace(" d", " other"))
    with pytest.raises(ValueError, match="judges no document of these runs"):
        open_project(folder)


def test_the_demo_goes_on_where_it_was(tmp_path: Path) -> None:
    folder = demo_project(tmp_path / "demo")
    (folder / "guidelines.md").write_text("mine")
    assert demo_project(folder) == folder
    assert (folder / "guidelines.md").read_text() == "mine"


def test_the_demo_leaves_a_folder_alone_that_holds_something(tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("mine")
    with pytest.raises(ValueError, match="is there already"):
        demo_project(tmp_path)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [
        ("topics.tsv", "mine")
    ]


def test_qrels_of_other_documents_are_refused(tmp_path: Path) -> None:
    folder = small(tmp_path / "p", start_from="known.txt")
    (folder / "known.txt").write_text("1 0 elsewhere 1\n")
    with pytest.raises(InputError, match="judges no document that these runs return"):
        open_project(folder)


def test_judgments_are_kept_where_they_are_told_to_be(tmp_path: Path) -> None:
    folder = small(tmp_path / "p", order="MoffatA(p=0.8)", stop="")
    elsewhere = f"sqlite:///{tmp_path / 'other.sqlite'}"
    judging = open_project(folder, database=elsewhere)
    pair = judging.room.next(ANN)
    assert pair is not None
    judging.room.judge(ANN, pair, 1)
    judging.close()
    assert not (folder / "judgments.sqlite").exists()
    again = open_project(folder, database=elsewhere)
    assert again.room.state.session.grades == {pair: 1}
    again.close()


def test_entries_about_documents_of_no_run_are_said(tmp_path: Path) -> None:
    folder = small(tmp_path / "p", stop="")
    judging = open_project(folder)
    entries = [Entry("judge", "1", doc, 1, "ann") for doc in ("d1", "gone")]
    judging.room.add_entries(entries)
    judging.close()
    again = open_project(folder)
    assert "1 entries are about documents that no run returns" in again.notices.lines()[-1]
    again.close()


def test_a_project_that_cannot_be_opened_lets_go_of_its_database(tmp_path: Path) -> None:
    folder = small(tmp_path / "p")
    judging = open_project(folder)
    judging.room.add_entries([Entry("judge", "9", "gone", 1, "ann")])
    judging.close()
    for _ in range(2):
        with pytest.raises(ValueError, match="name another `database`"):
            open_project(folder)


def test_a_beir_folder_has_its_queries_texts_and_judgments_in_the_room(tmp_path: Path) -> None:
    judged_beir(tmp_path)
    assert lying_there(tmp_path) == {
        "topics": "queries.jsonl",
        "documents": "corpus.jsonl",
        "start_from": "qrels/test.tsv",
    }
    new_project(tmp_path, use_judgments=False)
    assert read_project(tmp_path).start_from == ""
    (tmp_path / "judge.toml").unlink()
    new_project(tmp_path, stop="", order="MoffatA(p=0.8)")
    judging = open_project(tmp_path)
    assert judging.library.texts.topics["q1"].query == "how deep is the water"
    document = judging.library.document("d4")
    assert document is not None
    assert "fathoms" in document.text
    judging.close()
    # d1 of q1 and d3 of q2 are judged.
    assert sorted(asked_for(tmp_path)) == ["d2", "d2", "d4"]


def test_labels_of_a_cheap_judge_are_evidence_and_no_judgments(tmp_path: Path) -> None:
    folder = small(tmp_path / "p", order="MoffatA(p=0.8)", stop="", labels="gpt.qrels")
    with pytest.raises(InputError):
        open_project(folder)
    (folder / "gpt.qrels").write_text("1 0 d1 2\n")
    judging = open_project(folder)
    session = judging.room.state.session
    labels = session.runs.pairs.needed_labels
    assert labels.judges == ("gpt",)
    assert labels.grade.max() == 2
    assert not session.grades
    judging.close()


def test_what_machines_have_judged_is_evidence_from_the_next_start(tmp_path: Path) -> None:
    folder = small(tmp_path / "p", stop="")
    machine = Assessor("llm", "machine")
    judging = open_project(folder)
    assert judging.room.state.session.runs.pairs.labels is None
    for pair in judging.room.lease(machine, 3):
        judging.room.judge(machine, pair, 2, source=("m", "v1", 0.9))
    mine = judging.room.next(ANN)
    judging.close()
    again = open_project(folder)
    labels = again.room.state.session.runs.pairs.needed_labels
    assert labels.judges == ("llm",)
    assert sorted(labels.grade[0].tolist()) == [-1, 2, 2, 2]
    assert again.room.state.session.grades == {}
    assert again.room.next(ANN) == mine
    again.close()


def test_names_with_a_nul_are_refused_before_anything_is_lent(tmp_path: Path) -> None:
    folder = small(tmp_path / "p")
    (folder / "runs" / "c.json").write_text('{"1": {"d\\u0000": 1.0, "d1": 2.0}}')
    with pytest.raises(ValueError, match="NUL"):
        open_project(folder)
