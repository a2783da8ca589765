"""How many requests and attempts to sign in are allowed, and by what they are counted."""

import ipaddress
import time

from limits import RateLimitItem, RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter


class Rates:
    """Requests of each key within moving windows, counted in memory."""

    def __init__(self) -> None:
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def wait(self, item: RateLimitItem, key: str, count: bool = True) -> float:
        """Return 0 and count a request, or the seconds until the next one is allowed."""
        allowed = self._limiter.hit if count else self._limiter.test
        if allowed(item, key):
            return 0.0
        return max(1.0, self._limiter.get_window_stats(item, key).reset_time - time.time())


PER_NAME = RateLimitItemPerMinute(10)
PER_ADDRESS = RateLimitItemPerMinute(60)


class Attempts:
    """Wrong passwords: ten a minute for a name from one address, sixty a minute from an address.

    A browser in which somebody signed in before counts by itself. So wrong passwords keep nobody
    else out: not at another address, not under another name, nor where the browser is known.
    """

    def __init__(self) -> None:
        self._rates = Rates()

    def wait(self, address: str, name: str, device: str | None) -> float:
        """Seconds to wait before this attempt; 0 if it may be made."""
        keys = self._keys(address, name, device)
        return max(self._rates.wait(item, key, count=False) for item, key in keys)

    def wrong(self, address: str, name: str, device: str | None) -> None:
        """Count a wrong password."""
        for item, key in self._keys(address, name, device):
            self._rates.wait(item, key)

    def _keys(self, address: str, name: str, device: str | None) -> list[tuple[RateLimitItem, str]]:
        if device is not None:
            return [(PER_NAME, f"device {device}")]
        return [(PER_NAME, f"{address} {name[:100]}"), (PER_ADDRESS, address)]


def address_of(client: tuple[str, int] | None) -> str:
    """By what an address is counted: of IPv6 one has as many as one likes within a /64.

    >>> address_of(("192.0.2.1", 9)), address_of(("2001:db8::1:2", 9)), address_of(None)
    ('192.0.2.1', '2001:db8::/64', '?')
    """
    if client is None:
        return "?"
    try:
        found = ipaddress.ip_address(client[0].split("%")[0])
    except ValueError:
        return client[0]
    if found.version == 4:
        return str(found)
    return str(ipaddress.ip_network((found, 64), strict=False))
