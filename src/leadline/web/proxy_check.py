"""A test of the proxy before a server: it must hold a body back until all of it has come."""

import socket
import ssl
from urllib.parse import urlsplit

SLOW_SECONDS = 3.0
"""For how long half a body is sent: the server would refuse it at once, a proxy waits."""

BODY = b"{" + b" " * 998 + b"}"


def check_buffering(address: str, seconds: float = SLOW_SECONDS) -> str:
    """Send a slow body through the proxy; a ValueError if the server answers before its end."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{address}: is no address such as https://judge.example.org")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with _connected(parts.scheme, parts.hostname, port) as connection:
            return _slowly(connection, address, parts.netloc, parts.path.rstrip("/"), seconds)
    except OSError as error:
        raise ValueError(f"{address}: does not answer: {error}") from None


def _connected(scheme: str, host: str, port: int) -> socket.socket:
    plain = socket.create_connection((host, port), timeout=10)
    if scheme == "http":
        return plain
    return ssl.create_default_context().wrap_socket(plain, server_hostname=host)


def _slowly(connection: socket.socket, address: str, host: str, path: str, seconds: float) -> str:
    head = (
        f"POST {path}/api/next HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(BODY)}\r\nConnection: close\r\n\r\n"
    )
    connection.sendall(head.encode() + BODY[:500])
    connection.settimeout(seconds)
    try:
        early = connection.recv(200)
    except TimeoutError:
        connection.settimeout(10)
        connection.sendall(BODY[500:])
        answer = connection.recv(200)
        if b" 401 " not in answer.split(b"\r\n")[0]:
            said = answer.split(b"\r\n")[0].decode(errors="replace")
            raise ValueError(f"{address}: this is no judging app: {said or 'no answer'}") from None
        return f"{address}: the proxy holds bodies back until they are complete"
    said = early.split(b"\r\n")[0].decode(errors="replace")
    raise ValueError(
        f"{address}: answered before the body was complete ({said}): the proxy does not buffer "
        "requests, so slow clients reach the server. See docs/how-to/deploy.md"
    )
