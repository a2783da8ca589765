"""`leadline judge`."""

import contextlib
import csv
import os
import re
import sys
import tempfile
import webbrowser
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, Unpack

from leadline.cli.output import OutputFile, progress, say
from leadline.options import Argument, Option

if TYPE_CHECKING:
    import socket

    from leadline.app.serve import Options
    from leadline.app.site import Site


DEMO = Path("leadline-judging-demo")
PORT = 8000
TRIES = 20
DATABASE_URL = "LEADLINE_DATABASE"

InvitedRole = Literal["assessor", "organiser", "group"]
IN_INIT = Option(panel="New project")
SERVER = Option(panel="Server", advanced=True)
Setting = Annotated[str | None, IN_INIT]


class NewProject(TypedDict, total=False):
    """What a new project is made of.

    title: title of the pages.
    runs: runs: a folder, a file or a glob.
    topics: file of topics with query and description.
    documents: texts of the documents: a JSON lines file, a folder, or an address with {doc}.
    guidelines: guidelines for assessors: a Markdown file, or a folder with TOPIC.md.
    order: order of judging, as in `leadline list orders`.
    stop: stopping rule, as in `leadline list stops`.
    pool: pool to judge instead of an order: a file of `leadline pool`.
    start_from: existing judgments: a qrels file.
    use_judgments: whether to use the qrels of the folder.
    assessors_per_document: number of assessors for each document.
    merge: how to merge several judgments of a pair: majority, latest or adjudicated.
    scale: binary (two grades) or graded (four).
    """

    title: Setting
    runs: Setting
    topics: Setting
    documents: Setting
    guidelines: Setting
    order: Setting
    stop: Setting
    pool: Setting
    start_from: Setting
    use_judgments: Annotated[
        bool | None, replace(IN_INIT, names="--use-judgments/--no-use-judgments")
    ]
    assessors_per_document: Annotated[int | None, replace(IN_INIT, names="--assessors")]
    merge: Annotated[
        Literal["majority", "latest", "adjudicated"] | None, replace(IN_INIT, metavar="HOW")
    ]
    scale: Annotated[Literal["binary", "graded"] | None, IN_INIT]


