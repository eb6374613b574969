"""What the claims of an identity provider's token are worth: who it is, his groups, what he may do."""

import pytest

from adapters.web.credentials import ClaimNames
from tests.fakes.documents import make_write
from tests.fakes.tokens import ISSUED, Door, bearer, status_of
from tests.fakes.web import FakeAsk, serving, uk_answer

QUESTION = {"question": "can I advertise alcohol"}


@pytest.mark.parametrize(
    ("claims", "groups"),
    [
        ({"sub": "p", "groups": ["legal-team", "other"]}, {"legal"}),
        ({"sub": "p", "groups": "legal-team"}, {"legal"}),
        ({"sub": "p"}, set()),
        ({"sub": "p", "groups": ["legal"]}, set()),
        ({"sub": "p", "groups": ["legal-team", 5]}, set()),
        ({"sub": "p", "groups": {"legal-team": True}}, set()),
        ({"sub": "p", "groups": ["Legal-Team", " legal-team"]}, set()),
        ({"sub": "p", "groups": ["legal-team"], "_claim_names": {"groups": "src1"}}, set()),
        ({"sub": "p", "groups": ["oidc:legal-team"]}, set()),
    ],
)
async def test_groups_are_those_that_the_catalogue_gives_a_claim(claims: dict[str, object], groups: set[str]) -> None:
    door = Door()
    door.issuer.claims = claims
    ask = FakeAsk(uk_answer(make_write(url=None)))
    async with (
        serving(door.parts(ask=ask)) as site,
        site.session.post("/api/v1/ask", json=QUESTION, headers=bearer(ISSUED)) as response,
    ):
        assert response.status == 200
    assert set(ask.asked[0].groups or ()) == groups
    assert ask.asked[0].actor.person == "oidc:p"


@pytest.mark.parametrize("sub", [None, "", 5, ["p"], "a\nb", "p" * 256])
async def test_a_token_that_names_nobody_lets_nobody_in(sub: object) -> None:
    door = Door()
    door.issuer.claims = {"sub": sub}
    async with serving(door.parts()) as site:
        assert await status_of(site, **bearer(ISSUED)) == 401


@pytest.mark.parametrize(
    ("value", "read", "metrics"),
    [
        ("openid read", 200, 403),
        ("adpolicy:read adpolicy:metrics", 200, 200),
        (["metrics"], 403, 200),
        ("", 403, 403),
        (None, 403, 403),
        (["read", 1], 403, 403),
        ("reader", 403, 403),
    ],
)
async def test_permissions_from_a_claim(value: object, read: int, metrics: int) -> None:
    door = Door(names=ClaimNames(permissions="scope"))
    door.issuer.claims = {"sub": "p", "scope": value}
    async with serving(door.parts()) as site:
        assert await status_of(site, **bearer(ISSUED)) == read
        assert await status_of(site, "/metrics", **bearer(ISSUED)) == metrics


async def test_without_such_a_claim_people_may_ask_and_read() -> None:
    door = Door()
    door.issuer.claims = {"sub": "p", "scope": "metrics"}
    async with serving(door.parts()) as site:
        assert await status_of(site, **bearer(ISSUED)) == 200
        assert await status_of(site, "/metrics", **bearer(ISSUED)) == 403
