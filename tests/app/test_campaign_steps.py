"""The organiser's steps of a campaign through the API: invitations, topics, gold, settings."""

from collections import Counter
from pathlib import Path

import pytest

from leadline.app.opening import open_project
from leadline.app.places import balanced
from leadline.app.serve import Options, make_site
from leadline.app.site import Site
from leadline.judging.project import Project, read_project, write_project
from tests.app.visitors import judge, signed_in, turn, visitor, with_quick_hashes


def task(folder: Path, **settings: object) -> Path:
    """Two groups, one of them with an unpooled run, and a pool of six topics of unequal size."""
    (folder / "runs").mkdir(parents=True)
    for run, sign in (("alpha", 1), ("beta", -1), ("late", 1)):
        lines = [
            f"t{topic} Q0 d{doc} 1 {100 + sign * doc} {run}\n"
            for topic in range(6)
            for doc in range(10)
        ]
        (folder / "runs" / f"{run}.txt").write_text("".join(lines))
    (folder / "groups.tsv").write_text(
        "run\tgroup\tpooled\nalpha\tA\tyes\nbeta\tB\tyes\nlate\tB\tno\n"
    )
    rows = [f"t{topic},d{doc}\n" for topic in range(6) for doc in range(topic + 2)]
    (folder / "pool.csv").write_text("topic,doc\n" + "".join(rows))
    write_project(folder, Project(pool="pool.csv", stop="", topics="", **settings))  # type: ignore[arg-type]
    return folder


@pytest.fixture
def task_site(tmp_path: Path) -> Site:
    site = make_site(open_project(task(tmp_path / "task")), Options(accounts=True))
    with_quick_hashes(site.accounts)
    return site


def test_several_people_are_invited_at_once_or_none(task_site: Site) -> None:
    boss = signed_in(task_site, "boss", "organiser")
    made = boss.post("/api/people/several", json={"names": ["ann", "ben", " ann "]})
    assert made.status_code == 201
    assert [each["person"]["name"] for each in made.json()] == ["ann", "ben"]
    links = [each["link"] for each in made.json()]
    assert all(link.startswith(f"{task_site.address}/invitation/") for link in links)
    assert len(set(links)) == 2
    task_site.accounts.set_password("ben", "long enough for it")
    taken = boss.post("/api/people/several", json={"names": ["cat", "ben"]})
    assert (taken.status_code, taken.json()["code"]) == (409, "taken")
    assert "cat" not in [each["name"] for each in boss.get("/api/people").json()]
    no_group = boss.post("/api/people/several", json={"names": ["A", "C"], "role": "group"})
    assert no_group.status_code == 404
    assert "group named C" in no_group.json()["error"]


def test_topics_are_assigned_evenly(task_site: Site) -> None:
    boss = signed_in(task_site, "boss", "organiser")
    for name in ("ann", "ben"):
        task_site.accounts.ensure(name, "assessor")
    made = boss.post("/api/topics/balance", json={"people": ["ann", "ben"]})
    assert made.status_code == 200, made.text
    load: Counter[str] = Counter()
    for topic in made.json():
        [who] = topic["people"]
        load[who] += topic["pairs"]
    assert sum(load.values()) == 27
    assert abs(load["ann"] - load["ben"]) <= 2
    # What is assigned stays, unless that is not wanted.
    task_site.accounts.ensure("cat", "assessor")
    again = boss.post("/api/topics/balance", json={"people": ["cat"]}).json()
    assert again == made.json()
    anew = boss.post("/api/topics/balance", json={"people": ["cat"], "keep": False}).json()
    assert {tuple(topic["people"]) for topic in anew} == {("cat",)}
    wrong = boss.post("/api/topics/balance", json={"people": ["nobody"]})
    assert wrong.status_code == 404


def test_each_topic_gets_as_many_people_as_judge_a_document(tmp_path: Path) -> None:
    folder = task(tmp_path / "task", assessors_per_document=2)
    site = make_site(open_project(folder), Options(accounts=True))
    boss = signed_in(site, "boss", "organiser")
    for name in ("ann", "ben", "cat"):
        site.accounts.ensure(name, "assessor")
    few = boss.post("/api/topics/balance", json={"people": ["ann"]})
    assert (few.status_code, few.json()["code"]) == (422, "form")
    made = boss.post("/api/topics/balance", json={"people": ["ann", "ben", "cat"]}).json()
    assert all(len(topic["people"]) == 2 for topic in made)
    load: Counter[str] = Counter()
    for topic in made:
        load.update(dict.fromkeys(topic["people"], topic["pairs"]))
    assert max(load.values()) - min(load.values()) <= 7


@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_no_two_loads_differ_by_more_than_a_topic(n: int) -> None:
    work = {str(topic): 100 + 37 * topic % 230 for topic in range(50)}
    people = [f"a{at}" for at in range(n)]
    found = balanced(work, people, 1, {})
    load: Counter[str] = Counter(dict.fromkeys(people, 0))
    for topic, names in found.items():
        load.update(dict.fromkeys(names, work[topic]))
    assert max(load.values()) - min(load.values()) <= max(work.values())
    assert sum(load.values()) == sum(work.values())


