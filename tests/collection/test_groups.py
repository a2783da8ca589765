"""groups.tsv names runs by their name or their file's; a bad table is refused with its line."""

from pathlib import Path

import pytest

from leadline.collection.groups import read_groups
from leadline.files.problems import InputError, Notices

RUNS = ("a", "b.v2", "c")


def test_a_run_is_found_by_its_name_and_by_its_file(tmp_path: Path) -> None:
    path = tmp_path / "groups.tsv"
    path.write_text('run\tteam\tpooled\n"a"\tX\tyes\nb.v2.run.gz\tY\tno\n')
    notices = Notices()
    found = read_groups(path, RUNS, notices)
    assert found.select("run", "group", "pooled").rows() == [
        ("a", "X", True),
        ("b.v2", "Y", False),
        ("c", "c", None),
    ]
    assert [problem.code for problem in notices.problems] == ["no-group"]


def test_without_a_table_a_run_is_its_own_group() -> None:
    assert read_groups(None, RUNS, Notices())["group"].to_list() == list(RUNS)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is empty"),
        (b"run\tgroup\na\n", ":2: expected 2 columns"),
        (b"run\tgroup\na\t\xe9\n", ":2: is not UTF-8"),
        (b'run\tgroup\n"a\tx\n', "cannot be read"),
        (b"a\tb\n", "needs the columns run and group"),
        (b"\0", "NUL"),
    ],
)
def test_a_bad_table_is_refused(tmp_path: Path, content: bytes, told: str) -> None:
    (tmp_path / "groups.tsv").write_bytes(content)
    with pytest.raises(InputError, match=told):
        read_groups(tmp_path / "groups.tsv", RUNS, Notices())
