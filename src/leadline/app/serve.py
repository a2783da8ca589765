"""The app put together, on a socket until it is interrupted, and a test of the proxy before it."""

import asyncio
import gc
import getpass
import ipaddress
import logging
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPSConnection
from http.client import HTTPException as HTTPProblem
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from sqlalchemy.exc import SQLAlchemyError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Mount
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from leadline import __version__
from leadline.app import assessor_api, entrance, group_api, list_api, organiser_api, people_api
from leadline.app import site as site_pages
from leadline.app.accounts import Accounts
from leadline.app.database import NotHeld
from leadline.app.entrance import SELF_TEST
from leadline.app.guard import Guard, Limits, path_of, refusal
from leadline.app.oidc import Provider
from leadline.app.opening import Judging
from leadline.app.room import ActionRefused, Unavailable
from leadline.app.site import Denied, Front, Site
from leadline.io.problems import InputError

STATUS = {"grade": 422, "name": 422, "password": 422, "unknown": 404}
STATUS |= {"setting": 422, "form": 422}
"""Other refusals are conflicts: right in themselves, but not now."""

ROUTERS = (
    assessor_api.router,
    assessor_api.own_router,
    assessor_api.machine_router,
    organiser_api.router,
    people_api.router,
    list_api.router,
    group_api.router,
    group_api.page_router,
    site_pages.router,
    entrance.router,
)
AGAIN = 2.0
"""Seconds after which one may ask again while the database is away."""


