"""What can be clicked in Teams, put together: answers behind clicks, signatures, search for the message extension."""

from dataclasses import dataclass

from adapters.local.card_signing import CardSigning
from adapters.sql.known_conversations import SqlKnownConversations
from adapters.sql.posted import SqlPostedMessages
from bot.access.signing import Signing
from bot.answers.seen import AnswerPorts
from bot.commands.search import PublicSearch
from bot.model.channels import SharedPlaces
from bot.model.posted import PostedAt
from ops.answers_again import answer_ports
from ops.config import Config
from ops.data_folder import secret_keys
from ops.parts import ServerParts


@dataclass(frozen=True, slots=True)
class TeamsActions:
    """Each a part of `TeamsParts` of the same name; `signing` is what messages and notices are signed with, too."""

    signing: Signing
    answers: AnswerPorts
    posted_at: PostedAt
    shared_places: SharedPlaces
    search: PublicSearch


def build_signing(config: Config) -> Signing:
    """The same in every process that has the same keys. Raises Misconfigured."""
    return CardSigning(secret_keys(config))


def build_teams_actions(parts: ServerParts, signing: Signing, known: SqlKnownConversations) -> TeamsActions:
    """Nothing of it is closed."""
    answering = parts.answering
    search = PublicSearch(answering.search.search, answering.store)
    return TeamsActions(signing, answer_ports(answering), SqlPostedMessages(answering.engine), known, search)
