"""nginx or Caddy before a judging server, with the configuration of the deployment page."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
CADDY = shutil.which("caddy")
PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "deploy.md"
AROUND = """{user}daemon off;
worker_rlimit_nofile 8192;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  {temporary}
  {server}
}}
"""


def documented(kind: str, changes: dict[str, str]) -> str:
    """Return the page's configuration for a proxy, with these replacements, each of which fits."""
    block = rf"^```{kind}\n(.*?)^```"
    found = re.search(block, PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert found is not None
    text = found[1]
    for what, instead in changes.items():
        text, n = re.subn(what, instead, text, flags=re.MULTILINE)
        assert n, what
    return text


@contextlib.contextmanager
def nginx(
    folder: Path, port: int, inner: int, certificate: tuple[Path, Path] | None = None
) -> Iterator[str]:
    """Run nginx on a port before the server on the inner one; yield its address.

    With a certificate and its key the address is https; without one the lines on TLS are left out.
    """
    folder.mkdir()
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "\n  ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    # Its workers would be somebody to whom this folder is closed.
    user = "user root;\n" if os.geteuid() == 0 else ""
    changes = {"listen 443": f"listen 127.0.0.1:{port}", "127.0.0.1:8000": f"127.0.0.1:{inner}"}
    if certificate is None:
        changes |= {r" ssl;": ";", r"^ *ssl_certificate.*\n": ""}
    else:
        changes |= {r"/etc/\S*/fullchain.pem": str(certificate[0])}
        changes |= {r"/etc/\S*/privkey.pem": str(certificate[1])}
    server = documented("nginx", changes | {"judge.example.org": "localhost"})
    settings = AROUND.format(user=user, folder=folder, temporary=temporary, server=server)
    (folder / "nginx.conf").write_text(settings)
    assert NGINX is not None
    with _running(port, NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")):
        yield f"{'http' if certificate is None else 'https'}://localhost:{port}"


@contextlib.contextmanager
def caddy(folder: Path, port: int, inner: int) -> Iterator[str]:
    """Run Caddy in the same way, without TLS, for which it would ask the internet."""
    folder.mkdir()
    changes = {
        "judge.example.org": f"http://localhost:{port}",
        "127.0.0.1:8000": f"127.0.0.1:{inner}",
    }
    (folder / "Caddyfile").write_text("{\n  admin off\n}\n" + documented("caddy", changes))
    assert CADDY is not None
    command = (CADDY, "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile"))
    with _running(port, *command, XDG_DATA_HOME=str(folder), XDG_CONFIG_HOME=str(folder)):
        yield f"http://localhost:{port}"


@contextlib.contextmanager
def _running(port: int, *command: str, **more: str) -> Iterator[None]:
    running = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=os.environ | more)
    try:
        end = time.monotonic() + 30
        while time.monotonic() < end:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            time.sleep(0.05)
        yield
    finally:
        running.terminate()
        running.wait(20)
