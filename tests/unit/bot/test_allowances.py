"""Limits as they are written in settings."""

import pytest

from bot.model.messages import Actor, Conversation
from bot.questions.limits import Limit, allowances_from, limit_from
from rag_core.errors import Misconfigured


@pytest.mark.parametrize(
    ("written", "limit"),
    [
        ("20/minute", Limit(20, 60)),
        (" 5 per second ", Limit(5, 1)),
        ("100 / 2 Hours", Limit(100, 7200)),
        ("1/day", Limit(1, 86_400)),
        ("3/10minutes", Limit(3, 600)),
        ("", None),
        ("  ", None),
    ],
)
def test_what_is_written_is_understood(written: str, limit: Limit | None) -> None:
    assert limit_from(written) == limit


@pytest.mark.parametrize(
    "written",
    ["20", "0/minute", "-1/minute", "20/fortnight", "5/0 minutes", "1.5/minute", "5/minute; 9/hour", "1/99 days"],
)
def test_what_is_no_limit_is_refused_with_its_setting(written: str) -> None:
    with pytest.raises(Misconfigured, match="limit_invalid") as caught:
        allowances_from("20/minute", written)
    assert caught.value.details == {"setting": "ADPOLICY_LIMIT_CHANNEL", "value": written}


def test_counters_name_nobody() -> None:
    counters = allowances_from("1/minute", "2/minute", "3/minute").counters(
        Actor("slack", "TEAM", "PERSON"), Conversation("slack", "TEAM", "CHANNEL", "1.1")
    )
    assert [each.limit.times for each in counters] == [1, 2, 3]
    assert len({each.workspace for each in counters}) == 1
    assert not any(word in repr(counters) for word in ("TEAM", "PERSON", "CHANNEL"))
