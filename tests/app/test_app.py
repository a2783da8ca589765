"""Every error has a plain answer: JSON for programs, a page for people, never what was sent."""

import pytest
from sqlalchemy.exc import DBAPIError

from leadline.app.room import ActionRefused, Unavailable
from leadline.app.serve import make_app
from leadline.app.site import Denied, Site
from leadline.io.problems import InputError
from tests.app.visitors import asking, signed_in, visitor

ERRORS = [
    (Denied(401, "sign in"), 401, "denied"),
    (ActionRefused("grade", "no such grade"), 422, "grade"),
    (ActionRefused("unknown", "no such thing"), 404, "unknown"),
    (ActionRefused("ended", "it is over"), 409, "ended"),
    (InputError.of("f", "x", "cannot be read"), 422, "input"),
    (Unavailable("the database did not answer"), 503, "unavailable"),
    (DBAPIError("SELECT secret", None, OSError("host 10.0.0.1")), 503, "unavailable"),
]


@pytest.mark.parametrize(("error", "status", "code"), ERRORS)
@pytest.mark.parametrize("path", ["/api/break", "/break"])
def test_an_error_has_its_status_and_a_sentence(
    site: Site, error: Exception, status: int, code: str, path: str
) -> None:
    app = make_app(site)

    def broken() -> None:
        raise error

    app.add_api_route(path, broken)
    answer = asking(app).get(path)
    assert answer.status_code == status
    if path.startswith("/api"):
        assert answer.json()["code"] == code
    else:
        assert answer.headers["content-type"].startswith("text/html")
    # What the database was asked, and where it is, is nobody's business.
    assert "secret" not in answer.text
    assert "10.0.0.1" not in answer.text


def test_what_cannot_be_understood_is_not_repeated(site: Site) -> None:
    client = signed_in(site, "ann")
    body = {"topic": "1", "doc": "d1", "grade": "a <secret> of mine"}
    answer = client.post("/api/judgments", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert answer.json()["error"].startswith("grade: ")
    assert "secret" not in answer.text


def test_what_is_not_there_and_what_is_not_done_there(site: Site) -> None:
    client = visitor(site)
    assert client.get("/api/nowhere").json() == {"error": "Not Found", "code": "http"}
    assert "Not possible" in client.get("/nowhere").text
    wrong = client.get("/api/next")
    assert wrong.status_code == 405
    assert wrong.headers["allow"] == "POST"


def test_the_api_is_described_and_pages_are_not(site: Site) -> None:
    assert visitor(site).get("/api/openapi.json").status_code == 401
    paths = signed_in(site, "ann").get("/api/openapi.json").json()["paths"]
    assert paths == make_app(site).openapi()["paths"]
    assert all(path.startswith("/api/") for path in paths)
    assert "/api/judgments" in paths
