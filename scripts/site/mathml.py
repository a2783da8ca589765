"""Formulas of the documentation as MathML, which browsers draw without a script."""

from typing import Any

from latex2mathml.converter import convert


def fence(source: str, *args: Any, **kwargs: Any) -> str:
    """A block of TeX between ```math and ```, a formula a paragraph, as the site shows it."""
    formulas = [part for part in source.split("\n\n") if part.strip()]
    return "\n".join(f"<p>{convert(part, display='block')}</p>" for part in formulas)