def test_all_people_share_topics_with_all_others() -> None:
    work = {str(topic): 100 + 37 * topic % 230 for topic in range(50)}
    people = ["ann", "ben", "cat", "dan"]
    found = balanced(work, people, 2, {})
    load: Counter[str] = Counter()
    for topic, names in found.items():
        assert len(set(names)) == 2
        load.update(dict.fromkeys(names, work[topic]))
    assert max(load.values()) - min(load.values()) <= 2 * max(work.values())
    assert len({tuple(names) for names in found.values()}) == 6


def test_many_gold_questions_come_from_lines(task_site: Site) -> None:
    boss, ann = signed_in(task_site, "boss", "organiser"), signed_in(task_site, "ann")
    text = "t0 d0 2 It names it\nt0 0 d1 0\n"
    made = boss.post("/api/gold/several", json={"text": text, "training": True})
    assert made.status_code == 200, made.text
    assert [(g["doc"], g["grade"], g["why"], g["training"]) for g in made.json()] == [
        ("d0", 2, "It names it", True),
        ("d1", 0, "", True),
    ]
    assert [judge(ann, 0)["doc"] for _ in range(2)] == ["d0", "d1"]
    before = len(made.json())
    for wrong, told in (
        ("t0 d0", "line 1: expected topic, document, grade"),
        ("t1 d0 1\nt1 nowhere 1", "line 2: no run returns"),
        ("t0 d9 1", "line 1: d9 of topic t0 is not in the pool"),
        ("t1 d0 9", "there is no grade 9"),
    ):
        answer = boss.post("/api/gold/several", json={"text": wrong})
        assert answer.status_code in (404, 422), wrong
        assert told in answer.json()["error"]
    assert len(boss.get("/api/gold").json()) == before
    outside = {"topic": "t0", "doc": "d9", "grade": 1}
    assert boss.post("/api/gold", json=outside).status_code == 404


def test_guidelines_and_scale_are_changed_in_the_form(task_site: Site) -> None:
    boss, ann = signed_in(task_site, "boss", "organiser"), signed_in(task_site, "ann")
    assert boss.get("/api/guidelines").json() == {"text": "", "trouble": ""}
    made = boss.post("/api/guidelines", json={"text": "Judge by **the text**."})
    assert made.json()["text"] == "Judge by **the text**."
    folder = task_site.judging.folder
    assert (folder / "guidelines.md").read_text() == "Judge by **the text**."
    assert read_project(folder).guidelines == "guidelines.md"
    assert "the text" in str(ann.get("/api/project").json()["guidelines"])
    judge(ann, 1)
    two = [{"grade": 0, "name": "No"}, {"grade": 1, "name": "Yes", "key": "y", "meaning": "It is"}]
    changed = boss.post("/api/scale", json={"grades": two})
    assert changed.status_code == 200, changed.text
    assert [grade["name"] for grade in ann.get("/api/project").json()["grades"]] == ["No", "Yes"]
    assert read_project(folder).grades[1].key == "y"
    gone = [{"grade": 0, "name": "No"}, {"grade": 2, "name": "Yes"}]
    refused = boss.post("/api/scale", json={"grades": gone})
    assert refused.status_code == 422
    assert "grade 1 was given" in refused.json()["error"]
    twice = boss.post("/api/scale", json={"grades": [two[1], two[1]]})
    assert "two grades have the grade 1" in twice.json()["error"]


def test_guidelines_outside_the_folder_are_not_written(tmp_path: Path) -> None:
    (tmp_path / "rules.md").write_text("Theirs.")
    folder = task(tmp_path / "task", guidelines="../rules.md")
    site = make_site(open_project(folder, outside=True), Options(accounts=True))
    boss = signed_in(site, "boss", "organiser")
    assert "outside" in boss.get("/api/guidelines").json()["trouble"]
    assert boss.post("/api/guidelines", json={"text": "Mine."}).status_code == 422
    assert (tmp_path / "rules.md").read_text() == "Theirs."


def test_a_number_is_a_budget_in_the_settings_too(task_site: Site) -> None:
    boss, ann = signed_in(task_site, "boss", "organiser"), signed_in(task_site, "ann")
    made = boss.post("/api/settings", json={"changes": {"stop": "1"}})
    assert {each["name"]: each["value"] for each in made.json()}["stop"] == "Budget(n=1)"
    judge(ann, 0)
    answer = ann.post("/api/next").json()
    assert (answer["assignment"], answer["over"]) == (None, True)


def test_assessors_do_none_of_this(task_site: Site) -> None:
    ann, nobody = signed_in(task_site, "ann"), visitor(task_site)
    for path, body in (
        ("/api/people/several", {"names": ["x"]}),
        ("/api/topics/balance", {"people": ["ann"]}),
        ("/api/gold/several", {"text": "t0 d0 1"}),
        ("/api/guidelines", {"text": ""}),
        ("/api/scale", {"grades": [{"grade": 0, "name": "a"}, {"grade": 1, "name": "b"}]}),
    ):
        assert ann.post(path, json=body).status_code == 403
        assert nobody.post(path, json=body).status_code == 401
    assert turn(ann)
