import socket
from ipaddress import ip_address, ip_network

import pytest
from aiohappyeyeballs import AddrInfoType

from ingest.fetching.addresses import AddressRefused, checked_sockets, fetchable, is_public, public_or_in
from rag_core.errors import Rejected


@pytest.mark.parametrize(
    "address",
    "127.0.0.1 127.8.9.1 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 100.100.100.200 "
    "0.0.0.0 0.1.2.3 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 192.0.0.8 192.0.2.1 198.18.0.1 198.51.100.1 "
    "203.0.113.1 192.88.99.1 168.63.129.16 :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 "
    "fe80::1 fec0::1 fc00::1 fd00:ec2::254 ff02::1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 2002:7f00:1:: "
    "2002:a00:1:: 2001::1 2001:db8::1 3fff::1 5f00::1 100::1".split(),
)
def test_these_are_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1",
        "172.32.0.1",
        "100.128.0.1",
        "2606:4700::1111",
        "2001:4860:4860::8888",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
        "64:ff9b::a83f:8111",  # carries 168.63.129.17, the neighbour of one that is not
    ],
)
def test_these_are_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    ("address", "may"),
    [("10.1.2.3", True), ("fd00::7", True), ("1.1.1.1", True), ("10.2.0.1", False), ("fd01::7", False), ("::1", False)],
)
def test_a_private_address_is_allowed_in_the_networks_of_its_source_only(address: str, may: bool) -> None:
    allows = public_or_in([ip_network("10.1.0.0/16"), ip_network("fd00::/64")])
    assert allows(ip_address(address)) is may


@pytest.mark.parametrize("host", ["127.0.0.1", "fe80::1%eth0"])
def test_no_socket_is_made_for_an_address_that_is_not_public(host: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    info: AddrInfoType = (family, socket.SOCK_STREAM, 0, "", (host, 443))
    with pytest.raises(AddressRefused):
        checked_sockets(is_public)(info)


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("ftp://acme.example/a", "url_scheme_unknown"),
        ("file:///etc/passwd", "url_scheme_unknown"),
        ("gopher://acme.example", "url_scheme_unknown"),
        ("/policies", "url_scheme_unknown"),
        ("https://", "url_invalid"),
        ("https://acme.example:99999/", "url_invalid"),
        ("https://[::1/", "url_invalid"),
        ("https://me:secret@acme.example/", "url_has_credentials"),
        ("https://me@acme.example/", "url_has_credentials"),
    ],
)
def test_what_is_not_asked_for(url: str, code: str) -> None:
    with pytest.raises(Rejected, match=code) as raised:
        fetchable(url)

    assert "secret" not in str(raised.value)
