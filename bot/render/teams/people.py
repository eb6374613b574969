"""Shared parts of cards around people, and dialogs for notes, answers and approved answers."""

import re
from collections.abc import Mapping, Sequence

from bot.people.escalations import EscalationAct, EscalationView, SeenSource
from bot.render.blocks import Room
from bot.render.teams.elements import Element, attachment, card, choice_input, submit, text_block, text_input, weight
from bot.render.teams.text import bold, escape, plain, shortened
from bot.render.teams.view import VERB, TeamsVerb, opens_dialog
from bot.wording import people as say
from bot.wording import teams as own
from bot.wording.alerts import THIS_CHANNEL, THIS_CHAT
from rag_core.answers import Verdict

ROOM = 30_000
"""Code units of a card's body: Teams takes 80 KB of UTF-16 with all around it, and what is signed is added later."""
_SUMMARY = 900
_OPEN, _APART, _CLOSE = "\ue000", "\ue001", "\ue002"
"""Of private use, which nothing that others wrote keeps (`bot.model.visible`)."""
PERSON = re.compile(f"{_OPEN}([^{_OPEN}{_APART}{_CLOSE}]*){_APART}([^{_OPEN}{_APART}{_CLOSE}]*){_CLOSE}")


def person(id_: str, channel: str) -> str:
    """Somebody by the platform's id, and a channel where Teams knows him: his name is put in when it is sent
    (`adapters.teams.delivery.notices`)."""
    return f"{_OPEN}{id_}{_APART}{channel}{_CLOSE}"


def data(verb: TeamsVerb, **fields: str) -> dict[str, object]:
    """Of a button: to be signed for the conversation that it is sent to (`adapters.teams.delivery.signed_cards`)."""
    return {VERB: verb.value, **fields}


def open_dialog(title: str, back: dict[str, object]) -> Element:
    """A button that comes back as `task/fetch`."""
    return submit(title, opens_dialog(back), with_inputs=False)


def here(channel: str) -> str:
    """What people call the place, by the id that it is known by: only ids of channels name a team, or their kind."""
    is_channel = "/" in channel or channel.endswith(("@thread.tacv2", "@thread.skype"))
    return THIS_CHANNEL if is_channel else THIS_CHAT


def room(elements: int = 200) -> Room:
    return Room(ROOM, elements, weight)


def message(body: Sequence[Element], summary: str, actions: Sequence[Element] = ()) -> dict[str, object]:
    """An activity that is one card; `summary` is what notifications and the list of chats show."""
    said = plain(summary, _SUMMARY)
    return {"type": "message", "summary": said, "attachments": [attachment(card(body, actions, said))]}


NOTE, ANSWER, QUESTIONS, PLACES, PLATFORMS, VERDICT, STATEMENTS, SOURCES, SHOWN_BY = (
    "note",
    "reply",
    "questions",
    "places",
    "platforms",
    "verdict",
    "statements",
    "sources",
    "shown_by",
)
"""Ids of inputs."""

MOST_PICKED = 10
_QUESTION, _LINES, _LINE = 600, 3_000, 200
_NONE = "none"

Given = Mapping[str, str]
"""What was typed, by input; nothing for a form that is new."""


def ask_form(answer: str, thread: str, given: Given | None = None, error: str = "") -> Element:
    note = _lines(NOTE, say.NOTE_LABEL, (given or {}).get(NOTE, ""), 1_000)
    body = [text_block(say.ASK_EXPLAINED), note]
    return _form(body, say.SEND, data(TeamsVerb.ASK_PERSON, answer=answer, thread=thread), error)


def answer_form(escalation: str, once: str, question: str, given: Given | None = None, error: str = "") -> Element:
    """`once`: sent twice, the same form is one answer."""
    asked = [text_block(f"{bold(say.ASKED_QUESTION + ':')} {shortened(question, _QUESTION)}")] if question else []
    reply = _lines(ANSWER, own.ANSWER_LABEL, (given or {}).get(ANSWER, ""), _LINES)
    body = [*asked, text_block(own.ANSWER_EXPLAINED), reply]
    return _form(body, say.SEND, data(TeamsVerb.ANSWER_ESCALATION, escalation=escalation, once=once), error)


def curated_form(
    escalation: str, view: EscalationView, act: EscalationAct, given: Given | None = None, error: str = ""
) -> Element:
    """The person's answer, to be made an approved one. `view`: what the one who saves it may see."""
    said: Given = given or {
        QUESTIONS: view.question,
        PLACES: ", ".join(view.regions),
        PLATFORMS: ", ".join(view.policy_sources),
        VERDICT: view.verdict,
        STATEMENTS: act.text,
    }
    verdicts = [(_NONE, say.NO_VERDICT), *((each.value, each.value.capitalize()) for each in Verdict)]
    chosen = said.get(VERDICT, "") or _NONE
    picked = [each for each in said.get(SOURCES, "").split(",") if each]
    sources = [(str(each.number), _titled(each)) for each in view.sources[:MOST_PICKED]]
    body = [
        _lines(QUESTIONS, say.QUESTIONS_LABEL, said.get(QUESTIONS, ""), _LINES),
        _line(PLACES, say.PLACES_LABEL, said.get(PLACES, "")),
        _line(PLATFORMS, say.PLATFORMS_LABEL, said.get(PLATFORMS, "")),
        choice_input(VERDICT, say.VERDICT_LABEL, verdicts, [chosen], style="compact"),
        _lines(STATEMENTS, say.STATEMENTS_LABEL, said.get(STATEMENTS, ""), _LINES),
        choice_input(SOURCES, say.PICK_SOURCES_LABEL, sources, picked, several=True, style="expanded"),
        _line(SHOWN_BY, say.SHOWN_BY_LABEL, said.get(SHOWN_BY, "")),
    ]
    return _form(body, say.SEND, data(TeamsVerb.SAVE_CURATED, escalation=escalation), error)


def _form(body: Sequence[Element], button: str, back: Mapping[str, object], error: str) -> Element:
    return card([*body, *error_line(error)], [submit(button, back)])


def error_line(error: str) -> list[Element]:
    """Said in words and in a sign; the colour only adds to it."""
    return [text_block(f"⚠ {escape(error)}", color="Attention", weight="Bolder")] if error else []


def _lines(name: str, label: str, value: str, most: int) -> Element:
    return text_input(name, label, isMultiline=True, maxLength=most, **_valued(value, most))


def _line(name: str, label: str, value: str) -> Element:
    return text_input(name, label, maxLength=_LINE, **_valued(value, _LINE))


def _valued(value: str, most: int) -> dict[str, object]:
    return {"value": value[:most]} if value else {}


def _titled(source: SeenSource) -> str:
    return plain(f"[{source.number}] {source.section_path}", 110)
