"""Escalations: once for each asker and answer, one claimer, one author, everything on record or nothing."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.database.vault import Vault, new_key
from adapters.sql.people.escalations import SqlEscalations
from adapters.sql.people.privacy import SqlPeopleForgetting
from adapters.sql.tables.audit import audit_records
from adapters.sql.tables.people import escalation_acts, escalations
from bot.access.pseudonyms import Pseudonyms
from bot.audit.entries import AuditEntry, administration
from bot.model.messages import Actor
from bot.people.escalations import ActKind, AskedPlace, Escalation, EscalationAct, EscalationState

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
PLACE = AskedPlace("slack", "T1", "C1", "U1", "1.1", private=False, people_in="C9", group="S1")
ASKED = Escalation("e1", "a1", "p1:one", EscalationState.OPEN, PLACE, "„Bitte“ 🍷", NOON)


@pytest.fixture
def kept(engine: AsyncEngine) -> SqlEscalations:
    return SqlEscalations(engine, Vault([new_key()]))


def entry(name: str) -> AuditEntry:
    return administration(name, "escalation", NOON, person="U1", target="e1", workspace="T1")


def act(kind: ActKind, person: str, act_id: str, minutes: int = 1) -> EscalationAct:
    text = "So it is." if kind is ActKind.ANSWERED else ""
    return EscalationAct(act_id, "e1", kind, person, f"U-{person}", NOON + timedelta(minutes=minutes), text)


async def recorded(engine: AsyncEngine) -> int:
    async with engine.connect() as connection:
        return int(await connection.scalar(select(func.count()).select_from(audit_records)) or 0)


async def test_the_same_asker_and_answer_begin_one(engine: AsyncEngine, kept: SqlEscalations) -> None:
    assert await kept.begin(ASKED, entry("r1")) == ASKED
    again = replace(ASKED, escalation_id="e2", note="again")
    assert await kept.begin(again, entry("r2")) == ASKED
    other = replace(ASKED, escalation_id="e3", person="p1:two")
    assert await kept.begin(other, entry("r3")) == other
    assert await recorded(engine) == 2
    assert await kept.of("nobody's") is None


async def test_ids_of_people_are_not_readable_in_the_database(engine: AsyncEngine, kept: SqlEscalations) -> None:
    asker = "U-who-asked"  # so long that it stands in no encrypted text by chance
    await kept.begin(replace(ASKED, place=replace(PLACE, person=asker)), entry("r1"))
    await kept.claim(act(ActKind.CLAIMED, "p1:two", "c1"), entry("r2"))
    async with engine.connect() as connection:
        place = str(await connection.scalar(select(escalations.c.encrypted_place)))
        named = str(await connection.scalar(select(escalation_acts.c.encrypted_name)))
    assert asker not in place
    assert "U-p1" not in named


async def test_of_many_who_claim_at_once_one_has_it(engine: AsyncEngine, kept: SqlEscalations) -> None:
    await kept.begin(ASKED, entry("r1"))
    claims = [act(ActKind.CLAIMED, f"p1:{number}", f"c{number}") for number in range(6)]
    won = await asyncio.gather(*(kept.claim(each, entry(f"r-{each.act_id}")) for each in claims))
    assert sum(won) == 1
    found = await kept.of("e1")
    assert found is not None
    assert found.state is EscalationState.CLAIMED
    assert found.claim is not None
    assert [found.claim.person] == [each.person for each, mine in zip(claims, won, strict=True) if mine]
    assert await kept.claim(found.claim, entry("again"))  # his own
    assert await recorded(engine) == 2


async def test_the_first_who_answers_is_its_author_and_adds_to_it(engine: AsyncEngine, kept: SqlEscalations) -> None:
    await kept.begin(ASKED, entry("r1"))
    first, addition = act(ActKind.ANSWERED, "p1:two", "m1"), act(ActKind.ANSWERED, "p1:two", "m2", 2)
    assert await kept.reply(first, entry("r2"))
    assert await kept.reply(first, entry("r2"))  # heard twice
    assert not await kept.reply(act(ActKind.ANSWERED, "p1:three", "m3"), entry("r3"))
    assert await kept.reply(addition, entry("r4"))
    assert not await kept.claim(act(ActKind.CLAIMED, "p1:three", "c1"), entry("r5"))
    found = await kept.of("e1")
    assert found is not None
    assert (found.state, found.replies) == (EscalationState.ANSWERED, (first, addition))
    assert await recorded(engine) == 3


async def test_of_a_claimed_one_only_the_claimer_answers(kept: SqlEscalations) -> None:
    await kept.begin(ASKED, entry("r1"))
    assert await kept.claim(act(ActKind.CLAIMED, "p1:two", "c1"), entry("r2"))
    assert not await kept.reply(act(ActKind.ANSWERED, "p1:three", "m1"), entry("r3"))
    assert await kept.reply(act(ActKind.ANSWERED, "p1:two", "m2"), entry("r4"))
    assert not await kept.reply(replace(act(ActKind.ANSWERED, "p1:two", "m9"), escalation_id="e9"), entry("r5"))


async def test_who_asked_and_who_answered_are_forgotten(engine: AsyncEngine, kept: SqlEscalations) -> None:
    pseudonyms = Pseudonyms(bytes(32))
    asker, author = Actor("slack", "T1", "U1"), Actor("slack", "T1", "U2")
    await kept.begin(replace(ASKED, person=pseudonyms.of(asker)), entry("r1"))
    await kept.reply(act(ActKind.ANSWERED, pseudonyms.of(author), "m1"), entry("r2"))

    forgetting = SqlPeopleForgetting(engine, author, pseudonyms)
    assert (await forgetting.counts())["persons_answers"] == 1
    await forgetting.rows(lambda counts: entry(f"f{len(counts)}"))
    found = await kept.of("e1")
    assert found is not None
    assert (found.state, found.acts) == (EscalationState.ANSWERED, ())
    # it has been answered: nobody else's words take the place of the ones that were forgotten
    assert not await kept.reply(act(ActKind.ANSWERED, "p1:three", "m5"), entry("r3"))

    await SqlPeopleForgetting(engine, asker, pseudonyms).rows(lambda counts: entry(f"g{len(counts)}"))
    assert await kept.of("e1") is None
