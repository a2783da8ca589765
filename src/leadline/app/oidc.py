"""Sign-in by an identity provider (OpenID Connect), beside invitations; needs leadline[oidc].

Authlib does the authorization code flow with PKCE, state and nonce. The provider proves an e-mail
address; only somebody whom an organiser has invited under that address as a name is let in.
"""

import json
import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from starlette.requests import Request

CLIENT, SECRET = "LEADLINE_OIDC_CLIENT", "LEADLINE_OIDC_SECRET"
"""Environment variables: a secret on a command line is seen by everybody on the machine."""

LEEWAY = 60
"""Seconds that the clocks of the provider and of this machine may differ."""

ODD = (AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What Authlib raises where the provider sent, or the browser kept, something of another shape."""


class NotProven(Exception):
    """The provider's answer lets nobody in; the message says why."""


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

    @cached_property
    def _flow(self) -> Any:
        from authlib.integrations.starlette_client import OAuth

        settings = {"scope": "openid email", "code_challenge_method": "S256", "timeout": 10}
        return OAuth().register(
            "leadline",
            client_id=self.client,
            client_secret=self.secret,
            server_metadata_url=f"{self.issuer}/.well-known/openid-configuration",
            client_kwargs=settings,
        )

    async def leave(self, request: Request, back: str) -> tuple[str, str]:
        """The address to prove who one is, and what the browser keeps; a NotProven if away."""
        from httpx2 import HTTPError

        request.scope["session"] = {}
        try:
            response = await self._flow.authorize_redirect(request, back)
        except (HTTPError, RuntimeError, ValueError) as error:
            raise NotProven(
                f"the identity provider does not answer ({type(error).__name__})"
            ) from None
        return response.headers["location"], quote(json.dumps(request.session))

    async def email(self, request: Request, kept: str) -> str:
        """The address that the provider proves; a NotProven if it proves none."""
        from authlib.common.errors import AuthlibBaseError
        from httpx2 import HTTPError
        from joserfc.errors import JoseError

        issuers = [self.issuer, f"{self.issuer}/"]
        wanted = {
            "iss": {"essential": True, "values": issuers},
            "aud": {"essential": True, "value": self.client},
        }
        try:
            request.scope["session"] = json.loads(unquote(kept))
            token = await self._flow.authorize_access_token(
                request, claims_options=wanted, leeway=LEEWAY
            )
            claims = token["userinfo"]
        except (HTTPError, AuthlibBaseError, JoseError, *ODD) as error:
            raise NotProven(
                f"the identity provider's answer is not valid ({type(error).__name__})"
            ) from None
        email = claims.get("email")
        if not isinstance(email, str) or claims.get("email_verified") is not True:
            raise NotProven("the identity provider does not vouch for an e-mail address")
        return email.strip().lower()
