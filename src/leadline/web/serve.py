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

from leadline.verbs.judge import Judging
from leadline.web.accounts import Accounts
from leadline.web.app import make_app
from leadline.web.connections import Connections, FewLines, most_connections, protocol
from leadline.web.doorway import let_in
from leadline.web.guard import Guard, Limits
from leadline.web.projects import Front, Projects
from leadline.web.site import Site

THREADS = 4
QUEUE = 512
"""Connections that the system keeps until they are let in."""

LOOPBACK = frozenset(["localhost", "127.0.0.1", "[::1]"])


@dataclass(frozen=True)
class Options:
    """Where to listen, and who may come in.

    `address` is how others reach it where that is not host and port, behind a proxy for instance;
    if it begins with https, cookies are sent by nothing else. `proxy` is the address of the proxy
    whose word is taken for where a request comes from, or several with commas.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    accounts: bool = False
    address: str = ""
    rate: float = 30.0
    proxy: str = ""


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
    open_ = is_loopback(options.host) and not options.accounts and not options.address
    address = f"{address_for(options)}{prefix}"
    return Site(
        judging,
        accounts,
        owner=_owner() if open_ else "",
        cookie=f"leadline_{options.port}",
        secure=address.startswith("https://"),
        address=address,
        prefix=prefix,
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
        burst=3 * options.rate,
        frames=frames,
        secure=site.secure,
    )
    return Guard(make_app(site), limits, site.known_name)


def behind(guard: ASGIApp, proxy: str) -> ASGIApp:
    """The guard behind a proxy that is named; of no other a forwarding header is believed."""
    if not proxy:
        return guard
    made: Any = ProxyHeadersMiddleware(guard, proxy)  # type: ignore[arg-type]
    return made  # type: ignore[no-any-return]


def check_proxy(proxy: str) -> None:
    """A ValueError if it names no address."""
    for each in filter(None, proxy.split(",")):
        try:
            ipaddress.ip_network(each.strip(), strict=False)
        except ValueError:
            message = f"--proxy is an address such as 127.0.0.1 or 10.0.0.0/8, not {each!r}"
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


class Server(uvicorn.Server):
    """Tells open streams to end before it waits for them."""

    def __init__(self, config: uvicorn.Config, sites: Sequence[Site], held: Connections) -> None:
        super().__init__(config)
        self.sites, self.held = sites, held
        self._letting_in: list[asyncio.Task[None]] = []

    async def startup(self, sockets: Any = None) -> None:
        """Few threads: they take turns at one room anyway, and more of them only fight."""
        import anyio.to_thread

        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        await super().startup([])
        for door in sockets:
            self._letting_in.append(asyncio.create_task(let_in(door, self._connection, self.held)))

    def _connection(self) -> asyncio.BaseProtocol:
        made: Any = self.config.http_protocol_class
        state = self.lifespan.state
        return made(config=self.config, server_state=self.server_state, app_state=state)  # type: ignore[no-any-return]

    async def shutdown(self, sockets: Any = None) -> None:
        """Close what is open, then everything."""
        for site in self.sites:
            site.closing.set()
        for task in self._letting_in:
            task.cancel()
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
    held = Connections(most_connections())
    config = uvicorn.Config(
        together(sites, options),
        http=protocol(held),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=3,
        timeout_keep_alive=30,
        ws="none",
    )
    few = FewLines()
    for name in ("uvicorn.error", "asyncio", "leadline.web.prepared", "leadline.web.doorway"):
        logging.getLogger(name).addFilter(few)
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
        Server(config, sites, held).run(sockets=[door])
