"""`GET /api/v1/changes`."""

import json
from datetime import date

import pytest

from rag_core.changes import ChangeKind, ChangesWanted, PolicyChange, change_json, diff
from rag_core.errors import Unavailable
from tests.fakes.web import FakeChangeFeed, make_parts, serving

DAY = date(2026, 3, 1)
SECTIONS = diff("## Kites\n\nKites may fly over 18.\n", "## Kites\n\nKites may fly over 21.\n")


def change(change_id: int) -> PolicyChange:
    doc_id = f"acme_kites_{change_id}"
    return PolicyChange(
        ChangeKind.CHANGED, "acme_kites", "acme", doc_id, "acme_kites_0", DAY, SECTIONS, "Kites", change_id
    )


async def test_changes_are_given_as_they_were_recorded_and_read_on_from_the_cursor() -> None:
    feed = FakeChangeFeed([change(3), change(7), change(9)])
    async with serving(make_parts(changes=feed)) as site:
        status, text = await site.get("/api/v1/changes?since=2026-01-01&until=2026-12-31&policy_source=ACME&limit=2")
        body = json.loads(text)
        assert status == 200
        assert [each["change_id"] for each in body["changes"]] == [3, 7]
        assert (body["cursor"], body["has_more"]) == ("7", True)
        _, text = await site.get("/api/v1/changes?cursor=7")
        later = json.loads(text)
        assert later == {"changes": [change_json(change(9))], "cursor": "9", "has_more": False}
        _, text = await site.get("/api/v1/changes?cursor=9")
        assert json.loads(text) == {"changes": [], "cursor": "9", "has_more": False}
    wanted, groups, limit = feed.asked[0]
    assert wanted == ChangesWanted(date(2026, 1, 1), date(2026, 12, 31), 0, frozenset({"acme"}))
    assert groups == frozenset()
    assert limit == 3


async def test_a_change_says_what_is_different_word_by_word() -> None:
    async with serving(make_parts(changes=FakeChangeFeed([change(1)]))) as site:
        _, text = await site.get("/api/v1/changes")
    (section,) = json.loads(text)["changes"][0]["sections"]
    (rule,) = section["rules"]
    (edit,) = rule["edits"]
    assert rule["before"][edit["before_start"] : edit["before_end"]] == "18"
    assert rule["after"][edit["after_start"] : edit["after_end"]] == "21"


async def test_no_limit_no_changes() -> None:
    feed = FakeChangeFeed([change(1)])
    async with serving(make_parts(changes=feed)) as site:
        assert json.loads((await site.get("/api/v1/changes?limit=0"))[1])["changes"] == []
    assert feed.asked == []


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("since=yesterday", "since"),
        ("until=2026-02-30", "until"),
        ("cursor=-1", "cursor"),
        ("cursor=99999999999999999999", "cursor"),
        ("limit=many", "limit"),
        ("limit=-1", "limit"),
        ("sice=2026-01-01", "sice"),
        ("policy_source=a%00b", "policy_source"),
    ],
)
async def test_what_cannot_be_read_is_named(query: str, field: str) -> None:
    async with serving(make_parts()) as site:
        status, text = await site.get(f"/api/v1/changes?{query}")
    problem = json.loads(text)
    assert (status, problem["code"]) == (422, "invalid_request")
    assert [each["field"] for each in problem["errors"]] == [field]


async def test_a_store_that_is_down_is_503() -> None:
    async with serving(make_parts(changes=FakeChangeFeed(error=Unavailable("store_down")))) as site:
        status, text = await site.get("/api/v1/changes")
    assert (status, json.loads(text)["code"]) == (503, "store_down")
