"""How a reply is shown in Slack, and the names by which its buttons and modals come back."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class SlackView:
    """`with_question`: nobody sees the question otherwise (a command, a shortcut). `is_private`: only the asker sees
    it, and may share it. `is_threaded`: it can be gone on with in its thread; a `response_url` answer cannot, and says
    how to invite the bot. `asks_people`: the channel's settings name somebody to ask. `shared_by`: Slack's id of who
    shared a private answer, "" for none."""

    with_question: bool = True
    is_private: bool = False
    is_threaded: bool = True
    asks_people: bool = False
    shared_by: str = ""


class SlackAction(StrEnum):
    """`action_id` of a button or menu in a message. Its value is the answer's id, unless said otherwise."""

    USEFUL = "adpolicy_useful"
    NOT_USEFUL = "adpolicy_not_useful"
    SHOW_SOURCES = "adpolicy_show_sources"
    SHOW_MORE = "adpolicy_show_more"
    CHANGE_SCOPE = "adpolicy_change_scope"
    SHARE = "adpolicy_share"
    ASK_PERSON = "adpolicy_ask_person"
    CHOOSE = "adpolicy_choose"
    """A choice of a clarification or refusal; value: answer id and number of the choice, "ID/2"."""
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
    """Asks again with another scope; `private_metadata`: the answer's id."""
    QUESTION = "adpolicy_question"
    """Of the global shortcut: question and scope."""
    SETTINGS = "adpolicy_settings"
    ASK_PERSON = "adpolicy_ask_person_modal"
    CURATED = "adpolicy_curated"


class SlackShortcut(StrEnum):
    """`callback_id` of a shortcut."""

    ASK = "adpolicy_ask"
    CHECK_MESSAGE = "adpolicy_check_message"
