"""Tokens by installation, while the database or Slack does not answer; and what an uninstallation is believed to be."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest

from adapters.slack.oauth.exchange import Granted, OwnWorkspace, SlackOAuth
from adapters.slack.oauth.install import Installing, definitions, page
from adapters.slack.oauth.renewal import TokenRenewing
from adapters.slack.oauth.tokens import KEPT, InstalledWorkspaces, authorized_by
from adapters.slack.payloads import Departure, departure
from adapters.slack.settings import AllowedWorkspaces, OAuthSettings
from bot.access.installations import Installation
from bot.audit.entries import AuditEntry
from bot.wording.slack import PageText
from ops.sandbox.slack import NO_LIMITS, SlackStandIn, slack_stand_in
from ops.sandbox.troubles import Trouble
from rag_core.errors import Rejected, Unavailable
from tests.fakes.slack import NOW, FakeClock, client

ALLOWED = AllowedWorkspaces(frozenset({"T1", "T2", "E1"}))
HELD = Installation("i1", "T2", "", "Sandbox T2", "UBOT", (), NOW - timedelta(hours=1), "xoxb-two")
WHOLE = replace(HELD, installation_id="i2", place="E1", organisation="E1", token="xoxb-whole")


@dataclass(slots=True)
class FakeInstallations:
    """Installations in a dict; `failure` is raised in the place of any answer."""

    kept: dict[str, Installation] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)
    entries: list[AuditEntry] = field(default_factory=list)
    failure: Exception | None = None
    asked: int = 0
    after_finding: Awaitable[object] | None = None
    before_removing: Awaitable[object] | None = None

    async def find(self, workspace: str, organisation: str = "") -> Installation | None:
        self._answer()
        found = self.kept.get(workspace) or self.kept.get(organisation or self.told.get(workspace, ""))
        meanwhile, self.after_finding = self.after_finding, None
        if meanwhile is not None:
            await meanwhile
        return found

    async def all(self) -> tuple[Installation, ...]:
        self._answer()
        return tuple(self.kept.values())

    async def save(self, installation: Installation, entry: AuditEntry) -> None:
        self._answer()
        self.kept[installation.place] = installation
        self.entries.append(entry)

    async def remove(self, installation: Installation, entry: AuditEntry) -> bool:
        self._answer()
        meanwhile, self.before_removing = self.before_removing, None
        if meanwhile is not None:
            await meanwhile
        self.entries.append(entry)
        return self.kept.pop(installation.place, None) is not None

    async def belongs(self, workspace: str, organisation: str) -> None:
        self._answer()
        self.told[workspace] = organisation

    async def workspaces_of(self, organisation: str) -> tuple[str, ...]:
        self._answer()
        return tuple(sorted(each for each, of in self.told.items() if of == organisation))

    async def claim(self, held: Installation, by: str, now: datetime, until: datetime) -> bool:
        raise Unavailable("store_down")

    async def release(self, held: Installation, by: str) -> None: ...

    async def renewed(self, new: Installation) -> None: ...

    async def refused(self, held: Installation) -> None: ...

    def _answer(self) -> None:
        self.asked += 1
        if self.failure:
            raise self.failure


@dataclass(slots=True)
class Setting:
    store: FakeInstallations
    clock: FakeClock
    slack: SlackStandIn
    tokens: InstalledWorkspaces
    own: OwnWorkspace


@pytest.fixture
async def it() -> AsyncIterator[Setting]:
    store, clock = FakeInstallations({"T2": HELD}), FakeClock()
    async with slack_stand_in(limits=NO_LIMITS) as slack, client() as session:
        slack.add_workspace("T2", token="xoxb-two")
        slack.add_workspace("T7", enterprise="E1")
        slack.install_organisation("E1", "xoxb-whole")
        settings = OAuthSettings("1.1", "x", "https://b.example", ("commands",), ALLOWED)
        oauth = SlackOAuth(session, settings, slack.api_url)
        own = OwnWorkspace("xoxb-sandbox", oauth)
        renewing = TokenRenewing(oauth, store, store, clock=clock)
        tokens = InstalledWorkspaces(store, oauth, renewing, ALLOWED, own, clock=clock)
        yield Setting(store, clock, slack, tokens, own)


def gone(team: str = "T2", enterprise: str = "", *, minutes: int = 0, whole: bool = False) -> Departure:
    return Departure(team, enterprise, whole, NOW + timedelta(minutes=minutes))


async def test_a_finding_is_believed_for_half_a_minute_and_no_longer(it: Setting) -> None:
    for _ in range(3):
        assert await it.tokens.of("T2") == "xoxb-two"
    assert it.store.asked == 1
    it.store.kept["T2"] = replace(HELD, token="xoxb-newer")
    it.clock.move(seconds=KEPT.total_seconds())
    assert await it.tokens.of("T2") == "xoxb-newer"


async def test_with_the_database_down_what_was_found_holds_on(it: Setting) -> None:
    await it.tokens.of("T2")
    it.store.failure = Unavailable("store_down")
    it.clock.move(minutes=20)
    assert await it.tokens.of("T2") == "xoxb-two"
    with pytest.raises(Unavailable):
        await it.tokens.of("T7", "E1")


async def test_what_cannot_be_found_out_is_let_through_and_what_is_known_is_not(it: Setting) -> None:
    """Slack signed it; who answers it asks for the token again."""
    hook = authorized_by(it.tokens)
    context: dict[str, object] = {}
    assert (await hook(context, None, "T2", "U1")).bot_token == "xoxb-two"  # type: ignore[arg-type]
    it.store.failure = Unavailable("store_down")
    assert (await hook(context, "E1", "T7", "U1")).bot_token is None  # type: ignore[arg-type]
    assert context == {}
    it.store.failure = None
    assert (await hook(context, None, "T9", "U1")).bot_token is None  # type: ignore[arg-type]
    assert context == {"adpolicy_turned_away": True}


class NeverFound:
    """Bot tokens in a database that does not answer."""

    async def of(self, team: str, enterprise: str = "") -> str:
        await asyncio.Event().wait()
        return ""


async def test_what_cannot_be_found_out_in_time_is_let_through() -> None:
    context: dict[str, object] = {}
    found = await authorized_by(NeverFound(), wait_seconds=0.01)(context, None, "T2", "U1")  # type: ignore[arg-type]
    assert (found.bot_token, context) == (None, {})


async def test_the_list_is_asked_for_the_workspace_and_its_organisation(it: Setting) -> None:
    it.store.kept = {"E1": WHOLE, "T9": replace(HELD, place="T9"), "E9": replace(WHOLE, place="E9", organisation="E9")}
    assert await it.tokens.of("T7", "E1") == "xoxb-whole"
    assert await it.tokens.of("T7") == "xoxb-whole"
    for team, enterprise in (("T9", ""), ("T8", "E9")):
        with pytest.raises(Rejected, match="slack_not_installed"):
            await it.tokens.of(team, enterprise)


async def test_who_the_configured_token_is_for_is_asked_until_slack_says_it(it: Setting) -> None:
    it.slack.trouble("auth.test", Trouble(503))
    with pytest.raises(Unavailable):
        await it.own.of("T1")
    assert await it.own.of("T1") == "xoxb-sandbox"
    for team, enterprise in (("T2", ""), ("", ""), ("T9", "E1")):
        with pytest.raises(Rejected, match="slack_not_installed"):
            await it.own.of(team, enterprise)
    assert len(it.slack.calls_of("auth.test")) == 2


async def test_a_token_that_works_is_not_gone(it: Setting) -> None:
    assert await it.tokens.ended(gone()) == ()
    assert await it.tokens.ended(gone("T1")) == ()
    assert list(it.store.kept) == ["T2"]


async def test_the_time_is_looked_at_and_then_slack_is_asked(it: Setting) -> None:
    it.slack.world.grants.end("xoxb-two")
    assert await it.tokens.ended(gone(minutes=-90)) == ()
    assert await it.tokens.ended(replace(gone(), at=None)) == ("T2",)
    assert it.store.kept == {}
    assert [each.facts["act"] for each in it.store.entries] == ["slack_uninstalled"]


async def test_who_asks_while_it_is_uninstalled_brings_nothing_back(it: Setting) -> None:
    """The bot's own messages are told as events at the same moment."""
    it.slack.world.grants.end("xoxb-two")
    it.store.before_removing = it.tokens.of("T2")
    it.store.after_finding = it.tokens.ended(gone())
    assert await it.tokens.of("T2") == "xoxb-two"  # found before, given out after
    assert it.store.kept == {}
    with pytest.raises(Rejected, match="slack_not_installed"):
        await it.tokens.of("T2")


