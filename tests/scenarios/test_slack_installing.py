"""Many workspaces install the app, and leave it: from the page to the first question, and to the last trace."""

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.database.transactions import fetch
from adapters.sql.tables.audit import audit_records
from adapters.sql.tables.channels import slack_install_states, slack_installations
from bot.wording.slack import NOT_INSTALLED_HERE, declined, installed, not_allowed, not_begun_here, not_now
from ops.deploy.slack_manifest import bot_scopes
from ops.sandbox.slack.grants import Grant
from ops.sandbox.troubles import Trouble
from rag_core.errors import Rejected, Unavailable
from tests.fakes.databases import migrated_engine
from tests.fakes.slack_installing import (
    ROTATING,
    InstallingWorld,
    installing_world,
    organisation_leaves,
    single_world,
    tell,
)


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    async with migrated_engine(tmp_path, "sqlite") as opened:
        yield opened


@pytest.fixture
async def world(engine: AsyncEngine) -> AsyncIterator[InstallingWorld]:
    async with installing_world(engine) as made:
        yield made


async def acts(engine: AsyncEngine) -> list[tuple[str, str]]:
    rows = await fetch(engine, select(audit_records).order_by(audit_records.c.at, audit_records.c.sequence))
    return [(row.chain, str(row.canonical)) for row in rows]


async def test_from_the_page_to_the_first_question(world: InstallingWorld, engine: AsyncEngine) -> None:
    offered = await world.browser().opens(f"{world.url}/slack/install")
    assert offered.status == 200
    assert "Add to Slack" in offered.html
    assert all(f"<code>{scope}</code>: " in offered.html for scope in bot_scopes())
    assert not await fetch(engine, select(slack_install_states))  # looking at the page begins nothing
    done = await world.install("T2")
    assert (done.status, done.title) == (200, installed("Sandbox T2").title)
    await world.slack.person("U1", "T2").commands("/adpolicy", "can I advertise alcohol", "C1")
    assert [each.actor.workspace for each in world.inbox.accepted] == ["T2"]
    [(chain, record)] = await acts(engine)
    assert chain == "T2"
    assert "slack_installed" in record
    assert "xoxb" not in record


async def test_tokens_are_not_readable_at_rest(engine: AsyncEngine) -> None:
    async with installing_world(engine, app=ROTATING) as world:
        await world.install("T2")
        token = await world.token("T2")
    [row] = await fetch(engine, select(slack_installations))
    assert len(row.token) > 200  # longer than the SDK's own table takes
    assert token not in str(tuple(row))
    assert "xoxe" not in str(tuple(row))


async def test_slack_is_asked_for_what_the_manifest_asks_for(world: InstallingWorld) -> None:
    asked = {name: each[0] for name, each in parse_qs(urlsplit(await world.browser().begin()).query).items()}
    assert asked["scope"].split(",") == list(bot_scopes())
    assert asked["redirect_uri"] == f"{world.url}/slack/oauth_redirect"


async def test_a_state_is_good_once_for_its_browser_and_for_ten_minutes(world: InstallingWorld) -> None:
    browser, other = world.browser(), world.browser()
    back = world.slack.authorize(await browser.begin(), team="T2")
    await other.begin()
    refused = [await other.opens(back), await world.browser().opens(back)]
    done, again = await browser.opens(back), await browser.opens(back)
    late = world.slack.authorize(await browser.begin(), team="T2")
    world.clock.move(minutes=10)
    refused += [again, await browser.opens(late), await browser.opens(back.partition("&state")[0])]
    assert done.status == 200
    assert [(each.status, each.title) for each in refused] == [(400, not_begun_here().title)] * 5
    assert len(world.slack.calls_of("oauth.v2.access")) == 1


async def test_the_cookie_is_not_for_scripts_and_not_for_other_sites(world: InstallingWorld) -> None:
    browser = world.browser()
    await browser.begin()
    [cookie] = browser.jar
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/slack")


async def test_who_is_not_on_the_list_gets_nothing_and_leaves_nothing(
    world: InstallingWorld, engine: AsyncEngine
) -> None:
    refused = await world.install("T3")
    assert (refused.status, refused.title) == (403, not_allowed("T3", revoked=True).title)
    assert "T3" in refused.html
    assert await fetch(engine, select(slack_installations)) == []
    assert world.slack.api_calls[-2:] == ["oauth.v2.access", "auth.revoke"]
    assert world.slack.world.grants.live("T3", "") is None


async def test_a_token_that_could_not_be_given_back_is_told(world: InstallingWorld) -> None:
    world.slack.trouble("auth.revoke", Trouble(status=503))
    refused = await world.install("T3")
    assert refused.status == 403
    assert "remove the app" in refused.html


