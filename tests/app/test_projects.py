"""Several projects under one server: each under its path, with people and cookies of its own."""

from pathlib import Path

import httpx
import pytest

from leadline.app.opening import open_project
from leadline.app.serve import Options, make_site, together
from leadline.app.site import prefixes
from tests.app.projects import small
from tests.app.visitors import asking


def test_paths_are_the_names_of_folders() -> None:
    assert prefixes([Path("x/Sea")]) == [""]
    assert prefixes([Path("x/Sea"), Path("été & co")]) == ["/Sea", "/t----co"]
    for wrong in (["a/sea", "b/sea"], ["static", "sea"]):
        with pytest.raises(ValueError, match="rename a folder"):
            prefixes([Path(each) for each in wrong])


def test_each_has_its_own_way_in_cookie_and_judgments(tmp_path: Path) -> None:
    names = ("sea", "lake")
    opened = [open_project(small(tmp_path / name, title=name.title())) for name in names]
    sites = [
        make_site(judging, Options(), f"/{name}")
        for name, judging in zip(names, opened, strict=True)
    ]
    client = asking(together(sites, Options()))
    front = client.get("/")
    assert 'href="/sea/">Sea' in front.text
    assert "Content-Security-Policy" in front.headers
    assert client.get("/static/page.css").status_code == 200
    assert client.get("/nothing").status_code == 404
    assert client.get("/sea").headers["location"] == "/sea/"
    assert "Content-Security-Policy" in client.get("/sea").headers
    for path in ("/", "/sea"):
        assert client.get(path, headers={"Host": "elsewhere.example"}).status_code == 421
    came = client.get(httpx.URL(sites[0].way_in()).path)
    assert came.status_code == 200
    assert "Path=/sea/" in came.headers["set-cookie"]
    cookie = came.headers["set-cookie"].partition(";")[0]
    assert 'data-base="/sea"' in client.get("/sea/", headers={"Cookie": cookie}).text
    # The cookie of one is worth nothing at the other.
    assert client.get("/sea/api/me", headers={"Cookie": cookie}).status_code == 200
    assert client.get("/lake/api/me", headers={"Cookie": cookie}).status_code == 401
    for judging in opened:
        judging.close()
