"""What the app knows while it runs: open projects, who may come in, and the pages."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import Receive, Scope, Send

from leadline import __version__
from leadline.app.accounts import ACCOUNT, OPEN, OPEN_TOKEN, TOKEN, Accounts, Role, SignedIn, same
from leadline.app.document_cache import DocumentCache
from leadline.app.guard import UNSAFE, Attempts, templates
from leadline.app.leaderboard import Leaderboard
from leadline.app.oidc import Provider
from leadline.app.opening import Judging
from leadline.app.room import ActionRefused
from leadline.app.snapshot import Snapshots
from leadline.app.sql_ledger import AuditLog, MessagesToAll
from leadline.views.tables import certainty_css

HEADER = "X-Leadline-CSRF"
DOORS = 4
"""Threads for who comes in, beside those of the room: one may hang without the other."""

HASHING, MOST_HASHING = 1, 8
"""Threads that check passwords (argon2 has its own), and requests that may wait for them."""

DESKS = 4
"""Threads for those who judge: they take turns at one room anyway, and more of them only fight."""

Found = TypeVar("Found")


class Denied(Exception):
    """A request that may not be answered: 401 for nobody we know, 403 for no right to it."""

    def __init__(self, status: int, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.status, self.wait = status, wait


@dataclass
class Site:
    """One per project. `owner` is who everybody is where there is no sign-in, else empty.

    `prefix` is the path under which it is found, empty where it is the only one of a server.
    `provider` is an identity provider by which people may sign in.

    `announce` is told the link by which the owner gets in, at the start and whenever it was used.
    """

    judging: Judging
    accounts: Accounts
    owner: str = ""
    cookie: str = "leadline"
    secure: bool = False
    address: str = ""
    prefix: str = ""
    provider: Provider | None = None
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    announce: Callable[[str], object] = lambda link: None

    def __post_init__(self) -> None:
        self.snapshots = Snapshots(self.judging)
        self.guidelines: dict[str, list[Any]] = {}
        self.leaderboard = Leaderboard(self.judging.folder)
        self.prepared = DocumentCache(lambda doc: self.judging.library.document(doc))
        self.attempts = Attempts()
        self.audit_log = AuditLog(self.judging.database)
        self.messages = MessagesToAll(self.judging.database)
        self.streams: Counter[str] = Counter()
        self._doors = ThreadPoolExecutor(DOORS, "door")
        self._hashing, self._passwords = ThreadPoolExecutor(HASHING, "password"), 0
        self._desks = ThreadPoolExecutor(DESKS, "desk")

    async def aside(self, work: Callable[..., Found], *arguments: Any) -> Found:
        """Work that may wait for the database, where nobody waits for it."""
        return await asyncio.get_running_loop().run_in_executor(self._doors, work, *arguments)

    async def with_password(self, work: Callable[..., Found], *arguments: Any) -> Found:
        """Work that hashes a password: slow, so few at a time; a Denied if many wait already."""
        if self._passwords >= MOST_HASHING:
            raise Denied(429, "too many people sign in at once", 2.0)
        self._passwords += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._hashing, work, *arguments)
        finally:
            self._passwords -= 1

    async def run_in_threadpool(self, work: Callable[..., Found], *arguments: Any) -> Found:
        """Work of somebody who judges, in one of a few threads."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._desks, work, *arguments)

    async def made_ready(self, doc: str) -> None:
        """Wait until a long document is read, without a thread that others need."""
        if not self.judging.library.is_quick(doc):
            await asyncio.wrap_future(self.prepared.begin(doc))

    def way_in(self) -> str:
        """A link by which the owner gets in once, where there is no sign-in."""
        person = self.accounts.ensure(self.owner, "organiser")
        return f"{self.address}/enter/{self.accounts.way_in(person)}"

    @property
    def cookie_use(self) -> str:
        """What a cookie must have been made for: one from before accounts were demanded is none."""
        return OPEN if self.owner else ACCOUNT

    @property
    def token_use(self) -> str:
        """What a token must have been made for."""
        return OPEN_TOKEN if self.owner else TOKEN

    async def identify(self, scope: Scope) -> SignedIn | None:
        """Who asks, by a token or else a cookie; looked up once for each request."""
        state = scope.setdefault("state", {})
        if "who" not in state:
            use, secret = self._secret(Headers(scope=scope))
            found = await self.aside(self.accounts.enter, use, secret) if secret else None
            if found is not None and found.use == OPEN:
                # Without sign-in the owner's link is what lets in, under whichever name.
                found = replace(found, person=replace(found.person, role="organiser"))
            state["who"] = found
        who: SignedIn | None = state["who"]
        return who

    def _secret(self, headers: Headers) -> tuple[str, str]:
        """What a request says that lets it in, and for which use."""
        bearer = headers.get("authorization", "")
        if bearer.lower().startswith("bearer "):
            return self.token_use, bearer[7:].strip()
        return self.cookie_use, cookie_parser(headers.get("cookie", "")).get(self.cookie, "")

    def pair(self, topic: str, doc: str) -> int:
        """The number of a pair; a Refused if no run returns it."""
        with self.judging.room.lock:
            found = self.judging.room.state.pair(topic, doc)
        if found < 0:
            raise ActionRefused("unknown", "no run returns that document for that topic")
        return found


def site_of(request: Request) -> Site:
    """The site that this request came to."""
    site: Site = request.app.state.site
    return site


# As dependencies these are coroutines: a plain function would be sent to a thread for each.


async def get_site(request: Request) -> Site:
    """The site that this request came to."""
    return site_of(request)


