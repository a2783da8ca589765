"""Sign-in by an identity provider (OpenID Connect), beside invitations; needs leadline[oidc].

Authorization code flow with PKCE, state and nonce. The provider proves an e-mail address; only
somebody whom an organiser has invited under that address as a name is let in.
"""

import os
import secrets
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

CLIENT, SECRET = "LEADLINE_OIDC_CLIENT", "LEADLINE_OIDC_SECRET"
"""Environment variables: a secret on a command line is seen by everybody on the machine."""

ALGORITHMS = ["RS256", "ES256", "PS256", "EdDSA"]
LEEWAY = 60
"""Seconds that the clocks of the provider and of this machine may differ."""


class NotProven(Exception):
    """The provider's answer lets nobody in; the message says why."""


@dataclass(frozen=True)
class Started:
    """What a browser keeps in a cookie between leaving for the provider and coming back."""

    state: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    nonce: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))

    def __str__(self) -> str:
        return f"{self.state}.{self.nonce}.{self.verifier}"

    @classmethod
    def of(cls, text: str) -> "Started | None":
        """From the text of a cookie, None if it is none."""
        parts = text.split(".")
        return cls(*parts) if len(parts) == 3 and all(parts) else None


@dataclass(frozen=True)
class Provider:
    """An identity provider by its issuer, and who we are there."""

    issuer: str
    client: str
    secret: str

    @classmethod
    def of(cls, issuer: str) -> "Provider":
        """With client and secret from the environment; a ValueError if something is missing."""
        from importlib.util import find_spec

        if find_spec("authlib") is None or find_spec("httpx2") is None:
            raise ValueError("--oidc needs authlib: pip install 'leadline[oidc]'")
        parts = urlsplit(issuer)
        local = parts.hostname in ("localhost", "127.0.0.1", "::1")
        if not parts.hostname or (parts.scheme != "https" and not local):
            raise ValueError(f"--oidc is the provider's issuer, https://..., not {issuer!r}")
        missing = [name for name in (CLIENT, SECRET) if not os.environ.get(name)]
        if missing:
            raise ValueError(f"--oidc needs the environment variable {missing[0]}")
        return cls(issuer.rstrip("/"), os.environ[CLIENT], os.environ[SECRET])

    async def leave(self, started: Started, back: str) -> str:
        """The address at the provider to prove who one is; a NotProven if it is away."""
        from httpx2 import HTTPError

        async with self._session(back) as session:
            try:
                known = await self._configuration(session)
            except (HTTPError, ValueError) as error:
                raise NotProven(
                    f"the identity provider does not answer ({type(error).__name__})"
                ) from None
            url, _ = session.create_authorization_url(
                known["authorization_endpoint"],
                state=started.state,
                nonce=started.nonce,
                code_verifier=started.verifier,
            )
        return str(url)

    async def email(self, started: Started, back: str, code: str) -> str:
        """The address that the provider proves; a NotProven if it proves none."""
        from authlib.common.errors import AuthlibBaseError
        from httpx2 import HTTPError
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        try:
            async with self._session(back) as session:
                known = await self._configuration(session)
                token = await session.fetch_token(
                    known["token_endpoint"], code=code, code_verifier=started.verifier
                )
                keys = await session.request("GET", known["jwks_uri"], withhold_token=True)
            found = jwt.decode(token["id_token"], KeySet.import_key_set(keys.json()), ALGORITHMS)
            rules: dict[str, Any] = {"iss": self.issuer, "aud": self.client, "nonce": started.nonce}
            wanted: dict[str, Any] = {
                name: {"essential": True, "value": value} for name, value in rules.items()
            }
            times: dict[str, Any] = {"exp": {"essential": True}, "iat": {"essential": True}}
            jwt.JWTClaimsRegistry(leeway=LEEWAY, **wanted, **times).validate(found.claims)
        except (HTTPError, AuthlibBaseError, JoseError, KeyError, ValueError) as error:
            raise NotProven(
                f"the identity provider's answer is not valid ({type(error).__name__})"
            ) from None
        email = found.claims.get("email")
        if not isinstance(email, str) or found.claims.get("email_verified") is not True:
            raise NotProven("the identity provider does not vouch for an e-mail address")
        return email.strip().lower()

    def _session(self, back: str) -> Any:
        from authlib.integrations.httpx_client import AsyncOAuth2Client

        return AsyncOAuth2Client(
            self.client,
            self.secret,
            scope="openid email",
            redirect_uri=back,
            code_challenge_method="S256",
            timeout=10,
        )

    async def _configuration(self, session: Any) -> dict[str, Any]:
        where = f"{self.issuer}/.well-known/openid-configuration"
        answer = await session.request("GET", where, withhold_token=True)
        answer.raise_for_status()
        known: dict[str, Any] = answer.json()
        if known.get("issuer", "").rstrip("/") != self.issuer:
            raise ValueError("issuer")
        return known