async def test_what_goes_wrong_is_said_with_what_to_do_next(world: InstallingWorld, engine: AsyncEngine) -> None:
    browser = world.browser()
    no = await browser.opens(world.slack.authorize(await browser.begin(), team="T2", allowed=False))
    assert (no.status, no.title) == (200, declined().title)
    world.slack.trouble("oauth.v2.access", Trouble(status=503))
    down = await world.install("T2")
    assert (down.status, down.title) == (503, not_now().title)
    back = world.slack.authorize(await browser.begin(), team="T2")
    unheard = await browser.opens(back.replace("code=", "code=9"))
    assert unheard.status == 400
    assert "invalid_code" in unheard.html
    for each in (no, down, unheard):
        assert "Start again" in each.html
    assert await fetch(engine, select(slack_installations)) == []


async def test_what_comes_back_is_escaped(world: InstallingWorld) -> None:
    browser = world.browser()
    state = parse_qs(urlsplit(await browser.begin()).query)["state"][0]
    shown = await browser.opens(f"{world.url}/slack/oauth_redirect?state={state}&error=%3Cscript%3Ealert(1)")
    assert shown.status == 400
    assert "script" not in shown.html


async def test_where_it_is_not_installed_slack_gets_its_200_and_people_a_sentence(world: InstallingWorld) -> None:
    for team in ("T2", "T3"):
        asked = await world.slack.person("U1", team).commands("/adpolicy", "alcohol?", "C1")
        assert (asked.status, asked.json["text"]) == (200, NOT_INSTALLED_HERE)
        assert asked.json["response_type"] == "ephemeral"
    world.slack.world.grants.add(Grant("xoxb-unlisted", "T3", world.slack.app.scopes))
    await world.slack.person("U1", "T3").mentions("alcohol?", "C1")
    assert {each.status for each in world.slack.attempts} == {200}
    assert world.inbox.accepted == []


async def test_a_place_that_is_taken_off_the_list_is_not_answered_any_more(engine: AsyncEngine) -> None:
    async with installing_world(engine) as world:
        await world.install("T2")
    async with installing_world(engine, allowed="T1") as world:
        with pytest.raises(Rejected) as found:
            await world.token("T2")
    assert (found.value.code, found.value.details["error"]) == ("slack_not_installed", "not_on_the_list")


async def test_each_workspace_is_answered_with_its_own_token(world: InstallingWorld) -> None:
    await world.install("T1")
    await world.install("T2")
    first, second = await world.token("T1"), await world.token("T2")
    assert first != second
    for team in ("T2", "T1"):
        await world.slack.person("U1", team).commands("/adpolicy", f"asked in {team}", "C1")
    for question in world.inbox.accepted:
        team = question.conversation.workspace
        client = await world.clients.of(team)
        await client.chat_postMessage(channel=question.conversation.channel, text=f"for {question.text}")
    assert [each.text for each in world.slack.bot_messages("C1", "T1")] == ["for asked in T1"]
    assert [each.text for each in world.slack.bot_messages("C1", "T2")] == ["for asked in T2"]
    conversations = {str(each.conversation) for each in world.inbox.accepted}
    actors = {(each.actor.workspace, each.actor.person) for each in world.inbox.accepted}
    claims = {each.claim_key.split(":")[1] for each in world.inbox.accepted}
    assert (len(conversations), actors, claims) == (2, {("T1", "U1"), ("T2", "U1")}, {"T1", "T2"})


async def test_the_configured_token_is_for_its_own_workspace_alone(engine: AsyncEngine) -> None:
    async with installing_world(engine, bot_token="xoxb-own") as world:
        assert await world.token("T1") == "xoxb-own"
        for team in ("T2", "T3"):
            with pytest.raises(Rejected, match="slack_not_installed"):
                await world.token(team)
        await world.install("T2")
        assert await world.token("T2") != "xoxb-own"
        assert await world.token("T1") == "xoxb-own"
        assert len(world.slack.calls_of("auth.test")) == 1


async def test_an_organisation_installs_for_all_of_its_workspaces(world: InstallingWorld) -> None:
    done = await world.install("T7", organisation=True)
    assert done.status == 200
    whole = await world.token("T7", "E1")
    asked = await world.slack.person("U1", "T8").commands("/adpolicy", "alcohol?", "C1T8")
    assert (asked.status, asked.body) == (200, "")
    assert [each.actor.workspace for each in world.inbox.accepted] == ["T8"]
    assert await world.token("T8") == whole  # learned from the command: an alert knows no more than the workspace
    await (await world.clients.of("T8")).chat_postMessage(channel="C1T8", text="found")
    assert [each.text for each in world.slack.bot_messages("C1T8", "T8")] == ["found"]
    with pytest.raises(Rejected):
        await world.token("T2")
    await world.install("T8")
    assert await world.token("T8", "E1") != whole  # its own goes before


