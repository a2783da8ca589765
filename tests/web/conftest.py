"""A demo project, one for each test that asks."""

from pathlib import Path

import pytest

from leadline.verbs.judge import demo_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return demo_project(tmp_path / "sea")
