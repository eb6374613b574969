"""Citations and the AI label of a message in Teams: one root entity, beside which there may be no other of its kind.

https://learn.microsoft.com/microsoftteams/platform/bots/how-to/bot-messages-ai-generated-content
"""

import json

from bot import wording
from bot.links import Links
from bot.render.adaptive import Element
from bot.render.card_text import plain, safe_address, units
from bot.render.clean import read_out
from rag_core.answers import Answer, Citation, QuoteType

MOST_CITATIONS = 20
_NAME, _ABSTRACT, _KEYWORD, _MOST_KEYWORDS = 80, 160, 28, 3
_AI = "AIGeneratedContent"


def written_by_model(answer: Answer) -> bool:
    """Whether a sentence of it is a model's own: not a quote, and not what a person approved."""
    return answer.approved is None and any(each.quote_type is not QuoteType.QUOTE for each in answer.citations)


def citations(answer: Answer, links: Links, characters: int) -> list[Element]:
    """The first ones, as many as fit in `characters` UTF-16 code units; their numbers have to stand in the text."""
    found: list[Element] = []
    left = characters
    for each in answer.citations[:MOST_CITATIONS]:
        claim = _claim(each, links)
        left -= units(json.dumps(claim, ensure_ascii=False)) + 2
        if left < 0:
            break
        found.append(claim)
    return found


def root_entities(answer: Answer, cited: list[Element]) -> list[Element]:
    """The root entity; none where there is nothing that it would say."""
    label: Element = {"additionalType": [_AI]} if written_by_model(answer) else {}
    if not label and not cited:
        return []
    kind: Element = {"type": "https://schema.org/Message", "@type": "Message", "@context": "https://schema.org"}
    return [{**kind, **label, **({"citation": cited} if cited else {})}]


def position(claim: Element) -> int:
    return int(str(claim["position"]))


def _claim(citation: Citation, links: Links) -> Element:
    name = plain(wording.section_title(citation.title, citation.section_path), _NAME)
    url = safe_address(links.citation(citation))
    return {
        "@type": "Claim",
        "position": citation.number,
        "appearance": {
            "@type": "DigitalDocument",
            "name": name or plain(citation.document_id, _NAME),
            **({"url": url} if url else {}),
            "abstract": plain(wording.quoted(read_out(citation.quote)), _ABSTRACT),
            "keywords": _keywords(citation, links),
        },
    }


def _keywords(citation: Citation, links: Links) -> list[str]:
    words = [wording.source_name(citation.policy_source, links.source_names)]
    words += [wording.region_name(code) for code in citation.regions]
    return [plain(each, _KEYWORD) for each in dict.fromkeys(words)][:_MOST_KEYWORDS]
