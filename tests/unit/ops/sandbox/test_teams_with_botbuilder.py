"""The Bot Framework's own SDK gets on with the stand-in: what it takes for Teams, and what it can write."""

import asyncio
from collections.abc import Iterator

import pytest
from botbuilder.schema import Activity, ChannelAccount, ConversationParameters
from botbuilder.schema.teams import TeamsChannelAccount
from botframework.connector.aio import ConnectorClient as SdkClient
from botframework.connector.auth import (
    AuthenticationConfiguration,
    AuthenticationConstants,
    ChannelValidation,
    ClaimsIdentity,
    SimpleCredentialProvider,
)
from botframework.connector.auth.jwt_token_extractor import JwtTokenExtractor
from botframework.connector.bot_framework_sdk_client_async import BotFrameworkConnectorConfiguration
from msrest.authentication import BasicTokenAuthentication

from ops.sandbox.teams import TENANT, Bad, TeamsStandIn
from tests.fakes.teams_bot import TeamsBot, connector_client, teams_with_bot
from tests.unit.ops.sandbox.test_teams_connector import ADS


async def _identity(teams: TeamsStandIn, authorization: str) -> ClaimsIdentity:
    """What the SDK makes of a header; its keys come by a blocking request, so it has a thread to itself."""
    JwtTokenExtractor.metadataCache.clear()
    ChannelValidation.open_id_metadata_endpoint = teams.openid_url
    credentials = SimpleCredentialProvider(teams.tokens.app_id, "")

    def check() -> ClaimsIdentity:
        checked = ChannelValidation.authenticate_channel_token_with_service_url(
            authorization, credentials, teams.service_url(), "msteams", AuthenticationConfiguration()
        )
        return asyncio.run(checked)

    return await asyncio.to_thread(check)


@pytest.fixture(autouse=True)
def metadata_as_before() -> Iterator[None]:
    before = ChannelValidation.open_id_metadata_endpoint
    yield
    ChannelValidation.open_id_metadata_endpoint = before
    JwtTokenExtractor.metadataCache.clear()


async def test_the_sdk_takes_the_stand_in_for_teams() -> None:
    bot = TeamsBot()
    async with teams_with_bot(bot) as teams:
        await teams.person(1).writes_to_bot("hello")
        found = await _identity(teams, bot.authorizations[0])
        assert found.is_authenticated
        assert found.claims[AuthenticationConstants.AUDIENCE_CLAIM] == teams.tokens.app_id
        activity = Activity.deserialize(bot.heard[0])
        assert (activity.text, activity.from_property.aad_object_id) == (
            "hello",
            teams.person(1).account.object_id,
        )


@pytest.mark.parametrize(
    "bad", [Bad.EXPIRED, Bad.AUDIENCE, Bad.ISSUER, Bad.UNKNOWN_KEY, Bad.SIGNATURE, Bad.SERVICE_URL, Bad.ENDORSEMENT]
)
async def test_the_sdk_takes_no_bad_token(bad: Bad) -> None:
    bot = TeamsBot()
    async with teams_with_bot(bot) as teams:
        teams.bad_tokens(bad)
        await teams.person(1).writes_to_bot("hello")
        with pytest.raises(Exception):  # noqa: B017 - whatever the SDK raises, IndexError among it
            await _identity(teams, bot.authorizations[0])


async def test_the_sdk_writes_reads_and_takes_back() -> None:
    async with connector_client() as bot:
        credentials = BasicTokenAuthentication({"access_token": await bot.fetch_token()})
        config = BotFrameworkConnectorConfiguration(credentials, bot.teams.service_url())
        sdk = SdkClient(credentials, custom_configuration=config).conversations
        posted = await sdk.send_to_conversation(ADS, Activity(type="message", text="hello"))
        await sdk.reply_to_activity(f"{ADS};messageid={posted.id}", posted.id, Activity(type="message", text="reply"))
        await sdk.update_activity(ADS, posted.id, Activity(type="message", text="changed"))
        assert [each.text for each in bot.teams.bot_messages("ads")] == ["changed", "reply"]
        await sdk.delete_activity(ADS, posted.id)
        assert [each.text for each in bot.teams.bot_messages("ads")] == ["reply"]
        page = await sdk.get_conversation_paged_members(ADS)
        assert [each.id for each in page.members] == ["29:user-1", "29:user-2", "29:user-3"]
        wanted = ConversationParameters(members=[ChannelAccount(id="29:user-1")], tenant_id=TENANT)
        assert (await sdk.create_conversation(wanted)).id == "a:chat-1"
        member = TeamsChannelAccount.deserialize((await bot.call("GET", f"/{ADS}/members/29:user-1"))[1])
        assert (member.user_role, member.tenant_id) == ("user", TENANT)