@pytest.mark.parametrize("reverse", [False, True])
async def test_uninstalling_deletes_all_of_it_in_any_order_and_once(
    world: InstallingWorld, engine: AsyncEngine, reverse: bool
) -> None:
    await world.install("T1")
    await world.install("T2")
    await world.token("T2")
    world.clock.move(minutes=5)
    world.slack.hold_events()
    await world.slack.uninstall("T2")
    world.slack.release_events(reverse=reverse)
    await world.slack.catch_up()
    assert [row.place for row in await fetch(engine, select(slack_installations))] == ["T1"]
    assert set(world.forgotten) == {"T2"}
    assert [record.count("slack_uninstalled") for chain, record in await acts(engine) if chain == "T2"] == [0, 1]
    with pytest.raises(Rejected, match="slack_not_installed"):
        await world.token("T2")
    await world.token("T1")


async def test_a_late_event_does_not_end_a_new_installation(world: InstallingWorld) -> None:
    await world.install("T2")
    world.clock.move(minutes=5)
    world.slack.hold_events()
    await world.slack.uninstall("T2")
    world.clock.move(minutes=5)
    await world.install("T2")
    world.slack.release_events()
    await world.slack.catch_up()
    await (await world.clients.of("T2")).auth_test()
    assert world.forgotten == []


async def test_a_late_event_is_known_by_its_time_where_slack_does_not_answer(world: InstallingWorld) -> None:
    await world.install("T2")
    world.clock.move(minutes=5)
    world.slack.hold_events()
    await world.slack.uninstall("T2")
    world.clock.move(minutes=5)
    await world.install("T2")
    world.slack.trouble("auth.test", Trouble(status=503), times=5)
    world.slack.release_events()
    await world.slack.catch_up()
    assert await world.token("T2")
    assert world.forgotten == []


async def test_within_the_same_second_slack_is_asked(world: InstallingWorld) -> None:
    await world.install("T2")
    world.slack.hold_events()
    await world.slack.uninstall("T2")
    await world.install("T2")
    world.slack.release_events()
    await world.slack.catch_up()
    assert await world.token("T2")


async def test_slack_is_believed_where_it_does_not_answer(world: InstallingWorld) -> None:
    await world.install("T2")
    world.clock.move(minutes=5)
    world.slack.trouble("auth.test", Trouble(status=503), times=5)
    await world.slack.uninstall("T2")
    with pytest.raises(Rejected):
        await world.token("T2")
    assert "T2" in world.forgotten


async def test_somebodys_own_token_is_not_the_bots(world: InstallingWorld) -> None:
    await world.install("T2")
    world.clock.move(minutes=5)
    [grant] = [each for each in world.slack.world.grants if each.team == "T2"]
    world.slack.world.grants.end(grant.token)
    event = {"type": "tokens_revoked", "tokens": {"oauth": ["U1"], "bot": []}, "event_ts": "1900000000.0001"}
    tell(world.slack, "T2", event)
    await world.slack.catch_up()
    assert world.forgotten == []


async def test_what_could_not_be_forgotten_is_forgotten_when_slack_tells_again(world: InstallingWorld) -> None:
    await world.install("T2")
    world.clock.move(minutes=5)
    world.failure = Unavailable("store_down")
    await world.slack.uninstall("T2")
    assert 503 in [each.status for each in world.slack.attempts]
    world.failure = None
    for _ in range(3):
        world.clock.move(minutes=6)
        await world.slack.catch_up()
    assert "T2" in world.forgotten


async def test_an_organisation_leaves_with_all_of_its_workspaces_but_those_with_their_own(
    world: InstallingWorld,
) -> None:
    await world.install("T7", organisation=True)
    await world.token("T7", "E1")
    await world.token("T8", "E1")
    await world.install("T8")
    world.clock.move(minutes=5)
    await organisation_leaves(world.slack, "T7")
    assert set(world.forgotten) == {"T7"}
    assert await world.token("T8", "E1")
    with pytest.raises(Rejected):
        await world.token("T7", "E1")


async def test_one_token_that_still_works_is_no_departure() -> None:
    """Without OAuth: a late event after a new installation, by the configured token."""
    async with single_world() as (slack, forgotten):
        tell(slack, "T1", {"type": "app_uninstalled", "event_ts": "1.0"})
        await slack.catch_up()
        assert forgotten == []
        await slack.uninstall("T1")
        assert set(forgotten) == {"T1"}
