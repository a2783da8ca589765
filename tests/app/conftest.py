"""A demo project, and a small site in this process, one for each test that asks."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leadline.app.opening import demo_project, open_project
from leadline.app.serve import Options, make_site
from leadline.app.site import Site
from tests.app.browser import CHROMIUM, Browser
from tests.app.fort import Fort, accept
from tests.app.projects import small
from tests.app.server import serving
from tests.app.visitors import with_quick_hashes


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return demo_project(tmp_path / "sea")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Two runs over four documents of one topic, judged by people who sign in."""
    folder = small(tmp_path / "small", order="MoffatA(p=0.8)", stop="", title="Small & open")
    judging = open_project(folder)
    site = make_site(judging, Options(accounts=True))
    with_quick_hashes(site.accounts)
    yield site
    judging.close()


@pytest.fixture
def alone(site: Site) -> Site:
    """The same site without sign-in."""
    return replace(site, owner="me")


@pytest.fixture(scope="module")
def fort(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fort]:
    folder = demo_project(tmp_path_factory.mktemp("fort") / "sea")
    with serving(folder, "--accounts", "--rate", "300") as server:
        organiser = accept(server.address, server.link(), "a long password")
        made = organiser.post("/api/people", json={"name": "ann"}).json()
        assessor = accept(server.address, made["link"], "another password")
        yield Fort(server, organiser, assessor)
        organiser.close()
        assessor.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu"]
        )
        yield found
        found.close()


@pytest.fixture
def browser(chromium: Any) -> Iterator[Browser]:
    found = Browser(chromium)
    yield found
    for context in chromium.contexts:
        context.close()
    assert found.complaints == []
