"""Escalations and people's answers as Slack messages and modals, within all limits; everything from people escaped."""

import json
import re
from collections.abc import Mapping, Sequence

from bot.model.visible import lines, read_out
from bot.people.escalations import Escalation, EscalationAct, EscalationState, EscalationView, SeenSource
from bot.render.blocks import Block, Room, context, header, sections
from bot.render.mrkdwn import bold, escape_unlinked, link, pieces, shortened
from bot.render.slack.view import SlackAction, SlackModal
from bot.wording import day, quoted, section_title
from bot.wording import people as say
from rag_core.answers import Verdict
from rag_core.curated.kept import CuratedAnswer

_ROOM = 8_000
"""Characters of blocks; a message takes 10,000 with its text."""
_LINE, _QUESTION, _PIECE = 400, 600, 1_000
_MOST_STATEMENTS, _MOST_SOURCES = 8, 8
MOST_PICKED = 10
"""Slack: checkboxes have at most ten options."""
_ID = re.compile(r"[A-Z0-9]{2,30}")
NOTE, QUESTIONS, PLACES, PLATFORMS, VERDICT, STATEMENTS, SOURCES, SHOWN_BY = (
    "note",
    "questions",
    "places",
    "platforms",
    "verdict",
    "statements",
    "sources",
    "shown_by",
)
"""Ids of the fields of modals: of the block and of what is in it."""


def person(user: str) -> str:
    """Somebody by the platform's id, as Slack shows a name; it calls nobody by itself in a context of a message."""
    return f"<@{user}>" if _ID.fullmatch(user) else ""


def escalation_message(escalation: Escalation, view: EscalationView, names: Mapping[str, str]) -> dict[str, object]:
    """For where people are asked. `view`: what everybody there may see."""
    place, room = escalation.place, Room(_ROOM, 45)
    call = f"<!subteam^{place.group}> " if _ID.fullmatch(place.group) else ""
    question = view.question or say.ANSWER_GONE
    top = room.first(
        [
            header(say.escalation_headline()),
            *sections([f"{call}{say.asked_by(person(place.person))}", *_labelled(say.ASKED_QUESTION, question)]),
            context(shortened(say.asked_for(view.regions, view.policy_sources, view.as_of, names), _LINE)),
        ]
    )
    hidden = [context(say.SOME_LEFT_OUT)] if view.kind and view.left_out else []
    foot = room.first([*hidden, context(_state(escalation)), *_claim_button(escalation)])
    note = room.first(sections(_labelled(say.ASKER_SAYS, escalation.note)) if escalation.note else [])
    told = [block for each in _answer(view) if (block := room.first(sections([each])))]
    return _message(
        f"{say.escalation_headline()}: {question}", [*top, *note, *(one for each in told for one in each), *foot]
    )


def persons_answer_message(escalation: Escalation, act: EscalationAct, question: str = "") -> dict[str, object]:
    """For the asker. Never with a verdict's sign, never as a quote. `question`: where it is not to be seen above."""
    is_first = not escalation.replies or escalation.replies[0].act_id == act.act_id
    told = say.persons_answer if is_first else say.persons_addition
    head = told(person(act.named))
    asked = [shortened(say.to_your_question(question), _QUESTION)] if question else []
    body = [piece for line in lines(act.text) for piece in pieces(line, _PIECE)]
    blocks = [
        *sections([f"*{head}*", *asked]),
        *sections(body),
        context(f"{say.PERSONS_ANSWER_IS_NO_QUOTE} {say.answered_on(day(act.at.date()))}"),
    ]
    if is_first:
        blocks.append(_buttons((SlackAction.SAVE_CURATED, say.SAVE_CURATED, escalation.escalation_id)))
    return _message(f"{say.persons_answer('')} {act.text}", blocks)


def suspended_message(answer: CuratedAnswer) -> dict[str, object]:
    """For the owner of an approved answer."""
    why = say.suspended_why(answer)
    return _message(
        f"{say.SUSPENDED_HEADLINE}. {why}", [header(say.SUSPENDED_HEADLINE), *sections([shortened(why, 1_500)])]
    )


def ask_modal(metadata: Mapping[str, object]) -> dict[str, object]:
    note = {"type": "plain_text_input", "action_id": NOTE, "multiline": True, "max_length": 1_000}
    blocks = [*sections([say.ASK_EXPLAINED]), _input(NOTE, say.NOTE_LABEL, note, optional=True)]
    return _modal(SlackModal.ASK_PERSON, say.ASK_TITLE, blocks, metadata, submit=say.SEND)


def said_modal(title: str, text: str) -> dict[str, object]:
    """A modal that only tells something."""
    return _modal("", title, sections([text]), {})


