"""The message extension: what is found is public, whoever looks for it, and what is wrong is said kindly."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from adapters.teams import extension
from bot.model.outcomes import Admitted
from bot.render.teams import found
from bot.render.teams.view import ExtensionCommand, TeamsInvoke
from bot.wording import teams as told
from bot.wording import why_not
from ingest.ports import VersionWrite
from ops.sandbox.teams.checks import problem
from rag_core.errors import Rejected, Unavailable
from tests.fakes.documents import Section, make_version, make_write
from tests.fakes.slack_sources import CLOSED, PUBLIC, SECRET
from tests.fakes.teams import CHANNEL, GROUP_CHAT
from tests.fakes.teams_answers import Answers, answers_in_teams, said_in, texts
from tests.fakes.web import QUOTE

ODD = make_write(
    make_version("acme_odd", title="[Odd](https://evil.example) <at>all</at>"),
    (Section("Odd", "**Bold** <script> [click](https://evil.example) {{DATE(x)}} " + "word " * 900),),
)


def long_document(text: str) -> VersionWrite:
    sections = tuple(Section(f"Section {each}", f"{each} alcohol {text}") for each in range(30))
    return make_write(make_version("acme_long", title="A long title of a policy " * 8), sections)


@pytest.fixture
async def bot() -> AsyncIterator[Answers]:
    async with answers_in_teams(PUBLIC, CLOSED) as made:
        yield made


def query(typed: str | None, **options: Any) -> dict[str, Any]:
    given = {"name": "initialRun", "value": "true"} if typed is None else {"name": "query", "value": typed}
    return {"commandId": ExtensionCommand.SEARCH.value, "parameters": [given], "queryOptions": options}


def results(reply: dict[str, Any]) -> list[dict[str, Any]]:
    found = reply["composeExtension"]
    assert (found["type"], found["attachmentLayout"]) == ("result", "list"), found
    return list(found["attachments"])


class TestSearching:
    async def test_passages_are_listed_with_what_is_inserted(self, bot: Answers) -> None:
        found = results(await bot.invoke(TeamsInvoke.SEARCH, query("alcohol")))
        first = next(each for each in found if QUOTE in texts(each["content"]))
        assert "United Kingdom" in texts(first["content"])
        assert told.FOUND_BY_SEARCH in texts(first["content"])
        assert first["preview"]["content"]["title"]
        assert first["content"]["actions"][0]["type"] == "Action.OpenUrl"

    @pytest.mark.parametrize("where", [CHANNEL, GROUP_CHAT, ""])
    async def test_whoever_searches_finds_what_is_public(self, bot: Answers, where: str) -> None:
        """Person 1 may see the closed document; who reads the conversation may not."""
        reply = await bot.invoke(TeamsInvoke.SEARCH, query("zeppelins"), by=1, where=where)
        assert SECRET not in json.dumps(reply)
        assert "Launch plan" not in json.dumps(reply)
        assert all(groups == frozenset() for *_, groups, _ in bot.search.asked)

    async def test_places_and_platforms_in_the_words_narrow_the_search(self, bot: Answers) -> None:
        await bot.invoke(TeamsInvoke.SEARCH, query("alcohol on Acme Ads in Germany"))
        [(_, filters, _, _)] = bot.search.asked
        assert (filters.regions, filters.policy_sources) == (("de",), ("acme",))

    @pytest.mark.parametrize("typed", [None, "", "  ", "?!"])
    async def test_nothing_typed_is_answered_with_help_and_starters(self, bot: Answers, typed: str | None) -> None:
        async def starters() -> list[str]:
            return ["Can I advertise wine?"]

        object.__setattr__(bot.parts, "starters", starters)
        reply = await bot.invoke(TeamsInvoke.SEARCH, query(typed))
        assert said_in(reply) == told.search_help(["Can I advertise wine?"])
        assert bot.search.asked == []

    async def test_pages_go_on_where_the_last_one_ended(self, bot: Answers) -> None:
        whole = results(await bot.invoke(TeamsInvoke.SEARCH, query("alcohol")))
        pages = [
            results(await bot.invoke(TeamsInvoke.SEARCH, query("alcohol", skip=skip, count=1)))
            for skip in range(len(whole) + 1)
        ]
        assert [texts(each[0]["content"]) for each in pages[:-1]] == [texts(each["content"]) for each in whole]
        assert pages[-1] == []

    @pytest.mark.parametrize("options", [{"skip": -1, "count": 0}, {"skip": "x", "count": None}, {"count": 10**9}])
    async def test_odd_pages_are_the_first_one(self, bot: Answers, options: dict[str, Any]) -> None:
        assert results(await bot.invoke(TeamsInvoke.SEARCH, query("alcohol", **options)))
        assert bot.search.asked[0][3] == 25

    async def test_far_beyond_the_end_nothing_is_searched(self, bot: Answers) -> None:
        assert results(await bot.invoke(TeamsInvoke.SEARCH, query("alcohol", skip=10_000))) == []
        assert bot.search.asked == []

    async def test_nothing_found_is_said(self, bot: Answers) -> None:
        bot.store.writes = []
        reply = await bot.invoke(TeamsInvoke.SEARCH, query("zeppelins <b>"))
        assert said_in(reply) == told.nothing_found("zeppelins <b>")

    async def test_an_unclear_place_is_said_and_not_guessed(self, bot: Answers) -> None:
        reply = await bot.invoke(TeamsInvoke.SEARCH, query("alcohol in Austrlia"))
        assert said_in(reply) == told.place_unclear("Austrlia")
        assert bot.search.asked == []

    async def test_what_cannot_be_searched_for_is_said(self, bot: Answers) -> None:
        bot.search.failure = Rejected("question_too_long", limit=2_000)
        assert "This could not be searched for." in said_in(await bot.invoke(TeamsInvoke.SEARCH, query("alcohol")))

    async def test_a_dead_index_is_said_and_is_no_error(self, bot: Answers) -> None:
        bot.search.failure = Unavailable("index_unavailable")
        assert said_in(await bot.invoke(TeamsInvoke.SEARCH, query("alcohol"))) == told.SEARCH_DOWN

    async def test_what_takes_too_long_is_answered_in_time(self, bot: Answers, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(extension, "_SECONDS", 0.02)
        object.__setattr__(bot.parts, "admits", _never)
        assert said_in(await bot.invoke(TeamsInvoke.SEARCH, query("alcohol"))) == told.SEARCH_DOWN

    async def test_guests_find_nothing_unless_they_are_admitted(self, bot: Answers) -> None:
        bot.rule.says = Admitted.NOT_TO_GUESTS
        reply = await bot.invoke(TeamsInvoke.SEARCH, query("alcohol"))
        assert said_in(reply) == why_not(Admitted.NOT_TO_GUESTS)
        assert bot.search.asked == []

    async def test_it_works_in_conversations_that_the_bot_is_not_in(self, bot: Answers) -> None:
        async def unknown(*_: object, **__: object) -> Admitted:
            raise Rejected("teams_channel_closed")

        object.__setattr__(bot.parts, "admits", unknown)
        assert results(await bot.invoke(TeamsInvoke.SEARCH, query("alcohol")))

    @pytest.mark.parametrize("value", [{}, {"commandId": "zorblatt"}, {**query("alcohol"), "commandId": 7}], ids=str)
    async def test_an_unknown_command_is_said(self, bot: Answers, value: dict[str, Any]) -> None:
        assert said_in(await bot.invoke(TeamsInvoke.SEARCH, value)) == told.COMMAND_UNKNOWN

    @pytest.mark.parametrize("given", ["x", [7], [{"name": "query"}], [{"name": "query", "value": 7}], None], ids=str)
    async def test_malformed_parameters_are_nothing_typed(self, bot: Answers, given: object) -> None:
        value = {**query("x"), "parameters": given}
        assert said_in(await bot.invoke(TeamsInvoke.SEARCH, value)) == told.search_help(())

    async def test_text_of_documents_does_nothing(self, bot: Answers) -> None:
        bot.store.writes = [ODD]
        [entry] = results(await bot.invoke(TeamsInvoke.SEARCH, query("odd")))
        shown = texts(entry)
        for active in ("](https", "<script", "<at>", "**Bold", "{{DATE"):
            assert active not in shown
        assert len(json.dumps(entry)) < 20_000

    async def test_a_long_list_is_one_that_teams_takes_and_nothing_of_it_is_missing(self, bot: Answers) -> None:
        """As many as are asked for: what was left out would never be asked for again."""
        bot.store.writes = [long_document("\U0001f600\u00fc <at>word</at> " * 400)]
        reply = await bot.invoke(TeamsInvoke.SEARCH, query("alcohol", count=25))
        assert problem("composeExtension/query", 200, reply, json.dumps(reply)) == ""
        assert len(results(reply)) == 25
        tap = results(reply)[-1]["preview"]["content"]["tap"]["value"]
        [chosen] = results(await bot.invoke(TeamsInvoke.SELECT, tap))
        assert len(texts(chosen["content"])) > 1_500

    async def test_a_list_that_no_cut_makes_small_enough_ends_earlier(
        self, bot: Answers, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(found, "LIST_UNITS", 6_000)
        bot.store.writes = [long_document("word " * 400)]
        reply = await bot.invoke(TeamsInvoke.SEARCH, query("alcohol", count=25))
        assert 1 <= len(results(reply)) < 25
        assert len(json.dumps(results(reply), ensure_ascii=False)) <= 6_000


async def _never(*_: object, **__: object) -> Admitted:
    await asyncio.sleep(60)
    return Admitted.ALLOWED


class TestSelecting:
    async def test_what_is_chosen_is_read_again(self, bot: Answers) -> None:
        [entry, *_] = results(await bot.invoke(TeamsInvoke.SEARCH, query("alcohol")))
        tap = entry["preview"]["content"]["tap"]["value"]
        [chosen] = results(await bot.invoke(TeamsInvoke.SELECT, tap))
        assert chosen["content"] == entry["content"]
        bot.store.writes = [CLOSED]
        assert said_in(await bot.invoke(TeamsInvoke.SELECT, tap)) == told.RESULT_GONE

    async def test_forged_or_anothers_choice_inserts_nothing(self, bot: Answers) -> None:
        [entry, *_] = results(await bot.invoke(TeamsInvoke.SEARCH, query("alcohol")))
        tap = entry["preview"]["content"]["tap"]["value"]
        for value, by in (({**tap, "chunk": "x"}, 1), ({}, 1), (tap, 2), ({"chunk": tap["chunk"]}, 1)):
            assert said_in(await bot.invoke(TeamsInvoke.SELECT, value, by=by)) == told.RESULT_GONE

    async def test_what_does_not_hold_any_more_is_not_inserted(self, bot: Answers) -> None:
        [entry, *_] = results(await bot.invoke(TeamsInvoke.SEARCH, query("alcohol")))
        tap = entry["preview"]["content"]["tap"]["value"]
        begins = PUBLIC.version.effective_from - timedelta(days=1)
        before = bot.parts.clock().replace(year=begins.year, month=begins.month, day=begins.day)
        object.__setattr__(bot.parts, "clock", lambda: before)
        assert said_in(await bot.invoke(TeamsInvoke.SELECT, tap)) == told.RESULT_GONE


async def test_nothing_is_written_by_searching(bot: Answers) -> None:
    [entry, *_] = results(await bot.invoke(TeamsInvoke.SEARCH, query("alcohol")))
    await bot.invoke(TeamsInvoke.SELECT, entry["preview"]["content"]["tap"]["value"])
    assert (bot.inbox.calls, bot.outbound.written, bot.feedback.kept) == (0, [], {})
