"""Pages: who gets where, and what they are made of."""

from leadline.app.site import STATIC, Site
from tests.app.visitors import signed_in, visitor


def test_pages_are_for_those_who_are_in(site: Site) -> None:
    boss, ann = signed_in(site, "boss", "organiser"), signed_in(site, "ann")
    for path in ("/", "/organise"):
        assert visitor(site).get(path).status_code == 303
        assert boss.get(path).status_code == 200
    assert ann.get("/").status_code == 200
    assert ann.get("/organise").status_code == 403
    assert "Small &amp; open" in boss.get("/organise").text


def test_only_files_of_one_folder_are_served(site: Site) -> None:
    client = visitor(site)
    for file in STATIC.iterdir():
        assert client.get(f"/static/{file.name}").content == file.read_bytes()
    assert client.get("/static/judge.js").headers["content-type"].startswith("text/javascript")
    for name in ("nothing.js", "..%2fpages.py", "%2e%2e"):
        assert client.get(f"/static/{name}").status_code == 404
