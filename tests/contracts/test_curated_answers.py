"""Approved answers as they are kept: one revision after the other, with their entries, and without names forgotten."""

import asyncio
from dataclasses import replace
from datetime import date

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.people.curated import SqlCuratedAnswers
from adapters.sql.people.privacy import SqlPeopleForgetting
from adapters.sql.tables.audit import audit_records
from bot.access.pseudonyms import Pseudonyms
from bot.answers.curated import Checked
from bot.audit.entries import INSTALLATION, AuditEntry, administration
from bot.model.messages import Actor
from rag_core.answers import Verdict
from rag_core.curated.kept import Approval, CuratedScope, CuratedState, Owner
from rag_core.documents import ContentType
from tests.fakes.curated import NOON, curated
from tests.fakes.documents import make_version, make_write, passages_of

LEGAL = passages_of(make_write(make_version(allowed_groups=frozenset({"legal"}))))
SCOPE = CuratedScope(("uk",), ("acme",), (ContentType.VIDEO,), {"product": ("ads", "shops")})
ANSWER = replace(
    curated("alcohol", cites=LEGAL, scope=SCOPE, verdict=Verdict.RESTRICTED, wordings=("„Wein“ 🍷?",)),
    owner=Owner("slack", "T1", "U7"),
    suspended_because={"1": "changed"},
)


def entry(name: str) -> AuditEntry:
    return administration(name, "curated", NOON, target="alcohol")


async def recorded(engine: AsyncEngine) -> int:
    async with engine.connect() as connection:
        return int(await connection.scalar(select(func.count()).select_from(audit_records)) or 0)


async def test_what_is_kept_is_read_as_it_was(engine: AsyncEngine) -> None:
    kept = SqlCuratedAnswers(engine)
    assert await kept.save(ANSWER, entry("r1"))
    assert await kept.find("alcohol") == await kept.find("id-alcohol") == ANSWER
    assert (await kept.some(["id-alcohol", "nobody's"]), await kept.all()) == ((ANSWER,), (ANSWER,))
    assert await kept.find("nobody's") is None


async def test_only_approved_ones_are_looked_for_by_who_asks(engine: AsyncEngine) -> None:
    kept = SqlCuratedAnswers(engine)
    for state in CuratedState:
        await kept.save(curated(state.value, state=state), entry(state.value))
    assert await kept.approved() == {"id-approved": 1}


async def test_of_two_who_change_it_at_once_one_does(engine: AsyncEngine) -> None:
    kept = SqlCuratedAnswers(engine)
    assert not await kept.save(replace(ANSWER, revision=2), entry("r0"))
    assert await kept.save(ANSWER, entry("r1"))
    next_ones = [replace(ANSWER, revision=2, wordings=(f"Question {number}?",)) for number in range(4)]
    won = await asyncio.gather(*(kept.save(each, entry(each.wordings[0])) for each in next_ones))
    assert sum(won) == 1
    assert await kept.find("alcohol") in next_ones
    assert not await kept.save(replace(ANSWER, curated_id="another"), entry("r9"))  # its key is taken
    assert await recorded(engine) == 2


async def test_the_mark_of_what_was_checked_never_goes_back(engine: AsyncEngine) -> None:
    kept = SqlCuratedAnswers(engine)
    assert (await kept.checked(), await kept.newest()) == (None, 0)
    late, early = Checked(7, date(2026, 2, 2)), Checked(6, date(2026, 2, 2))
    await kept.mark_checked(late)
    await kept.mark_checked(early)
    assert await kept.checked() == late


async def test_forgetting_takes_names_out_and_leaves_the_answer(engine: AsyncEngine) -> None:
    kept, pseudonyms = SqlCuratedAnswers(engine), Pseudonyms(bytes(32))
    account, owner = Actor("account", INSTALLATION, "op"), Actor("slack", "T1", "U7")
    await kept.save(replace(ANSWER, approval=Approval("Op Erator", pseudonyms.of(account), NOON)), entry("r1"))
    assert (await SqlPeopleForgetting(engine, owner, pseudonyms).counts())["curated answers"] == 1
    for actor in (account, owner):
        forgetting = SqlPeopleForgetting(engine, actor, pseudonyms)
        first = await forgetting.rows(lambda counts: entry(f"f{len(counts)}"))
        again = await forgetting.rows(lambda counts: entry(f"f{len(counts)}"))
        assert (first["curated answers"], again["curated answers"]) == (1, 0)
    found = await kept.find("alcohol")
    assert found is not None
    assert (found.approval, found.owner) == (Approval("", "", NOON), Owner())
    assert found.revision == 3  # whoever had read it reads it again
    assert found.is_shown
