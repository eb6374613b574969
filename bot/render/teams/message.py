"""How a question ended as a message in Teams: a line that carries the citations, an Adaptive Card with all of it, and
a summary that reads alone in a notification.

Without citations there is no line: a text and a card may become two messages in Teams, which then says the id of
neither, so that none of them could be changed, taken back or rated. Citations are read from the text alone.

Signs stand beside words and never replace them; only addresses made by `bot.model.links` are links.
"""

import json
from collections.abc import Sequence
from enum import Enum

from bot import wording
from bot.model.links import Links
from bot.model.outcomes import Failure, Outcome, Postponed, Rejection
from bot.model.visible import one_line, read_out
from bot.render.fallback_text import spoken_parts
from bot.render.teams import parts
from bot.render.teams.answer import Shown, answer_elements, new_room
from bot.render.teams.elements import Element, attachment, card, text_block, weight
from bot.render.teams.text import escape, plain, safe_address, shortened, units
from bot.render.teams.view import Sign, TeamsView, reply_actions
from bot.wording import teams as said
from rag_core.answers import Answer, Choice, Citation, Clarification, QuoteType, Refusal

ANYWHERE = TeamsView()

MESSAGE_UNITS = 36_000
"""UTF-16 code units of the whole activity as JSON: 72 KB of the 80 KB above which Teams may answer 413, so that there
is room for sender, recipient and conversation."""

_SUMMARY, _HEADLINE, _SUGGESTION = 900, 600, 120
_MOST_SUGGESTIONS = 3
"""Teams shows no more."""


def teams_message(
    question_text: str,
    answer_id: str,
    outcome: Outcome,
    links: Links,
    view: TeamsView = ANYWHERE,
    *,
    sign: Sign | None = None,
    characters: int = MESSAGE_UNITS,
    begun: str = "",
) -> dict[str, object]:
    """An activity, except where it is sent. Without an `answer_id` nothing can be clicked. `characters`: UTF-16 code
    units that it may take as JSON. `begun`: what its text begins with, where a stream has shown it already."""
    cited = citations(outcome, links, characters // 3) if isinstance(outcome, Answer) else []
    message: dict[str, object] = {
        "type": "message",
        "textFormat": "markdown",
        **({"text": begun + _text(outcome, links, [position(each) for each in cited])} if begun or cited else {}),
        "summary": shortened(" ".join(each for each in spoken_parts(outcome, links) if each), _SUMMARY),
        "attachments": [],
    }
    if isinstance(outcome, Answer) and (entities := root_entities(outcome, cited)):
        message["entities"] = entities
    if answer_id and isinstance(outcome, Answer | Refusal):
        message["channelData"] = {"feedbackLoop": {"type": "default"}}
    if view.is_private and not isinstance(outcome, Rejection | Failure | Postponed):
        message |= _suggested(outcome.choices, links)
    fallback = plain(_headline(outcome, links), _HEADLINE)
    frame = {**message, "attachments": [attachment(card([], [{}], fallback))]}
    room = characters - units(json.dumps(frame, ensure_ascii=False))
    body, actions = _elements(Shown(question_text, answer_id, links, view, sign), outcome, room)
    return {**message, "attachments": [attachment(card(body, actions, fallback))]}


def _headline(outcome: Outcome, links: Links) -> str:
    return spoken_parts(outcome, links)[0]


def _text(outcome: Outcome, links: Links, numbers: Sequence[int]) -> str:
    """The headline as Markdown, and the numbers that citations need: inside a card Teams does not look for them."""
    if not isinstance(outcome, Answer):
        return shortened(_headline(outcome, links), _HEADLINE)
    sign = wording.verdict_sign(outcome.verdict)
    found = [f"{sign} {shortened(_headline(outcome, links), _HEADLINE)}"]
    found += [shortened(each, _HEADLINE) for each in (wording.not_stated(outcome),) if each]
    if numbers:
        hidden = len(outcome.citations) - len(numbers)
        more = f" {escape(wording.more_lines(hidden))}" if hidden > 0 else ""
        found.append(f"{said.SOURCES_IN_TEXT} {' '.join(f'[{each}]' for each in numbers)}{more}")
    return "  \n".join(found)


def _suggested(choices: Sequence[Choice], links: Links) -> dict[str, object]:
    """What can be asked next, as if it were typed; what could not be typed as it is, is left to the buttons."""
    typed = dict.fromkeys(one_line(_typed(each, links)) for each in choices)
    shown = [each for each in typed if each and plain(each, _SUGGESTION) == each]
    actions = [{"type": "imBack", "title": each, "value": each} for each in shown[:_MOST_SUGGESTIONS]]
    return {"suggestedActions": {"actions": actions}} if actions else {}


def _typed(choice: Choice, links: Links) -> str:
    """With its place or platform in words: what is typed has no filters."""
    return choice.question if choice.kind == "section" else wording.choice_line(choice, links.source_names)


def _elements(shown: Shown, outcome: Outcome, room: int) -> tuple[list[Element], list[Element]]:
    match outcome:
        case Answer():
            return answer_elements(shown, outcome, room)
        case Refusal():
            return _refusal(shown, outcome, room)
        case Clarification():
            return _clarification(shown, outcome, room)
        case Rejection():
            return _problem(shown, wording.rejection(outcome)), []
        case Failure():
            return _problem(shown, wording.failure(outcome)), []
        case Postponed():
            return _problem(shown, wording.postponed(outcome)), []


def _refusal(shown: Shown, reply: Refusal, characters: int) -> tuple[list[Element], list[Element]]:
    links = shown.links
    words = wording.refusal(reply, links.source_names)
    room = new_room(characters)
    actions = room.first(reply_actions(shown.answer_id, reply, shown.view, has_more=False, sign=shown.sign))
    top = room.first(
        [
            parts.headline(wording.NEUTRAL_SIGN, words.headline),
            *shown.question(reply),
            *parts.scope(reply.scope, links.source_names),
            *(text_block(shortened(each, parts.PARAGRAPH)) for each in (words.body, words.next_step)),
        ]
    )
    below = room.first(parts.circumstances(shown.view))
    notes = room.first(parts.notes(reply))
    nearest = parts.nearest(room, reply.nearest, links)
    choices = parts.choices(room, reply.choices, links, wording.CHOICES_HEADING, shown.answer_id, shown.sign)
    return [*top, *nearest, *choices, *notes, *below], actions


def _clarification(shown: Shown, reply: Clarification, characters: int) -> tuple[list[Element], list[Element]]:
    words = wording.clarification(reply)
    room = new_room(characters)
    actions = room.first(reply_actions(shown.answer_id, reply, shown.view, has_more=False, sign=shown.sign))
    top = room.first(
        [
            parts.headline(wording.NEUTRAL_SIGN, words.headline),
            *shown.question(reply),
            *parts.scope(reply.scope, shown.links.source_names),
            text_block(shortened(words.body, parts.PARAGRAPH)),
        ]
    )
    below = room.first(parts.circumstances(shown.view))
    choices = parts.choices(room, reply.choices, shown.links, words.next_step, shown.answer_id, shown.sign)
    choices = choices or room.first([text_block(shortened(words.next_step, parts.PARAGRAPH))])
    return [*top, *choices, *room.first(parts.notes(reply)), *below], actions


def _problem(shown: Shown, problem: wording.Problem) -> list[Element]:
    asked = parts.question(shown.question_text, is_seen=not shown.question_text.strip())
    return [
        text_block(shortened(problem.title, parts.PARAGRAPH), style="heading", weight="Bolder"),
        text_block(shortened(problem.detail, parts.PARAGRAPH)),
        *asked,
    ]


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
