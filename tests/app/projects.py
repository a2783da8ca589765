"""Small project folders, judged by one person."""

from pathlib import Path

from leadline.app.opening import open_project
from leadline.app.room import Assessor
from leadline.judging.project import Project, write_project

ANN = Assessor("ann")


def small_runs(folder: Path) -> None:
    (folder / "runs").mkdir(parents=True)
    for run, docs in {"a": "d1 d2 d3", "b": "d3 d2 d4"}.items():
        lines = [f"1 Q0 {doc} {rank} {9 - rank} {run}" for rank, doc in enumerate(docs.split())]
        (folder / "runs" / f"{run}.txt").write_text("\n".join(lines) + "\n")


def small(folder: Path, **settings: object) -> Path:
    small_runs(folder)
    write_project(folder, Project(**settings))  # type: ignore[arg-type]
    return folder


def asked_for(folder: Path) -> list[str]:
    judging = open_project(folder)
    found = []
    while (pair := judging.room.next(ANN)) is not None:
        found.append(judging.room.state.name(pair)[1])
        judging.room.judge(ANN, pair, 0)
    judging.close()
    return found
