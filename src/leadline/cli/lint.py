"""`leadline lint`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Unpack

from leadline.cli.command import Call
from leadline.cli.output import TableOutput, say, show
from leadline.io.write import write_whole
from leadline.options import Option

if TYPE_CHECKING:
    from leadline.api.lint import Findings


PerGroup = Annotated[Path | None, Option(metavar="FOLDER")]


def lint(call: Call["Findings"], per_group: PerGroup = None, **out: Unpack[TableOutput]) -> None:
    """Check run, qrels and ndeval files; report problems with line numbers.

    per_group: write a report for each group to this folder, by the groups.tsv of the collection
        folder that is checked.
    """
    groups = None if per_group is None else _groups_file(list(call.value("files") or ()))
    result = call()
    show(result, **out)
    if per_group is not None and groups is not None:
        per_group.mkdir(parents=True, exist_ok=True)
        reports = result.by_group(groups)
        for group, name in file_names(list(reports)).items():
            write_whole(per_group / f"{name}.txt", reports[group])
        say([f"{per_group}: a report for each of {len(reports)} groups"])
    n_errors, n_others = result.n_errors, len(result) - result.n_errors
    say([f"{result.n_files} files read: {n_errors} errors, {n_others} other findings"])
    if n_errors:
        sys.exit(1)


def _groups_file(files: "list[str | Path]") -> Path:
    """Return the groups.tsv of the collection folder; a ValueError if there is none."""
    found = [Path(file) / "groups.tsv" for file in files if (Path(file) / "groups.tsv").is_file()]
    if len(found) != 1:
        raise ValueError("--per-group needs one collection folder with a groups.tsv")
    return found[0]


def file_names(groups: list[str]) -> dict[str, str]:
    """Return each group's name as that of a file, no two the same.

    >>> file_names(["rutgers-kantor", "../a b", "-a-b"])
    {'rutgers-kantor': 'rutgers-kantor', '../a b': '-a-b', '-a-b': '-a-b-2'}
    """
    found: dict[str, str] = {}
    for group in groups:
        kept = "".join(each if each.isalnum() or each in "-_." else "-" for each in group)
        first = kept.lstrip(".") or "group"
        name, number = first, 1
        while name.lower() in {taken.lower() for taken in found.values()}:
            number += 1
            name = f"{first}-{number}"
        found[group] = name
    return found
