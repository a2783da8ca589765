"""How many requests each may send: so many at once, and so many a second after that."""

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Buckets:
    """So many requests a second on average, and so many at once, for each who asks."""

    rate: float
    burst: float
    clock: Callable[[], float] = time.monotonic
    most: int = 10_000
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def take(self, key: str) -> bool:
        """Whether this one may come through now."""
        left = self._now(key)
        allowed = left >= 1
        self._left[key] = (left - allowed, self.clock())
        if len(self._left) > self.most:
            self._left.popitem(last=False)
        return allowed

    def give(self, key: str) -> None:
        """What was taken did not count."""
        self._left[key] = (min(self.burst, self._now(key) + 1), self.clock())

    def wait(self, key: str) -> float:
        """Seconds until this one may come through."""
        left, then = self._left.get(key, (self.burst, self.clock()))
        return max(0.0, (1 - left) / self.rate - (self.clock() - then))

    def _now(self, key: str) -> float:
        now = self.clock()
        left, then = self._left.pop(key, (self.burst, now))
        return min(self.burst, left + (now - then) * self.rate)


@dataclass
class Attempts:
    """Wrong passwords: so many a minute for a name from one address, and for an address.

    A browser in which somebody signed in before counts by itself. So nobody's wrong passwords keep
    anybody else out: not at another address, not under another name, nor at the same address
    where one is known.
    """

    names: Buckets = field(default_factory=lambda: Buckets(10 / 60, 10))
    addresses: Buckets = field(default_factory=lambda: Buckets(1.0, 60))

    def begin(self, address: str, name: str, device: str | None) -> float:
        """Seconds to wait before this attempt; 0 if it may be made, and counts until `right`."""
        for buckets, key in self._keys(address, name, device):
            if buckets.wait(key) > 0:
                return buckets.wait(key)
        for buckets, key in self._keys(address, name, device):
            buckets.take(key)
        return 0.0

    def right(self, address: str, name: str, device: str | None) -> None:
        """It was the password."""
        for buckets, key in self._keys(address, name, device):
            buckets.give(key)

    def _keys(self, address: str, name: str, device: str | None) -> list[tuple[Buckets, str]]:
        if device is not None:
            return [(self.names, f"device {device}")]
        return [(self.names, f"{address} {name[:100]}"), (self.addresses, address)]


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
