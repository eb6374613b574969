"""Which network addresses may be connected to, and which URLs may be asked for."""

import socket
from collections.abc import Callable, Collection
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from aiohappyeyeballs import AddrInfoType
from yarl import URL

from rag_core.errors import Rejected

IpAddress = IPv4Address | IPv6Address
IpNetwork = IPv4Network | IPv6Network
MayConnect = Callable[[IpAddress], bool]

_NAT64 = ip_network("64:ff9b::/96")
_NOT_PUBLIC = tuple(
    ip_network(block)
    for block in (
        "192.0.0.0/24",  # IETF protocol assignments: `is_private` knows only parts of it
        "192.88.99.0/24",  # relays of 6to4
        "168.63.129.16/32",  # Azure: the host's own services, under a public address
        "2001::/23",  # Teredo and other protocol assignments
        "3fff::/20",  # documentation
        "5f00::/16",  # segment routing
    )
)


class AddressRefused(OSError):
    """The address may not be connected to. An OSError, so that other addresses of the host are tried."""


def is_public(address: IpAddress) -> bool:
    """Whether `address` is one of the open Internet: not private, loopback, link-local, shared (CGNAT), multicast,
    unspecified or reserved, also not inside an IPv6 address that carries an IPv4 one (mapped, 6to4, NAT64)."""
    if isinstance(address, IPv6Address) and (carried := _carried(address)) is not None:
        return is_public(carried)
    if address.is_multicast or address.is_reserved or address.is_unspecified:
        return False
    if isinstance(address, IPv6Address) and address.is_site_local:
        return False
    if any(address.version == block.version and address in block for block in _NOT_PUBLIC):
        return False
    return address.is_global


def any_address(_address: IpAddress) -> bool:
    """For where it does not matter."""
    return True


def public_or_in(networks: Collection[IpNetwork], may_connect: MayConnect = is_public) -> MayConnect:
    """What `may_connect` allows, and these private networks, which the operator allows a source to read from."""

    def allows(address: IpAddress) -> bool:
        return may_connect(address) or any(
            address.version == network.version and address in network for network in networks
        )

    return allows


def _carried(address: IPv6Address) -> IPv4Address | None:
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def checked_sockets(may_connect: MayConnect) -> Callable[[AddrInfoType], socket.socket]:
    """Makes the socket for an address, the very one that is connected to next: no later DNS answer can change it.

    Raises AddressRefused.
    """

    def make(info: AddrInfoType) -> socket.socket:
        family, kind, protocol, _, place = info
        if not may_connect(ip_address(str(place[0]).split("%", 1)[0])):
            raise AddressRefused("the address may not be connected to")
        return socket.socket(family, kind, protocol)

    return make


def fetchable(url: str | URL) -> URL:
    """`url` without its fragment. Raises Rejected: "url_invalid", "url_scheme_unknown", "url_has_credentials"."""
    try:
        address = URL(url)
        host, _ = address.host, address.port
    except ValueError as error:
        raise Rejected("url_invalid") from error
    if address.scheme not in ("http", "https"):
        raise Rejected("url_scheme_unknown", scheme=address.scheme)
    if not host:
        raise Rejected("url_invalid")
    if address.user is not None or address.password is not None:
        raise Rejected("url_has_credentials", host=host)
    return address.with_fragment(None)
