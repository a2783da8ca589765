"""Two runs judged in a real browser until one is shown not to be worse; the certificate."""

import json
from pathlib import Path

import leadline
from leadline.app.opening import demo_project
from leadline.io.datasets import COLLECTION
from leadline.judging.project import NAME
from tests.app.browser import Browser, document, needs_chromium, until
from tests.app.server import Client, serving

pytestmark = needs_chromium
ORDER = "SampledBatches(aim='corran-lsa100-desc,holmsand-random', batch=15)"


def two_run_project(folder: Path) -> Path:
    """The bundled collection, judged for two of its runs."""
    where = demo_project(folder)
    text = (where / NAME).read_text()
    text = text.replace('order = "CertainWinner(p=0.8)"', f'order = "{ORDER}"')
    text = text.replace('stop = "WinnerCertain(joint=true)"', 'stop = "NonInferior(margin=0.01)"')
    assert "SampledBatches" in text
    assert "NonInferior" in text
    (where / NAME).write_text(text)
    return where


def test_two_runs_are_judged_until_one_is_not_worse(browser: Browser, tmp_path: Path) -> None:
    judgments = leadline.read(str(COLLECTION)).judgments
    pairs = judgments.pairs
    with serving(two_run_project(tmp_path / "sea")) as server, Client(server.address) as boss:
        boss.come_in(server)
        # Under one name: a batch waits for what somebody else has taken.
        page = browser.open(server)
        n = 0
        while page.locator("#grades button").first.is_enabled() and n < 300:
            topic, doc = str(page.locator("#topic-number").text_content()), document(page)
            at = pairs.number(topic.split()[-1], doc)
            before = page.locator("#progress").text_content()
            page.wait_for_timeout(200)
            page.keyboard.press(str(int(judgments.grade[at])))
            until(lambda old=before: page.locator("#progress").text_content() != old)  # type: ignore[misc]
            n += 1
            if "Enough was judged" in str(page.locator("#text").text_content()):
                break
        told = str(page.locator("#text").text_content())
        assert "corran-lsa100-desc is not worse than holmsand-random by more than 0.01" in told
        assert f"{n} sampled judgments" in told
        page.goto(f"{server.address}/organise")
        line = page.locator("#two-runs-line", has_text="anytime-valid 95% interval")
        line.filter(has_text="corran-lsa100-desc is not worse than holmsand-random").wait_for()
        assert page.locator("#n-to-go").locator("..").text_content() == "0judgments to go"
        page.screenshot(path=str(tmp_path / "organise.png"))
        with page.expect_download() as download:
            page.locator("#certificate").click()
        file = tmp_path / "certificate.json"
        download.value.save_as(file)
        page.context.close()
    found = leadline.verify_certificate(file)
    assert found.valid, found.problems
    assert "the ledger committed to the seed before the first batch" in found.lines
    made = json.loads(file.read_text())
    row = made["judgments"][n // 2]
    row["grade"] = 0 if row["grade"] else 1
    altered = leadline.verify_certificate(made)
    assert not altered.valid
    assert f"judgment of {row['doc']} of topic {row['topic']}" in altered.problems[0]
