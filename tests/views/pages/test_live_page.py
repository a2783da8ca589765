"""One page that holds all it needs, and may do no more than its policy says."""

import base64
import hashlib
import re

import pytest
from markupsafe import Markup

from leadline.views.report_page import SCRIPTS, live_page, static

BAD = "<img/src=x/onerror=alert(1)>"


@pytest.fixture(scope="module")
def page() -> str:
    sections = [("one", "One & only", Markup("<p>first</p>")), ("none", "Empty", Markup())]
    return live_page(BAD, BAD, Markup("<p>summary</p>"), ["P@5", BAD], sections, {"runs": [BAD]})


def test_its_policy_allows_its_own_script_and_style_only(page: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    for tag in ("script", "style"):
        body = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert body is not None
        digest = base64.b64encode(hashlib.sha256(body[1].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy[1]
    assert "default-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]
    assert " style=" not in page
    assert not re.search(r" on[a-z]+=", page)


def test_texts_are_no_markup_and_html_stays(page: str) -> None:
    assert BAD not in page
    assert page.count("&lt;img/src=x/onerror=alert(1)&gt;") >= 3
    assert "<p>summary</p>" in page
    assert '<option value="0">P@5</option>' in page


def test_empty_sections_have_no_link(page: str) -> None:
    assert '<a href="#one">One &amp; only</a>' in page
    assert "#none" not in page


def test_every_script_is_in_it_and_none_is_forgotten(page: str) -> None:
    places = [page.index(static(f"{name}.js")) for name in SCRIPTS]
    assert places == sorted(places)
    with pytest.raises(FileNotFoundError):
        static("nothing.js")
