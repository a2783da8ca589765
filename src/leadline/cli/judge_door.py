"""`leadline judge`: how whoever started it gets in, and how others are told."""

import contextlib
import os
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.cli.output import say

if TYPE_CHECKING:
    from leadline.web.site import Site

WAY_IN = "way-in.txt"


class Doorkeeper:
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
        return f"{what}: the link is in {self.file}, for you alone"

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


def greet(site: "Site", door: Doorkeeper, proxied: bool) -> None:
    """The address, and how whoever started it, or the first organiser, gets in."""
    lines = [f"{site.judging.project.title}: {site.address}"]
    if site.owner:
        link = site.way_in()
        lines.append(door.tell("come in here, once", link))

        def again(next_link: str) -> None:
            sys.stdout.write(f"{door.tell('in another browser', next_link)}\n")
            sys.stdout.flush()

        site.announce = again
    else:
        from leadline.web.invitations import first_invitation

        lines.append(f"for the organiser: {site.address}/organise")
        first = first_invitation(site)
        if first is not None:
            lines.append(door.tell("the first organiser sets a password here", first))
        if not site.secure:
            say(["passwords travel unencrypted: put a proxy with https before it (--address)"])
        elif not proxied:
            say(["all visitors count as one: name the proxy's address (--behind-proxy 127.0.0.1)"])
    lines.append("Ctrl-C ends; every judgment is kept")
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()
    if site.owner:
        door.open(link)
