"""Addresses and names."""

from base64 import b64encode

import pytest

from adapters.opensearch.settings import OpenSearchSettings, hosts
from rag_core.errors import Misconfigured

BOT = {"authorization": "Basic " + b64encode(b"bot:pw").decode()}
ANN = {"authorization": "Basic " + b64encode(b"ann:p/w").decode()}


def test_addresses_are_read() -> None:
    settings = OpenSearchSettings(("http://a", "https://b.example/search/", "https://ann:p%2Fw@c:9243"), "bot", "pw")
    assert hosts(settings) == [
        {"host": "a", "port": 9200, "use_ssl": False, "url_prefix": "", "headers": BOT},
        {"host": "b.example", "port": 443, "use_ssl": True, "url_prefix": "search", "headers": BOT},
        {"host": "c", "port": 9243, "use_ssl": True, "url_prefix": "", "headers": ANN},
    ]


def test_signed_requests_carry_no_password() -> None:
    settings = OpenSearchSettings(("https://a",), "bot", "pw", aws_region="eu-west-1")
    assert "headers" not in hosts(settings)[0]


@pytest.mark.parametrize("url", ["", "a:9200", "ftp://a", "http://", "http://a:port", "http://a?x=1", "http://[::1"])
def test_an_address_that_is_none_is_named_by_its_place(url: str) -> None:
    with pytest.raises(Misconfigured, match="opensearch_url_invalid") as caught:
        OpenSearchSettings(("http://good", url))
    assert caught.value.details == {"position": 2}


def test_there_must_be_an_address() -> None:
    with pytest.raises(Misconfigured, match="opensearch_url_invalid"):
        OpenSearchSettings(())


@pytest.mark.parametrize("prefix", ["", "Big", "-a", "_a", "a b", "a*", "a/b", "x" * 101])
def test_a_prefix_that_no_index_may_have_is_refused(prefix: str) -> None:
    with pytest.raises(Misconfigured, match="index_prefix_invalid"):
        OpenSearchSettings(("http://a",), prefix=prefix)


def test_nothing_secret_is_shown() -> None:
    settings = OpenSearchSettings(("https://ann:topsecret@a",), "bot", "hidden")
    assert "topsecret" not in repr(settings)
    assert "hidden" not in repr(settings)
