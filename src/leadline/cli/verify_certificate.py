"""`leadline verify-certificate`."""

import sys
from typing import Annotated

from leadline.cli.options import Argument
from leadline.cli.output import say


def verify_certificate(
    file: Annotated[str, Argument(metavar="FILE", help="A certificate of leadline order.")],
) -> None:
    """Recompute the anytime-valid intervals of a certificate; exit 1 if anything differs."""
    from leadline.api.verify_certificate import verify_certificate as verb

    result = verb(file)
    if result.valid:
        sys.stdout.write("".join(f"{line}\n" for line in ("valid", *result.lines)))
        return
    sys.stdout.write("not valid\n")
    say([f"{file}: {problem}" for problem in result.problems])
    sys.exit(1)
