"""Find the address that a request came from, if proxies are in front of the site.

Behind a proxy, every connection comes from the proxy's address. Each proxy appends the address that called it to the
right of `X-Forwarded-For`. Anybody can write anything into that header, so it is read from the right, and only as long
as the address that appended an entry is one of `ASSAY_TRUSTED_PROXIES`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

from assay_site.environment import BadValue

Network = IPv4Network | IPv6Network

UNIX = "unix"
"""The setting's word for a proxy that connects by a Unix socket, since such connections have no address."""

IPV6_PREFIX = 64
"""The IPv6 network of one subscriber. A machine may use any address in it, so all count as one."""

_WITH_PORT = re.compile(r"(?:\[(?P<six>[^\]]*)\]|(?P<four>[0-9.]+))(?::[0-9]{1,5})?\Z")


def read_proxies(text: str) -> tuple[Network | str, ...]:
    """Return the networks that `ASSAY_TRUSTED_PROXIES` lists, separated by commas. Raises ValueError if a name is not
    valid.

    >>> read_proxies("127.0.0.1, 10.0.0.0/8,unix")
    (IPv4Network('127.0.0.1/32'), IPv4Network('10.0.0.0/8'), 'unix')
    """
    found: list[Network | str] = []
    for name in filter(None, map(str.strip, text.split(","))):
        try:
            found.append(UNIX if name == UNIX else ip_network(name))
        except ValueError as error:
            raise BadValue(f"“{name[:60]}” is neither an address nor a network: {error}") from error
    return tuple(found)


def client_address(request: HttpRequest) -> str | None:
    """Return the address under which wrong passwords are counted, or None if the connection has no address.

    All IPv6 addresses of a 64-bit network count as one: its first address is returned.
    """
    address = true_address(
        request.META.get("REMOTE_ADDR", ""), request.headers.get("X-Forwarded-For", ""), settings.ASSAY_TRUSTED_PROXIES
    )
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, IPV6_PREFIX), strict=False).network_address)
    return str(address) if address is not None else None


def true_address(peer: str, forwarded: str, trusted: Iterable[Network | str]) -> IPv4Address | IPv6Address | None:
    """Return the address of the caller outside of the trusted proxies. This is the peer's own address if the peer is
    not a trusted proxy.

    If a trusted proxy gives an address that can't be read, the last reliable address is returned. None means that there
    is none: the connection has no address, and no trusted proxy gives one.

    >>> true_address("127.0.0.1", "6.6.6.6, 192.0.2.7:5123", read_proxies("127.0.0.1"))
    IPv4Address('192.0.2.7')
    """
    networks = tuple(trusted)
    address = _read(peer)
    entries = forwarded.split(",") if forwarded else []
    while entries and _is_trusted(address, networks):
        further = _read(entries.pop())
        if further is None:
            break
        address = further
    return address


def _is_trusted(address: IPv4Address | IPv6Address | None, networks: tuple[Network | str, ...]) -> bool:
    if address is None:
        return UNIX in networks
    return any(address in network for network in networks if not isinstance(network, str))


def _read(text: str) -> IPv4Address | IPv6Address | None:
    """Return the address in a text that may add a port, brackets, quotes or an IPv6 zone to it. Return None if the text
    is anything else.
    """
    text = text.strip().strip('"')
    if match := _WITH_PORT.match(text):
        text = match["six"] or match["four"] or ""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return address.ipv4_mapped or address if isinstance(address, IPv6Address) else address
