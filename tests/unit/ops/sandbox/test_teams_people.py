"""What people do in the pretended Teams, and what the bot is told of it."""

import base64
import json
from collections import Counter
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from joserfc import jwt
from joserfc.errors import BadSignatureError, JoseError
from joserfc.jwk import KeySet

from adapters.teams.messages import activity_of
from ops.config import load_config
from ops.sandbox.teams import OTHER_TENANT, TENANT, Bad
from ops.teams_connection import teams_settings
from tests.fakes.clock import FakeClock
from tests.fakes.teams_bot import TeamsBot, card, connector_client, shown, teams_with_bot
from tests.unit.ops.sandbox.test_teams_connector import ADS

NO_FILE = Path("/nowhere/.env")


async def test_a_mention_is_what_teams_sends() -> None:
    bot = TeamsBot()
    async with teams_with_bot(bot) as teams:
        asked = await teams.person(1).mentions("can I?", "ads")
        assert (asked.status, asked.error) == (200, "")
        told = activity_of(bot.heard[0])
        assert (told.kind, told.text, told.place) == ("message", "<at>AdPolicy</at> can I?", "channel")
        assert told.conversation_id == f"{ADS};messageid={asked.written.id}"
        assert (told.tenant, told.team) == (TENANT, teams.world.place("ads").team.group)  # type: ignore[union-attr]
        assert told.sender.person == teams.person(1).account.object_id
        assert told.service_url == teams.service_url()
        assert [each["contentType"] for each in told.attachments] == ["text/html"]
        assert [each["type"] for each in told.entities] == ["clientInfo", "mention"]
        reply = await teams.person(2).mentions("what does @bot say", "ads", asked.written.id)
        told = activity_of(bot.heard[1])
        assert told.text == "what does <at>AdPolicy</at> say"
        assert told.conversation_id == f"{ADS};messageid={asked.written.id}"
        assert [each.id for each in teams.messages(told.conversation_id)] == [asked.written.id, reply.written.id]


async def test_the_bot_hears_what_mentions_it_or_all_with_consent() -> None:
    bot = TeamsBot()
    async with teams_with_bot(bot) as teams:
        person = teams.person(1)
        assert (await person.says("among us", "ads")).error == "not heard"
        assert (await person.writes_in_group("among us", mentions=False)).error == "not heard"
        assert (await person.writes_in_group("you there")).status == 200
        assert (await person.writes_to_bot("just us")).status == 200
        teams.reads_all("ads")
        assert (await person.says("all of it", "ads")).status == 200
        assert [each["conversation"]["conversationType"] for each in bot.heard] == ["groupChat", "personal", "channel"]
        await person.uninstalls("ads")
        bot.heard.clear()
        assert (await person.mentions("anybody?", "ads")).error == "not heard"
        with pytest.raises(LookupError, match="not in ads"):
            await teams.person(9).mentions("I am not in there", "ads")


async def test_edits_deletions_and_reactions() -> None:
    bot = TeamsBot()
    async with teams_with_bot(bot) as teams, aiohttp.ClientSession():
        person = teams.person(1)
        said = (await person.mentions("can I?", "ads")).written
        await person.edits(said, "may I?")
        await person.deletes(said)
        await person.undeletes(said)
        unheard = (await person.says("not for you", "ads")).written
        assert (await person.edits(unheard, "still not")).error == "not heard"
        answer = teams.world.messages.post(ADS, teams.world.bot, shown("No."), thread=said.id)
        await person.reacts(answer, "heart")
        assert (await person.reacts(said)).error == "not heard"
        events = [(each["type"], each["channelData"].get("eventType")) for each in bot.heard]
        assert events == [
            ("message", None),
            ("messageUpdate", "editMessage"),
            ("messageDelete", "softDeleteMessage"),
            ("messageUpdate", "undeleteMessage"),
            ("messageReaction", None),
        ]
        assert [each["id"] for each in bot.heard[:4]] == [said.id] * 4
        assert bot.heard[1]["text"] == "<at>AdPolicy</at> may I?"
        assert (bot.heard[4]["replyToId"], bot.heard[4]["reactionsAdded"]) == (answer.id, [{"type": "heart"}])
        with pytest.raises(LookupError, match="did not write"):
            await teams.person(2).edits(said, "mine")


