"""Escalations and people's answers as Adaptive Cards, with what Slack's messages say of them."""

from collections.abc import Mapping

from bot.model.visible import lines, read_out
from bot.people.escalations import Escalation, EscalationAct, EscalationState, EscalationView, SeenSource
from bot.render.teams.elements import Element, execute, heading, small, text_block
from bot.render.teams.people import data, message, open_dialog, person, room
from bot.render.teams.text import bold, escape, link, shortened
from bot.render.teams.view import TeamsVerb
from bot.wording import day, quoted, section_title
from bot.wording import people as say
from bot.wording import teams as own
from rag_core.curated.kept import CuratedAnswer

_LINE, _QUESTION, _PIECE = 400, 600, 1_000
_MOST_STATEMENTS, _MOST_SOURCES, _MOST_LINES = 8, 8, 60


def escalation_message(escalation: Escalation, view: EscalationView, names: Mapping[str, str]) -> dict[str, object]:
    """For where people are asked. `view`: what everybody there may see."""
    place, left = escalation.place, room()
    question = view.question or say.ANSWER_GONE
    top = left.first(
        [
            heading(say.escalation_headline()),
            text_block(say.asked_by(person(place.person, place.channel))),
            _labelled(say.ASKED_QUESTION, question),
            small(shortened(say.asked_for(view.regions, view.policy_sources, view.as_of, names), _LINE)),
        ]
    )
    hidden = [small(say.SOME_LEFT_OUT)] if view.kind and view.left_out else []
    foot = left.first([*hidden, text_block(_state(escalation), separator=True)])
    note = left.first([_labelled(say.ASKER_SAYS, escalation.note)] if escalation.note else [])
    told = [block for each in _answer(view) if (block := left.first(each))]
    body = [*top, *note, *(one for each in told for one in each), *foot]
    return message(body, f"{say.escalation_headline()}: {question}", _buttons(escalation))


def persons_answer_message(escalation: Escalation, act: EscalationAct, question: str = "") -> dict[str, object]:
    """For the asker. Never with a verdict's sign, never as a quote. `question`: where it is not to be seen above."""
    is_first = not escalation.replies or escalation.replies[0].act_id == act.act_id
    told = say.persons_answer if is_first else say.persons_addition
    asked = [text_block(shortened(say.to_your_question(question), _QUESTION))] if question else []
    body = [
        heading(told(person(act.named, escalation.place.people_in))),
        *asked,
        *(text_block(escape(line)) for line in lines(act.text)[:_MOST_LINES]),
        small(f"{say.PERSONS_ANSWER_IS_NO_QUOTE} {say.answered_on(day(act.at.date()))}"),
    ]
    verb = TeamsVerb.SAVE_CURATED
    save = [open_dialog(own.SAVE_DRAFT, data(verb, escalation=escalation.escalation_id))] if is_first else []
    return message(body, f"{say.persons_answer('')} {act.text}", save)


def suspended_message(answer: CuratedAnswer) -> dict[str, object]:
    """For the owner of an approved answer."""
    why = say.suspended_why(answer)
    body = [heading(say.SUSPENDED_HEADLINE), text_block(shortened(why, 1_500))]
    return message(body, f"{say.SUSPENDED_HEADLINE}. {why}")


def _answer(view: EscalationView) -> list[list[Element]]:
    """Pieces, each whole or not at all."""
    if not view.kind:
        return []
    if view.kind != "answer":
        return [[text_block(say.BOT_DID_NOT_ANSWER)]]
    head = say.approved_answered(view.verdict) if view.is_approved else say.bot_answered(view.verdict)
    found = [[text_block(bold(head), spacing="Medium")]]
    found += [[text_block(shortened(each, _PIECE))] for each in view.statements[:_MOST_STATEMENTS]]
    return found + [_source(each) for each in view.sources[:_MOST_SOURCES]]


def _source(source: SeenSource) -> list[Element]:
    title = section_title(source.title, source.section_path)
    quote = shortened(quoted(read_out(source.quote)), _LINE)
    return [text_block(f"**[{source.number}]** {link(source.url, title)}", spacing="Small"), small(quote)]


def _state(escalation: Escalation) -> str:
    place = escalation.place
    if escalation.state is EscalationState.ANSWERED:
        return say.answered_state(person(escalation.replies[0].named, place.people_in) if escalation.replies else "")
    if escalation.state is EscalationState.CLAIMED and escalation.claim is not None:
        return own.claimed_state(person(escalation.claim.named, place.people_in))
    return own.OPEN_STATE


def _buttons(escalation: Escalation) -> list[Element]:
    """Who answered may add something; the others are told that it is his."""
    about = {"escalation": escalation.escalation_id}
    claim = execute(say.CLAIM, TeamsVerb.CLAIM, data(TeamsVerb.CLAIM, **about))
    answer = open_dialog(own.ANSWER, data(TeamsVerb.ANSWER_ESCALATION, **about))
    return [claim, answer] if escalation.state is EscalationState.OPEN else [answer]


def _labelled(label: str, text: str) -> Element:
    return text_block(f"{bold(label + ':')} {shortened(text, _QUESTION)}")
