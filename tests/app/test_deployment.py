"""The deployment page played on one machine: nginx with TLS, PostgreSQL, OpenID, backups."""

import shutil
import ssl
import subprocess
from pathlib import Path

import httpx
import pytest

from benchmarks.proxy import NGINX, nginx
from leadline.app.oidc import CLIENT, SECRET
from leadline.app.opening import demo_project
from leadline.app.serve import check_buffering
from tests.app.fort import accept, closing_server
from tests.app.postgres import Postgres, can_run_postgres
from tests.app.server import free_port, start
from tests.app.test_oidc import PROVEN, IdentityProvider, running
from tests.app.visitors import judge
from tests.cli.program import call, good

NEEDED = NGINX is not None and can_run_postgres() and shutil.which("openssl") is not None


def certificate(folder: Path) -> tuple[Path, Path]:
    """Return a certificate for localhost that nobody has signed, and its key."""
    made, key = folder / "fullchain.pem", folder / "privkey.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"),
            *("-keyout", str(key), "-out", str(made)),
        ],
        check=True,
        capture_output=True,
    )
    return made, key


@pytest.mark.skipif(not NEEDED, reason="needs nginx, a PostgreSQL server and openssl")
def test_a_deployment_from_the_first_link_to_an_upgrade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, restored = demo_project(tmp_path / "campaign"), tmp_path / "restored"
    front, port = free_port(), free_port()
    address = f"https://localhost:{front}"
    signed = certificate(tmp_path)
    trusting = ssl.create_default_context(cafile=str(signed[0]))
    monkeypatch.setenv("SSL_CERT_FILE", str(signed[0]))
    monkeypatch.setenv(CLIENT, "leadline")
    monkeypatch.setenv(SECRET, "a secret")
    provider = IdentityProvider(f"http://127.0.0.1:{free_port()}", dict(PROVEN))
    with (
        Postgres() as databases,
        nginx(tmp_path / "nginx", front, port, signed),
        running(provider),
    ):
        stored = ("--database", databases.database("judging"))
        options = (*stored, "--no-browser", "--address", address, "--behind-proxy", "127.0.0.1")
        options = (*options, "--oidc", provider.issuer)
        with closing_server(start(folder, *options, port=port)) as server:
            link = server.link()
            assert link.startswith(address)
            assert "until they are complete" in check_buffering(address, seconds=0.5)
            boss = accept(address, link, "a long password", verify=trusting)
            invited = boss.post("/api/people", json={"name": "ann@example.org"}).json()
            ann = accept(address, invited["link"], "another password", verify=trusting)
            assert {cookie.secure for cookie in ann.cookies.jar} == {True}
            with httpx.Client(base_url=address, verify=trusting, follow_redirects=True) as proven:
                assert proven.get("/oidc").status_code == 200
                assert proven.get("/api/me").json()["name"] == "ann@example.org"
            judged = [judge(ann, grade) for grade in (1, 0)]
            good(call("judge", folder, *stored, "--backup", tmp_path / "kept.gz"))
            judged.append(judge(ann, 1))
            good(call("judge", folder, *stored, "--check"))
        elsewhere = ("--database", databases.database("restored"))
        good(call("judge", restored, *elsewhere, "--restore", tmp_path / "kept.gz"))
        assert (
            "2 entries, each as it was written"
            in good(call("judge", restored, *elsewhere, "--check")).err
        )
        # An upgrade is a stop and a start: people stay signed in, and nothing is lost.
        with closing_server(start(folder, *options, port=port)):
            mine = ann.get("/api/mine").json()["judgments"]
            assert [{"topic": e["topic"], "doc": e["doc"]} for e in mine] == judged[::-1]
            judge(ann, 0)
            assert boss.get("/api/standing").json()["judged"] == 4
            ann.close()
            boss.close()