def judge(
    folder: Annotated[list[Path] | None, Argument(many=True)] = None,
    init: bool = False,
    demo: bool = False,
    host: Annotated[str, SERVER] = "127.0.0.1",
    port: int | None = None,
    database: Annotated[str | None, SERVER] = None,
    outside: Annotated[bool, SERVER] = False,
    accounts: Annotated[bool, SERVER] = False,
    address: Annotated[str, SERVER] = "",
    rate: Annotated[float, replace(SERVER, least=1)] = 30.0,
    behind_proxy: Annotated[str, SERVER] = "",
    oidc: Annotated[str, SERVER] = "",
    self_test: Annotated[str, SERVER] = "",
    browser: Annotated[bool, Option("--browser/--no-browser")] = True,
    invite: Annotated[list[str] | None, Option(metavar="NAME", many=True)] = None,
    role: Annotated[InvitedRole, Option(metavar="ROLE")] = "assessor",
    links: OutputFile = None,
    check: Annotated[bool, SERVER] = False,
    repair: Annotated[bool, SERVER] = False,
    backup: Annotated[Path | None, SERVER] = None,
    restore: Annotated[Path | None, SERVER] = None,
    **project: Unpack[NewProject],
) -> None:
    """Start the judging app, in which several people judge in the browser.

    folder: folder of a project; several are served together.
    init: create a project and exit; asks for settings that are not given.
    demo: judge the bundled collection. The default folder is leadline-judging-demo.
    host: address to listen on. Addresses other than loopback need --behind-proxy and --address.
    port: port. The default is 8000, or the next free port.
    database: database URL. The default is LEADLINE_DATABASE, or SQLite in the folder.
    outside: allow the project to read files outside its folder.
    accounts: require sign-in on this machine too.
    address: public address behind a proxy, for example https://judge.example.org
    rate: most requests per second of one visitor.
    behind_proxy: address of the buffering proxy, such as 127.0.0.1. Separate several by commas;
        networks such as 10.0.0.0/8 are allowed.
    oidc: issuer of an identity provider (OpenID Connect) for sign-in.
    self_test: test that the proxy at this address buffers request bodies, and exit.
    browser: open the page in a browser, if there is a screen.
    invite: print a link by which this person sets a password, and exit.
    role: role of the invited person: assessor or organiser.
    links: write the links to this csv file, readable by you only, instead of printing them.
    check: verify that the ledger, gold answers and log were not altered, and exit.
    repair: recompute the hashes of a ledger that --check rejects, and exit. The log records it.
    backup: write judgments and settings of the project to this file, and exit. The server may run.
    restore: restore an empty project from a backup, and exit.
    """
    if init:
        _make(_the_one(folder, "--init") or Path(), project)
        return
    _need_web()
    if self_test:
        from leadline.app.serve import check_buffering

        say([check_buffering(self_test)])
        return
    folders = list(folder or [])
    if demo:
        from leadline.app.opening import demo_project

        folders = [demo_project(_the_one(folders, "--demo") or DEMO)]
    if not folders:
        raise ValueError("name a project's folder, or try --demo; --init makes a project")
    database = _database_url(database)
    if database is not None and len(folders) > 1:
        raise ValueError("--database is of one project: name one folder")
    from leadline.app.serve import Options, check_address, is_loopback

    check_address(address)
    options = Options(host, port or PORT, accounts, address, rate, behind_proxy, oidc)
    first = folders[0]
    if check or repair or backup is not None or restore is not None or invite:
        _the_one(folders, "this")
    if check:
        _check(first, database)
    elif repair:
        _repair(first, database)
    elif backup is not None or restore is not None:
        say(keep_or_restore(first, database, backup, restore))
    elif invite:
        # Without any of these, links lead to where the server is.
        elsewhere = bool(address) or port is not None or not is_loopback(host)
        _invite(first, database, options if elsewhere else None, invite, role, links)
    else:
        _open(folders, database, options, port, browser, outside)


def _database_url(typed: str | None) -> str | None:
    """The URL that was typed, or that of the environment, where no list of processes shows it."""
    if typed and re.search(r"://[^/@]*:[^@]+@|[?&]password=", typed):
        message = "--database shows its password in the list of processes"
        say([f"{message}: put the URL into {DATABASE_URL} instead"])
    return typed or os.environ.get(DATABASE_URL) or None


def _the_one(folders: list[Path] | None, what: str) -> Path | None:
    if folders is not None and len(folders) > 1:
        raise ValueError(f"{what} is of one project: name one folder, not {len(folders)}")
    return folders[0] if folders else None


def _need_web() -> None:
    from importlib.util import find_spec

    names = (
        "fastapi",
        "uvicorn",
        "sqlalchemy",
        "argon2",
        "markdown_it",
        "zxcvbn",
        "limits",
    )
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        raise ValueError(f"{missing[0]} is not installed: pip install 'leadline[web]'")


def _make(folder: Path, given: NewProject) -> None:
    _need_web()
    from leadline.app.opening import new_project
    from leadline.judging.project import SCALES, check_new, lying_there

    settings: dict[str, Any] = dict.fromkeys(NewProject.__annotations__) | dict(given)
    scale, use_judgments = settings.pop("scale"), settings.pop("use_judgments") is not False
    if not use_judgments and settings["start_from"] is not None:
        raise ValueError("--no-use-judgments and --start-from exclude each other")
    check_new(folder)
    found = lying_there(folder)
    if sys.stdin.isatty():
        from leadline.cli.interactive import ask_for_project

        scale = ask_for_project(folder, settings, scale)
    if scale is not None:
        settings["grades"] = SCALES[scale]
    with progress("reading runs and documents") as advance:
        path, notices = new_project(
            folder, progress=advance, use_judgments=use_judgments, **settings
        )
    say(notices.lines())
    if use_judgments and settings["start_from"] is None and "start_from" in found:
        say(
            [
                f"the judgments of {found['start_from']} count; --no-use-judgments begins without "
                f"them"
            ]
        )
    say([f"{path}: settings written. Next: leadline judge {folder}"])


