"""How certain, likely and open look, in the terminal and on pages: the one place of their colours.

The report embeds `sureness_css()`, and the judging app serves it as a file of its own.
"""

from dataclasses import dataclass

from leadline.comparison.sureness import MEANING, SURENESS, Sureness


@dataclass(frozen=True)
class SurenessLook:
    """A colour on light and on dark paper, a style of the terminal, a mark for who sees none."""

    light: str
    dark: str
    style: str
    mark: str


LOOKS: dict[Sureness, SurenessLook] = {
    "certain": SurenessLook("#176b3a", "#5fc78d", "bold green", "●"),
    "likely": SurenessLook("#0b5cad", "#7db8f5", "blue", "◐"),
    "open": SurenessLook("#8a5a00", "#e6c04a", "yellow", "○"),
}
SURENESS_STYLES = {word: LOOKS[word].style for word in SURENESS}


def sureness_css() -> str:
    """Classes sure-certain, sure-likely and sure-open: colour, and a mark before the word."""
    light = " ".join(f"--sure-{word}: {LOOKS[word].light};" for word in SURENESS)
    dark = " ".join(f"--sure-{word}: {LOOKS[word].dark};" for word in SURENESS)
    rules = "\n".join(
        f".sure-{word} {{ color: var(--sure-{word}); }} "
        f'.sure-{word}::before {{ content: "{LOOKS[word].mark} "; }}'
        for word in SURENESS
    )
    return (
        f":root {{ {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n{rules}\n"
    )


def sureness_legend() -> str:
    """The three words and what they mean, in a line.

    >>> sureness_legend().startswith("certain: no judgment can change it; likely: ")
    True
    """
    return "; ".join(f"{word}: {MEANING[word]}" for word in SURENESS)
