"""Behind nginx with the configuration that the documentation gives."""

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from leadline.verbs.judge import demo_project
from tests.web.fort import accept
from tests.web.server import Server, free_port, serving
from tests.web.visitors import judge

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
pytestmark = pytest.mark.skipif(NGINX is None, reason="needs nginx: apt-get install nginx-light")
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "judge.md"
AROUND = """{user}daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 2048; }}
http {{
  access_log off;
  {temporary}
  {server}
}}
"""


def documented(port: int, inner: int) -> str:
    """The server block of the page, without the certificate that nobody has here."""
    found = re.search(
        r"^server \{.*?^\}", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert found is not None
    changes = {
        "listen 443 ssl": f"listen 127.0.0.1:{port}",
        "judge.example.org": "localhost",
        "127.0.0.1:8000": f"127.0.0.1:{inner}",
    }
    text = found[0]
    for what, instead in changes.items():
        assert what in text
        text = text.replace(what, instead)
    return text


@contextlib.contextmanager
def nginx(folder: Path, port: int, inner: int) -> Iterator[str]:
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


@pytest.fixture
def fronted(tmp_path: Path) -> Iterator[tuple[Server, str]]:
    port = free_port()
    options = ("--accounts", "--address", f"http://localhost:{port}", "--behind-proxy", "127.0.0.1")
    with serving(demo_project(tmp_path / "sea"), *options) as server:
        inner = int(server.address.rsplit(":", 1)[1])
        with nginx(tmp_path / "nginx", port, inner) as address:
            yield server, address


def test_judging_watching_and_importing_through_nginx(fronted: tuple[Server, str]) -> None:
    server, address = fronted
    link = server.link()
    assert link.startswith(address)
    boss = accept(address, link, "a long password")
    made = boss.post("/api/people", json={"name": "ann"}).json()
    ann = accept(address, made["link"], "another password")
    with boss.stream("GET", "/api/events") as stream:
        lines = (line for line in stream.iter_lines() if line.startswith("data:"))
        first = json.loads(next(lines)[5:])
        judge(ann, 1)
        # Held back it would not come while the stream is open.
        then = json.loads(next(lines)[5:])
        assert then["judged"] == first["judged"] + 1
    found = judge(ann, 0)
    padding = "# a comment that makes it long\n" * 50_000
    text = f"{padding}{found['topic']} 0 {found['doc']} 1\n"
    answer = boss.post(
        "/api/import/file?format=qrels&by=old",
        content=text.encode(),
        headers={"Content-Type": "text/plain"},
    )
    assert (answer.status_code, answer.json()["added"]) == (200, 1), answer.text
    wrong = httpx.get(address, headers={"Host": "evil.example"})
    assert wrong.status_code == 421
    boss.close()
    ann.close()


def test_visitors_count_by_their_own_addresses_and_half_open_ones_stop_nobody(
    fronted: tuple[Server, str],
) -> None:
    _, address = fronted
    port = int(address.rsplit(":", 1)[1])

    def from_there(place: str) -> httpx.Client:
        return httpx.Client(
            base_url=f"http://127.0.0.1:{port}",
            transport=httpx.HTTPTransport(local_address=place),
            timeout=30,
            headers={"Host": f"localhost:{port}"},
        )

    held = []
    for _ in range(300):
        one = socket.create_connection(("127.0.0.1", port), 10)
        one.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        held.append(one)
    with from_there("127.0.0.2") as many, from_there("127.0.0.3") as another:
        forged = {"X-Forwarded-For": "127.0.0.3"}
        answers = [many.get("/sign-in", headers=forged).status_code for _ in range(150)]
        assert answers[0] == 200
        assert 429 in answers
        assert another.get("/sign-in").status_code == 200
    for one in held:
        one.close()
