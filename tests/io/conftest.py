"""The plain files with their scores, and a folder to be ruined."""

from pathlib import Path

import pytest

from tests.io.bad_files import QRELS as FEW_QRELS
from tests.io.bad_files import RUN as SHORT_RUN
from tests.io.bad_files import Folder
from tests.io.plain_files import QRELS, RUN, Rows, scores, text


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Rows]:
    folder = tmp_path_factory.mktemp("plain")
    qrels, run = folder / "qrels.txt", folder / "plain.run"
    qrels.write_bytes(text(QRELS))
    run.write_bytes(text(RUN))
    return qrels, run, scores(qrels, run)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path)
    made.write("qrels.txt", text(FEW_QRELS))
    made.write("good.run", text(SHORT_RUN))
    return made
