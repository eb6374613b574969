"""botbuilder's adapter, given what it would otherwise make for each turn: a client of the connector and its token."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

from botbuilder.core import CloudAdapterBase, TurnContext
from botbuilder.schema import (
    Activity,
    ChannelAccount,
    ConversationAccount,
    ConversationParameters,
    ConversationReference,
)
from botframework.connector.aio import ConnectorClient
from botframework.connector.aio.operations_async import ConversationsOperations
from botframework.connector.auth import (
    AuthenticateRequestResult,
    BotFrameworkAuthentication,
    ClaimsIdentity,
    ConnectorFactory,
)
from botframework.connector.bot_framework_sdk_client_async import BotFrameworkConnectorConfiguration
from botframework.connector.skills import BotFrameworkClient
from msrest import Deserializer
from msrest.authentication import Authentication

from adapters.teams.addresses import TeamsReference
from adapters.teams.botframework.troubles import TROUBLES, translated
from adapters.teams.botframework.whole import MODELS, WholeSerializer
from adapters.teams.botframework.wire import Wire
from adapters.teams.settings import is_safe
from rag_core.errors import Rejected

CHANNEL = "msteams"
_MOST_CLIENTS = 64
_MARKS_OF_TEMPLATES = "{}"

Turn = Callable[[TurnContext], Awaitable[None]]


class ConnectorClients(ConnectorFactory):
    """One client for each service address: making one takes longer than sending a message with it.

    Raises Rejected("teams_refused") for an address that no token may be sent to.
    """

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._clients: OrderedDict[str, ConnectorClient] = OrderedDict()

    async def create(self, service_url: str, audience: str = "") -> ConnectorClient:
        return self.of(service_url)

    def of(self, service_url: str) -> ConnectorClient:
        if service_url not in self._clients:
            # msrest takes the address for a template
            if not is_safe(service_url) or set(_MARKS_OF_TEMPLATES) & set(service_url):
                raise Rejected("teams_refused", error="service_url")
            self._clients[service_url] = self._made(service_url)
        self._clients.move_to_end(service_url)
        if len(self._clients) > _MOST_CLIENTS:
            self._clients.popitem(last=False)
        return self._clients[service_url]

    def _made(self, service_url: str) -> ConnectorClient:
        unsigned = Authentication()  # our pipeline signs; msrest wants some credentials for its own, which is not used
        config = BotFrameworkConnectorConfiguration(unsigned, service_url, pipeline_type=self._pipeline)
        client = ConnectorClient(unsigned, custom_configuration=config)
        client.conversations = ConversationsOperations(
            client._client,  # noqa: SLF001 - what else a client hands to its operations
            config,
            WholeSerializer(),
            Deserializer(MODELS),
        )
        return client

    def _pipeline(self, config: BotFrameworkConnectorConfiguration) -> Any:
        return self._wire.pipeline(config.user_agent_policy)


class OutboundOnly(BotFrameworkAuthentication):
    """What botbuilder's adapter asks of its cloud, as far as it only sends. Who speaks to us is `ChannelInbound`'s."""

    def __init__(self, clients: ConnectorClients) -> None:
        self._clients = clients

    def create_connector_factory(self, claims_identity: ClaimsIdentity) -> ConnectorClients:
        return self._clients

    async def create_user_token_client(self, claims_identity: ClaimsIdentity) -> None:
        """Nobody signs in here; botbuilder's fetches a token for each turn, in the event loop."""

    async def authenticate_request(self, activity: Activity, auth_header: str) -> AuthenticateRequestResult:
        raise Rejected("teams_unauthenticated")

    async def authenticate_streaming_request(
        self, auth_header: str, channel_id_header: str
    ) -> AuthenticateRequestResult:
        raise Rejected("teams_unauthenticated")

    async def authenticate_channel_request(self, auth_header: str) -> ClaimsIdentity:
        raise Rejected("teams_unauthenticated")

    def create_bot_framework_client(self) -> BotFrameworkClient:
        raise Rejected("teams_refused", error="skills")

    def get_originating_audience(self) -> str:
        raise Rejected("teams_refused", error="skills")


class Turns:
    """Turns of botbuilder in conversations that we know of. Raises as `TeamsOutbound`."""

    def __init__(self, clients: ConnectorClients, app_id: str) -> None:
        self._adapter = CloudAdapterBase(OutboundOnly(clients))
        self._app_id = app_id

    async def run(self, to: TeamsReference, turn: Turn) -> None:
        reference = ConversationReference(
            bot=ChannelAccount(id=to.bot),
            conversation=ConversationAccount(id=to.conversation),
            channel_id=CHANNEL,
            service_url=to.service_url,
        )

        async def run(context: TurnContext) -> None:
            context.activity.id = None  # made up by botbuilder: what is sent would answer an activity that is nowhere
            await turn(context)

        try:
            await self._adapter.continue_conversation(reference, run, bot_app_id=self._app_id)
        except TROUBLES as exc:
            raise translated(exc) from exc

    async def open(self, to: TeamsReference, person: str) -> str:
        """The id of the person's own conversation with the bot."""
        opened: list[str] = []

        async def run(context: TurnContext) -> None:
            opened.append(context.activity.conversation.id or "")

        wanted = ConversationParameters(
            is_group=False,
            bot=ChannelAccount(id=to.bot),
            members=[ChannelAccount(id=person)],
            tenant_id=to.tenant,
            channel_data={"tenant": {"id": to.tenant}},
        )
        try:
            await self._adapter.create_conversation(self._app_id, run, wanted, CHANNEL, to.service_url)
        except TROUBLES as exc:
            raise translated(exc) from exc
        return opened[0] if opened else ""