async def test_told_again_what_was_kept_is_forgotten_again(it: Setting) -> None:
    it.slack.world.grants.end("xoxb-two")
    assert await it.tokens.ended(gone()) == ("T2",)
    assert await it.tokens.ended(gone()) == ("T2",)


async def test_of_a_whole_organisation_one_workspaces_event_is_no_proof(it: Setting) -> None:
    it.store.kept, it.store.told = {"E1": WHOLE}, {"T7": "E1", "T8": "E1"}
    it.slack.trouble("auth.test", Trouble(503))
    assert await it.tokens.ended(gone("T7", "E1")) == ()
    assert await it.tokens.ended(gone("T7", "E1")) == ()
    it.slack.world.grants.end("xoxb-whole")
    assert await it.tokens.ended(gone("T7", "E1")) == ("T7", "T8")
    assert it.store.kept == {}


async def test_the_configured_token_is_not_given_up_while_slack_does_not_answer(it: Setting) -> None:
    await it.own.of("T1")
    it.slack.trouble("auth.test", Trouble(503))
    assert await it.tokens.ended(gone("T1")) == ()
    it.slack.world.grants.end("xoxb-sandbox")
    assert await it.tokens.ended(gone("T1")) == ("T1",)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"team_id": "T1", "event": {"type": "app_uninstalled", "event_ts": "100.5"}}, ("T1", "", False, 100.5)),
        ({"team_id": "T1", "event": {"type": "app_uninstalled"}, "event_time": 99}, ("T1", "", False, 99.0)),
        ({"team_id": "T1", "event": {"type": "app_uninstalled", "event_ts": "x"}}, ("T1", "", False, None)),
        (
            {"team_id": "T1", "enterprise_id": "E1", "authorizations": [{"is_enterprise_install": True}], "event": {}},
            ("T1", "E1", True, None),
        ),
        ({"team_id": "E1", "enterprise_id": "E1", "event": {}}, ("E1", "E1", True, None)),
        ({"enterprise_id": "E1", "event": {}}, ("", "E1", True, None)),
        ({"team_id": "T1", "event": {"type": "tokens_revoked", "tokens": {"bot": ["U9"]}}}, ("T1", "", False, None)),
        ({"team_id": "T1", "event": {"type": "tokens_revoked", "tokens": {"bot": [], "oauth": ["U1"]}}}, None),
        ({"team_id": "T1", "event": {"type": "tokens_revoked", "tokens": None}}, None),
        ({"team_id": "T1"}, None),
    ],
)
def test_what_slack_tells_of_it(body: dict[str, object], expected: tuple[str, str, bool, float | None] | None) -> None:
    found = departure(body)
    if expected is None:
        assert found is None
        return
    moment = None if expected[3] is None else datetime.fromtimestamp(expected[3], UTC)
    assert found == Departure(expected[0], expected[1], expected[2], moment)


