"""Nothing private is connected to, whatever way leads there. The servers are real and would answer."""

import ipaddress
from collections.abc import AsyncIterator

import pytest
from yarl import URL

from ingest.fetching.addresses import IpAddress, any_address, is_public
from rag_core.errors import PolicyBotError, Rejected
from tests.fakes.names import FakeNames
from tests.fakes.site import FakeSite, fetching, redirect, serving_site

OPEN = ipaddress.ip_address("127.0.0.1")


def only_the_first(address: IpAddress) -> bool:
    """As if the server at 127.0.0.1 were on the open Internet."""
    return address == OPEN or is_public(address)


@pytest.fixture
async def site() -> AsyncIterator[FakeSite]:
    async with serving_site() as served:
        served.pages["/"] = "<p>inside"
        yield served


@pytest.fixture
async def inside() -> AsyncIterator[FakeSite]:
    """Another server, on another loopback address."""
    async with serving_site(host="127.0.0.2") as served:
        served.pages["/"] = "<p>inside"
        yield served


@pytest.mark.parametrize(
    "host",
    "127.0.0.1 localhost 2130706433 0x7f000001 0177.0.0.1 127.1 0 0.0.0.0 [::ffff:127.0.0.1] "
    "[::ffff:7f00:1] [::] 127.0.0.1.".split(),
)
async def test_loopback_is_refused_however_it_is_written(site: FakeSite, host: str) -> None:
    async with fetching(is_public) as fetcher:
        with pytest.raises(Rejected, match=r"address_not_public|url_invalid"):
            await fetcher.get(f"http://{host}:{URL(site.url).port}/")

    assert site.requests == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"])
async def test_where_private_addresses_are_allowed_it_answers(site: FakeSite, host: str) -> None:
    """Else the test above would prove nothing."""
    async with fetching(any_address) as fetcher:
        page = await fetcher.get(f"http://{host}:{URL(site.url).port}/")

    assert page is not None
    assert page.content == b"<p>inside"


async def test_the_open_internet_is_the_default(site: FakeSite) -> None:
    async with fetching() as allowed:
        fetcher = type(allowed)("adpolicy/test", allowed.limits)
        with pytest.raises(Rejected, match="address_not_public"):
            await fetcher.get(site.at("/"))
        await fetcher.aclose()


async def test_a_redirect_to_a_private_address_is_refused(site: FakeSite, inside: FakeSite) -> None:
    port = URL(inside.url).port
    names = FakeNames({"inside.example": [["127.0.0.2"]]})
    targets = [inside.at("/"), f"http://inside.example:{port}/", f"http://[::ffff:127.0.0.2]:{port}/"]
    for number, target in enumerate(targets):
        site.pages[f"/{number}"] = redirect(target)
    async with fetching(only_the_first, resolver=names) as fetcher:
        for number in range(len(targets)):
            with pytest.raises(Rejected, match="address_not_public"):
                await fetcher.get(site.at(f"/{number}"))

    assert inside.requests == []
    async with fetching(any_address, resolver=names) as fetcher:
        assert [await fetcher.get(site.at(f"/{number}")) is not None for number in range(3)] == [True] * 3


async def test_a_name_that_leads_inside_is_refused(site: FakeSite) -> None:
    names = FakeNames({"acme.example": [["127.0.0.1"]]})
    async with fetching(is_public, resolver=names) as fetcher:
        with pytest.raises(Rejected, match="address_not_public"):
            await fetcher.get(f"http://acme.example:{URL(site.url).port}/")

    assert site.requests == []


async def test_the_address_that_was_checked_is_the_one_connected_to(site: FakeSite, inside: FakeSite) -> None:
    """DNS rebinding: the name changes its address after it was looked up. Each connection checks its own."""
    port = URL(inside.url).port
    names = FakeNames({"acme.example": [["127.0.0.1"], ["127.0.0.2"]]})
    async with serving_site() as open_site, fetching(only_the_first, resolver=names) as fetcher:
        open_site.pages["/"] = "<p>open"
        answered = await fetcher.get(f"http://acme.example:{URL(open_site.url).port}/")
        with pytest.raises(Rejected, match="address_not_public"):
            await fetcher.get(f"http://acme.example:{port}/")  # another port: looked up again

    assert answered is not None
    assert answered.content == b"<p>open"
    assert names.lookups == ["acme.example", "acme.example"]
    assert inside.requests == []


async def test_a_name_with_several_addresses_never_reaches_the_private_one(inside: FakeSite) -> None:
    names = FakeNames({"acme.example": [["127.0.0.1", "127.0.0.2"]], "other.example": [["127.0.0.2", "127.0.0.1"]]})
    async with fetching(only_the_first, resolver=names) as fetcher:
        for host in ("acme.example", "other.example"):
            with pytest.raises(PolicyBotError, match=r"address_not_public|source_unreachable"):
                await fetcher.get(f"http://{host}:{URL(inside.url).port}/")

    assert inside.requests == []
