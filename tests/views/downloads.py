"""What a page in the browser hands out."""

import csv
import io
from pathlib import Path

from tests.views.conftest import Opened


def rows_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


def saved(opened: Opened, figure: str, kind: str) -> bytes:
    with opened.page.expect_download() as waiting:
        opened.page.locator(f"#{figure} .tools button", has_text=kind).click()
    return Path(waiting.value.path()).read_bytes()
