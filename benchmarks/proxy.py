"""nginx before a judging server, with the configuration that the deployment page gives."""

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


def documented(port: int, inner: int) -> str:
    """The page's configuration, without the certificate that nobody has here."""
    found = re.search(r"^```nginx\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert found is not None
    changes = {
        "listen 443 ssl": f"listen 127.0.0.1:{port}",
        "judge.example.org": "localhost",
        "127.0.0.1:8000": f"127.0.0.1:{inner}",
    }
    text = re.sub(r"^ *ssl_certificate.*\n", "", found[1], flags=re.MULTILINE)
    for what, instead in changes.items():
        assert what in text
        text = text.replace(what, instead)
    return text


@contextlib.contextmanager
def nginx(folder: Path, port: int, inner: int) -> Iterator[str]:
    """nginx on a port, before the server on the inner one; its address."""
    folder.mkdir()
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "\n  ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    # Its workers would be somebody to whom this folder is closed.
    user = "user root;\n" if os.geteuid() == 0 else ""
    server = documented(port, inner)
    settings = AROUND.format(user=user, folder=folder, temporary=temporary, server=server)
    (folder / "nginx.conf").write_text(settings)
    assert NGINX is not None
    running = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")])
    try:
        end = time.monotonic() + 30
        while time.monotonic() < end:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            time.sleep(0.05)
        yield f"http://localhost:{port}"
    finally:
        running.terminate()
        running.wait(20)
