"""A click on a card, a filled-in dialog: who did it, by Teams' own word, and what we once signed."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from adapters.teams.addresses import TeamsAddress, TeamsPlace, conversation_of, thread_of
from adapters.teams.keeping import actor_at
from adapters.teams.listening import InvokeReply
from adapters.teams.messages import TeamsActivity
from adapters.teams.parts import TeamsParts
from bot.model.messages import Actor, Conversation
from bot.model.outcomes import Admitted
from bot.render.teams.view import ANSWER, Sign, TeamsInvoke, TeamsVerb
from rag_core.errors import Rejected

_LONGEST_INPUT = 4_000


@dataclass(frozen=True, slots=True)
class TeamsClick:
    """`fields`: what the bot signed for this conversation, the verb left out. `inputs`: what was filled in beside it;
    it proves nothing. Who and where come from the activity, which Teams signed. `may`: what the rule for people of
    other organisations says of him, who is not refused."""

    activity: TeamsActivity
    invoke: TeamsInvoke
    verb: TeamsVerb
    fields: Mapping[str, str]
    inputs: Mapping[str, Any] = field(default_factory=dict)
    may: Admitted = Admitted.ALLOWED

    @property
    def actor(self) -> Actor:
        return actor_at(self.activity.address)

    @property
    def seen_in(self) -> Conversation:
        return self.activity.address.conversation

    @property
    def is_personal(self) -> bool:
        return self.activity.place is TeamsPlace.PERSONAL

    @property
    def answer(self) -> str:
        """The answer's id, "" for none."""
        return self.fields.get(ANSWER, "")

    @property
    def place(self) -> TeamsAddress:
        """Where what is asked by it is answered: in the thread of the card, by who clicked."""
        address = self.activity.address
        is_bare = address.place is TeamsPlace.CHANNEL and not thread_of(address.conversation_id)
        if not is_bare or not self.card:
            return address
        return replace(address, conversation_id=conversation_of(address.conversation_id, self.card))

    @property
    def card(self) -> str:
        """The activity that the card stands in, "" where Teams does not say."""
        return self.activity.reply_to

    def sign(self, parts: TeamsParts) -> Sign:
        """For what stands in a dialog that is opened here. Raises Rejected("answer_unreadable") where nothing is
        signed, which no server is like."""
        if parts.signing is None:
            raise Rejected("answer_unreadable")
        return partial(parts.signing.signed, conversation=self.activity.reference.signed_for)

    def input(self, name: str) -> str:
        """What was filled in; "" for nothing and for what is no text."""
        found = self.inputs.get(name)
        return found[:_LONGEST_INPUT] if isinstance(found, str) else ""


VerbListener = Callable[[TeamsParts, TeamsClick], Awaitable[InvokeReply]]
"""Answers a click within the time of an invoke: it keeps what must not be lost, and starts the rest in
`parts.background`. By then the click is signed by us for this conversation, and who clicked is admitted.

Raises Unavailable and Rejected: the person is told so kindly.
"""

Verbs = Mapping[tuple[TeamsInvoke, TeamsVerb], VerbListener]
"""By the invoke it comes by (CARD_ACTION, DIALOG_OPEN or DIALOG_SUBMIT) and the verb. Each module with such listeners
has a `VERBS`; `adapters.teams.actions.dispatch` joins them by one line each."""
