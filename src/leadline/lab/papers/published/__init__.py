"""The values that the papers print, one json file a paper, to be shown beside ours."""

import json
from importlib.resources import files
from typing import Any


def published(paper: str) -> dict[str, Any]:
    """What the paper prints, by table.

    >>> published("moffat07")["table3"]["common_of_10000"]["0.5-0.8"]
    9215
    """
    text = files(__name__).joinpath(f"{paper}.json").read_text(encoding="utf-8")
    values: dict[str, Any] = json.loads(text)
    return values