async def test_files_come_in_the_own_chat() -> None:
    bot = TeamsBot()
    async with teams_with_bot(bot) as teams:
        await teams.person(1).attaches_file("rules.docx", "this one?")
        kinds = [each["contentType"] for each in bot.heard[0]["attachments"]]
        assert kinds == ["application/vnd.microsoft.teams.file.download.info", "text/html"]
        assert bot.heard[0]["attachments"][0]["content"]["fileType"] == "docx"


async def test_guests_and_people_of_other_organisations() -> None:
    bot = TeamsBot()
    async with teams_with_bot(bot) as teams:
        for number, kind in ((4, "guest"), (5, "federated"), (6, "anonymous")):
            await teams.person(number, kind=kind).writes_to_bot("hello")
        guest, federated, anonymous = (activity_of(each).sender for each in bot.heard)
        assert (guest.person, guest.tenant) == (teams.person(4).account.object_id, OTHER_TENANT)
        assert (federated.person, federated.tenant) == ("", OTHER_TENANT)
        assert (anonymous.person, anonymous.tenant) == ("", "")
        teams.person(7, tenant=OTHER_TENANT)
        await teams.person(7).writes_to_bot("from elsewhere")
        assert (activity_of(bot.heard[3]).tenant, bot.heard[3]["serviceUrl"]) == (
            OTHER_TENANT,
            teams.service_url(OTHER_TENANT),
        )


async def test_installing_and_removing() -> None:
    bot = TeamsBot()
    async with teams_with_bot(bot, installed=False) as teams:
        person = teams.person(1)
        for where in ("", "general", "talk"):
            assert [each.status for each in await person.installs(where)] == [200, 200]
        assert [each["type"] for each in bot.heard[:2]] == ["conversationUpdate", "installationUpdate"]
        assert bot.heard[0]["membersAdded"][0]["id"] == teams.world.bot
        assert bot.heard[1]["action"] == "add"
        assert bot.heard[3]["channelData"]["settings"]["selectedChannel"]["id"] == "19:general@thread.tacv2"
        assert teams.world.place("ads").is_installed
        await person.uninstalls("general")
        assert [each["type"] for each in bot.heard[6:]] == ["installationUpdate", "conversationUpdate"]
        assert bot.heard[6]["action"] == "remove"
        assert bot.heard[7]["membersRemoved"][0]["id"] == teams.world.bot
        assert not teams.world.place("ads").is_installed


async def test_what_happens_to_teams_and_members() -> None:
    bot = TeamsBot()
    async with teams_with_bot(bot) as teams:
        teams.world.add_person(4)
        await teams.members_change("ads", [4])
        await teams.team_changes("teamRenamed", team={"id": "19:general@thread.tacv2", "name": "Sales"})
        await teams.team_changes("channelDeleted", "ads")
        events = [each["channelData"]["eventType"] for each in bot.heard]
        assert events == ["teamMemberAdded", "teamRenamed", "channelDeleted"]
        assert bot.heard[0]["membersAdded"][0]["id"] == "29:user-4"
        assert bot.heard[1]["channelData"]["team"]["name"] == "Sales"
        with pytest.raises(LookupError):
            await teams.person(1).mentions("gone", "ads")
        await teams.other_bot_says("hello", "general")
        assert bot.heard[-1]["from"]["role"] == "bot"


