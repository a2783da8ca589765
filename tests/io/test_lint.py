"""Everything that is wrong or odd in a file, all at once."""

from pathlib import Path

import pytest

from leadline.api.lint import content_of, lint_file
from leadline.io.source import read_source
from tests.cli.program import call
from tests.io.bad_files import LINT_COLUMNS, QRELS, RUN, Folder, check_linted
from tests.io.plain_files import text


def test_lint_reports_all_problems_of_all_files_at_once(folder: Folder) -> None:
    run = folder.write(
        "bad.run",
        text(
            [
                "# a comment",
                "1 Q0 d1 1 3.0 tag",
                "1 Q0 d2 2 2.0",
                "",
                "1 Q0 d3 3 nan tag",
                "1 Q0 d1 4 1.0 tag",
                "1 Q0 d4 5 0.9 tag",
                "1 Q0 d5 6 1_0 tag more",
            ]
        ),
    )
    qrels = folder.write(
        "bad.qrels", text(["1 0 d1 1", "1 0 d2", "1 0 d1 0", "1 0 d3 0.5", "1 0 d4 1"])
    )
    good = folder.path / "good.run"
    result = call("lint", run, qrels, good)
    assert result.code == 1
    assert result.out.splitlines()[0] == LINT_COLUMNS
    errors = [row for row in result.rows() if row["level"] == "error"]
    found = {
        file: sorted(int(row["line"]) for row in errors if row["file"] == str(file))
        for file in (run, qrels, good)
    }
    assert found == {run: [3, 5, 6, 8], qrels: [2, 3, 4], good: []}


def test_lint_leaves_out_none_of_many_problems(folder: Folder) -> None:
    # Ten messages are enough for a person who waits for a score, not for one who mends a file.
    bad = [f"1 Q0 e{number} 1 high tag" for number in range(25)]
    file = folder.write("bad.run", text([*RUN, *bad]))
    result = call("lint", file)
    errors = [int(row["line"]) for row in result.rows() if row["level"] == "error"]
    assert sorted(errors) == list(range(4, 29))


def test_lint_says_nothing_against_good_files(folder: Folder) -> None:
    result = call("lint", folder.path / "good.run", folder.path / "qrels.txt")
    assert result.code == 0
    assert result.out == LINT_COLUMNS + "\n"


def test_what_is_only_odd_is_no_error_to_lint(folder: Folder) -> None:
    odd = folder.write("odd.run", text(["1 Q0 d1 1 1.0 t", "2 Q0 d1 1 1.0 t", "1 Q0 d2 2 5.0 t"]))
    again = folder.write("again.qrels", text([*QRELS, QRELS[0], "1 0 d7 -1", "1 0 d8 -2"]))
    result = call("lint", odd, again)
    assert result.code == 0, result.out
    assert {row["level"] for row in result.rows()} <= {"warning", "notice"}
    assert {row["file"] for row in result.rows()} == {str(odd), str(again)}


def test_lint_finds_a_conflict_between_subtopic_judgments(folder: Folder) -> None:
    file = folder.write("nd.txt", text(["1 1 d1 1", "1 2 d1 0", "1 2 d1 1"]))
    check_linted(call("lint", file), file, 3)


def test_lint_reads_beir_judgments_as_evaluate_does(folder: Folder) -> None:
    file = folder.write("test.tsv", b"query-id\tcorpus-id\tscore\n1\td1\t1\n1\td2\t0.5\n")
    assert call("lint", file).code == 1


def found(folder: Path, content: str) -> dict[str, int | None]:
    """The codes found in a file, each with its line."""
    file = folder / "file"
    file.write_text(content)
    return {problem.code: problem.line for problem in lint_file(file)}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n", {}),
        ("1 Q0 a 1 1 x\n1 Q0 b 2 2 x\n", {"order": 1}),
        ("1 Q0 a 1 2 x\n2 Q0 a 1 1 x\n1 Q0 b 2 1 x\n", {"scattered": None}),
        ("1 Q0 a 1 1 x\n1 Q0 b 2 1 x\n", {"ties": None}),
        ("1 Q0 a 1 1.00000001 x\n1 Q0 b 2 1 x\n", {"ties": None, "made-ties": None}),
        ("1 Q0 a 1 inf x\n1 Q0 b 2 1 x\n", {"infinite": 1}),
        ("1 0 a 1\n1 0 a 1\n", {"merged": None}),
        ("1 0 a -1\n1 0 b -2\n", {"unjudged-grade": None, "negative-grade": None}),
        ("1 1 a 1\n1 2 a 0\n", {"subtopics": None}),
    ],
)
def test_what_is_odd_has_its_code(
    tmp_path: Path, lines: str, expected: dict[str, int | None]
) -> None:
    assert found(tmp_path, lines) == expected


def test_equal_scores_may_stand_in_any_order(tmp_path: Path) -> None:
    assert "order" not in found(tmp_path, "1 Q0 a 1 1 x\n1 Q0 b 2 1 x\n1 Q0 c 3 0 x\n")


def test_runs_and_qrels_are_told_apart_by_most_of_their_lines(tmp_path: Path) -> None:
    run = "1 Q0 a 1 2 x\n1 Q0 b 2 1\n1 Q0 c 3 0 x\n"
    assert found(tmp_path, run) == {"fields": 2}
    assert set(found(tmp_path, "1 0 a 1\n1 0 b\n1 0 c 0\n").values()) == {2}


def test_what_a_file_is_is_told_by_most_of_its_lines_not_by_the_first(folder: Folder) -> None:
    run = folder.write("mine.txt", text(["topic doc", *RUN]))
    (problem,) = lint_file(run)
    assert (problem.line, problem.code) == (1, "fields")
    qrels = folder.write("mine.qrels", text(["query-id corpus-id score", *QRELS]))
    (problem,) = lint_file(qrels)
    assert (problem.line, problem.code) == (1, "fields")


def test_topics_and_documents_are_told_by_their_names(folder: Folder) -> None:
    queries = folder.write("queries.jsonl", b'{"_id": "q1", "text": "how deep"}\n')
    corpus = folder.write("corpus.jsonl", b'{"_id": "d1", "title": "", "text": "a rope"}\n')
    assert lint_file(queries) == lint_file(corpus) == []
    folder.write("corpus.jsonl", b'{"_id": "d1", "text": "a rope"}\nno json\n')
    assert [problem.level for problem in lint_file(corpus)] == ["error"]
    folder.write("corpus.jsonl", b"no json\n")
    assert [problem.code for problem in lint_file(corpus)] == ["document"]


def test_the_name_tells_what_lines_do_not(folder: Folder) -> None:
    # Three of anything may be either.
    assert "qrels" in content_of(read_source(folder.write("qrels.x", b"1 d1 1\n1 d2 0\n")))
    assert content_of(read_source(folder.write("x", b"1 d1 1\n1 d2 0\n"))) == "run"
