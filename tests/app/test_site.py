"""Who is asking: by cookie with the token of the page, or by a token of their own."""

import pytest
from sqlalchemy import event

from leadline.app.room import ActionRefused
from leadline.app.serve import Options, guarded
from leadline.app.site import HEADER, Site
from tests.app.visitors import asking, signed_in, visitor


def test_a_pair_has_a_number_or_is_refused(site: Site) -> None:
    runs = site.judging.room.state.session.runs
    assert runs.pairs.name(site.pair("1", "d2")) == ("1", "d2")
    for topic, doc in (("1", "nowhere"), ("9", "d2")):
        with pytest.raises(ActionRefused, match="no run returns that document"):
            site.pair(topic, doc)


def test_who_asks_is_one_query_by_a_key(site: Site) -> None:
    known = signed_in(site, "ann")
    ann = asking(guarded(site, Options()), cookies=known.cookies)
    ann.headers[HEADER] = known.headers[HEADER]
    engine, asked = site.judging.database.engine, []
    event.listen(engine, "before_cursor_execute", lambda *given: asked.append(given[2:4]))
    for ask in (lambda: ann.get("/"), lambda: ann.get("/api/me"), lambda: ann.post("/api/next")):
        asked.clear()
        assert ask().status_code == 200
        about = [each for each in asked if "secret" in each[0]]
        assert len(about) == 1
        with engine.connect() as connection:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {about[0][0]}", about[0][1])
            steps = [row[-1] for row in plan]
        assert len(steps) == 2
        assert all("USING INDEX" in step for step in steps), steps


def test_a_cookie_may_look_but_changes_need_the_token(site: Site) -> None:
    ann = signed_in(site, "ann")
    token = ann.headers.pop(HEADER)
    assert ann.get("/api/me").status_code == 200
    refused = ann.post("/api/next")
    assert refused.status_code == 403
    assert HEADER in refused.json()["error"]
    assert ann.post("/api/next", headers={HEADER: "guess"}).status_code == 403
    assert ann.post("/api/next", headers={HEADER: token}).status_code == 200


def test_another_ones_token_is_no_token(site: Site) -> None:
    ann, bob = signed_in(site, "ann"), signed_in(site, "bob")
    assert ann.post("/api/next", headers={HEADER: bob.headers[HEADER]}).status_code == 403


def test_a_bearer_needs_nothing_else(site: Site) -> None:
    token = site.accounts.token(site.accounts.add("llm", "assessor", "machine"))
    for word in ("Bearer", "bearer"):
        llm = visitor(site, headers={"Authorization": f"{word} {token} "})
        assert llm.post("/api/next").status_code == 200
    forged = visitor(site, headers={"Authorization": "Bearer x"})
    assert forged.get("/api/me").json()["error"] == "this token lets nobody in"


def test_a_wrong_bearer_is_not_made_good_by_a_cookie(site: Site) -> None:
    ann = signed_in(site, "ann")
    assert ann.get("/api/me", headers={"Authorization": "Bearer x"}).status_code == 401


def test_nobody_is_told_to_sign_in(site: Site) -> None:
    assert visitor(site).get("/api/me").json()["error"] == "sign in first"


def test_organisers_only(site: Site) -> None:
    assert signed_in(site, "ann").get("/api/people").status_code == 403
    assert signed_in(site, "boss", "organiser").get("/api/people").status_code == 200
