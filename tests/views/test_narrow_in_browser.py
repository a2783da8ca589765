"""The report in a narrow browser: nothing collides, nothing is cut without a sign."""

from pathlib import Path

import numpy as np
import pytest

from leadline.api.report import report
from tests.views.conftest import Browser
from tests.views.small import runs_of, write_page

QRELS = {str(topic): {"d0": 1, "d1": 0, "d2": 2} for topic in range(1, 4)}


@pytest.mark.parametrize("width", [320, 768, 1600])
def test_no_width_makes_the_page_scroll_sideways(
    browser: Browser, demo_page: Path, width: int
) -> None:
    opened = browser.open(demo_page, width=width)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    opened.page.set_viewport_size({"width": 700, "height": 800})
    opened.until("document.querySelector('.plot svg').clientWidth <= 700")
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 700
    opened.quiet()


def test_a_phone_shows_run_and_score_and_says_what_is_cut(
    browser: Browser, demo_page: Path
) -> None:
    opened = browser.open(demo_page, width=390, height=844)
    right = "e => e.getBoundingClientRect().right"
    for cell in ("th", "td:nth-child(2)"):
        row = opened.page.locator("#leaderboard-0 tbody tr").first
        assert row.locator(cell).evaluate(right) <= 390
    for box in opened.page.locator(".wide:visible, .plot:visible").all():
        cut = box.evaluate("e => e.scrollWidth > e.clientWidth + 1")
        assert box.evaluate("e => e.nextElementSibling.hidden") is not cut
    opened.quiet()


def test_an_axis_on_a_phone_has_two_numbers_at_least(browser: Browser, tmp_path: Path) -> None:
    """From 0.05 to 0.9 four steps would be of 0.5, of which only one lies inside."""
    grades = {f"d{number:02}": int(number < 20) for number in range(40)}

    def first(n_relevant: int) -> dict[str, dict[str, float]]:
        docs = [f"d{number:02}" for number in (*range(n_relevant), *range(39, 19, -1))][:20]
        return {"1": {doc: 20.0 - rank for rank, doc in enumerate(docs)}}

    page = report({"1": grades}, {"low": first(1), "high": first(18)}, ["P@20"])
    opened = browser.open(write_page(page.page, tmp_path), width=390)
    shown = opened.page.locator("#leaderboard-chart .plot text[text-anchor=middle].faint")
    assert shown.all_text_contents()[-4:] == ["0.2", "0.4", "0.6", "0.8"]
    opened.quiet()


@pytest.mark.parametrize("width", [390, 1000])
def test_no_label_of_a_chart_leaves_its_picture(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    names = ["WWWWWWWWWWWWWWWWWWWWWWWW-one", "WWWWWWWWWWWWWWWWWWWWWWWW-two", "MMM8manexT3D1N0"]
    page = report(QRELS, runs_of(names), ["P@3"])
    opened = browser.open(write_page(page.page, tmp_path), width=width)
    for name in ("leaderboard", "judged"):
        shown = opened.page.evaluate(
            f"""Array.from(document.querySelectorAll('#{name}-chart .plot text[text-anchor=end]'),
            e => [e.textContent, e.getBBox().x])"""
        )
        assert len({text for text, _ in shown}) == len(names), "ends tell the names apart"
        assert all(x >= 0 for _, x in shown), shown
    opened.quiet()


def test_labels_of_ranks_do_not_collide_or_leave_the_picture(
    browser: Browser, demo_page: Path
) -> None:
    opened = browser.open(demo_page, width=390)
    found = opened.page.evaluate(
        """Array.from(document.querySelectorAll('#judged-chart .plot text[transform]'), e => [
        Number(e.getAttribute('x')), e.getBoundingClientRect().right,
        e.closest('svg').getBoundingClientRect().right])"""
    )
    assert len(found) > 4
    assert all(right <= edge for _, right, edge in found), found
    assert np.diff([x for x, _, _ in found]).min() >= 12
    opened.quiet()
