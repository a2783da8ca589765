"""How a model is asked: where, with what parameters, how fast and how often."""

from dataclasses import dataclass, fields

OPENAI = "https://api.openai.com/v1"
_BOUNDS: dict[str, tuple[float, float]] = {
    "temperature": (0, 100),
    "max_tokens": (1, 1_000_000),
    "concurrency": (1, 1000),
    "per_minute": (0.01, 1_000_000),
    "timeout": (0.01, 86_400),
    "tries": (1, 1000),
    "backoff": (0, 3600),
}


@dataclass(frozen=True)
class AskSettings:
    """The parameters of `label` about asking; the first three decide what an answer is."""

    model: str
    temperature: float = 0.0
    max_tokens: int = 2000
    endpoint: str = OPENAI
    concurrency: int = 8
    per_minute: float | None = None
    timeout: float = 120.0
    tries: int = 8
    backoff: float = 0.5

    def __post_init__(self) -> None:
        if not self.model.strip() or not self.model.isprintable():
            raise ValueError("`model` must be the name by which the endpoint knows it")
        for each in fields(self):
            if each.name in _BOUNDS:
                check_bounds(each.name, getattr(self, each.name), *_BOUNDS[each.name])


def check_bounds(name: str, number: float | None, least: float, most: float) -> None:
    """A ValueError unless a number is within its bounds, or not given."""
    if number is not None and not least <= number <= most:
        raise ValueError(f"`{name}` must be from {least:g} to {most:,}, not {number:g}")
