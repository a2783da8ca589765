"""A judging room's door for machines: pairs are lent, and judged by labels, marked as such."""

import os
import time
from collections.abc import Callable
from typing import Any

import httpx2
import polars as pl

from leadline.io.problems import Notices
from leadline.labels.client import LONGEST_SAYING, is_local, printable, retry_after

TOKEN = "LEADLINE_ROOM_TOKEN"
"""Where the token stands that the room's organiser made for this machine."""

AT_ONCE = 50
MOST_LENT = 100
"""Pairs that are lent at a time, and the most that a room lends to one machine."""

TRIES = 6
LONGEST_REST = 60.0

Pair = tuple[str, str]


class AppClient:
    """Speaks to one room with a machine's token, which is written nowhere."""

    def __init__(self, address: str) -> None:
        token = os.environ.get(TOKEN, "").strip()
        if not token:
            raise ValueError(
                f"the environment has no {TOKEN}: the room's organiser invites a machine, on the "
                "organiser's page, and gets its token"
            )
        try:
            self.url = httpx2.URL(address.strip().rstrip("/"))
        except (httpx2.InvalidURL, ValueError):
            self.url = httpx2.URL("")
        if self.url.scheme not in ("http", "https") or not self.url.host or self.url.userinfo:
            raise ValueError("`app` must be an address such as http://127.0.0.1:8000")
        headers = {"Authorization": f"Bearer {token}"}
        # A proxy is no way to this machine itself, and would read the token.
        trust = not is_local(self.url.host)
        self._http = httpx2.Client(
            base_url=self.url, headers=headers, timeout=60.0, trust_env=trust
        )

    def __enter__(self) -> "AppClient":
        return self

    def __exit__(self, *what: object) -> None:
        self._http.close()

    @property
    def unencrypted(self) -> bool:
        """Whether the token can be read on its way."""
        return self.url.scheme == "http" and not is_local(self.url.host)

    def lent(self, n: int) -> list[Pair]:
        """Up to n pairs: the same as before until they are judged, or their time is over."""
        given = self._post("/api/machine/lease", {"n": n})
        pairs = [(each["topic"], each["doc"]) for each in self._list(given, "assignments")]
        if not all(type(name) is str and name.isprintable() for pair in pairs for name in pair):
            raise ValueError(f"the room at {self.url} lends documents with odd names")
        return pairs

    def _list(self, answer: Any, name: str) -> list[dict[str, Any]]:
        """A list of objects in an answer; a ValueError if the answer is none of a room."""
        found = answer.get(name) if isinstance(answer, dict) else None
        keys = {"topic", "doc"}
        if isinstance(found, list) and all(isinstance(e, dict) and keys <= e.keys() for e in found):
            return found
        raise ValueError(f"what is at {self.url} does not answer as a judging room does")

    def judge(self, labels: pl.DataFrame) -> list[str]:
        """Hand in what was labelled; what the room would not take, and why, comes back."""
        columns = {"judge": "model", "prompt": "prompt", "confidence": "confidence"}
        rows = labels.filter(state="labelled").select("topic", "doc", "grade", *columns)
        if rows.is_empty():
            return []
        answer = self._post(
            "/api/machine/judgments", {"judgments": rows.rename(columns).to_dicts()}
        )
        return [
            printable(f"topic {each['topic']}, doc {each['doc']}: {each.get('error')}")
            for each in self._list(answer, "judgments")
            if each.get("code")
        ]

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        """What the room answers; tried again where it is busy, or cannot be reached."""
        why = ""
        for attempt in range(TRIES):
            rest: float | None = None
            try:
                answer = self._http.post(path, json=body)
            except httpx2.HTTPError as error:
                told = printable(str(error)) or type(error).__name__
                why = f"no answer from the room at {self.url}: {told}"
            else:
                if answer.is_success:
                    return _json(answer)
                why = f"the room at {self.url} says {answer.status_code}: {_said(answer)}"
                if answer.status_code in (401, 403):
                    raise ValueError(f"{why}. Is the token in {TOKEN} that of a machine?")
                if answer.status_code not in (429, 503):
                    raise ValueError(why)
                rest = retry_after(answer.headers)
            if attempt + 1 < TRIES:
                time.sleep(min(LONGEST_REST, 0.25 * 2**attempt if rest is None else rest))
        raise ValueError(f"{why}. What was labelled is kept: the same command goes on")


def _json(answer: httpx2.Response) -> Any:
    """What an answer holds; None if that is no JSON."""
    try:
        return answer.json()
    except (ValueError, RecursionError):
        return None


def _said(answer: httpx2.Response) -> str:
    told = _json(answer)
    if not isinstance(told, dict):
        return printable(answer.reason_phrase)
    return printable(str(told.get("error") or told.get("detail") or ""))[:LONGEST_SAYING]


def label_all_lent(
    client: AppClient, label: Callable[[pl.DataFrame], pl.DataFrame], notices: Notices
) -> None:
    """Label what the room lends, and hand it in, until it lends nothing that was not tried.

    Pairs without a label stay lent until their time is over, and are then anybody's again.
    """
    tried: set[Pair] = set()
    unlabelled = 0
    while unlabelled < MOST_LENT:
        lent = client.lent(min(MOST_LENT, AT_ONCE + unlabelled))
        new = [pair for pair in lent if pair not in tried]
        if not new:
            return
        tried.update(new)
        made = label(pl.DataFrame(new, schema=["topic", "doc"], orient="row"))
        for line in client.judge(made):
            notices.add("", "warning", "not-taken", f"the room did not take {line}")
        unlabelled += made.filter(pl.col("state") != "labelled").height
