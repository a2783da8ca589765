"""`leadline verify-certificate`."""

import sys
from typing import TYPE_CHECKING

from leadline.cli.command import Call
from leadline.cli.output import put, say

if TYPE_CHECKING:
    from leadline.judging.certificate import Verification


def verify_certificate(call: Call["Verification"]) -> None:
    """Recompute the anytime-valid intervals of a certificate; exit 1 if anything differs."""
    result = call()
    if result.valid:
        put("".join(f"{line}\n" for line in ("valid", *result.lines)))
        return
    put("not valid\n")
    say([f"{call.given['file']}: {problem}" for problem in result.problems])
    sys.exit(1)
