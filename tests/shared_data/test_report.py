"""Reports of real collections: small enough to send, and opened in a real browser."""

from pathlib import Path

import pytest

from leadline.api.report import report
from tests.shared_data.where import collection
from tests.views.conftest import Browser, browser, chromium, looks  # noqa: F401 - fixtures
from tests.views.small import write_page

MEASURES = ["RBP(p=0.8)", "nDCG@10", "P@10"]


def check(folder: Path, seen: Browser, into: Path, n_runs: int, depth: int) -> None:
    page = report(folder, None, MEASURES).page
    assert len(page.encode()) < 5_000_000
    assert f"The judgments are a pool of depth {depth} (by what was judged)" in page
    opened = seen.open(write_page(page, into))
    assert opened.page.locator("#leaderboard-0 tbody tr").count() == n_runs
    for name in ("leaderboard", "judged", "significance"):
        turn = opened.page.locator(f"#{name}-chart button", has_text=f"show all {n_runs}")
        turn.click()
        assert turn.get_attribute("aria-pressed") == "true"
    cells = opened.page.locator("#significance-chart rect.pick")
    assert cells.count() == n_runs * (n_runs - 1)
    assert opened.page.locator("#leaderboard-chart rect.mk").count() == n_runs
    opened.page.select_option("#measure", label="nDCG@10")
    assert cells.count() == n_runs * (n_runs - 1)
    opened.page.set_viewport_size({"width": 390, "height": 800})
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390
    opened.quiet()


def test_143_runs_make_one_page(browser: Browser, tmp_path: Path) -> None:  # noqa: F811
    check(collection("trec_covid_round1"), browser, tmp_path, 143, 7)


@pytest.mark.slow
def test_trec8_makes_one_page(browser: Browser, tmp_path: Path) -> None:  # noqa: F811
    check(collection("trec8_adhoc"), browser, tmp_path, 129, 100)
