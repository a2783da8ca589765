"""Links that let somebody in: to the terminal, or to a file for its owner alone, never to a log."""

import sys
from pathlib import Path

import pytest

from leadline.app.opening import open_project
from leadline.app.serve import Options, make_site
from leadline.cli.judge import WAY_IN, LoginLink, greet
from tests.app.projects import small

LINK = "http://127.0.0.1:8000/enter/secret"


def test_without_a_terminal_the_link_is_in_a_file_for_its_owner(tmp_path: Path) -> None:
    keeper = LoginLink(tmp_path, browser=True)
    line = keeper.tell("sign in", LINK)
    assert "secret" not in line
    file = tmp_path / WAY_IN
    assert str(file) in line
    assert file.read_text().strip() == LINK
    assert file.stat().st_mode & 0o777 == 0o600
    keeper.tell("again", LINK + "2")
    assert file.read_text().strip() == LINK + "2"
    keeper.close()
    assert not file.exists()
    keeper.close()


def test_at_a_terminal_it_is_said_and_opened_where_nobody_else_can_see_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("DISPLAY", ":0")
    keeper = LoginLink(tmp_path, browser=True)
    assert keeper.tell("sign in", LINK) == f"sign in: {LINK}"
    assert not (tmp_path / WAY_IN).exists()
    keeper.open(LINK)
    assert len(opened) == 1
    assert "secret" not in opened[0], "others can see what a program was started with"
    assert keeper.page is not None
    assert LINK in keeper.page.read_text()
    assert keeper.page.stat().st_mode & 0o777 == 0o600
    keeper.close()
    assert not keeper.page.exists()
    LoginLink(tmp_path, browser=False).open(LINK)
    assert len(opened) == 1


@pytest.mark.parametrize("accounts", [False, True])
def test_no_secret_is_left_in_a_log(
    tmp_path: Path, accounts: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    judging = open_project(small(tmp_path / "p"))
    site = make_site(judging, Options(accounts=accounts))
    keeper = LoginLink(tmp_path / "p", browser=False)
    greet(site, keeper, proxied=False)
    said = capsys.readouterr()
    link = (tmp_path / "p" / WAY_IN).read_text().strip()
    secret = link.rsplit("/", 1)[1]
    assert secret not in said.out + said.err
    site.announce(site.way_in() if site.owner else link)
    after = (tmp_path / "p" / WAY_IN).read_text().strip()
    assert (after != link) == (not accounts)
    keeper.close()
    judging.close()
