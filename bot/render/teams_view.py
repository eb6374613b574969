"""How a reply is shown in Teams, and the names by which what is clicked on it comes back."""

from dataclasses import dataclass
from enum import StrEnum


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
    id) unless said otherwise, and `signed`, which proves all of them (`bot.render.teams_signed`)."""

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
