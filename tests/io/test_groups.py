"""groups.tsv is read as it is meant, or refused with its line."""

from pathlib import Path

import pytest

from leadline.io.collection import read_groups
from leadline.io.problems import InputError, Notices

HEADER = "run\tgroup\ttype\tpooled\n"


def groups(path: Path, text: str | bytes, runs: list[str]) -> list[tuple[object, ...]]:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_groups(path, runs, Notices()).rows()


@pytest.mark.parametrize(
    "text",
    [
        HEADER + "a\tX\tmanual\tyes\nb\tY\t\tno\n",
        HEADER + "a.run.gz\tX\tmanual\tTRUE\nb.txt\tY\t\t0\n",
        "\ufeff" + HEADER.replace("\n", "\r\n") + 'a\t"X"\tmanual\t1\r\n\r\nb\tY\t\tfalse\r\n',
        "pooled\tteam\trun\ttype\nyes\tX\ta\tmanual\nno\tY\tb\t",
        HEADER + "a\tX\tmanual\tyes\na\tX\tmanual\tyes\nb\tY\t\tno\nz\tZ\t\tno\n",
    ],
)
def test_a_table_is_read_as_it_is_meant(text: str, tmp_path: Path) -> None:
    found = groups(tmp_path / "groups.tsv", text, ["a", "b"])
    assert found == [("a", "X", "manual", True, None), ("b", "Y", None, False, None)]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", None, "is empty"),
        (" \n\n", None, "is empty"),
        ("name\tgroup\na\tX\n", 1, "needs the columns run and group; found name, group"),
        (HEADER + "a\tX\tmanual\n", 2, "expected 4 columns as .*, found 3"),
        (
            HEADER + "a\tX\tmanual\tyes\nb\tY\t\tno\tmore\n",
            3,
            "expected 4 columns as .*, found 5",
        ),
        (HEADER + "a\tX\tmanual\tperhaps\n", 2, "pooled must be yes or no, found 'perhaps'"),
        (HEADER + 'a\t"X\tmanual\tyes\n', 2, "cannot be read"),
        ((HEADER + "a\tMünchen\t\tno\n").encode("latin-1"), 2, "is not UTF-8 text"),
        (HEADER + "a\tX\t\tno\na\tY\t\tno\n", 3, "says something else of a"),
        (HEADER + "a\tX\0\t\tno\n", 2, "NUL byte"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    text: str | bytes, line: int | None, message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message) as error:
        groups(tmp_path / "groups.tsv", text, ["a"])
    assert [problem.line for problem in error.value.problems] == [line]


@pytest.mark.parametrize(("pooled", "expected"), [("yes", False), ("", None)])
def test_a_run_that_is_not_named_is_pooled_only_where_nothing_tells(
    pooled: str, expected: bool | None, tmp_path: Path
) -> None:
    path, notices = tmp_path / "groups.tsv", Notices()
    path.write_text(HEADER + f"a\tX\t\t{pooled}\n")
    assert read_groups(path, ["a", "b"], notices).row(1) == ("b", "b", None, expected, None)
    assert "does not name the group of b" in notices.lines()[0]
    assert ("counts as not pooled" in notices.lines()[0]) == (expected is False)


def test_without_a_table_a_run_is_its_own_group(tmp_path: Path) -> None:
    for path in (None, tmp_path / "groups.tsv"):
        assert read_groups(path, ["a"], Notices()).rows() == [("a", "a", None, None, None)]


def test_a_family_is_read_where_there_is_one(tmp_path: Path) -> None:
    text = "run\tgroup\tfamily\na\tX\tllama\nb\tY\t\n"
    found = groups(tmp_path / "groups.tsv", text, ["a", "b"])
    assert [(row[0], row[-1]) for row in found] == [("a", "llama"), ("b", None)]
