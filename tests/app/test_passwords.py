"""Which passwords are refused, and that what is kept of one fits it alone."""

import pytest

from leadline.app.accounts import check_password
from leadline.app.room import ActionRefused


@pytest.mark.parametrize(
    "password",
    [
        "short",
        "1234567890",
        "password12",
        "qwertyuiop",
        "iloveyou123",
        "aaaaaaaaaaaa",
        "Passw0rd12",
    ],
)
def test_the_first_that_are_tried_are_refused(password: str) -> None:
    with pytest.raises(ActionRefused) as refused:
        check_password(password)
    assert refused.value.code == "password"


def test_ones_own_name_is_no_password() -> None:
    check_password("bartholomew smithson")
    with pytest.raises(ActionRefused, match="first that are tried"):
        check_password("bartholomew smithson", "bartholomew smithson")


@pytest.mark.parametrize("password", ["a long password", "wet gravel at noon", "x7#kQ2!pLm"])
def test_others_are_taken(password: str) -> None:
    check_password(password)
