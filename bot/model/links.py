"""Where a citation can be checked in one click: the published page at the quote, or our own source page.

Text fragments: https://wicg.github.io/scroll-to-text-fragment/ (`#anchor:~:text=start,end`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, quote, urlsplit

from rag_core.answers import Citation, ListedDocument, Nearest
from rag_core.layout import read_blocks

_LONGEST_EXACT = 100
"""Characters of a quote that are looked for as a whole; of a longer one, the words at both ends."""

_END_CHARACTERS, _END_WORDS, _WORD_CHARACTERS = 60, 8, 16
_LONGEST_ENCODED = 400
"""Characters of each end after percent-encoding (a letter of another script takes up to 12)."""

_LONGEST_URL = 1200
"""Longer addresses go to the source page: a link has to fit into a Slack section with the words around it."""

_PATH_SAFE = "/:@!$&*+,;=%-._~"
_ANCHOR_SAFE = "/@!$*+,;=-._~%"


@dataclass(frozen=True, slots=True)
class Links:
    """`public_url`: where our web pages are reached. `source_names`: policy source slug -> the name people read.

    Every link is http or https and holds no character that could end it in Markdown, mrkdwn or HTML.
    """

    public_url: str
    source_names: Mapping[str, str] = field(default_factory=dict)

    def citation(self, citation: Citation) -> str:
        """The document at the quote."""
        directive = _text_directive(citation.quote)
        page = None if citation.anchor else citation.page
        if (address := _public_address(citation.url, citation.anchor, page, directive)) is not None:
            return address
        span = f"&from={citation.char_start}&to={citation.char_end}"
        return self._source_page(citation.doc_id, citation.chunk_id) + span + (f"#{directive}" if directive else "")

    def nearest(self, nearest: Nearest) -> str:
        """The document at the section."""
        address = _public_address(nearest.url, nearest.anchor, None, "")
        return address if address is not None else self._source_page(nearest.doc_id, nearest.chunk_id)

    def document(self, document: ListedDocument) -> str:
        """The document itself."""
        address = _public_address(document.url, None, None, "")
        return address if address is not None else self._version_page(document.versions[0].doc_id)

    def version(self, doc_id: str) -> str:
        """Our own page of a version."""
        return self._version_page(doc_id)

    def _source_page(self, doc_id: str, chunk_id: str) -> str:
        return f"{self._version_page(doc_id)}?chunk={quote(chunk_id, safe='')}"

    def _version_page(self, doc_id: str) -> str:
        return f"{self.public_url.rstrip('/')}/sources/{quote(doc_id, safe='')}"


def _public_address(url: str | None, anchor: str | None, page: int | None, directive: str) -> str | None:
    """The document's own address with fragment, or None where it has none that may be linked to."""
    parts = _split_public(url or "")
    if parts is None:
        return None
    fragment = _fragment(parts, anchor, page) + directive
    query = f"?{quote(parts.query, safe=_PATH_SAFE + '?')}" if parts.query else ""
    base = f"{parts.scheme}://{parts.netloc}{quote(parts.path, safe=_PATH_SAFE)}{query}"
    address = f"{base}#{fragment}" if fragment else base
    return address if len(address) <= _LONGEST_URL else None


def _split_public(url: str) -> SplitResult | None:
    """The parts of an http(s) address with a plain host, its host in ASCII; None for anything else."""
    if not url.isprintable():
        return None
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").encode("idna").decode(), parts.port
    except ValueError:  # includes UnicodeError: no such host can be looked up
        return None
    plain_host = host.replace(".", "").replace("-", "").isalnum()
    if parts.scheme not in ("http", "https") or "@" in parts.netloc or not plain_host:
        return None
    return parts._replace(netloc=f"{host}:{port}" if port else host)


def _fragment(parts: SplitResult, anchor: str | None, page: int | None) -> str:
    if anchor:
        return _encode_anchor(anchor.lstrip("#"))
    if page is not None and parts.path.lower().endswith(".pdf"):
        return f"page={page}"
    return _encode_anchor(parts.fragment.split(":~:", 1)[0])


def _encode_anchor(anchor: str) -> str:
    return quote(anchor, safe=_ANCHOR_SAFE, errors="replace")  # encodes ":", so that no directive can hide in an anchor


def _text_directive(quoted: str) -> str:
    """`:~:text=start[,end]` for a quote in the normal form of `rag_core.layout`; "" for an empty one.

    A quote of one short block is looked for as a whole. Browsers match a start and an end within one block each,
    so a longer quote gives the first words of its first block and the last words of its last.
    """
    segments = _segments(quoted)
    if not segments:
        return ""
    if len(segments) == 1 and len(segments[0]) <= _LONGEST_EXACT and len(_encode(segments[0])) <= _LONGEST_ENCODED:
        return f":~:text={_encode(segments[0])}"
    one_block = len(segments) == 1
    start = _edge(segments[0], halve=one_block, from_end=False)
    end = _edge(segments[-1], halve=one_block, from_end=True)
    return f":~:text={_encode(start)},{_encode(end)}"


def _segments(quoted: str) -> list[str]:
    """The pieces of a quote that stand in one block (or table cell) of the page each, without list markers."""
    pieces = [piece for block in read_blocks(quoted) for piece in block.text.split(" | ")]
    cleaned = (" ".join(piece.strip(" …|.,;:").split()) for piece in pieces)
    return [piece for piece in cleaned if any(char.isalnum() for char in piece)]


def _edge(segment: str, *, halve: bool, from_end: bool) -> str:
    """The first (last) words, as many as the limits allow; of half the words where both ends share one block.

    Of a word that is too long, or a script without spaces, the first (last) characters.
    """
    words = segment.split()
    most = min(_END_WORDS, len(words) // 2 if halve else len(words))
    for count in range(most, 0, -1):
        text = " ".join(words[-count:] if from_end else words[:count])
        if len(text) <= _END_CHARACTERS and len(_encode(text)) <= _LONGEST_ENCODED:
            return text
    return segment[-_WORD_CHARACTERS:] if from_end else segment[:_WORD_CHARACTERS]


def _encode(text: str) -> str:
    """Percent-encoded for a text directive, in which "-", "," and "&" have a meaning of their own."""
    return quote(text, safe="", errors="replace").replace("-", "%2D").replace("~", "%7E")
