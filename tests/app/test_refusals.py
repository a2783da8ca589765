"""Refusals: JSON for programs, a page for people, and how long to wait for both."""

import json

from leadline.app.guard import refusal


def test_programs_get_json_and_people_a_page() -> None:
    body, headers = refusal("/api/next", 429, "too many requests", "429", 1.2)
    assert json.loads(body) == {
        "error": "too many requests: wait 2 seconds",
        "code": "429",
        "wait": 2,
    }
    assert headers["Retry-After"] == "2"
    page, told = refusal("/sign-in", 429, "too many <requests>", "429", 0.1)
    assert b"too many &lt;requests&gt;: wait 1 second " in page
    assert told["Content-Type"].startswith("text/html")


def test_where_waiting_does_not_help_nothing_is_said_of_it() -> None:
    body, headers = refusal("/api/next", 403, "no", "denied")
    assert json.loads(body) == {"error": "no", "code": "denied"}
    assert "Retry-After" not in headers