def make_app(site: Site) -> FastAPI:
    """The app over a site, without its guard."""
    app = FastAPI(
        title="Leadline judging",
        version=__version__,
        description="Judge documents that decide which run is best. Sign in with a cookie and the "
        "header X-Leadline-CSRF, or with a token as `Authorization: Bearer`.",
        openapi_url=None,
    )
    app.state.site = site
    for router in ROUTERS:
        # Not included as routers: each of those is asked in turn and again for its routes.
        app.router.routes.extend(router.routes)
    for kind in (Denied, ActionRefused, InputError, Unavailable, SQLAlchemyError, NotHeld):
        app.add_exception_handler(kind, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    return app


def _problem(
    request: Request, status: int, message: str, code: str, wait: float | None = None
) -> Response:
    body, headers = refusal(path_of(request.scope), status, message, code, wait)
    return Response(body, status, headers)


def _refused(request: Request, error: Any) -> Response:
    if isinstance(error, Denied):
        return _problem(request, error.status, str(error), "denied", error.wait)
    if isinstance(error, ActionRefused):
        return _problem(request, STATUS.get(error.code, 409), str(error), error.code)
    if isinstance(error, InputError):
        return _problem(request, 422, str(error), "input")
    text = str(error) if isinstance(error, Unavailable) else "the database did not answer"
    return _problem(request, 503, text, "unavailable", AGAIN)


def _invalid(request: Request, error: Any) -> Response:
    # Never what was sent: it may hold what cannot be printed, or what should not be repeated.
    said = [
        f"{'.'.join(map(str, each['loc'][1:])) or each['loc'][0]}: {each['msg']}"
        for each in error.errors()[:5]
    ]
    text = "; ".join(said).encode("utf-8", errors="replace").decode()
    return _problem(request, 422, text, "invalid")


def _http(request: Request, error: Any) -> Response:
    # A body that cannot be read is as little understood as one that says nonsense.
    status = 422 if error.status_code == 400 else error.status_code
    response = _problem(request, status, str(error.detail), "http")
    for name, value in (error.headers or {}).items():
        response.headers[name] = value
    return response


THREADS = 4
QUEUE = 512
"""Connections that the system keeps until they are accepted."""

MOST_CONNECTIONS = 800
"""Beyond so many connections or requests, uvicorn answers 503."""

HEAD_SECONDS, DRAIN_SECONDS = 10.0, 20.0
"""Within which a request must have said what it wants, and its answer must have been taken."""

LOOPBACK = frozenset(["localhost", "127.0.0.1", "::1"])


@dataclass(frozen=True)
class Options:
    """Where to listen, and who may come in.

    `address` is how others reach it where that is not host and port, behind a proxy for instance;
    if it begins with https, cookies are sent by nothing else. `proxy` is the address of the proxy
    whose word is taken for where a request comes from, or several with commas. `oidc` is the issuer
    of an identity provider by which invited people may sign in.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    accounts: bool = False
    address: str = ""
    rate: float = 30.0
    proxy: str = ""
    oidc: str = ""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def address_for(options: Options) -> str:
    """How others reach it."""
    host = f"[{options.host}]" if ":" in options.host else options.host
    return options.address.rstrip("/") or f"http://{host}:{options.port}"


def make_site(judging: Judging, options: Options, prefix: str = "") -> Site:
    """The site: without sign-in only on loopback, and only if accounts are not asked for."""
    accounts = Accounts(judging.database)
    demanded = options.accounts or options.address or options.proxy or options.oidc
    open_ = is_loopback(options.host) and not demanded
    address = f"{address_for(options)}{prefix}"
    return Site(
        judging,
        accounts,
        owner=_owner() if open_ else "",
        cookie=f"leadline_{options.port}",
        secure=address.startswith("https://"),
        address=address,
        prefix=prefix,
        provider=Provider.of(options.oidc) if options.oidc else None,
    )


def _owner() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "me"


def guarded(site: Site, options: Options) -> Guard:
    """The app behind its guard."""
    hosts = LOOPBACK | {urlsplit(site.address).hostname or ""}
    template = site.judging.library.address
    frames = "{0.scheme}://{0.netloc}".format(urlsplit(template)) if template else ""
    limits = Limits(hosts, options.rate, frames, site.secure)
    return Guard(make_app(site), limits, site.identify)


def check_address(address: str) -> None:
    """A ValueError unless it is scheme and host: cookies and pages lie at the host's root."""
    parts = urlsplit(address)
    if address and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise ValueError(f"--address begins with http:// or https://, not {address!r}")
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError(
            f"--address ends after the host, not {address!r}: give the app a host name of its own"
        )


def check_reach(options: Options) -> None:
    """A ValueError if others could reach the server without a proxy, or by no address of theirs."""
    if not is_loopback(options.host) and not (options.proxy and options.address):
        raise ValueError(
            f"--host {options.host} can be reached from other machines: put a buffering proxy "
            "before the server, name its address with --behind-proxy and how people reach it with "
            "--address (docs/how-to/deploy.md)"
        )
    for each in filter(None, options.proxy.split(",")):
        try:
            ipaddress.ip_network(each.strip(), strict=False)
        except ValueError:
            message = f"--behind-proxy is an address such as 127.0.0.1 or 10.0.0.0/8, not {each!r}"
            raise ValueError(message) from None


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; a ValueError if the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, so that answers are not held back until there is more to send.
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen(QUEUE)
    except (OSError, OverflowError) as error:
        found.close()
        raise ValueError(f"cannot listen on {host}, port {port}: {error}") from None
    return found


class Connection(H11Protocol):
    """A connection that is ended when it says nothing, or does not take its answer, for long.

    Beyond this machine a proxy does that, and much more.
    """

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._end_in(HEAD_SECONDS)

    def data_received(self, data: bytes) -> None:
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._end_in(None)
        elif self._timer is None and (self.cycle is None or self.cycle.response_complete):
            # The next request begins, and may take no longer than the first one.
            self._end_in(HEAD_SECONDS)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._end_in(DRAIN_SECONDS)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._end_in(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_in(None)
        super().connection_lost(exc)

    def _end_in(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        abort = self.transport.abort
        self._timer = None if seconds is None else self.loop.call_later(seconds, abort)


class Server(uvicorn.Server):
    """Tells open streams to end before it waits for them."""

    def __init__(self, config: uvicorn.Config, sites: Sequence[Site]) -> None:
        super().__init__(config)
        self.sites = sites

    async def startup(self, sockets: Any = None) -> None:
        """Few threads: they take turns at one room anyway, and more of them only fight."""
        import anyio.to_thread

        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        await super().startup(sockets)

    async def shutdown(self, sockets: Any = None) -> None:
        """Close what is open, then everything."""
        for site in self.sites:
            site.closing.set()
        await super().shutdown(sockets)


def together(sites: Sequence[Site], options: Options) -> ASGIApp:
    """The app of one project, or of several, each behind a guard of its own."""
    guards = {site.prefix: guarded(site, options) for site in sites}
    first = next(iter(guards.values()))
    if len(guards) == 1:
        return first
    titles = {site.prefix: site.judging.project.title for site in sites}
    guards[""] = Guard(Front(titles), first.limits)
    return Starlette(routes=[Mount(prefix, guard) for prefix, guard in guards.items()])


def configured(sites: Sequence[Site], options: Options) -> uvicorn.Config:
    """What uvicorn is told. Only the named proxy is believed where a request comes from."""
    return uvicorn.Config(
        together(sites, options),
        http=Connection,
        limit_concurrency=MOST_CONNECTIONS,
        backlog=QUEUE,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=bool(options.proxy),
        forwarded_allow_ips=options.proxy,
        timeout_graceful_shutdown=3,
        timeout_keep_alive=30,
        ws="none",
    )


def serve(
    opened: Mapping[str, Judging],
    options: Options,
    told: Callable[[Site], None],
    login_link: socket.socket,
) -> None:
    """Answer for each project under its path until interrupted.

    `told` is called with each when the first request can be answered.
    """
    sites = [make_site(judging, options, prefix) for prefix, judging in opened.items()]
    config = configured(sites, options)
    # A line for each malformed request would fill a disk.
    logging.getLogger("uvicorn.error").addFilter(lambda record: record.levelno > logging.WARNING)
    with ExitStack() as stack:
        for judging in opened.values():
            stack.enter_context(closing(judging))
        stack.enter_context(closing(login_link))
        for site in sites:
            site.judging.database.record_address(site.address)
            told(site)
        sys.stdout.flush()
        # Forecasts are made in threads beside; a request waits no longer than this for its turn.
        sys.setswitchinterval(0.0005)
        # What is loaded stays: to look through all of it for garbage would hold everybody up.
        gc.collect()
        gc.freeze()
        Server(config, sites).run(sockets=[login_link])


SLOW_SECONDS = 3.0
"""For how long half a body is held back: the server says how much of that it has seen."""


def check_buffering(address: str, seconds: float = SLOW_SECONDS) -> str:
    """Send a slow body through the proxy; a ValueError if the server had to wait for its end."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{address}: is no address such as https://judge.example.org")
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    with closing(kind(parts.netloc, timeout=10)) as connection:
        try:
            connection.putrequest("POST", f"{parts.path.rstrip('/')}{SELF_TEST}")
            connection.putheader("Content-Length", "1000")
            connection.endheaders(b"x" * 500)
            time.sleep(seconds)
            connection.send(b"x" * 500)
            answer = connection.getresponse()
            waited = float(answer.read(20)) if answer.status == 200 else None
        except (OSError, HTTPProblem, ValueError) as error:
            raise ValueError(f"{address}: does not answer: {error}") from None
    if waited is None:
        raise ValueError(f"{address}: this is no judging app, it answers {answer.status}")
    if waited > seconds / 2:
        raise ValueError(
            f"{address}: the server waited {waited:.1f} seconds for the body: the proxy does not "
            "buffer requests, so slow clients reach the server. See docs/how-to/deploy.md"
        )
    return f"{address}: the proxy holds bodies back until they are complete"
