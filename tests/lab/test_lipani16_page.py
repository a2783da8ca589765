"""The page of lipani16: claims with our numbers, the least error marked."""

from leadline.lab.papers.lipani16 import claims, frames, report
from tests.lab.test_lipani16_tables import SETTING, results

FRAMES = frames(results(), SETTING)


def test_claims_have_our_numbers() -> None:
    said = claims(FRAMES)
    assert "P@10: Webber's error is 0.50 of no correction's at depth 10, 0.50 at 20" in said[0]
    assert "never above 1" in said[0]
    assert "removes 50% of the error at depth 10" in said[1]


def test_at_one_budget_pools_are_set_against_each_other() -> None:
    (line, _) = [each for each in claims(FRAMES) if "at one budget" in each]
    assert "a depth pool errs by 0.1667" in line
    assert line.endswith("holds.")


def test_the_page_is_whole() -> None:
    page = report(results(), FRAMES, SETTING)
    assert "sea: 3 pooled runs" in page
    assert page.count("<svg") == 3
    assert '<td class="best">0.0833</td>' in page
    assert '<td class="best">0.1667</td>' not in page
    assert "noticed" in page
