"""A demo project, and a small site in this process, one for each test that asks."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from leadline.verbs.judge import demo_project, open_project
from leadline.web.serve import Options, make_site
from leadline.web.site import Site
from tests.judging.room.projects import small
from tests.web.visitors import with_quick_hashes


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return demo_project(tmp_path / "sea")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Two runs over four documents of one topic, judged by whoever opens the page."""
    folder = small(tmp_path / "small", order="MethodA(p=0.8)", stop="", title="Small & open")
    judging = open_project(folder)
    site = make_site(judging, Options())
    with_quick_hashes(site.accounts)
    yield site
    judging.close()
