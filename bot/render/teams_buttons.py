"""What one can click on a reply in Teams."""

from collections.abc import Callable, Mapping, Sequence

from bot import wording
from bot import wording_answers as said
from bot import wording_teams_answers as teams_said
from bot.links import Links
from bot.render.adaptive import Element, action_set, execute, in_menu, submit
from bot.render.teams_signed import ANSWER, CHOICE, VERB, opens_dialog
from bot.render.teams_view import TeamsVerb, TeamsView
from rag_core.answers import Answer, Choice, Clarification, ClarificationReason, Reply

Sign = Callable[[Mapping[str, str]], Mapping[str, object]]
"""The fields with what proves them, for the conversation that the card will stand in."""

PAGE = "page"
"""Field of the data: of a dialog of several pages, counted from 0."""

MOST_CHOICES = 5
"""Choices that have a button of their own; the others are in a menu."""

_MOST_IN_MENU = 20


def data_of(verb: TeamsVerb, sign: Sign | None, **fields: str) -> dict[str, object]:
    """What comes back from a click."""
    found = {VERB: verb.value, **fields}
    return dict(sign(found) if sign is not None else found)


def reply_actions(
    answer_id: str, reply: Reply, view: TeamsView, *, has_more: bool, sign: Sign | None = None
) -> list[Element]:
    """What can be done with the reply. None on a reply without an id: nothing could be found by it."""
    if not answer_id:
        return []
    is_help = isinstance(reply, Clarification) and reply.reason is ClarificationReason.HELP
    cites = isinstance(reply, Answer) and bool(reply.citations)
    opened = (
        (has_more, TeamsVerb.SHOW_MORE, said.show_more()),
        (cites, TeamsVerb.SHOW_SOURCES, said.show_sources()),
        (not is_help, TeamsVerb.CHANGE_SCOPE, said.change_scope()),
        (view.is_private and not is_help, TeamsVerb.SHARE, said.share()),
        (view.asks_people and not is_help, TeamsVerb.ASK_PERSON, said.ask_person()),
    )
    found = [_opens(verb, text, answer_id, sign) for wanted, verb, text in opened if wanted]
    return [*found, *([_subscribe(answer_id, sign)] if cites else [])]


def _opens(verb: TeamsVerb, text: str, answer_id: str, sign: Sign | None) -> Element:
    return submit(text, opens_dialog(data_of(verb, sign, **{ANSWER: answer_id})), with_inputs=False)


def _subscribe(answer_id: str, sign: Sign | None) -> Element:
    verb = TeamsVerb.SUBSCRIBE
    data = data_of(verb, sign, **{ANSWER: answer_id})
    return in_menu(execute(teams_said.subscribe(), verb.value, data, teams_said.subscribe_hint()))


def choice_buttons(answer_id: str, choices: Sequence[Choice], links: Links, sign: Sign | None) -> list[Element]:
    """A button for each of the first, a menu for the rest."""
    if not answer_id or not choices:
        return []
    found = [_choice(answer_id, at, each, links, sign) for at, each in enumerate(choices)]
    return [action_set([*found[:MOST_CHOICES], *map(in_menu, found[MOST_CHOICES : MOST_CHOICES + _MOST_IN_MENU])])]


def _choice(answer_id: str, at: int, choice: Choice, links: Links, sign: Sign | None) -> Element:
    verb = TeamsVerb.CHOOSE
    data = data_of(verb, sign, **{ANSWER: answer_id, CHOICE: str(at)})
    label = wording.choice_label(choice, links.source_names)
    return execute(label, verb.value, data, said.choice_asks(choice.question))
