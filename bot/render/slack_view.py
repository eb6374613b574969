"""How a reply is shown in Slack, and the names by which its buttons and modals come back."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class SlackView:
    """`with_question`: nobody sees the question otherwise (a command, a shortcut). `is_private`: only the asker sees
    it, and may share it. `is_threaded`: it can be gone on with in its thread; a `response_url` answer cannot, and says
    how to invite the bot. `asks_people`: the channel's settings name somebody to ask. `shared_by`: Slack's id of who
    shared a private answer, "" for none; nobody is named. `shared_chunks`: ids of the chunks that it quotes."""

    with_question: bool = True
    is_private: bool = False
    is_threaded: bool = True
    asks_people: bool = False
    shared_by: str = ""
    shared_chunks: tuple[str, ...] = ()


FEEDBACK_VALUE = {True: "useful", False: "not_useful"}
"""How a value of feedback buttons begins."""


class SlackAction(StrEnum):
    """`action_id` of a button or menu in a message. Its value is the answer's id, unless said otherwise."""

    FEEDBACK = "adpolicy_feedback_buttons"
    """Both halves; values as in FEEDBACK_VALUE, a slash and the answer's id."""
    SHOW_SOURCES = "adpolicy_show_sources"
    SHOW_MORE = "adpolicy_show_more"
    CHANGE_SCOPE = "adpolicy_change_scope"
    SHARE = "adpolicy_share"
    ASK_PERSON = "adpolicy_ask_person"
    CHOOSE = "adpolicy_choose"
    """A choice of a reply; value: answer id and number of the choice from 0, "ID/2". A block takes each `action_id`
    once, so it ends with ":2", and with ":menu" where it is a menu."""
    CLAIM = "adpolicy_claim"
    """Of an escalation; value: its id."""
    SAVE_CURATED = "adpolicy_save_curated"
    """Of a person's answer; value: the escalation's id."""
    UNSUBSCRIBE = "adpolicy_unsubscribe"
    """Value: the subscription's id."""
    OPEN_SETTINGS = "adpolicy_open_settings"
    """In the App Home; value: the channel."""
    ASK_STARTER = "adpolicy_ask_starter"
    """In the App Home; value: the question."""


class SlackModal(StrEnum):
    """`callback_id` of a modal."""

    FEEDBACK = "adpolicy_feedback"
    SOURCES = "adpolicy_sources"
    MORE = "adpolicy_more"
    SCOPE = "adpolicy_scope"
    """Asks again with another scope; `private_metadata`: see `adapters.slack.actions.places`, as of all modals that a
    click on a reply opens."""
    QUESTION = "adpolicy_question"
    """Of the global shortcut: question and scope."""
    SETTINGS = "adpolicy_settings"
    SHARE = "adpolicy_share_modal"
    ASK_PERSON = "adpolicy_ask_person_modal"
    CURATED = "adpolicy_curated"


class SlackShortcut(StrEnum):
    """`callback_id` of a shortcut."""

    ASK = "adpolicy_ask"
    CHECK_MESSAGE = "adpolicy_check_message"
