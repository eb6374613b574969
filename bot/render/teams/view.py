"""Names and buttons of a reply in Teams, and the signed data that comes back from a click."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot import wording
from bot.access.signing import Signing
from bot.model.links import Links
from bot.render.teams.elements import Element, action_set, execute, in_menu, submit
from bot.wording import answers as said
from bot.wording import teams as teams_said
from rag_core.answers import Answer, Choice, Clarification, ClarificationReason, Reply


@dataclass(frozen=True, slots=True)
class TeamsView:
    """`with_question`: nobody sees the question otherwise (a click, a shared answer). `is_private`: in a personal chat,
    from which it may be shared. `is_threaded`: it can be gone on with where it stands. `asks_people`: the channel's
    settings name somebody to ask. `shared_by`: the name of who shared it, "" for nobody. `shared_chunks`: ids of the
    chunks that it quotes."""

    with_question: bool = False
    is_private: bool = False
    is_threaded: bool = True
    asks_people: bool = False
    shared_by: str = ""
    shared_chunks: tuple[str, ...] = ()


class TeamsVerb(StrEnum):
    """`verb` of an `Action.Execute` (`adaptiveCard/action`), and `adpolicy` in the data of all that comes back: also of
    what opens a dialog (`task/fetch`) or is submitted (`task/submit`). The other fields of the data are `answer` (its
    id) unless said otherwise, and `signed`, which proves all of them (`bot.render.teams.view`)."""

    SHOW_SOURCES = "show_sources"
    """Opens a dialog: the quotes in the passages around them."""
    SHOW_MORE = "show_more"
    """Opens a dialog: the whole answer."""
    CHANGE_SCOPE = "change_scope"
    """Opens a dialog; submitted with place, platform and day it asks again."""
    CHOOSE = "choose"
    """`choice`: number of a choice of the reply, from 0. Asks it."""
    SHARE = "share"
    """Opens a dialog: of a personal chat, into which channel."""
    ASK_PERSON = "ask_person"
    """Opens a dialog: the note."""
    CLAIM = "claim"
    """`escalation`: its id."""
    ANSWER_ESCALATION = "answer_escalation"
    """`escalation`: its id. Opens a dialog: where a reply in the thread does not reach the bot without a mention."""
    SAVE_CURATED = "save_curated"
    """`escalation`: its id. Opens a dialog."""
    SUBSCRIBE = "subscribe"
    """To changes of what the answer is about, in this conversation."""
    UNSUBSCRIBE = "unsubscribe"
    """`subscription`: its id."""
    SETTINGS = "settings"
    """Opens a dialog; of the channel that it is clicked in."""
    FEEDBACK = "feedback"
    """Submitted by the dialog of `message/fetchTask`; `rating` and `reasons`, `comment`."""


class TeamsInvoke(StrEnum):
    """Names of invokes."""

    CARD_ACTION = "adaptiveCard/action"
    DIALOG_OPEN = "task/fetch"
    DIALOG_SUBMIT = "task/submit"
    SEARCH = "composeExtension/query"
    SELECT = "composeExtension/selectItem"
    MESSAGE_ACTION_OPEN = "composeExtension/fetchTask"
    MESSAGE_ACTION_SUBMIT = "composeExtension/submitAction"
    FEEDBACK = "message/submitAction"
    FEEDBACK_OPEN = "message/fetchTask"


class ExtensionCommand(StrEnum):
    """`commandId` of the message extension, as in the manifest."""

    SEARCH = "searchPolicies"
    CHECK_MESSAGE = "checkMessage"


VERB = "adpolicy"
"""The field with the verb. It is signed like the others, also where an `Action.Execute` says it beside the data."""

ANSWER, CHOICE = "answer", "choice"


def signed_data(signing: Signing, conversation: str, verb: TeamsVerb, **fields: str) -> dict[str, object]:
    """For `Action.Execute`, and for what is submitted. `conversation`: `TeamsReference.signed_for`."""
    return {**signing.signed({VERB: verb.value, **fields}, conversation)}


def opens_dialog(data: dict[str, object]) -> dict[str, object]:
    """The same for an `Action.Submit` that opens a dialog (`task/fetch`)."""
    return {**data, "msteams": {"type": "task/fetch"}}


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
        (has_more, TeamsVerb.SHOW_MORE, said.SHOW_MORE),
        (cites, TeamsVerb.SHOW_SOURCES, said.SHOW_SOURCES),
        (not is_help, TeamsVerb.CHANGE_SCOPE, said.CHANGE_SCOPE),
        (view.is_private and not is_help, TeamsVerb.SHARE, said.SHARE),
        (view.asks_people and not is_help, TeamsVerb.ASK_PERSON, said.ASK_PERSON),
    )
    found = [_opens(verb, text, answer_id, sign) for wanted, verb, text in opened if wanted]
    return [*found, *([_subscribe(answer_id, sign)] if cites else [])]


def _opens(verb: TeamsVerb, text: str, answer_id: str, sign: Sign | None) -> Element:
    return submit(text, opens_dialog(data_of(verb, sign, **{ANSWER: answer_id})), with_inputs=False)


def _subscribe(answer_id: str, sign: Sign | None) -> Element:
    verb = TeamsVerb.SUBSCRIBE
    data = data_of(verb, sign, **{ANSWER: answer_id})
    return in_menu(execute(teams_said.SUBSCRIBE, verb.value, data, teams_said.SUBSCRIBE_HINT))


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