def _check(folder: Path, database: str | None) -> None:
    from leadline.app.opening import check_ledger

    names = {"entry": "entries", "gold_answer": "answers to gold questions", "deed": "log rows"}
    for found in check_ledger(folder, database=database):
        found.require(str(folder))
        former = f", {found.former:,} hashed by an earlier version" if found.former else ""
        what = f"{found.rows:,} {names[found.table]}{former}"
        say([f"{what}, each as it was written; the chain ends in {found.end or 'nothing'}"])


def _repair(folder: Path, database: str | None) -> None:
    from leadline.app.opening import repair_ledger

    done = repair_ledger(folder, database=database)
    say([f"{table}: chained anew; the chain ends in {end}" for table, _, end in done])
    say(["the organisers' log says so"] if done else ["every row is as it was written"])


def _invite(
    folder: Path,
    database: str | None,
    options: "Options | None",
    names: list[str],
    role: InvitedRole,
    links: Path | None,
) -> None:
    from leadline.app.accounts import Accounts
    from leadline.app.opening import database_of
    from leadline.app.serve import Options, address_for
    from leadline.app.site import invitation

    with database_of(folder, database) as found:
        known = "" if options is not None else found.address
        address = known or address_for(options or Options(port=PORT))
        single = [name.strip() for each in names for name in each.split(",") if name.strip()]
        made = {
            name: invitation(Accounts(found), name, role, address) for name in dict.fromkeys(single)
        }
    if links is not None:
        _write_links(links, made, role)
        say([f"{links}: links written: {len(made)}; each works once, for seven days"])
    for name, link in made.items() if links is None else ():
        sys.stdout.write(f"{link}\n")
        sys.stdout.flush()
        say([f"{name} sets a password with this link; it works once, for seven days"])
    if options is None and not known:
        message = f"no server was started yet: links lead to {address}"
        say([f"{message}. Change it with --port or --address"])


def _write_links(path: Path, links: dict[str, str], role: str) -> None:
    """Write a csv file that only its owner can read: its links let people in."""
    from leadline.app.exchange import plain_cell
    from leadline.io.write import whole_file

    with (
        whole_file(path, private=True) as part,
        part.open("w", encoding="utf-8", newline="") as out,
    ):
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["name", "role", "link"])
        rows.writerows([plain_cell(name), role, link] for name, link in links.items())


def _open(
    folders: list[Path],
    database: str | None,
    options: "Options",
    port: int | None,
    browser: bool,
    outside: bool,
) -> None:
    from contextlib import ExitStack, closing

    from leadline.app.opening import Judging, open_project
    from leadline.app.serve import check_reach, serve
    from leadline.app.site import prefixes

    check_reach(options)
    opened: dict[str, Judging] = {}
    paths = prefixes(folders)
    with ExitStack() as stack:
        for prefix, folder in zip(paths, folders, strict=True):
            with progress("reading runs and documents") as advance:
                opened[prefix] = open_project(
                    folder, database=database, outside=outside, progress=advance
                )
            stack.enter_context(closing(opened[prefix]))
            say(opened[prefix].notices.lines())
        login_link, found = _login_link(options.host, port)
        options = replace(options, port=found)
        keepers = {prefix: LoginLink(each.folder, browser) for prefix, each in opened.items()}
        for keeper in keepers.values():
            stack.callback(keeper.close)
        serve(
            opened,
            options,
            lambda site: greet(site, keepers[site.prefix], bool(options.proxy)),
            login_link,
        )