async def _claims(authorization: str, teams: Any) -> dict[str, Any]:
    async with aiohttp.ClientSession() as session:
        async with session.get(teams.openid_url) as response:
            metadata = await response.json()
        async with session.get(metadata["jwks_uri"]) as response:
            keys = await response.json()
    assert metadata["issuer"] == teams.issuer_name
    assert keys["keys"][0]["endorsements"] == ["msteams"]
    token = jwt.decode(authorization.removeprefix("Bearer "), KeySet.import_key_set(keys), algorithms=["RS256"])
    return dict(token.claims)


async def test_deliveries_are_signed_and_keys_rotate() -> None:
    bot, clock = TeamsBot(), FakeClock()
    async with teams_with_bot(bot, clock=clock, token_clock=clock) as teams:
        await teams.person(1).writes_to_bot("one")
        claims = await _claims(bot.authorizations[0], teams)
        now = clock().timestamp()
        assert (claims["iss"], claims["aud"]) == ("https://api.botframework.com", teams.tokens.app_id)
        assert claims["serviceurl"] == teams.service_url()
        assert claims["nbf"] < now < claims["exp"]
        teams.rotate_keys()
        await teams.person(1).writes_to_bot("two")
        await _claims(bot.authorizations[1], teams)
        with pytest.raises(JoseError):
            await _claims(bot.authorizations[0], teams)
        clock.move(minutes=40)
        await teams.person(1).writes_to_bot("three")
        assert bot.authorizations[2] != bot.authorizations[1]


async def test_bad_tokens_are_bad() -> None:
    bot = TeamsBot()
    async with teams_with_bot(bot) as teams:
        made: dict[Bad, str] = {}
        for each in Bad:
            teams.bad_tokens(each)
            await teams.person(1).writes_to_bot("hello")
            made[each] = bot.authorizations[-1]
        assert (made[Bad.NONE], made[Bad.GARBAGE]) == ("", "Bearer not-a-token")
        assert made[Bad.OTHER_SCHEME].startswith("Basic ")
        now = (await _claims(await _fresh(teams, bot), teams))["iat"]
        assert "exp" not in _read(made[Bad.NO_EXPIRY], 1)
        assert _read(made[Bad.EXPIRED], 1)["exp"] < now - 3000
        assert _read(made[Bad.NOT_YET], 1)["nbf"] > now
        assert _read(made[Bad.AUDIENCE], 1)["aud"] != teams.tokens.app_id
        assert _read(made[Bad.ISSUER], 1)["iss"] != teams.issuer_name
        assert _read(made[Bad.SERVICE_URL], 1)["serviceurl"] != teams.service_url()
        assert "serviceurl" not in _read(made[Bad.NO_SERVICE_URL], 1)
        assert _read(made[Bad.UNKNOWN_KEY], 0)["kid"] == "never-published"
        assert "kid" not in _read(made[Bad.NO_KEY], 0)
        assert _read(made[Bad.UNSIGNED], 0)["alg"] == "none"
        with pytest.raises(BadSignatureError):
            await _claims(made[Bad.SIGNATURE], teams)
        assert (await _claims(made[Bad.ENDORSEMENT], teams))["aud"] == teams.tokens.app_id
        assert _read(made[Bad.ENDORSEMENT], 0)["kid"] == "unendorsed"


async def _fresh(teams: Any, bot: TeamsBot) -> str:
    teams.bad_tokens(None)
    await teams.person(1).writes_to_bot("hello")
    return bot.authorizations[-1]


def _read(authorization: str, part: int) -> dict[str, Any]:
    text = authorization.removeprefix("Bearer ").split(".")[part]
    found: dict[str, Any] = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    return found


async def test_what_is_not_taken_comes_again_after_fifteen_seconds() -> None:
    clock, statuses = FakeClock(), iter([503, 503, 200, 400])
    bot = TeamsBot(lambda _: (next(statuses), None))
    async with teams_with_bot(bot, clock=clock) as teams:
        seen = await teams.person(1).writes_to_bot("hello")
        assert (seen.status, seen.error, teams.pending) == (503, "status 503", 1)
        for _ in range(3):
            clock.move(seconds=16)
            await teams.catch_up()
        assert [each.status for each in teams.attempts] == [503, 503, 200]
        assert [each.attempt for each in teams.attempts] == [0, 1, 2]
        assert len({each["id"] for each in bot.heard}) == 1
        await teams.person(1).writes_to_bot("refused")
        assert teams.pending == 0


