"""Screenshots of the judging app for the documentation: the demo, a good part of it judged."""

import argparse
import tempfile
import threading
import time
from pathlib import Path

import leadline
from leadline.app.gold import GoldQuestion
from leadline.app.opening import Judging, demo_project, open_project
from leadline.app.room import Assessor
from leadline.app.serve import Options, guarded, listen, make_site
from leadline.app.site import Site
from leadline.io.datasets import COLLECTION

JUDGED = 470
SECTIONS = (
    "disagreements",
    "work",
    "accounts",
    "topic-list",
    "gold-list",
    "told",
    "settings",
    "logged",
    "exchange",
    "ending",
)
PEOPLE = ("Ada", "Ben", "Chandra")


def judge(judging: Judging) -> None:
    """Let three people judge as the collection's own judgments say."""
    known = leadline.read(COLLECTION)
    room = judging.room
    begin = time.time() - JUDGED * 8
    for number in range(JUDGED):
        # Three people, each with a document every 24 seconds.
        room.clock = lambda now=begin + 8 * number: now  # type: ignore[misc]
        who = Assessor(PEOPLE[number % len(PEOPLE)])
        pair = room.next(who)
        if pair is None:
            return
        topic, doc = room.state.name(pair)
        at = known.runs.pairs.number(topic, doc)
        room.judge(who, pair, int(known.judgments.grade[at]), seconds=20.0)
    room.clock = time.time


def organise(site: Site) -> None:
    """What an organiser would have done by then."""
    room = site.judging.room
    site.accounts.ensure(PEOPLE[0], "organiser")
    for name in (*PEOPLE[1:], "Dora"):
        site.accounts.invite(site.accounts.ensure(name, "assessor"))
    site.accounts.close("Dora")
    room.state.topics.holders.assign("1", ["Ada", "Ben"])
    topic, doc = room.state.name(next(iter(room.state.votes.by_pair)))
    room.gold.put([GoldQuestion(topic, doc, 2, "It names the rope and says what it is for.")])
    site.messages.send("Ada", "Please read the new guidelines on partly relevant documents.")
    site.audit_log.add("Ada", "assign", "1: Ada, Ben")
    site.audit_log.add("Ada", "close", "Dora")


def main() -> None:
    """Write judge.png and organise.png, and with --all those for phone and dark too."""
    import uvicorn
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--all", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        judging = open_project(demo_project(Path(name) / "sea"))
        judge(judging)
        options = Options(port=8765)
        site = make_site(judging, options)
        site.owner = "Ada"
        organise(site)
        door = listen(options.host, options.port)
        server = uvicorn.Server(uvicorn.Config(guarded(site, options), log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [door]}, daemon=True)
        thread.start()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path="/usr/bin/chromium", args=["--no-sandbox"]
            )
            desktop = {"viewport": {"width": 1180, "height": 760}}
            phone = {
                "viewport": {"width": 390, "height": 844},
                "is_mobile": True,
                "has_touch": True,
                "device_scale_factor": 2,
            }
            views = {"": desktop}
            if asked.all:
                views |= {"-dark": desktop, "-phone": phone, "-phone-dark": phone}
            for ending, view in views.items():
                dark = "dark" if ending.endswith("dark") else "light"
                context = browser.new_context(color_scheme=dark, **view)
                page = context.new_page()
                page.goto(site.way_in())
                page.locator("#doc-name:not(:empty)").wait_for()
                page.screenshot(path=str(asked.folder / f"judge{ending}.png"))
                page.goto(f"{site.address}/organise")
                page.locator("#intervals rect").first.wait_for()
                page.wait_for_timeout(300)
                whole = {"full_page": True} if ending else {"clip": CLIP}
                page.screenshot(path=str(asked.folder / f"organise{ending}.png"), **whole)
                for name in SECTIONS if asked.all else ():
                    page.goto(f"{site.address}/organise#{name}")
                    page.wait_for_timeout(500)
                    page.screenshot(path=str(asked.folder / f"{name}{ending}.png"))
                if asked.all:
                    page.goto(f"{site.address}/mine")
                    page.locator("#mine td").first.wait_for()
                    page.screenshot(path=str(asked.folder / f"mine{ending}.png"))
                context.close()
            browser.close()
        site.closing.set()
        server.should_exit = True
        thread.join(10)
        judging.close()


CLIP = {"x": 0, "y": 0, "width": 1180, "height": 1080}

if __name__ == "__main__":
    main()
