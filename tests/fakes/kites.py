"""Policies about kites, and questions to them."""

from dataclasses import replace
from datetime import date
from typing import Any

from ingest.ports import VersionWrite
from rag_core.answers import Answer, AskTrace, Refusal, Reply, Verdict
from rag_core.documents import Classification
from rag_core.questions import AskRequest
from tests.fakes.documents import Section, make_version, make_write
from tests.fakes.policies import Desk

TODAY = date(2026, 6, 1)
HIDDEN: dict[str, Any] = {"classification": Classification.RESTRICTED, "allowed_groups": frozenset({"legal"})}
NO, YES = "Ads for kites are not allowed.", "Ads for kites are allowed."
BRITISH = "In the United Kingdom, ads for kites may run if the audience is aged 18 or over."
BELGIAN = "In Belgium, ads for kites must show the price of the string."


def document(name: str, *sections: Section, **changes: Any) -> VersionWrite:
    return make_write(make_version(name, **changes), sections)


def kites(body: str, *regions: str, heading: str = "Kites") -> Section:
    return Section(heading, body, regions or ("global",))


TOYS = document(
    "acme_toys", kites(NO), kites(BRITISH, "uk", heading="Britain"), kites(BELGIAN, "be", heading="Belgium")
)
BRIM = document("brim_toys", kites("Ads for kites may run everywhere."))
DARTS = document("acme_darts", Section("Darts", "Ads for darts must show the board."))
SECRET = document("acme_counsel", kites("Ads for kites need the blessing of counsel."), title="Secret notes", **HIDDEN)


async def ask(desk: Desk, text: str, **changes: Any) -> Reply:
    return (await traced(desk, text, **changes))[0]


async def traced(desk: Desk, text: str, **changes: Any) -> tuple[Reply, AskTrace]:
    return await desk.asker.ask(AskRequest(text, changes.pop("today", TODAY), **changes))


async def answer(desk: Desk, text: str, **changes: Any) -> Answer:
    reply = await ask(desk, text, **changes)
    assert isinstance(reply, Answer)
    return reply


async def refusal(desk: Desk, text: str, **changes: Any) -> Refusal:
    reply = await ask(desk, text, **changes)
    assert isinstance(reply, Refusal)
    return reply


def said(reply: Answer) -> list[str]:
    return [statement.text for statement in reply.statements]


def verdicts(reply: Answer) -> dict[tuple[str | None, str], Verdict]:
    return {(each.region, each.policy_source): each.verdict for each in reply.verdicts}


QUESTIONS = (
    "can I advertise kites in Peru?",
    "do kites need the blessing of counsel?",
    "can I advertise zeppelins with the blessing of counsel?",
    "what are your ad policies in the UK?",
    "what do the secret notes say?",
)

ONLY = "Ads for kites are allowed only in the countries of the table."
ROWS = "| Country | Kites |\n| --- | --- |\n| France | yes |\n| Spain | yes |"


def two_chunks(second: Section) -> VersionWrite:
    """A rule in one chunk, and in the next one of the same section the list that it refers to."""
    write = document("acme_toys", kites(ONLY), second)
    first, last = write.chunks
    return replace(write, chunks=(first, replace(last, policy_path=first.policy_path)))
