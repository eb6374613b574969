"""Where a running bot waits shortly, and then goes on without: on a busy machine that would decide what a test sees."""

import pytest

from adapters.slack import events as slack_events
from adapters.slack import gate as slack_gate
from adapters.slack import shortcuts
from adapters.slack.actions import asking as slack_asking
from adapters.slack.actions import feedback as slack_feedback
from adapters.slack.actions import finding as slack_finding
from adapters.slack.actions import share as slack_share
from adapters.teams import conversations, events
from adapters.teams import gate as teams_gate
from adapters.teams.actions import asking as teams_asking
from adapters.teams.actions import escalations
from adapters.teams.actions import feedback as teams_feedback
from adapters.teams.actions import finding as teams_finding
from adapters.teams.actions import share as teams_share
from adapters.teams.delivery import notices as teams_notices
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
    (slack_asking, "KEEP_SECONDS"),
    (slack_events, "_KEEP_SECONDS"),
    (slack_feedback, "_KEEP_SECONDS"),
    (slack_finding, "FIND_SECONDS"),
    (slack_share, "_LOOK_SECONDS"),
    (shortcuts, "_KEEP_SECONDS"),
    (teams_asking, "KEEP_SECONDS"),
    (teams_feedback, "FIND_SECONDS"),
    (teams_feedback, "KEEP_SECONDS"),
    (teams_finding, "FIND_SECONDS"),
    (teams_notices, "SECONDS"),
    (teams_share, "_LOOK_SECONDS"),
)


def wait_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """For what is there but slow. A test of what a short wait is for sets its own, after this."""
    for module, name in _SHORT:
        assert hasattr(module, name)
        monkeypatch.setattr(module, name, PATIENT_SECONDS)