def curated_modal(view: EscalationView, act: EscalationAct, metadata: Mapping[str, object]) -> dict[str, object]:
    """The person's answer, to be made an approved one. `view`: what the one who saves it may see."""
    verdicts = [_option("none", say.NO_VERDICT), *(_option(each.value, each.value.capitalize()) for each in Verdict)]
    chosen = next((each for each in verdicts if each["value"] == view.verdict), verdicts[0])
    sources = [_source_option(each) for each in view.sources[:MOST_PICKED]]
    blocks = [
        _input(QUESTIONS, say.QUESTIONS_LABEL, _lines_field(QUESTIONS, view.question)),
        _input(PLACES, say.PLACES_LABEL, _line_field(PLACES, ", ".join(view.regions)), optional=True),
        _input(PLATFORMS, say.PLATFORMS_LABEL, _line_field(PLATFORMS, ", ".join(view.policy_sources)), optional=True),
        _input(
            VERDICT,
            say.VERDICT_LABEL,
            {"type": "static_select", "action_id": VERDICT, "options": verdicts, "initial_option": chosen},
        ),
        _input(STATEMENTS, say.STATEMENTS_LABEL, _lines_field(STATEMENTS, act.text)),
        _input(SOURCES, say.PICK_SOURCES_LABEL, {"type": "checkboxes", "action_id": SOURCES, "options": sources}),
        _input(SHOWN_BY, say.SHOWN_BY_LABEL, _line_field(SHOWN_BY, "")),
    ]
    return _modal(SlackModal.CURATED, say.SAVE_TITLE, blocks, metadata, submit=say.SEND)


def _answer(view: EscalationView) -> list[str]:
    """Lines, each whole or not at all."""
    if not view.kind:
        return []
    if view.kind != "answer":
        return [say.BOT_DID_NOT_ANSWER]
    found = [bold(say.approved_answered(view.verdict) if view.is_approved else say.bot_answered(view.verdict))]
    found += [f"> {shortened(each, _PIECE)}" for each in view.statements[:_MOST_STATEMENTS]]
    found += [f"*[{each.number}]* {_titled(each)}" for each in view.sources[:_MOST_SOURCES]]
    return found


def _titled(source: SeenSource) -> str:
    title = section_title(source.title, source.section_path)
    shown = link(source.url, title) if source.url.startswith(("https://", "http://")) else shortened(title, _LINE)
    return f"{shown}\n> {shortened(quoted(read_out(source.quote)), _LINE)}"


def _state(escalation: Escalation) -> str:
    if escalation.state is EscalationState.ANSWERED:
        return say.answered_state(person(escalation.replies[0].named) if escalation.replies else "")
    if escalation.state is EscalationState.CLAIMED and escalation.claim is not None:
        return say.claimed_state(person(escalation.claim.named))
    return say.OPEN_STATE


def _claim_button(escalation: Escalation) -> list[Block]:
    if escalation.state is not EscalationState.OPEN:
        return []
    return [_buttons((SlackAction.CLAIM, say.CLAIM, escalation.escalation_id))]


def _labelled(label: str, text: str) -> list[str]:
    return [f"{bold(label + ':')} {shortened(text, _QUESTION)}"]


def _message(text: str, blocks: Sequence[Block]) -> dict[str, object]:
    shown = shortened(text, 900, escape_unlinked)
    return {"text": shown, "blocks": list(blocks), "unfurl_links": False, "unfurl_media": False}


def _buttons(*buttons: tuple[SlackAction, str, str]) -> Block:
    return {
        "type": "actions",
        "elements": [
            {"type": "button", "action_id": action.value, "text": _plain(text), "value": value}
            for action, text, value in buttons
        ],
    }


def _modal(
    callback: str, title: str, blocks: Sequence[Block], metadata: Mapping[str, object], submit: str = ""
) -> dict[str, object]:
    return {
        "type": "modal",
        "callback_id": str(callback),
        "title": _plain(title[:24]),
        "close": _plain(say.CLOSE),
        **({"submit": _plain(submit)} if submit else {}),
        "private_metadata": json.dumps(dict(metadata)),
        "blocks": list(blocks),
    }


def _input(name: str, label: str, element: Mapping[str, object], *, optional: bool = False) -> Block:
    return {"type": "input", "block_id": name, "label": _plain(label), "element": dict(element), "optional": optional}


def _lines_field(name: str, value: str) -> dict[str, object]:
    field = {"type": "plain_text_input", "action_id": name, "multiline": True, "max_length": 3_000}
    return {**field, **({"initial_value": value[:3_000]} if value else {})}


def _line_field(name: str, value: str) -> dict[str, object]:
    field = {"type": "plain_text_input", "action_id": name, "max_length": 200}
    return {**field, **({"initial_value": value[:200]} if value else {})}


def _source_option(source: SeenSource) -> dict[str, object]:
    """Slack: 75 characters of text and of description."""
    shown = " ".join(f"[{source.number}] {source.section_path}".split())
    return _option(str(source.number), shown if len(shown) <= 75 else shown[:74] + "…")


def _option(value: str, text: str) -> dict[str, object]:
    return {"text": _plain(text), "value": value}


def _plain(text: str) -> dict[str, object]:
    return {"type": "plain_text", "text": text, "emoji": False}
