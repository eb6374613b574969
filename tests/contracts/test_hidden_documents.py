"""HiddenDocuments: a yes or a no on documents that somebody may not see, on every database."""

from datetime import date

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.policies.store import SqlHiddenDocuments
from adapters.sql.policies.versions import SqlVersionStore
from rag_core.documents import Classification, VersionStatus
from tests.fakes.documents import ACME, make_version, make_write

NOBODY: frozenset[str] = frozenset()
LEGAL = frozenset({"legal"})
RESTRICTED = Classification.RESTRICTED


@pytest.fixture
async def hidden(engine: AsyncEngine) -> SqlHiddenDocuments:
    writer = SqlVersionStore(engine)
    await writer.declare(ACME)
    made = [
        make_version("acme_open"),
        make_version("acme_secret", title="Secret Terms", classification=RESTRICTED, allowed_groups=LEGAL),
        make_version("acme_nobody", classification=RESTRICTED),
        make_version("acme_held", classification=RESTRICTED, allowed_groups=LEGAL, status=VersionStatus.HELD),
        make_version("acme_closed", effective_from=date(2025, 1, 1), effective_to=date(2026, 1, 1)),
        make_version("acme_closed", classification=RESTRICTED, allowed_groups=frozenset({"hr"})),
    ]
    await writer.save([make_write(each) for each in made], [])
    return SqlHiddenDocuments(engine)


@pytest.mark.parametrize(
    ("text", "groups", "is_named"),
    [
        ("what does acme_secret say", NOBODY, True),
        ("what do the secret terms say", NOBODY, True),
        ("what does acme_secret say", LEGAL, False),
        ("what does acme_secret say", frozenset({"hr"}), True),
        ("what does acme_nobody say", LEGAL, True),
        ("what does acme_open say", NOBODY, False),
        ("what does acme_held say", NOBODY, False),
        ("what does acme_closed say", NOBODY, False),
        ("what does acme_none say", NOBODY, False),
    ],
)
async def test_only_what_is_hidden_and_named(
    hidden: SqlHiddenDocuments, text: str, groups: frozenset[str], is_named: bool
) -> None:
    assert await hidden.any_named(text, groups) is is_named


async def test_the_groups_that_documents_name(hidden: SqlHiddenDocuments) -> None:
    assert await hidden.groups() == {"legal", "hr"}