async def test_a_token_that_could_not_be_kept_is_given_back(it: Setting) -> None:
    oauth = OAuthSettings("1.1", "x", "https://b.example", ("commands",), ALLOWED)
    granted = Granted("T2", "", "Sandbox T2", "UBOT", "U3", ("commands",), "xoxb-two")
    async with client() as session:
        slack = SlackOAuth(session, oauth, it.slack.api_url)
        installing = Installing(oauth, slack, NoStates(), it.tokens, it.clock)
        it.store.failure = Unavailable("store_down")
        with pytest.raises(Unavailable):
            await installing._install(granted)
    assert it.slack.world.grants.live("T2", "") is None


class NoStates:
    """Nobody has begun anything."""

    async def begin(self, state: str, browser: str, now: datetime, until: datetime) -> bool:
        return False

    async def take(self, state: str, browser: str, now: datetime) -> bool:
        return False


def test_a_page_shows_what_it_is_given_as_text() -> None:
    made = page(PageText("<t>", ("<p>&amp;",), "<a>"), to='/"><b>', listed=[definitions("<h>", [("<c>", "<d>")])])
    html = made.text or ""
    for given, shown in (
        ("<t>", "&lt;t&gt;"),
        ("<p>&amp;", "&lt;p&gt;&amp;amp;"),
        ("<a>", "&lt;a&gt;"),
        ('"><b>', "&quot;&gt;&lt;b"),
    ):
        assert shown in html, given
    for never in ("<t>", "<b>", "<h>", "<c>", "<d>", "<script"):
        assert never not in html
