"""Refusals as people and programs can read them: a page, or JSON, with how long to wait."""

import json
import math
from typing import Any

from jinja2 import Environment, PackageLoader, select_autoescape

templates = Environment(
    loader=PackageLoader("leadline.web"), autoescape=select_autoescape(default=True)
)


def refusal(
    path: str, status: int, message: str, code: str, wait: float | None = None
) -> tuple[bytes, dict[str, str]]:
    """The body and the headers of a refusal: JSON for what is asked of the API, else a page."""
    seconds = None if wait is None else max(1, math.ceil(wait))
    headers = {} if seconds is None else {"Retry-After": str(seconds)}
    if seconds is not None:
        message = f"{message}: wait {seconds} second{'s' if seconds > 1 else ''}"
    if path.startswith("/api"):
        body: dict[str, Any] = {"error": message, "code": code}
        if seconds is not None:
            body["wait"] = seconds
        return json.dumps(body).encode(), {**headers, "Content-Type": "application/json"}
    page = templates.get_template("problem.html").render(
        title="Not possible", message=message, status=status
    )
    return page.encode(), {**headers, "Content-Type": "text/html; charset=utf-8"}
