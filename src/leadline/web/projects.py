"""Several projects under one server: each under a path of its own, with people of its own."""

from collections.abc import Mapping
from pathlib import Path

from starlette.responses import HTMLResponse, RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from leadline.web.pages import static_file
from leadline.web.refusals import templates

STATIC = "/static/"


def prefixes(folders: list[Path]) -> list[str]:
    """The path of each project: none if there is one, else the name of its folder.

    >>> prefixes([Path("sea")]), prefixes([Path("a/sea"), Path("b/my lake")])
    ([''], ['/sea', '/my-lake'])
    """
    if len(folders) == 1:
        return [""]
    made = [_prefix(folder.resolve().name) for folder in folders]
    twice = next((each for each in made if made.count(each) > 1 or each == "/static"), None)
    if twice is not None:
        raise ValueError(f"{twice} is taken as the path of a project: rename a folder")
    return made


def _prefix(name: str) -> str:
    fits = (each if each.isascii() and (each.isalnum() or each in "-_.") else "-" for each in name)
    return f"/{''.join(fits).strip('.-') or 'project'}"


class Projects:
    """An ASGI app that hands each request on to the project that its path begins with."""

    def __init__(self, apps: Mapping[str, ASGIApp], front: ASGIApp) -> None:
        self.apps, self.front = apps, front

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the project answer, or what is before all of them."""
        path = scope.get("path", "")
        name = f"/{path[1:].partition('/')[0]}"
        app = self.apps.get(name)
        if scope["type"] != "http" or app is None or path == name:
            await self.front(scope, receive, send)
        else:
            rest = path[len(name) :]
            raw = scope.get("raw_path") or path.encode()
            inner = {**scope, "path": rest, "raw_path": raw[len(name) :]}
            await app(inner, receive, send)


class Front:
    """The page that leads to each project, and what pages are made of."""

    def __init__(self, titles: Mapping[str, str]) -> None:
        self.titles = titles

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; there is nothing here that could be changed."""
        if scope["type"] != "http":
            return
        path = scope["path"]
        answer = static_file(path[len(STATIC) :]) if path.startswith(STATIC) else None
        if answer is None and path in self.titles:
            answer = RedirectResponse(f"{path}/", 307)
        if answer is None:
            page, known = templates.get_template("projects.html"), path == "/"
            made = page.render(title="Judging", projects=self.titles, known=known)
            answer = HTMLResponse(made, 200 if known else 404)
        await answer(scope, receive, send)
