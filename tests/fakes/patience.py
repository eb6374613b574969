"""Where a running bot waits shortly, and then goes on without: on a busy machine that would decide what a test sees."""

import pytest

from adapters.slack import gate as slack_gate
from adapters.slack.actions import share as slack_share
from adapters.teams import conversations, events
from adapters.teams import gate as teams_gate
from adapters.teams.actions import escalations
from adapters.teams.actions import share as teams_share
from bot.alerts import subscribing
from bot.questions import service, threads
from tests.fakes.slack import PATIENT_SECONDS

_SHORT = (
    (escalations, "_LOOK_SECONDS"),
    (slack_gate, "GATE_SECONDS"),
    (teams_gate, "GATE_SECONDS"),
    (subscribing, "WRITE_SECONDS"),
    (threads, "_LOOK_SECONDS"),
    (threads, "_SETTINGS_SECONDS"),
    (conversations, "_LOOK_SECONDS"),
    (events, "_RUN_SECONDS"),
    (service, "_SETTINGS_SECONDS"),
    (slack_share, "_LOOK_SECONDS"),
    (teams_share, "_LOOK_SECONDS"),
)


def wait_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """For what is there but slow. A test of what a short wait is for sets its own, after this."""
    for module, name in _SHORT:
        assert hasattr(module, name)
        monkeypatch.setattr(module, name, PATIENT_SECONDS)
