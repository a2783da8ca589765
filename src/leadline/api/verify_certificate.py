"""verify_certificate: recompute every anytime-valid interval of a certificate."""

import os
from typing import Annotated, Any

from leadline.judging.certificate import Verification, read_certificate, verify
from leadline.options import Argument


def verify_certificate(
    file: Annotated[str | os.PathLike[str] | dict[str, Any], Argument()],
) -> Verification:
    """Recompute a certificate: `valid`, the `problems` found, and `lines` that say what it shows.

    file: a certificate that `leadline next` wrote. In Python also what Ordering.certificate and
        Estimation.certificate return.
    """
    return verify(file if isinstance(file, dict) else read_certificate(file))
