"""verify_certificate: recompute every anytime-valid interval of a certificate."""

import os
from typing import Any

from leadline.judging.certificate import Verification, read_certificate, verify


def verify_certificate(certificate: str | os.PathLike[str] | dict[str, Any]) -> Verification:
    """Recompute a certificate: `valid`, the `problems` found, and `lines` that say what it shows.

    certificate: a file that `leadline order --certificate` wrote, or what `Ordering.certificate`
        and `Estimation.certificate` return.
    """
    if isinstance(certificate, dict):
        return verify(certificate)
    return verify(read_certificate(os.fspath(certificate)))
