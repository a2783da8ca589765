"""Rates within moving windows, wrong passwords, and by what an address is counted."""

import pytest
from limits import RateLimitItemPerSecond

from leadline.app import guard as limits
from leadline.app.guard import Attempts, Rates, address_of


def test_so_many_at_once_and_then_a_wait() -> None:
    rates, item = Rates(), RateLimitItemPerSecond(6, 3)
    assert [rates.wait(item, "ann") for _ in range(6)] == [0.0] * 6
    assert 1 <= rates.wait(item, "ann") <= 3
    assert rates.wait(item, "bob") == 0


def test_wrong_passwords_keep_nobody_else_out() -> None:
    attempts = Attempts()
    for _ in range(limits.PER_NAME.amount):
        assert attempts.wait("here", "ann", None) == 0
        attempts.wrong("here", "ann", None)
    assert attempts.wait("here", "ann", None) >= 1
    assert attempts.wait("here", "bob", None) == 0
    assert attempts.wait("there", "ann", None) == 0
    assert attempts.wait("here", "ann", "her browser") == 0
    for name in range(limits.PER_ADDRESS.amount):
        attempts.wrong("here", f"x{name}", None)
    assert attempts.wait("here", "bob", None) >= 1
    assert attempts.wait("here", "ann", "her browser") == 0


@pytest.mark.parametrize(
    ("client", "counted"),
    [
        (("192.0.2.1", 9), "192.0.2.1"),
        (("2001:db8::1:2", 9), "2001:db8::/64"),
        (("2001:db8::9%eth0", 9), "2001:db8::/64"),
        (("unix", 0), "unix"),
        (None, "?"),
    ],
)
def test_an_address_is_counted_once(client: tuple[str, int] | None, counted: str) -> None:
    assert address_of(client) == counted
