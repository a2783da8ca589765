"""A whole shared task played in the browser: from submitted runs to the published leaderboard.

Four assessors, an organiser on a desktop and on a phone, and groups who look at their runs. In
full on TREC-8 with texts that are made up, in short on the bundled collection.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.app.axe import check
from tests.app.browser import Browser, document, needs_chromium, until
from tests.app.pictures import everywhere, picture
from tests.app.server import Server, serving
from tests.app.shared_task import (
    Figures,
    Task,
    Worker,
    cells,
    demo_task,
    groups_of,
    ledger_of,
    make_up_texts,
    number,
    program,
    shown_bounds,
    trec8_task,
)
from tests.app.test_campaign import accept, answer, view

pytestmark = needs_chromium
ASSESSORS = ("ann", "ben", "cat", "dan")
PER_PAIR = 2
PHONE = {"width": 390, "height": 844}


def prepared(task: Task, strategy: str) -> Task:
    """What the organiser types: check the runs, draw the pool, make the project."""
    program("lint", task.folder, "--per-group", task.folder.parent / "reports", "--format", "csv")
    told = program("pool", task.folder, "-s", strategy, "-o", task.folder / "pool.csv")
    assert len(told.splitlines()) <= 20
    assert "are marked unpooled in groups.tsv and left out" in told
    task.read_pool()
    if not (task.folder / "docs.jsonl.gz").exists():
        make_up_texts(task)
    program(
        *("judge", "--init", task.folder, "--title", "The shared task", "--pool", "pool.csv"),
        *("--topics", task.folder / task.topics, "--scale", task.scale),
        *("--assessors", PER_PAIR, "--merge", "adjudicated"),
    )
    return task


def invited(boss: Any, names: list[str], role: str) -> dict[str, str]:
    """Invite several people at once; the link of each."""
    boss.locator("#invite [name=name]").fill("\n".join(names))
    boss.locator("#invite [name=role]").select_option(role)
    boss.locator("#invite button").click()
    boss.locator("#invited tr", has_text=names[-1]).wait_for()
    copy = boss.locator("#invited tbody button").first
    copy.click()
    # Where the browser does not let a page copy, the link is selected instead.
    until(lambda: copy.text_content() in ("Copied", "Press Ctrl-C"))
    links = {row[0]: row[1] for row in cells(boss, "invited")}
    assert sorted(links) == sorted(names)
    with boss.expect_download() as saved:
        boss.locator("#invited button", has_text="Save as csv").click()
    lines = Path(saved.value.path()).read_text().splitlines()
    assert lines[0] == "name,role,link"
    assert sorted(lines[1:]) == sorted(f"{name},{role},{links[name]}" for name in names)
    return links


def add_gold(boss: Any, lines: list[str], use: str) -> None:
    if not boss.locator("#gold-several").is_visible():
        boss.locator("#gold-many summary").click()
    boss.locator("#gold-several [name=text]").fill("\n".join(lines))
    boss.locator("#gold-several [name=use]").select_option(use)
    boss.locator("#gold-several button").click()
    boss.locator("#gold tr", has_text=lines[-1].split()[1]).first.wait_for()


def gold_lines(task: Task, topic: str, n: int) -> list[str]:
    pairs = [pair for pair in task.pool if pair[0] == topic][:n]
    top = task.grades[-1]
    grades = [min(task.truth.get(pair, 0), top) for pair in pairs]
    return [
        f"{topic} {doc} {grade} By the qrels" for (_, doc), grade in zip(pairs, grades, strict=True)
    ]


def matches(boss: Any, server: Server, task: Task) -> Figures:
    """Wait until the page shows the figures of the ledger, and compare every one of them."""
    with Worker(boss, server.address) as client:
        made = Figures(task, ledger_of(client), PER_PAIR)
    view(boss, "Standing")
    until(lambda: number(boss.locator("#n-judged").text_content()) == made.judged)
    until(lambda: number(boss.locator("#n-to-go").text_content()) == made.to_judge)
    until(lambda: f"{made.alpha:.3f}" in boss.locator("#agreement").text_content())
    text = {
        name: boss.locator(f"#{name}").text_content()
        for name in ("n-judged", "n-share", "n-to-go", "n-time")
    }
    assert text["n-share"] == f"{100 * made.judged // len(task.pool)}%"
    assert f"of {len(task.pool):,} pairs in the pool" in boss.locator("#numbers").text_content()
    assert number(text["n-to-go"]) == made.to_judge
    assert f"at {made.per_hour:,} judgments an hour" in boss.locator("#numbers").text_content()
    assert text["n-time"] == duration(made.to_judge / made.per_hour)
    # Bounds of every run, by another route.
    measure = boss.locator("#measure").text_content().split(",  mean")[0].split(", mean")[0]
    bounds, seen = made.bounds(measure), shown_bounds(boss)
    assert sorted(seen) == sorted(bounds)
    for run, (lower, upper) in bounds.items():
        assert seen[run] == pytest.approx((lower, upper), abs=0.00051), run
    # Assessors, disagreements, gold questions, topics.
    counts = {row[0]: tuple(map(number, row[1:5])) for row in cells(boss, "assessors")}
    assert counts == {who: n for who, n in made.counts.items() if who in counts}
    assert set(ASSESSORS) <= set(counts)
    count = boss.locator("#disagreements-count").text_content()
    assert number(count or "0") == made.disputed
    quality = {row[0]: row[2] for row in cells(boss, "quality")}
    for who in ASSESSORS:
        right, n = made.gold.get(who, (0, 0))
        share = f"{int(100 * right / n + 0.5)}% of {n}" if n else "\N{EN DASH}"
        assert quality[who] == share, who
    view(boss, "Topics")
    boss.locator("#topics tbody tr").first.wait_for()
    boss.reload()
    boss.locator("#topics tbody tr").first.wait_for()
    for topic, _, judged, pairs, _ in cells(boss, "topics"):
        own = [pair for pair in task.pool if pair[0] == topic]
        done = sum(isinstance(made.outcome(pair), int) for pair in own)
        assert (number(judged), number(pairs)) == (done, len(own)), topic
    return made


def duration(hours: float) -> str:
    """Hours as the page writes them."""
    if hours >= 48:
        return f"{int(hours / 24 + 0.5):,} days"
    if hours >= 10:
        return f"{int(hours + 0.5)} h"
    minutes = int(round(hours, 3) * 60 + 0.5)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def judge_in_list(page: Any, server: Server, n: int) -> None:
    """Grade the first documents of a topic by keys, on one page."""
    page.goto(f"{server.address}/list")
    page.locator("#rows li").first.wait_for()
    check(page, "list view")
    n = min(n, page.locator("#rows li:not(.judged)").count())
    assert n
    page.locator("#rows li:not(.judged)").first.focus()
    before = page.locator("#rows li.judged").count()
    for at in range(n):
        page.keyboard.press("0" if at % 2 else "1")
    until(lambda: page.locator("#rows li.judged").count() == before + n)
    # Not saved is said for as long as it is so.
    until(lambda: "not saved" not in page.locator("#progress").text_content())
    assert page.locator("#rows li.unsaved").count() == 0
    everywhere(page, "list view judged")


def look_on_a_phone(boss: Any) -> None:
    """Every section of the organiser's page on a phone: nothing beyond the edge, nothing faint."""
    before = boss.viewport_size
    boss.set_viewport_size(PHONE)
    for name in boss.locator("#views a").all():
        name.click()
        boss.wait_for_timeout(100)
        section = boss.locator("section.view:not([hidden])")
        what = str(section.get_attribute("id"))
        wide = boss.evaluate("() => document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, what
        picture(boss, f"organiser {what}")
    boss.set_viewport_size(before)


def play(browser: Browser, server: Server, task: Task, most: int) -> None:
    """The whole campaign; `most` documents are judged by each assessor before the end is near."""
    boss = accept(browser, server.link())
    boss.goto(f"{server.address}/organise#accounts")
    boss.locator("#people td").first.wait_for()
    links = invited(boss, list(ASSESSORS), "assessor")
    groups = groups_of(task)
    names = groups["group"].unique(maintain_order=True).to_list()
    group_links = invited(boss, names, "group")

    view(boss, "Topics")
    boss.locator("#balance button").click()
    boss.locator("#assigned", has_text="assigned evenly to 4 people").wait_for()
    loads = [
        number(re.search(r"([\d,]+) to judge", text)[1])  # type: ignore[index]
        for text in boss.locator("#loads .load").all_text_contents()
    ]
    assert len(loads) == len(ASSESSORS)
    assert sum(loads) == PER_PAIR * len(task.pool)
    assert max(loads) - min(loads) <= max(map(number, (row[3] for row in cells(boss, "topics"))))
    everywhere(boss, "topics assigned")

    topics = sorted({topic for topic, _ in task.pool})
    view(boss, "Gold questions")
    add_gold(boss, gold_lines(task, topics[0], 2), "training")
    for topic in topics[1:4]:
        add_gold(boss, gold_lines(task, topic, 2), "mixed")
    everywhere(boss, "gold questions")
    view(boss, "Settings")
    boss.locator("#guidelines-form textarea").fill("Judge by the **text** alone.")
    boss.locator("#guidelines-form button").click()
    boss.locator("#guidelines-saved", has_text="Saved").wait_for()
    boss.locator("#set-gold_every").fill("5")
    boss.locator("#set-gold_feedback").uncheck()
    boss.locator("#settings-form button").click()
    boss.locator("#settings-saved", has_text="Saved").wait_for()
    everywhere(boss, "settings")

    pages = {}
    for who in ASSESSORS:
        page = pages[who] = accept(browser, links[who])
        for _ in range(2):
            # Training questions come first, and always say what is right.
            document(page)
            assert "Training" in str(page.locator("#topic-number").text_content())
            answer(page, "1")
            page.locator("#feedback button").click()
        for at in range(3):
            document(page)
            answer(page, "1" if at else "0")
    pages["ann"].keyboard.press("u")
    pages["ann"].locator("#status", has_text="Taken back").wait_for()
    everywhere(pages["ben"], "judging")
    judge_in_list(pages["cat"], server, 3)

    group = accept_group(browser, group_links[names[0]])
    own = groups.filter(group=names[0])
    assert sorted(row[0] for row in cells(group, "runs")) == sorted(own["run"])
    others = [run for run in groups["run"] if run not in set(own["run"])]
    text = group.locator("body").text_content()
    assert not [run for run in others if re.search(rf"(?<![\w-]){re.escape(run)}(?![\w-])", text)]
    assert not group.locator("#all").is_visible()

    workers = {who: Worker(pages[who], server.address) for who in ASSESSORS}
    for who, worker in workers.items():
        worker.judge(task, who, most)
    matches(boss, server, task)
    everywhere(boss, "in the middle")
    while sum(worker.judge(task, who, 200) for who, worker in workers.items()):
        pass
    made = matches(boss, server, task)
    assert made.to_judge == 0
    for worker in workers.values():
        worker.close()

    adjudicate(boss, task, server)
    matches(boss, server, task)
    for name in ("Standing", "Progress", "Assessors", "People"):
        view(boss, name)
        check(boss, f"organiser {name}")
        everywhere(boss, f"organiser {name}")
    look_on_a_phone(boss)
    publish(boss, group, browser, server, task)


def accept_group(browser: Browser, link: str) -> Any:
    context = browser.chromium.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(40_000)
    page = context.new_page()
    page.on("pageerror", lambda error: browser.complaints.append(str(error)))
    page.on("console", lambda m: m.type == "error" and browser.complaints.append(m.text))
    page.goto(link)
    page.locator("[name=password]").fill("a rope for the whale")
    page.locator("form button").click()
    page.locator("#runs td").first.wait_for()
    check(page, "group")
    everywhere(page, "group")
    return page


def adjudicate(boss: Any, task: Task, server: Server) -> None:
    """Decide three disagreements by keys in the browser, the others by the same requests."""
    view(boss, "Disagreements")
    with Worker(boss, server.address) as client:
        left = client.get("/api/disputes").json()["total"]
        assert left > 3
        for done in range(3):
            if not boss.locator("#look[open]").count():
                boss.locator("#disputes .plain").first.click()
            boss.locator("#look[open] #look-votes:not(:empty)").wait_for()
            picture(boss, "adjudicating")
            boss.keyboard.press("1")
            until(lambda n=left - done - 1: client.get("/api/disputes").json()["total"] == n)
            # The next one opens by itself.
            boss.wait_for_timeout(500)
        boss.keyboard.press("Escape")
        while (found := client.get("/api/disputes").json())["total"]:
            for each in found["disputes"]:
                pair = each["topic"], each["doc"]
                grade = min(task.truth.get(pair, 0), task.grades[-1])
                body = {"topic": pair[0], "doc": pair[1], "grade": grade}
                assert client.post("/api/adjudications", json=body).status_code == 200


def publish(boss: Any, group: Any, browser: Browser, server: Server, task: Task) -> None:
    """End judging, make the leaderboard, publish it; the group sees all runs."""
    view(boss, "End and publish")
    boss.locator("#end").click()
    boss.locator("dialog.sure button.danger").click()
    boss.locator("#end", has_text="Open judging again").wait_for()
    assert group.request.get(f"{server.address}/leaderboard").status == 403
    boss.locator("#board-make").click()
    boss.locator("#board-stage", has_text="is ready").wait_for(timeout=300_000)
    everywhere(boss, "leaderboard is ready")
    boss.locator("#board-publish").click()
    boss.locator("dialog.sure button.danger").click()
    boss.locator("#board-published", has_text="Every group sees").wait_for()
    with Worker(boss, server.address) as client:
        qrels = client.get("/api/leaderboard/qrels").text.splitlines()
        final = Figures(task, ledger_of(client), PER_PAIR).qrels
    expected = [f"{topic} 0 {doc} {grade}" for (topic, doc), grade in final.items()]
    assert sorted(qrels) == sorted(expected)
    group.reload()
    group.locator("#leaderboard td").first.wait_for()
    assert len(cells(group, "leaderboard")) == len(groups_of(task))
    everywhere(group, "group after publication")
    with group.expect_popup() as opened:
        group.locator("#page").click()
    board = opened.value
    board.on("pageerror", lambda error: browser.complaints.append(str(error)))
    board.locator("html[data-ready=yes]").wait_for(timeout=60_000)
    rows = cells(board, "leaderboard-0")
    unpooled = {row[0] for row in groups_of(task).select("run", "pooled").rows() if row[1] == "no"}
    assert {row[0] for row in rows if "unpooled" in row} == unpooled
    everywhere(board, "published leaderboard")


def played(
    browser: Browser, task: Task, strategy: str, most: int, served: Callable[..., Any] = serving
) -> None:
    prepared(task, strategy)
    with served(task.folder, "--accounts", "--rate", "1000") as server:
        play(browser, server, task, most)
        assert "Traceback" not in server.said()


def test_a_shared_task_on_the_bundled_collection(browser: Browser, tmp_path: Path) -> None:
    played(browser, demo_task(tmp_path / "task"), "Depth(d=1)", 20)


@pytest.mark.slow
def test_a_shared_task_with_the_runs_of_trec_8(browser: Browser, tmp_path: Path) -> None:
    played(browser, trec8_task(tmp_path / "task"), "Depth(d=5)", 800)
