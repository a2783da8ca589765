"""Images of documents, for whoever has the document, and nothing else of the disk."""

import json
from pathlib import Path

import pytest

from leadline.app.opening import open_project
from leadline.app.serve import Options, make_site
from leadline.app.site import Site
from tests.app.projects import small
from tests.app.test_images import PNG
from tests.app.visitors import judge, signed_in, turn, with_quick_hashes


def test_an_image_goes_to_whoever_has_the_document(tmp_path: Path) -> None:
    folder = small(
        tmp_path / "shop",
        stop="",
        documents="docs.jsonl",
        template="title: {name}\nPrice: {price}\nimage: {picture}\nlink: {url}",
        images="images",
    )
    pictures = {"d1": "a.png", "d2": "../judge.toml", "d3": "text.png", "d4": ""}
    rows = [
        {"id": doc, "name": doc, "price": 3, "picture": name, "url": f"https://x.example/{doc}"}
        for doc, name in pictures.items()
    ]
    (folder / "docs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "images").mkdir()
    (folder / "images" / "a.png").write_bytes(PNG)
    (folder / "images" / "text.png").write_text("title = 'no image'")
    judging = open_project(folder)
    site = make_site(judging, Options(accounts=True))
    with_quick_hashes(site.accounts)
    ann, ben = signed_in(site, "ann"), signed_in(site, "ben")
    boss = signed_in(site, "chief", "organiser")
    mine = turn(ann)
    assert mine["fields"] == [["Price", "3"]]
    assert mine["link"] == f"https://x.example/{mine['doc']}"
    ask = {"topic": mine["topic"], "doc": mine["doc"]}
    assert ben.get("/api/image", params=ask).status_code == 403
    assert ann.get("/api/image", params=ask).status_code in (200, 404)
    judge(ann, 1)
    # What one has judged can be looked at again, with its image.
    assert ann.get("/api/image", params=ask).status_code in (200, 404)
    found = boss.get("/api/image", params={"topic": "1", "doc": "d1"})
    assert (found.status_code, found.headers["content-type"]) == (200, "image/png")
    assert found.content == PNG
    for doc in ("d2", "d3", "d4"):
        refused = boss.get("/api/image", params={"topic": "1", "doc": doc})
        assert refused.status_code == 404, doc
        assert "judge" not in refused.text
    assert boss.get("/api/image", params={"topic": "1", "doc": "../a.png"}).status_code == 404
    judging.close()


@pytest.mark.parametrize("name", ["fields", "image"])
def test_without_a_template_there_is_neither(site: Site, name: str) -> None:
    assert not turn(signed_in(site, "ann"))[name]