async def test_three_times_and_no_more() -> None:
    clock, bot = FakeClock(), TeamsBot(lambda _: (503, None))
    async with teams_with_bot(bot, clock=clock) as teams:
        await teams.person(1).writes_to_bot("hello")
        for _ in range(5):
            clock.move(seconds=16)
            await teams.catch_up()
        assert (len(bot.heard), teams.pending) == (3, 0)


async def test_duplicates_disorder_and_redelivery() -> None:
    bot = TeamsBot()
    async with teams_with_bot(bot) as teams:
        person = teams.person(1)
        seen = await person.writes_to_bot("one")
        assert (await teams.redeliver(seen)).attempt == 1
        teams.disorder.duplicate_every = 2
        for text in ("two", "three"):
            await person.writes_to_bot(text)
        await teams.catch_up()
        assert Counter(each["text"] for each in bot.heard) == {"one": 2, "two": 1, "three": 2}
        teams.disorder.duplicate_every = 0
        teams.hold()
        assert (await person.writes_to_bot("four")).error == "held"
        await person.writes_to_bot("five")
        await teams.release(reverse=True)
        assert [each["text"] for each in bot.heard[-2:]] == ["five", "four"]
        assert await teams.post_raw(b"{}", signed=False) == 200
        assert (bot.heard[-1], bot.authorizations[-1]) == ({}, "")
        teams.disorder.slow = 0.01
        seen = await person.writes_to_bot("six")
        assert seen.delivery is not None
        assert (await teams.redeliver(seen.delivery, bad=Bad.NONE)).status == 200
        assert (bot.heard[-1]["text"], bot.authorizations[-1]) == ("six", "")
        assert (await teams.send({**seen.delivery.activity, "text": "seven"})).status == 200
        with pytest.raises(LookupError, match="nothing was sent"):
            await teams.redeliver(await person.says("unheard", "ads"))


async def test_what_a_bot_wrote_is_waited_for() -> None:
    async with connector_client() as bot:
        await bot.post(ADS, shown("hello", card()))
        await bot.teams.until(lambda: bool(bot.teams.bot_messages("ads")), 1)
        with pytest.raises(TimeoutError):
            await bot.teams.until(lambda: len(bot.teams.bot_messages("ads")) > 1, 0.01)


async def test_a_bot_that_is_not_there() -> None:
    async with connector_client() as bot:
        seen = await bot.teams.person(1).writes_to_bot("hello")
        assert (seen.status, seen.error) == (0, "no connection")
        assert seen.delivery is not None
        assert (seen.delivery.kind, seen.delivery.id) == ("message", seen.written.id)
        assert bot.teams.pending == 1


async def test_what_a_person_sees_and_what_the_bot_is_told_of_it() -> None:
    async with connector_client() as bot:
        root = (await bot.teams.person(1).says("root", "ads")).written
        await bot.post(f"{ADS};messageid={root.id}", shown("reply"))
        await bot.post(ADS, shown("elsewhere"))
        person = bot.teams.person(2)
        assert [each.text for each in person.sees("ads", root.id)] == ["root", "reply"]
        assert [each.text for each in person.sees("ads")] == ["root", "reply", "elsewhere"]
        with pytest.raises(LookupError, match="there is no conversation nowhere"):
            person.sees("nowhere")


async def test_the_settings_are_those_of_the_bot() -> None:
    async with connector_client() as bot:
        settings = teams_settings(load_config(bot.teams.settings, NO_FILE))
        assert settings is not None
        assert (settings.openid_url, settings.issuer) == (bot.teams.openid_url, bot.teams.issuer_name)
        assert (settings.home, settings.scope) == (TENANT, bot.teams.scope)
