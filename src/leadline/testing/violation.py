"""What a contract raises."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


class Violation(AssertionError):
    """What was promised and does not hold, in a sentence, with the input that shows it."""


def demand(holds: object, message: str) -> None:
    """A Violation if something does not hold."""
    if not holds:
        raise Violation(message)


@contextmanager
def no_errors(what: object, given: object) -> Iterator[None]:
    """An error inside, or what numpy would warn of, becomes a Violation that names the input."""
    try:
        with np.errstate(divide="raise", invalid="raise", over="raise"):
            yield
    except Violation:
        raise
    except Exception as error:
        raise Violation(f"{what} raises {type(error).__name__}: {error}, given {given}") from error
