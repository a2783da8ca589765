"""The report in a real browser: sort, filter, choose, save, dark, narrow, printed; no network."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leadline
from leadline.api.pool import pool
from leadline.api.report import report
from leadline.completions.bounds import open_weight, topic_differences
from leadline.data.lists import Lists
from leadline.io.datasets import COLLECTION
from leadline.measures.measure import parse_measure
from leadline.measures.rbp import RBP
from leadline.pooling.strategies import Depth
from tests.views.conftest import MEASURES, Browser, Opened
from tests.views.downloads import rows_of, saved
from tests.views.small import plain, runs_of, write_page


def test_tables_sort_by_mouse_and_by_keyboard(browser: Browser, demo_page: Path) -> None:
    opened = browser.open(demo_page)
    table = opened.page.locator("#leaderboard-0")
    first = opened.text("#leaderboard-0 tbody th")
    table.locator("thead button", has_text="run").click()
    assert opened.text("#leaderboard-0 tbody th") == sorted(first, key=str.lower)
    head = table.locator("thead th").first
    assert head.get_attribute("aria-sort") == "ascending"
    head.locator("button").focus()
    opened.page.keyboard.press("Enter")
    assert opened.text("#leaderboard-0 tbody th") == sorted(first, key=str.lower, reverse=True)
    assert head.get_attribute("aria-sort") == "descending"
    opened.page.keyboard.press("Tab")
    opened.page.keyboard.press("Space")
    scores = [float(each) for each in opened.text("#leaderboard-0 tbody td:nth-child(2)")]
    assert scores == sorted(scores, reverse=True)
    assert head.get_attribute("aria-sort") == "none"
    assert opened.text("#leaderboard-0 tbody th") == first
    opened.quiet()


def test_tables_filter_and_say_how_many_rows_are_left(browser: Browser, demo_page: Path) -> None:
    opened = browser.open(demo_page)
    tools = opened.page.locator("#leaderboard .tools:has(+ .wide #leaderboard-0)")
    tools.locator("input").fill("ANSTEY desc")
    shown = opened.page.locator("#leaderboard-0 tbody tr:visible")
    assert shown.count() == 1
    assert "anstey-bm25-desc" in shown.inner_text()
    assert tools.locator(".count").inner_text() == "1 of 24 rows"
    tools.locator("input").fill("")
    assert tools.locator(".count").inner_text() == "24 rows"
    opened.quiet()


def pairs_table(opened: Opened) -> dict[str, list[str]]:
    rows = opened.page.locator("#pairs-table tbody tr")
    texts = [row.locator("th, td").all_inner_texts() for row in rows.all()]
    return {row[0]: row[1:] for row in texts}


def test_two_chosen_runs_show_their_joint_intervals(browser: Browser, demo_page: Path) -> None:
    opened = browser.open(demo_page)
    read = leadline.read(COLLECTION)
    member = Depth(3).pool(read.runs).member
    judged = plain(read.judgments, read.judgments.judged & member)
    scores = RBP(p=0.8).score(Lists.of(read.runs, judged))
    open_ = open_weight(read.runs, judged, RBP(p=0.8), by_topic=True)
    names = read.runs.names
    for a, b in ((2, 17), (17, 2), (5, 5)):
        opened.page.select_option("#run-a", label=names[a])
        opened.page.select_option("#run-b", label=names[b])
        value = scores.value[a] - scores.value[b]
        low, high = value - open_.surplus(b, a), value + open_.surplus(a, b)
        rows = rows_of(saved(opened, "topics-chart", "csv"))
        assert [row["topic"] for row in rows] == list(read.runs.pairs.topics)
        for name, column in (("difference", value), ("lower", low), ("upper", high)):
            np.testing.assert_allclose([float(row[name]) for row in rows], column, atol=2e-6)
        small = 1e-6
        could_flip = np.where(
            value > small,
            low < -small,
            np.where(value < -small, high > small, (low < -small) | (high > small)),
        )
        assert [row["could_flip"] == "true" for row in rows] == could_flip.tolist()
        marked = opened.page.locator("#topics-chart .plot rect.open").count()
        assert marked == could_flip.sum()
        assert (
            f"On {marked} of 20 topics the sign could still flip" in opened.text("#topics-words")[0]
        )
        assert len(opened.text("#topics-table tr.open")) == marked
    opened.quiet()


def test_two_chosen_runs_share_the_ideal_of_ndcg(browser: Browser, demo_page: Path) -> None:
    opened = browser.open(demo_page)
    opened.page.select_option("#measure", label="nDCG@10")
    read = leadline.read(COLLECTION)
    judged = plain(read.judgments, read.judgments.judged & Depth(3).pool(read.runs).member)
    names = read.runs.names
    for a, b in ((2, 17), (17, 2), (5, 5)):
        opened.page.select_option("#run-a", label=names[a])
        opened.page.select_option("#run-b", label=names[b])
        two = read.runs.only(np.array([b, a]), None)
        truth = topic_differences(two, judged, parse_measure("nDCG@10"))
        rows = rows_of(saved(opened, "topics-chart", "csv"))
        for name in ("lower", "upper"):
            shown = [float(row[name]) for row in rows]
            expected = getattr(truth, name)
            np.testing.assert_allclose(shown, expected[~np.isnan(truth.value)], atol=3e-6)
    opened.quiet()


def test_level_topics_have_no_bar(browser: Browser, demo_page: Path) -> None:
    opened = browser.open(demo_page)
    name = leadline.read(COLLECTION).runs.names[5]
    for select in ("#run-a", "#run-b"):
        opened.page.select_option(select, label=name)
    assert opened.page.locator("#topics-chart .plot rect").count() == 0
    opened.quiet()


def test_of_many_topics_those_without_a_difference_are_counted(
    browser: Browser, tmp_path: Path
) -> None:
    topics = [str(number) for number in range(1, 51)]
    same, other = {"a": 2.0, "b": 1.0}, {"a": 1.0, "b": 2.0}
    runs = {
        "one": dict.fromkeys(topics, same),
        "two": {topic: other if int(topic) <= 4 else same for topic in topics},
    }
    qrels = {topic: {"a": 1, "b": 0} for topic in topics}
    opened = browser.open(write_page(str(report(qrels, runs, "P@1")), tmp_path))
    plot = opened.page.locator("#topics-chart .plot")
    assert plot.locator("rect").count() == 4
    assert plot.get_by_text("and 46 topics without a difference").count() == 1
    opened.page.get_by_role("button", name="show all 50").click()
    assert plot.get_by_text("without a difference").count() == 0
    assert plot.get_by_text("50", exact=True).count() == 1
    opened.quiet()


def test_long_queries_wrap_so_that_the_numbers_stay_on_screen(
    browser: Browser, tmp_path: Path
) -> None:
    folder = tmp_path / "sea"
    (folder / "runs").mkdir(parents=True)
    words = "what has been written of the way in which the moon moves the sea " * 4
    (folder / "topics.tsv").write_text(f"1\t{words}\n2\t{words}\n")
    (folder / "qrels.txt").write_text("1 0 a 1\n2 0 a 1\n")
    for name, docs in (("one", "ab"), ("two", "ba")):
        lines = [
            f"{topic} Q0 {doc} 1 {9 - at} x\n" for topic in "12" for at, doc in enumerate(docs)
        ]
        (folder / "runs" / name).write_text("".join(lines))
    opened = browser.open(write_page(str(report(folder, measures="P@1")), tmp_path))
    table = opened.page.locator("#topics-table")
    box, inner = table.locator("..").bounding_box(), table.bounding_box()
    assert box is not None
    assert inner is not None
    assert inner["width"] <= box["width"] + 1
    opened.quiet()


def test_swap_and_a_cell_of_the_matrix_choose_runs(browser: Browser, demo_page: Path) -> None:
    opened = browser.open(demo_page)
    first, second = opened.text("#leaderboard-0 tbody th")[:2]

    def chosen() -> list[str]:
        return [
            opened.page.locator(f"#{name} option:checked").inner_text()
            for name in ("run-a", "run-b")
        ]

    assert chosen() == [first, second]
    opened.page.click("#swap")
    assert chosen() == [second, first]
    cell = opened.page.locator("#significance-chart rect.pick").nth(40)
    told = cell.locator("title").text_content()
    cell.click()
    assert told is not None
    assert told.startswith(f"{chosen()[0]} \u2212 {chosen()[1]}:")
    assert chosen()[1] in pairs_table(opened)
    opened.quiet()


def test_the_matrix_and_its_table_are_what_compare_finds(browser: Browser, demo_page: Path) -> None:
    opened = browser.open(demo_page)
    sea = leadline.read(COLLECTION)
    from leadline.stats.pairwise import compare_pairs

    members = pool(sea, strategy="Depth(d=3)", all_runs=True).pool.member
    judged = plain(sea.judgments, sea.judgments.judged & members)
    truth = compare_pairs(sea.runs, judged, RBP(p=0.8), contributing=sea.pooled).frame()
    rows = rows_of(saved(opened, "significance-chart", "csv"))
    assert [row["run_b"] for row in rows] == truth["run_b"].to_list()
    assert [row["verdict"] for row in rows] == truth["verdict"].to_list()
    for name in ("on_these_topics", "certainty", "caveats"):
        assert [row[name] for row in rows] == truth[name].to_list()
    for name in ("difference", "lower", "upper", "p", "p_corrected"):
        np.testing.assert_allclose([float(row[name]) for row in rows], truth[name], atol=1e-6)
    # The other way round, signs turn.
    last, first = truth["run_b"][-1], truth["run_a"][0]
    opened.page.select_option("#run-a", label=last)
    shown = pairs_table(opened)[first]
    known = next(row for row in rows if (row["run_a"], row["run_b"]) == (first, last))
    assert float(shown[0]) == pytest.approx(-float(known["difference"]), abs=1e-4)
    assert float(shown[1]) == pytest.approx(-float(known["upper"]), abs=1e-4)
    turned = {"better": "worse", "worse": "better"}.get(known["verdict"], known["verdict"])
    assert shown[5] == turned
    here = {"better": "worse", "worse": "better"}.get(known["on_these_topics"], "undecided")
    assert shown[6].split(", ")[0] == here
    opened.quiet()


def test_another_measure_changes_everything(browser: Browser, demo_page: Path) -> None:
    opened = browser.open(demo_page)
    for at, name in enumerate(MEASURES):
        opened.page.select_option("#measure", label=name)
        visible = [opened.page.locator(f"#leaderboard-{other}").is_visible() for other in range(4)]
        assert visible == [other == at for other in range(4)]
        best = opened.text(f"#leaderboard-{at} tbody th")[0]
        label = opened.page.locator("#leaderboard-chart .plot svg").get_attribute("aria-label")
        assert label == f"{name}: score and interval of each run"
        bars = opened.page.locator("#leaderboard-chart .plot rect.iv").count()
        assert bars == (0 if name == "bpref" else 24)
        assert best in (
            opened.page.locator("#leaderboard-chart .plot title").first.text_content() or ""
        )
    assert "no interval" in opened.text("#topics-words")[0]
    opened.quiet()


def test_dark_and_light_differ_and_can_be_read(browser: Browser, demo_page: Path) -> None:
    def brightness(colour: str) -> float:
        return sum(float(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3])

    for scheme, dark in (("light", False), ("dark", True)):
        opened = browser.open(demo_page, color_scheme=scheme)
        style = "getComputedStyle(document.body)"
        back, ink = (
            brightness(opened.page.evaluate(f"{style}.{name}"))
            for name in ("backgroundColor", "color")
        )
        label = opened.page.evaluate("getComputedStyle(document.querySelector('.plot text')).fill")
        assert (back < ink) is dark
        assert abs(back - ink) > 400
        assert abs(brightness(label) - back) > 400
        opened.quiet()


def test_the_axis_zooms_to_the_scores_and_may_begin_at_0(browser: Browser, demo_page: Path) -> None:
    opened = browser.open(demo_page)
    first = "document.querySelector('#leaderboard-chart .plot text.faint:not(.small)').textContent"
    assert float(opened.page.evaluate(first)) > 0
    turn = opened.page.locator("#leaderboard-chart button", has_text="from 0")
    turn.click()
    assert turn.get_attribute("aria-pressed") == "true"
    assert float(opened.page.evaluate(first)) == 0
    opened.quiet()


def test_tables_of_runs_stand_as_the_charts_do(browser: Browser, demo_page: Path) -> None:
    opened = browser.open(demo_page)
    for at, name in enumerate(MEASURES):
        opened.page.select_option("#measure", label=name)
        assert opened.text("#judged-table tbody th") == opened.text(f"#leaderboard-{at} tbody th")
    shown = [float(each) for each in opened.text("#topics-table tbody td:nth-child(5)")]
    assert shown == sorted(shown, reverse=True)
    opened.quiet()


def test_the_first_screen_answers_in_plain_words(browser: Browser, demo_page: Path) -> None:
    opened = browser.open(demo_page)
    told = opened.text(".summary .told:visible")
    best = opened.text("#leaderboard-0 tbody th")[0]
    assert told == [best, "open", told[2], opened.text("#next-table tbody th")[0]]
    assert re.fullmatch(r"not against \d+ of 23", told[2])
    bottom = opened.page.locator(".summary").evaluate("e => e.getBoundingClientRect().bottom")
    assert bottom < 800
    opened.quiet()


def test_printed_it_has_no_buttons_and_no_hidden_rows(browser: Browser, demo_page: Path) -> None:
    opened = browser.open(demo_page, color_scheme="dark")
    opened.page.emulate_media(media="print")
    assert opened.page.locator(".tools:visible, nav:visible, select:visible").count() == 0
    boxes = opened.page.evaluate(
        "Array.from(document.querySelectorAll('.wide'), e => getComputedStyle(e).maxHeight)"
    )
    assert set(boxes) == {"none"}
    assert (
        opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
        == "rgb(255, 255, 255)"
    )
    assert opened.page.pdf(format="A4")[:5] == b"%PDF-"
    opened.quiet()


def test_everything_has_a_name_for_those_who_do_not_see(browser: Browser, demo_page: Path) -> None:
    opened = browser.open(demo_page)
    count = opened.page.evaluate
    assert count("document.querySelectorAll('table').length") == count(
        "document.querySelectorAll('table > caption').length"
    )
    assert count("document.querySelectorAll('thead th:not([scope=col])').length") == 0
    assert (
        count("document.querySelectorAll('tbody tr > :first-child:not(th[scope=row])').length") == 0
    )
    assert count("document.querySelectorAll('.plot > svg:not([role=img][aria-label])').length") == 0
    fields = "Array.from(document.querySelectorAll('input, select'), e => "
    assert all(count(f"{fields} e.labels.length > 0 || e.ariaLabel !== null)"))
    ids = count("Array.from(document.querySelectorAll('[id]'), e => e.id)")
    assert len(ids) == len(set(ids))
    for link in count("Array.from(document.querySelectorAll('nav a'), e => e.hash.slice(1))"):
        assert link in ids
    opened.quiet()


def test_without_scripts_the_tables_are_there(browser: Browser, demo_page: Path) -> None:
    page = browser.chromium.new_context(java_script_enabled=False).new_page()
    page.goto(demo_page.resolve().as_uri())
    for at in range(len(MEASURES)):
        assert page.locator(f"#leaderboard-{at} tbody tr").count() == 24
        assert page.locator(f"#leaderboard-{at}").is_visible()
    assert page.locator("noscript p").is_visible()


QRELS = {str(topic): {"d0": 1, "d1": 0, "d2": 2} for topic in range(1, 4)}
ODD = ["</script><script>document.title='x'</script>", 'a,"b"\nc', "ÄÖ 漢字", "<b>bold</b>"]


@pytest.mark.parametrize(
    ("qrels", "runs"),
    [
        (QRELS, runs_of(["alone"])),
        ({"1": QRELS["1"]}, runs_of(["a", "b", "c"], n_topics=1)),
        (None, runs_of(["a", "b", "c"])),
        (QRELS, {"a": runs_of(["a"])["a"], "b": runs_of(["a"])["a"], "c": runs_of(["a"])["a"]}),
        (QRELS, runs_of(ODD)),
        ({"1": {"d0": 0}}, runs_of(["a", "b"], n_topics=1)),
        (QRELS, {"a": {"1": {"d0": 1.0}}, "b": {"3": {"zz": 1.0}}}),
    ],
    ids=["one run", "one topic", "nothing judged", "identical", "odd names", "no relevant", "gaps"],
)
def test_odd_collections_have_a_page(
    browser: Browser, tmp_path: Path, qrels: Any, runs: Any
) -> None:
    page = report(qrels, runs, [*MEASURES, "AP", "nDCG(judged_only=true)@10", "RBP(p=0.5)@3"])
    opened = browser.open(write_page(page.page, tmp_path), width=600)
    title = opened.page.title()
    assert title == "Report: runs compared"
    for at in range(opened.page.locator("#measure option").count()):
        opened.page.select_option("#measure", str(at))
        assert sorted(opened.text(f"#leaderboard-{at} tbody th")) == sorted(
            " ".join(name.split()) for name in runs
        )
        if len(runs) > 1:
            assert opened.page.locator("#topics-words").inner_text()
    for button in opened.page.locator("figure .tools button").all():
        if button.is_visible() and button.inner_text() == "SVG":
            with opened.page.expect_download():
                button.click()
    opened.quiet()


def test_identical_runs_stay_level(browser: Browser, tmp_path: Path) -> None:
    same = runs_of(["a"])["a"]
    page = report(
        {"1": {"d0": 1}, "2": {"d1": 1}}, {"a": same, "b": same}, ["nDCG@3", "RBP(p=0.8)"]
    )
    opened = browser.open(write_page(page.page, tmp_path))
    for at in (0, 1):
        opened.page.select_option("#measure", str(at))
        rows = rows_of(saved(opened, "topics-chart", "csv"))
        assert {(float(row["lower"]), float(row["upper"])) for row in rows} == {(0.0, 0.0)}
        assert {row["could_flip"] for row in rows} == {"false"}
        assert pairs_table(opened)["b"][5] == "equal"
    opened.quiet()


def test_an_address_in_a_page_would_be_seen(
    browser: Browser, demo_page: Path, tmp_path: Path
) -> None:
    page = demo_page.read_text(encoding="utf-8")
    bad = page.replace("<footer>", '<footer><img src="http://127.0.0.1:9/x.png" alt="">')
    opened = browser.open(write_page(bad, tmp_path))
    assert any("violates" in line for line in opened.console)
    with pytest.raises(AssertionError):
        opened.quiet()
