"""Sign-in by an identity provider: a real server, and a provider on this machine."""

import contextlib
import json
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import httpx
import pytest
import uvicorn
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from leadline.app.oidc import CLIENT, SECRET, Provider
from leadline.app.opening import demo_project
from tests.app.fort import accept
from tests.app.server import Server, free_port, serving


@dataclass
class IdentityProvider:
    """Says of everybody who comes what `claims` say; `spoil` changes what it signs."""

    issuer: str
    claims: dict[str, Any] = field(default_factory=dict)
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "one"}))
    signs_with: RSAKey | None = None
    asked: dict[str, dict[str, str]] = field(default_factory=dict)

    def app(self) -> Starlette:
        routes = [
            Route("/.well-known/openid-configuration", self.configuration),
            Route("/authorize", self.authorize),
            Route("/token", self.token, methods=["POST"]),
            Route("/keys", self.keys),
        ]
        return Starlette(routes=routes)

    async def configuration(self, request: Request) -> Response:
        names = {"authorization_endpoint": "authorize", "token_endpoint": "token"}
        told = {name: f"{self.issuer}/{path}" for name, path in names.items()}
        return JSONResponse({"issuer": self.issuer, "jwks_uri": f"{self.issuer}/keys", **told})

    async def authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        assert asked["code_challenge_method"] == "S256"
        code = f"code-{len(self.asked)}"
        self.asked[code] = asked
        return RedirectResponse(f"{asked['redirect_uri']}?code={code}&state={asked['state']}")

    async def token(self, request: Request) -> Response:
        from authlib.oauth2.rfc7636 import create_s256_code_challenge

        form = {key: value[0] for key, value in parse_qs((await request.body()).decode()).items()}
        asked = self.asked.pop(form["code"])
        if create_s256_code_challenge(form["code_verifier"]) != asked["code_challenge"]:
            return JSONResponse({"error": "invalid_grant"}, 400)
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "sub": "1",
            "aud": asked["client_id"],
            "nonce": asked["nonce"],
            "iat": now,
            "exp": now + 300,
            **self.claims,
        }
        signed = jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.signs_with or self.key)
        return JSONResponse({"access_token": "x", "token_type": "Bearer", "id_token": signed})

    async def keys(self, request: Request) -> Response:
        return JSONResponse(json.loads(json.dumps(KeySet([self.key]).as_dict(private=False))))


@contextlib.contextmanager
def running(provider: IdentityProvider) -> Iterator[None]:
    port = urlsplit(provider.issuer).port
    server = uvicorn.Server(uvicorn.Config(provider.app(), port=port or 0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(10)


@pytest.fixture(scope="module")
def provider() -> Iterator[IdentityProvider]:
    made = IdentityProvider(f"http://127.0.0.1:{free_port()}")
    with running(made):
        yield made


@pytest.fixture(scope="module")
def server(
    provider: IdentityProvider, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder = demo_project(tmp_path_factory.mktemp("oidc") / "sea")
    os.environ[CLIENT], os.environ[SECRET] = "leadline", "a secret"
    try:
        with serving(folder, "--oidc", provider.issuer) as found:
            organiser = accept(found.address, found.link(), "a long password")
            organiser.post("/api/people", json={"name": "ann@example.org"})
            organiser.post("/api/people", json={"name": "gone@example.org"})
            organiser.post("/api/people/close", json={"name": "gone@example.org"})
            yield found
            organiser.close()
    finally:
        del os.environ[CLIENT], os.environ[SECRET]


PROVEN = {"email": "Ann@Example.org", "email_verified": True}


@contextlib.contextmanager
def come(server: Server) -> Iterator[tuple[httpx.Client, httpx.Response]]:
    """A browser that goes to the provider and comes back."""
    with httpx.Client(base_url=server.address, timeout=30, follow_redirects=True) as client:
        yield client, client.get("/oidc")


def test_who_is_proven_and_invited_is_let_in(server: Server, provider: IdentityProvider) -> None:
    provider.claims = dict(PROVEN)
    with come(server) as (client, answer):
        assert answer.status_code == 200, answer.text
        assert client.get("/api/me").json()["name"] == "ann@example.org"
    assert "your organisation" in httpx.get(f"{server.address}/sign-in").text


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ({"email": "eve@example.org", "email_verified": True}, "is not invited"),
        ({"email": "gone@example.org", "email_verified": True}, "is not invited"),
        ({"email": "ann@example.org"}, "does not vouch"),
        ({"email": "ann@example.org", "email_verified": "true"}, "does not vouch"),
        ({**PROVEN, "aud": "another client"}, "is not valid"),
        ({**PROVEN, "aud": "another client", "azp": "leadline"}, "is not valid"),
        ({**PROVEN, "iss": "https://other.example"}, "is not valid"),
        ({**PROVEN, "nonce": "old"}, "is not valid"),
        ({**PROVEN, "exp": 1}, "is not valid"),
    ],
)
def test_nobody_else_is(
    server: Server, provider: IdentityProvider, claims: dict[str, Any], said: str
) -> None:
    provider.claims = claims
    with come(server) as (client, answer):
        assert answer.status_code == 403
        assert said in answer.text
        assert client.get("/api/me").status_code == 401


def test_a_token_that_another_signed_is_none(server: Server, provider: IdentityProvider) -> None:
    provider.claims, provider.signs_with = dict(PROVEN), RSAKey.generate_key(2048, {"kid": "one"})
    try:
        with come(server) as (_, answer):
            assert answer.status_code == 403
    finally:
        provider.signs_with = None


def test_an_answer_that_nobody_asked_for_is_refused(server: Server) -> None:
    for path in ("/oidc/back", "/oidc/back?state=x&code=code-0"):
        assert httpx.get(f"{server.address}{path}").status_code == 403
    with httpx.Client(base_url=server.address) as client:
        for kept in ("", "x", "7", "[]", '{"_state_leadline_x": 7}', '{"_state_leadline_x": {}}'):
            client.cookies.set("leadline_oidc", quote(kept))
            assert client.get("/oidc/back?state=x&code=code-0").status_code == 403, kept


def test_the_answer_to_another_browsers_question_is_refused(
    server: Server, provider: IdentityProvider
) -> None:
    provider.claims = dict(PROVEN)
    with httpx.Client(base_url=server.address) as mallory, come(server) as (ann, _):
        asked = mallory.get(mallory.get("/oidc").headers["location"]).headers["location"]
        ann.cookies.clear()
        assert ann.get("/oidc", follow_redirects=False).status_code == 303
        assert ann.get(asked).status_code == 403
    [code] = parse_qs(urlsplit(asked).query)["code"]
    assert code in provider.asked, "the provider is not even asked about it"


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (CLIENT, SECRET):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ValueError, match=CLIENT):
        Provider.of("https://id.example.org")
    monkeypatch.setenv(CLIENT, "leadline")
    with pytest.raises(ValueError, match=SECRET):
        Provider.of("https://id.example.org")
    monkeypatch.setenv(SECRET, "s")
    with pytest.raises(ValueError, match="issuer, https"):
        Provider.of("http://id.example.org")
    assert Provider.of("https://id.example.org/").issuer == "https://id.example.org"


def test_a_provider_that_is_away_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CLIENT, "leadline")
    monkeypatch.setenv(SECRET, "s")
    away = f"http://127.0.0.1:{free_port()}"
    with serving(demo_project(tmp_path / "sea"), "--oidc", away) as found:
        answer = httpx.get(f"{found.address}/oidc")
        assert answer.status_code == 503
        assert "does not answer" in answer.text
