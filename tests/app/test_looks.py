"""Every page in both themes, on a desk and on a phone: axe-core finds nothing, all is legible."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx
import pytest

from leadline.app.opening import demo_project
from leadline.judging.project import NAME
from tests.app.axe import check
from tests.app.browser import Browser, document, needs_chromium, until
from tests.app.fort import accept
from tests.app.server import Client, Server, serving

pytestmark = needs_chromium
DESK = {"viewport": {"width": 1280, "height": 800}}
PHONE = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}


@dataclass
class Campaign:
    """A server with accounts where two people have disagreed and a machine has judged too."""

    server: Server
    organiser: Client
    assessor: Client
    machine: httpx.Client


def _judge(client: httpx.Client, grades: list[int | None]) -> None:
    for grade in grades:
        found = client.post("/api/next").json()["assignment"]
        body = {"topic": found["topic"], "doc": found["doc"], "grade": grade}
        assert client.post("/api/judgments", json=body).status_code == 200


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Campaign]:
    folder = demo_project(tmp_path_factory.mktemp("looks") / "sea")
    settings = folder / NAME
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace("assessors_per_document = 1", "assessors_per_document = 2"))
    with serving(folder, "--accounts", "--rate", "300") as server:
        organiser = accept(server.address, server.link(), "a long password")
        people = [
            accept(
                server.address,
                organiser.post("/api/people", json={"name": name}).json()["link"],
                "another password",
            )
            for name in ("ann", "ben")
        ]
        made = organiser.post("/api/people", json={"name": "robot", "kind": "machine"}).json()
        organiser.post("/api/people", json={"name": "gone"})
        organiser.post("/api/people/close", json={"name": "gone"})
        token = {"Authorization": f"Bearer {made['token']}"}
        with httpx.Client(base_url=server.address, headers=token, timeout=30) as machine:
            _judge(people[0], [3, 0, 1, 2, None, 0])
            _judge(people[1], [3, 0, 2, 0, None, 1])
            lent = machine.post("/api/machine/lease", json={"n": 6}).json()["assignments"]
            said = [{"topic": d["topic"], "doc": d["doc"], "grade": 1} for d in lent]
            machine.post("/api/machine/judgments", json={"judgments": said})
            yield Campaign(server, organiser, people[0], machine)
        for client in (organiser, *people):
            client.close()


def _signed_in(browser: Browser, client: Client | None, **view: Any) -> Any:
    context = browser.chromium.new_context(**view)
    context.set_default_timeout(40_000)
    if client is not None:
        context.add_cookies(
            [
                {"name": each.name, "value": each.value, "url": str(client.base_url)}
                for each in client.cookies.jar
            ]
        )
    page = context.new_page()
    page.on("console", lambda m: m.type == "error" and browser.complaints.append(m.text))
    page.on("pageerror", lambda error: browser.complaints.append(str(error)))
    return page


VIEWS = {"desk": DESK, "phone": PHONE}


def themes(scheme: str, view: str) -> pytest.MarkDecorator:
    """All four; but for this one they are for the slow form."""
    every = [(s, v) for s in ("light", "dark") for v in VIEWS]
    return pytest.mark.parametrize(
        ("scheme", "view"),
        [
            pytest.param(
                s, VIEWS[v], id=f"{s}-{v}", marks=[pytest.mark.slow] * ((s, v) != (scheme, view))
            )
            for s, v in every
        ],
    )


LINK_IS_SEEN = """(section) => {
  const link = document.querySelector(`#views a[href="#${section}"]`).getBoundingClientRect();
  return link.left >= 0 && link.right <= window.innerWidth;
}"""


@themes("light", "phone")
def test_pages_for_those_who_come_in(
    browser: Browser, campaign: Campaign, scheme: str, view: dict[str, Any]
) -> None:
    address = campaign.server.address
    page = _signed_in(browser, None, color_scheme=scheme, **view)
    made = campaign.organiser.post("/api/people", json={"name": f"new {len(str(view))} {scheme}"})
    page.goto(made.json()["link"])
    check(page, "invitation")
    page.locator("input[type=password]").fill("passwordpassword")
    page.locator("button.primary").click()
    page.locator(".trouble").wait_for()
    check(page, "a password that is refused")
    page.goto(f"{address}/sign-in")
    check(page, "sign in")
    page.locator("input[name=name]").fill("ann")
    page.locator("input[name=password]").fill("wrong")
    page.locator("button.primary").click()
    page.locator(".trouble").wait_for()
    check(page, "a wrong password")
    for path, what in {"/invitation/none": "used up", "/nowhere": "no such page"}.items():
        page.goto(address + path)
        check(page, what)
    page.context.close()
    page = _signed_in(browser, campaign.assessor, color_scheme=scheme, **view)
    page.goto(f"{address}/organise")
    check(page, "for organisers only")
    # What is refused is said in the console too.
    browser.complaints[:] = [c for c in browser.complaints if "Failed to load resource" not in c]


@themes("dark", "desk")
def test_the_page_for_assessors(
    browser: Browser, campaign: Campaign, scheme: str, view: dict[str, Any]
) -> None:
    page = _signed_in(browser, campaign.assessor, color_scheme=scheme, **view)
    page.goto(campaign.server.address)
    document(page)
    check(page, "judging")
    page.locator("#find-open").click()
    page.locator("#find-words").fill("the")
    page.locator("mark.hit.now").wait_for()
    page.locator("#note-open").click()
    page.locator(".who summary").click()
    check(page, "all that unfolds")
    page.locator(".who summary").click()
    for opens, dialog in {"help": "helping", "cannot": "reasons"}.items():
        page.locator(f"#{opens}").click()
        page.locator(f"#{dialog}").wait_for()
        check(page, dialog)
        page.keyboard.press("Escape")
    page.goto(f"{campaign.server.address}/mine")
    page.locator("#mine button").first.wait_for()
    check(page, "one's own judgments")
    page.locator("#mine button").first.click()
    page.locator("#look").wait_for()
    check(page, "one of them")


@themes("dark", "phone")
def test_every_section_of_the_organisers_page(
    browser: Browser, campaign: Campaign, scheme: str, view: dict[str, Any]
) -> None:
    page = _signed_in(browser, campaign.organiser, color_scheme=scheme, **view)
    page.goto(f"{campaign.server.address}/organise")
    page.locator("#intervals rect").first.wait_for()
    sections = page.eval_on_selector_all("section.view", "all => all.map(each => each.id)")
    assert sections[0] == "standing"
    # Every number says what it is.
    page.locator("#numbers", has_text="is likely").wait_for()
    said = str(page.locator("#standing").text_content())
    for word in ("bounds of the score", "lower bound", "an estimate", "judgments to go until"):
        assert word in said
    for section in sections:
        page.goto(f"{campaign.server.address}/organise#{section}")
        page.locator(f"#{section}").wait_for()
        until(lambda: page.locator("section.view:visible").count() == 1)
        until(partial(page.evaluate, LINK_IS_SEEN, section))
        check(page, section)
    page.goto(f"{campaign.server.address}/organise#disagreements")
    page.locator(".dispute button.plain").first.click()
    page.locator("#look").wait_for()
    check(page, "a document looked at")


def test_a_live_update_takes_no_focus_and_folds_nothing(
    browser: Browser, campaign: Campaign
) -> None:
    page = _signed_in(browser, campaign.organiser, **DESK)
    page.goto(f"{campaign.server.address}/organise#disagreements")
    focused = "() => document.activeElement.dataset.is"

    def another() -> None:
        before = campaign.organiser.get("/api/standing").json()["version"]
        _judge(campaign.assessor, [0])
        until(lambda: page.evaluate("() => Number(document.body.dataset.version)") > before)

    page.locator(".dispute button").nth(1).focus()
    here = page.evaluate(focused)
    assert here
    another()
    assert page.evaluate(focused) == here
    page.goto(f"{campaign.server.address}/organise#work")
    page.locator("#agreement summary").first.click()
    here = page.evaluate(focused)
    another()
    assert page.evaluate(focused) == here
    assert page.locator("#agreement details[open]").count() == 1
    # What had the focus is gone with the dispute: the list of them has it then.
    page.goto(f"{campaign.server.address}/organise#disagreements")
    page.locator(".dispute button").nth(1).focus()
    n = page.locator(".dispute").count()
    page.keyboard.press("Enter")
    until(lambda: page.locator(".dispute").count() == n - 1)
    assert page.evaluate("() => document.activeElement.closest('#disputes') !== null")