async def current_user(request: Request) -> SignedIn:
    """Who is asking; a Denied if that is nobody, or a change that a page of ours did not send."""
    found = await site_of(request).identify(request.scope)
    bearer = request.headers.get("authorization", "").lower().startswith("bearer ")
    if found is None:
        raise Denied(401, "this token lets nobody in" if bearer else "sign in first")
    changes = request.method in UNSAFE and not bearer
    if changes and not same(request.headers.get(HEADER, ""), found.csrf):
        raise Denied(403, f"a change needs the header {HEADER} with the token from /api/me")
    return found


async def assessor(request: Request) -> SignedIn:
    """Who is asking, if it is somebody who judges or organises."""
    found = await current_user(request)
    if found.person.role == "group":
        raise Denied(403, "groups see their runs, and judge nothing")
    return found


async def organiser(request: Request) -> SignedIn:
    """Who is asking, if it is an organiser."""
    found = await current_user(request)
    if found.person.role != "organiser":
        raise Denied(403, "only organisers may do that")
    return found


router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
STATIC = files("leadline.app") / "static"
KINDS = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
FILES = {file.name: file.read_bytes() for file in STATIC.iterdir() if file.is_file()}
FILES["certainty.css"] = certainty_css().encode()
_INTERVAL = files("leadline.views") / "static" / "interval.js"
FILES["interval.js"] = _INTERVAL.read_bytes() + b"\nexport { intervalBar };\n"


def page(request: Request, name: str, status: int = 200, **more: Any) -> HTMLResponse:
    """A page made from a template."""
    site = site_of(request)
    project = site.judging.project
    values = {"title": project.title, "version": __version__, "open": bool(site.owner)}
    values |= {"base": site.prefix, "start_from": project.start_from, **more}
    return HTMLResponse(templates.get_template(name).render(values), status)


async def _page_for(request: Request, name: str, only_organisers: bool = False) -> Response:
    """A page for who is in, or where to go first."""
    site = site_of(request)
    who = await site.identify(request.scope)
    if who is None and site.owner:
        return page(request, "refused.html", 403, linked=True)
    if who is None:
        return RedirectResponse(f"{site.prefix}/sign-in", 303)
    if who.person.role == "group" and name != "group.html":
        return RedirectResponse(f"{site.prefix}/group", 303)
    if only_organisers and who.person.role != "organiser":
        return page(request, "refused.html", 403, person=who.person)
    return page(request, name, person=who.person, csrf=who.csrf)


@router.get("/")
async def judge(request: Request) -> Response:
    """Where assessors judge."""
    return await _page_for(request, "judge.html")


@router.get("/list")
async def topic_list(request: Request) -> Response:
    """Where assessors judge all documents of a topic on one page."""
    return await _page_for(request, "list.html")


@router.get("/mine")
async def own(request: Request) -> Response:
    """Where assessors see what they have judged, and change it."""
    return await _page_for(request, "mine.html")


@router.get("/group")
async def group(request: Request) -> Response:
    """Where a group sees its runs."""
    return await _page_for(request, "group.html")


@router.get("/organise")
async def organise(request: Request) -> Response:
    """Where organisers see how it stands."""
    return await _page_for(request, "organise.html", only_organisers=True)


@router.get("/static/{name}")
async def static(name: str) -> Response:
    """Scripts and styles: files of one folder, by name, and what reports have too."""
    found = static_file(name)
    if found is None:
        raise Denied(404, "there is no such file")
    return found


def static_file(name: str) -> Response | None:
    """One of our own files, None if there is none of that name."""
    content = FILES.get(name)
    if content is None:
        return None
    kind = KINDS.get(name.rsplit(".", 1)[-1], "application/octet-stream")
    return Response(content, media_type=kind)


STATIC_PATH = "/static/"


def prefixes(folders: list[Path]) -> list[str]:
    """The path of each project: none if there is one, else the name of its folder.

    >>> prefixes([Path("sea")]), prefixes([Path("a/sea"), Path("b/my lake")])
    ([''], ['/sea', '/my-lake'])
    """
    if len(folders) == 1:
        return [""]
    made = [_prefix(folder.resolve().name) for folder in folders]
    twice = next((each for each in made if made.count(each) > 1 or each == "/static"), None)
    if twice is not None:
        raise ValueError(f"{twice} is taken as the path of a project: rename a folder")
    return made


def _prefix(name: str) -> str:
    fits = (each if each.isascii() and (each.isalnum() or each in "-_.") else "-" for each in name)
    return f"/{''.join(fits).strip('.-') or 'project'}"


class Front:
    """The page that leads to each project, and what pages are made of."""

    def __init__(self, titles: Mapping[str, str]) -> None:
        self.titles = titles

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; there is nothing here that could be changed."""
        if scope["type"] != "http":
            return
        path = scope["path"]
        answer = static_file(path[len(STATIC_PATH) :]) if path.startswith(STATIC_PATH) else None
        if answer is None and path in self.titles:
            answer = RedirectResponse(f"{path}/", 307)
        if answer is None:
            page, known = templates.get_template("projects.html"), path == "/"
            made = page.render(title="Judging", projects=self.titles, known=known)
            answer = HTMLResponse(made, 200 if known else 404)
        await answer(scope, receive, send)


FIRST = "organiser"


def first_invitation(site: Site) -> str | None:
    """A link for the first organiser, as long as no organiser has a password; else None."""
    if site.accounts.has_organiser():
        return None
    return invitation(site.accounts, FIRST, "organiser", site.address)


def invitation(accounts: Accounts, name: str, role: Role, address: str) -> str:
    """A link by which somebody sets a password, whatever was before."""
    person = accounts.welcome(name, role)
    return f"{address}/invitation/{accounts.invite(person)}"
