"""Citations and the AI label of a message in Teams: one root entity, beside which there may be no other of its kind.

https://learn.microsoft.com/microsoftteams/platform/bots/how-to/bot-messages-ai-generated-content
"""

from enum import Enum

from bot import wording
from bot.links import Links
from bot.render.adaptive import Element, weight
from bot.render.card_text import plain, safe_address
from bot.render.clean import read_out
from rag_core.answers import Answer, Citation, QuoteType

MOST_CITATIONS = 20
_NAME, _ABSTRACT, _KEYWORD, _MOST_KEYWORDS = 80, 160, 28, 3
_SHORT = 60
_AI = "AIGeneratedContent"


class _Form(Enum):
    """How much a citation says: of a shorter one the address leads to the page and not to the quote."""

    WHOLE = 0
    PAGE = 1
    SHORT = 2


def written_by_model(answer: Answer) -> bool:
    """Whether a sentence of it is a model's own: not a quote, and not what a person approved."""
    return answer.approved is None and any(each.quote_type is not QuoteType.QUOTE for each in answer.citations)


def citations(answer: Answer, links: Links, characters: int) -> list[Element]:
    """The first ones, in `characters` UTF-16 code units; their numbers have to stand in the text. Where there is no
    room for all of them they say less each, before any is left out."""
    cited = answer.citations[:MOST_CITATIONS]
    for form in _Form:
        claims = [_claim(each, links, form) for each in cited]
        if weight(claims) <= characters:
            return claims
    while claims and weight(claims) > characters:
        claims.pop()
    return claims


def root_entities(answer: Answer, cited: list[Element]) -> list[Element]:
    """The root entity; none where there is nothing that it would say."""
    label: Element = {"additionalType": [_AI]} if written_by_model(answer) else {}
    if not label and not cited:
        return []
    kind: Element = {"type": "https://schema.org/Message", "@type": "Message", "@context": "https://schema.org"}
    return [{**kind, **label, **({"citation": cited} if cited else {})}]


def position(claim: Element) -> int:
    return int(str(claim["position"]))


def _claim(citation: Citation, links: Links, form: _Form) -> Element:
    name = plain(wording.section_title(citation.title, citation.section_path), _NAME)
    address = safe_address(links.citation(citation))
    url = address.partition("#")[0] if form is not _Form.WHOLE else address
    most = _SHORT if form is _Form.SHORT else _ABSTRACT
    return {
        "@type": "Claim",
        "position": citation.number,
        "appearance": {
            "@type": "DigitalDocument",
            "name": name or plain(citation.document_id, _NAME),
            **({"url": url} if url and (form is not _Form.SHORT or len(url) <= _ABSTRACT) else {}),
            "abstract": plain(wording.quoted(read_out(citation.quote)), most),
            "keywords": _keywords(citation, links),
        },
    }


def _keywords(citation: Citation, links: Links) -> list[str]:
    words = [wording.source_name(citation.policy_source, links.source_names)]
    words += [wording.region_name(code) for code in citation.regions]
    return [plain(each, _KEYWORD) for each in dict.fromkeys(words)][:_MOST_KEYWORDS]
