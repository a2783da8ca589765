"""`leadline judge` as it is typed: new projects, mistakes, and an answer on a socket."""

import socket
import sqlite3
import tomllib
from pathlib import Path

import pytest

from leadline.judging.project import read_project
from tests.app.fort import accept
from tests.app.projects import asked_for, small, small_runs
from tests.app.server import serving
from tests.cli.program import call


def test_a_new_project_by_options(tmp_path: Path) -> None:
    options = ["--title", "Mine", "--assessors", 3, "--merge", "adjudicated", "--scale", "binary"]
    more = ["--order", "MoffatC(p=0.5)", "--stop", "Budget(n=9)", "--start-from", "old.txt"]
    small_runs(tmp_path / "p")
    (tmp_path / "p" / "old.txt").write_text("1 0 d1 1\n")
    done = call("judge", "--init", tmp_path / "p", *options, *more)
    assert done.code == 0
    assert "leadline judge" in done.err
    made = read_project(tmp_path / "p")
    assert (made.title, made.assessors_per_document, made.merge) == ("Mine", 3, "adjudicated")
    assert (made.order, made.stop, made.start_from) == ("MoffatC(p=0.5)", "Budget(n=9)", "old.txt")
    assert [grade.grade for grade in made.grades] == [0, 1]
    tomllib.loads((tmp_path / "p" / "judge.toml").read_text())


def test_mistakes_are_named_and_nothing_is_written(tmp_path: Path) -> None:
    small_runs(tmp_path / "p")
    for options, said in (
        (["--order", "Sideways"], "no order is named Sideways"),
        (["--assessors", 0], "assessors_per_document must be from 1 to 100"),
        (["--documents", "https://host/"], "needs {doc}"),
        (["--runs", "nowhere"], "nowhere: there is no such file or folder"),
    ):
        done = call("judge", "--init", tmp_path / "p", *options)
        assert (done.code, said in done.err) == (2, True), done.err
        assert "Traceback" not in done.err
        assert not (tmp_path / "p" / "judge.toml").exists()


def test_a_folder_that_is_no_project_is_refused(tmp_path: Path) -> None:
    for arguments, said in (
        ([], "name a project's folder"),
        ([tmp_path], "has no judge.toml"),
        ([tmp_path, "--address", "host"], "begins with http"),
        ([tmp_path, "--address", "https://host/judge"], "ends after the host"),
    ):
        done = call("judge", *arguments)
        assert (done.code, said in done.err) == (2, True), done.err


def test_a_project_without_runs_or_with_a_foreign_database_is_refused(tmp_path: Path) -> None:
    small(tmp_path / "p", runs="elsewhere")
    assert call("judge", tmp_path / "p").code == 2
    for url, said in (
        ("mysql://x/y", "only sqlite and postgresql"),
        ("nonsense", "is no database URL"),
        ("postgresql://nobody@127.0.0.1:1/none", "postgresql"),
    ):
        done = call("judge", "--demo", tmp_path / "demo", "--database", url)
        assert (done.code, said in done.err) == (2, True), done.err
        assert "Traceback" not in done.err


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = call("judge", "--demo", tmp_path / "demo", "--port", port)
    assert done.code == 2
    assert f"port {port}" in done.err


def test_who_lost_everything_is_invited_beside_a_running_server(tmp_path: Path) -> None:
    folder = small(tmp_path / "p")
    with serving(folder, "--accounts") as server:
        done = call(
            *("judge", folder, "--invite", "ann", "--role", "organiser"),
            *("--address", server.address),
        )
        assert done.code == 0, done.err
        ann = accept(server.address, done.out.strip(), "the words of ann")
        assert ann.get("/api/me").json()["role"] == "organiser"
        again = call("judge", folder, "--invite", "ann", "--address", server.address)
        other = accept(server.address, again.out.strip(), "other words of ann")
        assert other.get("/api/me").json()["role"] == "assessor"
        assert ann.get("/api/me").status_code == 401, "another password ends the session"
        ann.close()
        other.close()
        assert call("judge", folder, "--invite", "x" * 99).code == 2
    assert call("judge", tmp_path / "nowhere", "--invite", "ann").code == 2


