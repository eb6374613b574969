"""Addresses of pages: one spelling for each, and which of them belong to a source."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from yarl import URL

from rag_core.errors import Misconfigured, Rejected

_TRACKING = re.compile(
    r"utm_\w+|[gmdw]clid|gclsrc|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|li_fat_id|igshid|mc_[ce]id|_ga|_gl|"
    r"_hs(enc|mi)|mkt_tok|vero_id|oly_(anon|enc)_id"
)
_PORTS = {"http": 80, "https": 443}


def plain_address(url: str, base: str | None = None) -> str | None:
    """The one spelling of `url` (relative to `base`): no fragment, small host, no default port, no dots in the path,
    no tracking parameters. None if it is no address of a web page."""
    try:
        address = URL(url.strip())
        if base is not None:
            address = URL(base).join(address)
        host = (address.host or "").rstrip(".")
        if address.scheme not in _PORTS or not host or address.user is not None:
            return None
        if address.port == _PORTS[address.scheme]:
            address = address.with_port(None)
        kept = [(name, value) for name, value in address.query.items() if not _TRACKING.fullmatch(name)]
        if len(kept) != len(address.query):
            address = address.with_query(kept or None)
        address = address.with_fragment(None).with_host(host)
    except ValueError:
        return None
    return str(address.with_path("/") if address.path == "/" and not address.query_string else address)


def page_name(address: str) -> str:
    """A file name for the page: the last part of its path, else of its host."""
    url = URL(address)
    return PurePosixPath(url.path).name or url.host or ""


class WebScope:
    """Which pages belong to a source.

    `allowed`: each either the beginning of a path ("/policies/") on the hosts of the start pages, the beginning of a
    whole address ("https://help.acme.example/ads/"), or, if it begins with "^", a regular expression searched in path
    and query on those hosts. None at all: what lies beside or below the start pages.

    Raises Misconfigured("start_url_invalid", "allowed_path_invalid").
    """

    def __init__(self, start_urls: Sequence[str], allowed: Sequence[str] = ()) -> None:
        self.starts = tuple(dict.fromkeys(_start(url) for url in start_urls))
        if not self.starts:
            raise Misconfigured("start_url_invalid", url="")
        self._schemes = {_site(URL(start)): URL(start).scheme for start in self.starts}
        self._start_sites = frozenset(self._schemes)
        folders = [f"{URL(start).origin()}{_folder(start)}" for start in self.starts]
        self._prefixes: list[URL] = [] if allowed else [URL(folder) for folder in folders]
        self._paths = tuple(path for path in allowed if path.startswith("/"))
        self._patterns = [_pattern(path) for path in allowed if path.startswith("^")]
        for path in allowed:
            if not path.startswith(("/", "^")):
                self._prefixes.append(_prefix(path))
        self._schemes |= {_site(prefix): prefix.scheme for prefix in self._prefixes}

    def address(self, url: str, base: str | None = None) -> str | None:
        """`plain_address`, with https where the source's own pages of that host have it."""
        plain = plain_address(url, base)
        if plain is None or not plain.startswith("http://"):
            return plain
        return f"https://{plain[7:]}" if self._schemes.get(_site(URL(plain))) == "https" else plain

    def holds(self, address: str) -> bool:
        """Whether the page at this (plain) address may be a document of the source."""
        url = URL(address)
        if any(url.origin() == prefix.origin() and url.path.startswith(prefix.path) for prefix in self._prefixes):
            return True
        if _site(url) not in self._start_sites or url.scheme != self._schemes[_site(url)]:
            return False
        return url.path.startswith(self._paths) or any(pattern.search(url.path_qs) for pattern in self._patterns)


def _site(url: URL) -> str:
    """Host, with the port where it is not the scheme's own: http and https are one site."""
    return url.host_port_subcomponent or ""


def _start(url: str) -> str:
    plain = plain_address(url)
    if plain is None:
        raise Misconfigured("start_url_invalid", url=url)
    return plain


def _folder(address: str) -> str:
    path = URL(address).path
    return path[: path.rfind("/") + 1]


def _prefix(path: str) -> URL:
    plain = plain_address(path)
    if plain is None:
        raise Misconfigured("allowed_path_invalid", path=path, problem="neither a path nor an address")
    return URL(plain)


def _pattern(path: str) -> re.Pattern[str]:
    try:
        return re.compile(path)
    except re.error as error:
        raise Misconfigured("allowed_path_invalid", path=path, problem=str(error)) from error


def checked_within(scope: WebScope, url: str) -> str:
    """The plain address of what answered. Raises Rejected("page_moved_outside")."""
    address = scope.address(url)
    if address is None or not scope.holds(address):
        raise Rejected("page_moved_outside", url=address or url)
    return address
