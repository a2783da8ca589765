"""The published leaderboard: final qrels, and a report page made from them beside the server."""

import threading
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Literal

from leadline.io.write import write_whole
from leadline.judging.project import Project

QRELS, PAGE = "final-qrels.txt", "leaderboard.html"
Stage = Literal["none", "being made", "ready", "failed"]


def write_page(folder: Path, project: Project) -> None:
    """Write the report of a project's runs by its final qrels."""
    from leadline.api.report import report
    from leadline.io.read import read

    runs = folder / project.runs
    pool = folder / project.pool if project.pool else None
    collection = read(folder / QRELS, str(runs), folder=folder, pool=pool)
    command = f"leadline report {QRELS} {project.runs}"
    command += f" --pool {project.pool}" if project.pool else ""
    report(collection, title=project.title, command=command).write(folder / PAGE)


@dataclass
class Leaderboard:
    """The page of a project: whether it is there, or why it could not be made.

    It is made in a process of its own, so that nobody waits for a document meanwhile.
    """

    folder: Path
    stage: Stage = "none"
    trouble: str = ""

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._worker: threading.Thread | None = None
        if (self.folder / PAGE).is_file():
            self.stage = "ready"

    @property
    def page(self) -> str | None:
        """The page, None if there is none."""
        path = self.folder / PAGE
        return path.read_text(encoding="utf-8") if path.is_file() else None

    def make(self, project: Project, qrels: str) -> bool:
        """Begin to make the page from these qrels; False if one is being made already."""
        with self._lock:
            if self.stage == "being made":
                return False
            self.stage, self.trouble = "being made", ""
        write_whole(self.folder / QRELS, qrels)
        self._worker = threading.Thread(target=self._make, args=(project,), daemon=True)
        self._worker.start()
        return True

    def wait(self, seconds: float) -> None:
        """Wait for the page that is being made."""
        if self._worker is not None:
            self._worker.join(seconds)

    def _make(self, project: Project) -> None:
        try:
            with ProcessPoolExecutor(1, get_context("spawn")) as process:
                process.submit(write_page, self.folder, project).result()
            self.stage = "ready"
        except Exception as error:
            self.stage, self.trouble = "failed", str(error)
