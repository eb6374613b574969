"""Slack takes five messages to a `response_url`, within 30 minutes: what is over is not even tried."""

from adapters.slack.delivery.slash_replies import MOST_USES, ResponseUrlUses
from tests.fakes.slack import NOW, FakeClock

URL = "https://hooks.slack.com/commands/T1/1/x"


def test_five_times_and_no_more() -> None:
    uses = ResponseUrlUses(FakeClock())
    assert [uses.take(URL, NOW) for _ in range(MOST_USES + 2)] == [True] * 5 + [False] * 2
    assert uses.take(f"{URL}2", NOW)


def test_within_half_an_hour() -> None:
    clock = FakeClock()
    uses = ResponseUrlUses(clock)
    clock.move(minutes=28)
    assert uses.take(URL, NOW)
    clock.move(minutes=2)
    assert not uses.take(URL, NOW)


def test_without_an_address_there_is_none() -> None:
    assert not ResponseUrlUses(FakeClock()).take("", NOW)


def test_what_has_run_out_is_not_remembered() -> None:
    clock = FakeClock()
    uses = ResponseUrlUses(clock)
    for number in range(100):
        uses.take(f"{URL}{number}", clock())
        clock.move(minutes=1)
    assert len(uses._uses) <= 30
