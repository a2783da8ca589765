"""Small files for the program."""

from pathlib import Path

import pytest


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Qrels and two runs; the one that comes later in the alphabet is the better one."""
    qrels, weak, strong = (tmp_path / name for name in ("qrels.txt", "a-weak.run", "b-strong.run"))
    qrels.write_text("1 0 d1 1\n1 0 d2 0\n2 0 d1 0\n2 0 d3 1\n")
    weak.write_text("1 Q0 d2 1 9 t\n1 Q0 d9 2 8 t\n2 Q0 d1 1 9 t\n")
    strong.write_text("1 Q0 d1 1 9 t\n1 Q0 d2 2 8 t\n2 Q0 d3 1 9 t\n")
    return qrels, weak, strong