def _login_link(host: str, port: int | None) -> "tuple[socket.socket, int]":
    """A socket on the port, or on the first that is free."""
    from leadline.app.serve import listen

    if port is not None:
        return listen(host, port), port
    for number in range(PORT, PORT + TRIES):
        try:
            return listen(host, number), number
        except ValueError:
            if number == PORT + TRIES - 1:
                raise
    raise AssertionError


def keep_or_restore(
    folder: Path, database: str | None, backup: Path | None, restore: Path | None
) -> list[str]:
    """Do what was asked for, and say what was done."""
    from leadline.app.backup import back_up_project, restore_project

    if backup is not None and restore is not None:
        raise ValueError("--backup and --restore exclude each other")
    if backup is not None:
        n = back_up_project(folder, backup, database=database)
        return [f"{backup}: {n:,} entries, and all else but links, cookies and tokens"]
    assert restore is not None
    n = restore_project(folder, restore, database=database)
    lost = "people sign in with their passwords; make new links and tokens for others"
    return [f"{folder}: {n:,} entries, each as it was written", lost]


WAY_IN = "way-in.txt"


class LoginLink:
    """Tells links to whoever sits at the terminal; else to a file that only its owner can read.

    A link that lets somebody in has no place in a log.
    """

    def __init__(self, folder: Path, browser: bool) -> None:
        self.file = folder / WAY_IN
        self.browser = browser
        self.page: Path | None = None

    def tell(self, what: str, link: str) -> str:
        """A line that says what the link is for, and the link or where it is."""
        if sys.stdout.isatty():
            return f"{what}: {link}"
        with contextlib.suppress(FileNotFoundError):
            self.file.unlink()
        with os.fdopen(os.open(self.file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as out:
            out.write(f"{link}\n")
        return f"{what}: the link is in {self.file}, readable by you only"

    def open(self, link: str) -> None:
        """Open the page, by way of a file: others can see what a program was started with."""
        if not (self.browser and sys.stdout.isatty() and _has_screen()):
            return
        handle, name = tempfile.mkstemp(prefix="leadline-", suffix=".html")
        self.page = Path(name)
        with os.fdopen(handle, "w") as out:
            out.write(f'<meta http-equiv="refresh" content="0; url={link}">\n')
        with contextlib.suppress(webbrowser.Error):
            webbrowser.open(self.page.as_uri())

    def close(self) -> None:
        """Nothing is left lying about."""
        for path in (self.file, self.page):
            if path is not None:
                with contextlib.suppress(OSError):
                    path.unlink()


def _has_screen() -> bool:
    return sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )


def greet(site: "Site", login_link: LoginLink, proxied: bool) -> None:
    """The address, and how whoever started it, or the first organiser, gets in."""
    lines = [f"{site.judging.project.title}: {site.address}"]
    if site.owner:
        link = site.way_in()
        lines.append(login_link.tell("sign in with this link (it works once)", link))

        def again(next_link: str) -> None:
            sys.stdout.write(
                f"{login_link.tell('another browser signs in with this link', next_link)}\n"
            )
            sys.stdout.flush()

        site.announce = again
    else:
        from leadline.app.site import first_invitation

        lines.append(f"organiser's page: {site.address}/organise")
        first = first_invitation(site)
        if first is not None:
            lines.append(
                login_link.tell(
                    "first organiser: set a password with this link (it works once)", first
                )
            )
        if not site.secure:
            message = "passwords are sent unencrypted"
            say([f"{message}: put a proxy with https before the server (--address)"])
        elif not proxied:
            say(["all visitors have the same address: name the proxy's (--behind-proxy 127.0.0.1)"])
    lines.append("Ctrl-C stops the server; every judgment is kept")
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()
    if site.owner:
        login_link.open(link)
