"""The page of lipani16: claims with our numbers, the least error marked."""

from leadline.lab.papers.lipani16 import _advantage, claims, frames, report
from leadline.lab.papers.published import published
from tests.lab.test_lipani16_tables import SETTING, results

FRAMES = frames(results(), SETTING)


def test_claims_have_our_numbers() -> None:
    said = claims(FRAMES)
    assert "P@10: Webber's error is 0.50 of no correction's at depth 10, 0.50 at 20" in said[0]
    assert "never above 1" in said[0]
    assert "its advantage shrinks from d >= n, as the paper derives" in said[0]
    assert "removes 50% of the error at depth 10" in said[1]
    assert "Eq. 1 fails in 4 of 200 cases (2.0%): it is not true in general." in said[2]
    assert "Eq. 7, b grows no more than a, holds at every step of depth." in said[4]


def test_what_is_said_of_the_advantage_follows_the_numbers() -> None:
    assert _advantage({10: 0.5, 20: 0.6, 30: 0.7}, 10).endswith("as the paper derives")
    assert "it grows at 20" in _advantage({10: 0.5, 20: 0.4, 30: 0.7}, 10)
    assert "does not shrink" in _advantage({10: 0.9, 20: 0.6, 30: 0.5}, 10)
    assert "no advantage" in _advantage({10: 1.2, 20: 0.6}, 10)
    assert "no deeper pool" in _advantage({5: 0.5, 10: 0.6}, 10)


def test_daggers_are_printed_and_ours() -> None:
    page = report(results(), FRAMES, SETTING)
    assert "significantly other than in the row above" in page
    printed = published("lipani16")["table1"]["stratifications"]
    assert [row["sizes"] for row in printed if row.get("dagger")] == [
        *([10, 90], [20, 80], [30, 70]),
        *([10, 20, 70], [10, 30, 60]),
    ]


def test_at_one_budget_pools_are_set_against_each_other() -> None:
    (line, _) = [each for each in claims(FRAMES) if "at one budget" in each]
    assert "a depth pool errs by 0.1667" in line
    assert line.endswith("holds.")


def test_the_page_is_whole() -> None:
    page = report(results(), FRAMES, SETTING)
    assert "sea: 3 pooled runs" in page
    assert page.count("<svg") == 5
    assert '<td class="best">0.0833</td>' in page
    assert '<td class="best">0.1667</td>' not in page
    assert "noticed" in page
