"""The app on a socket, until it is interrupted."""

import asyncio
import gc
import getpass
import ipaddress
import logging
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from starlette.types import ASGIApp
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.h11_impl import H11Protocol

from leadline.verbs.judge import Judging
from leadline.web.accounts import Accounts
from leadline.web.app import make_app
from leadline.web.guard import Guard, Limits
from leadline.web.oidc import Provider
from leadline.web.projects import Front, Projects
from leadline.web.site import Site

THREADS = 4
QUEUE = 512
"""Connections that the system keeps until they are accepted."""

MOST_CONNECTIONS = 800
"""Beyond so many connections or requests, uvicorn answers 503."""

HEAD_SECONDS, DRAIN_SECONDS = 10.0, 20.0
"""Within which a request must have said what it wants, and its answer must have been taken."""

LOOPBACK = frozenset(["localhost", "127.0.0.1", "[::1]"])


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
    return options.address.rstrip("/") or f"http://{_shown(options.host)}:{options.port}"


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


def _shown(host: str) -> str:
    if host in ("0.0.0.0", "::"):
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


def guarded(site: Site, options: Options) -> Guard:
    """The app behind its guard."""
    hosts = set(LOOPBACK)
    if not site.owner:
        named = urlsplit(site.address).hostname or ""
        hosts |= {options.host, named, socket.gethostname().lower()}
        if options.host in ("0.0.0.0", "::") and not options.address:
            # Whatever name leads here: everybody signs in, so no other site can pass for one.
            hosts.add("*")
    template = site.judging.library.address
    frames = "{0.scheme}://{0.netloc}".format(urlsplit(template)) if template else ""
    limits = Limits(
        frozenset(hosts),
        rate=options.rate,
        frames=frames,
        secure=site.secure,
    )
    return Guard(make_app(site), limits, site.identify)


def behind(guard: ASGIApp, proxy: str) -> ASGIApp:
    """The guard behind a proxy that is named; of no other a forwarding header is believed."""
    if not proxy:
        return guard
    made: Any = ProxyHeadersMiddleware(guard, proxy)  # type: ignore[arg-type]
    return made  # type: ignore[no-any-return]


def check_reach(options: Options) -> None:
    """A ValueError if others could reach the server without a proxy, or it names no address."""
    if not is_loopback(options.host) and not options.proxy:
        raise ValueError(
            f"--host {options.host} can be reached from other machines: put a buffering proxy "
            "before the server and name its address with --behind-proxy (docs/how-to/deploy.md)"
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
    if len(guards) == 1:
        return behind(next(iter(guards.values())), options.proxy)
    limits = next(iter(guards.values())).limits
    titles = {site.prefix: site.judging.project.title for site in sites}
    return behind(Projects(guards, Guard(Front(titles), limits)), options.proxy)


def serve(
    opened: Mapping[str, Judging],
    options: Options,
    told: Callable[[Site], None],
    door: socket.socket,
) -> None:
    """Answer for each project under its path until interrupted.

    `told` is called with each when the first request can be answered.
    """
    sites = [make_site(judging, options, prefix) for prefix, judging in opened.items()]
    config = uvicorn.Config(
        together(sites, options),
        http=Connection,
        limit_concurrency=MOST_CONNECTIONS,
        backlog=QUEUE,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=3,
        timeout_keep_alive=30,
        ws="none",
    )
    # A line for each malformed request would fill a disk.
    logging.getLogger("uvicorn.error").addFilter(lambda record: record.levelno > logging.WARNING)
    with ExitStack() as stack:
        for judging in opened.values():
            stack.enter_context(closing(judging))
        stack.enter_context(closing(door))
        for site in sites:
            site.judging.database.record_address(site.address)
            told(site)
        sys.stdout.flush()
        # Forecasts are made in threads beside; a request waits no longer than this for its turn.
        sys.setswitchinterval(0.0005)
        # What is loaded stays: to look through all of it for garbage would hold everybody up.
        gc.collect()
        gc.freeze()
        Server(config, sites).run(sockets=[door])
