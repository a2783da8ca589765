"""Behind nginx and Caddy with the configurations that the documentation gives."""

import json
import socket
from collections.abc import Iterator

import httpx
import pytest

from benchmarks.proxy import CADDY, NGINX, caddy, nginx
from leadline.app.opening import demo_project
from leadline.app.serve import check_buffering
from tests.app.fort import accept
from tests.app.server import Server, free_port, serving
from tests.app.visitors import judge

HAS_NGINX = pytest.mark.skipif(NGINX is None, reason="needs nginx: apt-get install nginx-light")
HAS_CADDY = pytest.mark.skipif(CADDY is None, reason="needs caddy: apt-get install caddy")
PROXIES = [
    pytest.param(nginx, marks=HAS_NGINX, id="nginx"),
    pytest.param(caddy, marks=HAS_CADDY, id="caddy"),
]


@pytest.fixture(params=PROXIES, scope="module")
def fronted(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Server, str]]:
    tmp_path = tmp_path_factory.mktemp("proxy")
    port = free_port()
    options = ("--accounts", "--address", f"http://localhost:{port}", "--behind-proxy", "127.0.0.1")
    with serving(demo_project(tmp_path / "sea"), *options) as server:
        inner = int(server.address.rsplit(":", 1)[1])
        with request.param(tmp_path / "proxy", port, inner) as address:
            yield server, address


def test_judging_watching_and_importing_through_a_proxy(fronted: tuple[Server, str]) -> None:
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
    # nginx passes it on to the app, which refuses it; Caddy has an empty page for other names.
    assert wrong.status_code == 421 or not wrong.content
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


def test_the_self_test_tells_a_proxy_that_buffers_from_none(fronted: tuple[Server, str]) -> None:
    server, address = fronted
    assert "until they are complete" in check_buffering(address, seconds=1.0)
    with pytest.raises(ValueError, match="does not buffer"):
        check_buffering(server.address, seconds=1.0)
    with pytest.raises(ValueError, match="no judging app, it answers 404"):
        check_buffering(f"{address}/elsewhere", seconds=1.0)
    with pytest.raises(ValueError, match="does not answer"):
        check_buffering(f"http://127.0.0.1:{free_port()}")
    with pytest.raises(ValueError, match="is no address"):
        check_buffering("judge.example.org")