def test_links_for_several_lead_to_where_the_server_is(tmp_path: Path) -> None:
    folder = small(tmp_path / "p")
    invited = ("--invite", "ann", "--invite", "ben")
    before = call("judge", folder, *invited)
    assert "http://127.0.0.1:8000/invitation/" in before.out
    assert "no server was started yet: links lead to http://127.0.0.1:8000. Change it" in before.err
    with serving(folder, "--accounts") as server:
        assert not server.address.endswith(":8000")
        done = call("judge", folder, *invited)
        assert done.code == 0, done.err
        for name, link in zip(("ann", "ben"), done.out.split(), strict=True):
            assert link.startswith(f"{server.address}/invitation/")
            client = accept(server.address, link, f"the words of {name}")
            assert client.get("/api/me").json()["name"] == name
            client.close()
        named = call("judge", folder, "--invite", "cat", "--address", "https://judge.example.org")
        assert named.out.startswith("https://judge.example.org/invitation/")
    assert call("judge", folder, "--invite", "dan").out.startswith(server.address)


def test_a_ledger_that_was_rewritten_is_found(tmp_path: Path) -> None:
    folder = small(tmp_path / "p", order="MoffatA(p=0.8)", stop="")
    judged = asked_for(folder)
    done = call("judge", folder, "--check")
    assert done.code == 0
    assert f"{len(judged)} entries, each as it was written; the chain ends in " in done.err
    with sqlite3.connect(folder / "judgments.sqlite") as changed:
        changed.execute("DROP TRIGGER entry_stays_on_update")
        changed.execute("UPDATE entry SET grade = 1 WHERE id = 2")
    changed.close()
    done = call("judge", folder, "--check")
    assert done.code == 2
    assert "entry 2 is not as it was written" in done.err


def test_others_are_let_in_only_through_a_proxy(tmp_path: Path) -> None:
    # Its port is out of range, so that a server which would start ends.
    folder, options = small(tmp_path / "p"), ("--host", "0.0.0.0", "--port", 70_000)
    for more in ((), ("--address", "https://judge.example"), ("--behind-proxy", "127.0.0.1")):
        done = call("judge", folder, *options, *more)
        assert (done.code, "put a buffering proxy before" in done.err) == (2, True), done.err


def test_a_proxy_is_an_address(tmp_path: Path) -> None:
    done = call("judge", small(tmp_path / "p"), "--behind-proxy", "nginx")
    assert (done.code, "such as 127.0.0.1" in done.err) == (2, True)


def test_the_database_may_stand_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = small(tmp_path / "p")
    elsewhere = tmp_path / "elsewhere.sqlite"
    monkeypatch.setenv("LEADLINE_DATABASE", f"sqlite:///{elsewhere}")
    assert call("judge", folder, "--invite", "ann").code == 0
    assert elsewhere.exists()
    assert not (folder / "judgments.sqlite").exists()
    typed = call("judge", folder, "--check", "--database", "postgresql://a:hush7@127.0.0.1:1/x")
    assert "LEADLINE_DATABASE" in typed.err
    assert "hush7" not in typed.err


def test_links_are_written_to_a_file_that_others_cannot_read(tmp_path: Path) -> None:
    folder, file = small(tmp_path / "p"), tmp_path / "links.csv"
    done = call("judge", folder, "--invite", "ann, ben", "--invite", "cat", "--links", file)
    assert done.code == 0, done.err
    lines = file.read_text().splitlines()
    assert lines[0] == "name,role,link"
    assert [line.split(",")[:2] for line in lines[1:]] == [
        ["ann", "assessor"],
        ["ben", "assessor"],
        ["cat", "assessor"],
    ]
    assert all("/invitation/" in line for line in lines[1:])
    assert file.stat().st_mode & 0o077 == 0
    # A link lets somebody in: nothing of it is printed beside.
    assert "/invitation/" not in done.out + done.err
    assert call("judge", folder, "--invite", "A", "--role", "group", "--links", file).code == 0
    assert file.read_text().splitlines()[1].startswith("A,group,http")
