"""`python -m tests.fakes.slack_pictures`: pictures of the sandbox page for README and ops/docs, made by the real
program from the sample policies. It needs Chromium and a font with signs (apt-get install fonts-noto-color-emoji).
"""

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ops.config import SAMPLE_CATALOGUE
from ops.deploy.slack_manifest import manifest
from ops.sandbox.slack import NO_LIMITS, SlackStandIn, app_of_manifest
from ops.sandbox.slack.people import BOT, Channel
from ops.sandbox.slack.person import Person
from ops.sandbox.slack.workspace import Message
from tests.fakes.changed_policy import change_a_policy
from tests.fakes.pictures import Pictures, Shown
from tests.fakes.program import SIGNING_SECRET, Ports, environment, free_ports, running_server
from tests.fakes.samples import sample_copy
from tests.fakes.slack_replies import replies

ANSWERED, REFUSED, COMPARED, TOLD = "C11", "C12", "C13", "C14"
_CHANNELS = {ANSWERED: "uk-campaigns", REFUSED: "brand-safety", COMPARED: "medicines", TOLD: "policy-changes"}
ALCOHOL = "can I advertise alcohol in the UK"


@dataclass(frozen=True, slots=True)
class Studio:
    """A Slack with the bot in it, and a catalogue whose documents may be changed."""

    slack: SlackStandIn
    samples: Path
    env: Mapping[str, str]

    def person(self, user: str = "U1") -> Person:
        return self.slack.person(user)

    def replies(self, channel: str, thread: str = "") -> list[Message]:
        return replies(self.slack, channel, thread)

    async def asked(self, question: str, channel: str, user: str = "U1") -> Message:
        """The reply to a command."""
        before = len(self.replies(channel))
        await self.person(user).commands("/adpolicy", question, channel)
        await self.slack.until(lambda: len(self.replies(channel)) > before, 20)
        return self.replies(channel)[-1]


Scene = Callable[[Studio], Awaitable[Shown]]


def in_channel(channel: str, holds: str) -> Shown:
    return Shown({"team": "T1", "user": "U1", "channel": channel}, holds, ".message")


async def an_answer(studio: Studio) -> Shown:
    await studio.asked(ALCOHOL, ANSWERED)
    return in_channel(ANSWERED, "Restricted in the United Kingdom")


async def a_refusal(studio: Studio) -> Shown:
    await studio.asked("can I advertise drones in Portugal", REFUSED)
    return in_channel(REFUSED, "do not cover")


async def a_comparison(studio: Studio) -> Shown:
    await studio.asked("compare United States and Germany: prescription medicines", COMPARED)
    return in_channel(COMPARED, "Side by side")


async def an_alert(studio: Studio) -> Shown:
    await studio.person("U2").commands("/adpolicy", "subscribe alcohol", TOLD)
    await studio.slack.until(lambda: bool(studio.slack.bot_messages(TOLD)), 20)
    await asyncio.to_thread(change_a_policy, studio.samples, studio.env)
    await studio.slack.until(lambda: any("Policy changed" in each.text for each in studio.slack.bot_messages(TOLD)), 30)
    return in_channel(TOLD, "Policy changed")


SCENES: dict[str, Scene] = {
    "slack-answer": an_answer,
    "slack-refusal": a_refusal,
    "slack-comparison": a_comparison,
    "slack-alert": an_alert,
}
"""Name of the picture -> what happens before it is taken; in this order, the last one changes the documents."""


@contextlib.asynccontextmanager
async def studio(folder: Path) -> AsyncIterator[Studio]:
    """The program with the samples, beside a Slack that has a channel for each picture. `folder` is empty."""
    samples = Path(shutil.copytree(SAMPLE_CATALOGUE.parent, folder / "samples"))
    settings = {"CATALOGUE": str(samples / SAMPLE_CATALOGUE.name), "ALERT_SETTLE_SECONDS": "0"}
    env = environment(folder / "data", **settings)
    await asyncio.to_thread(sample_copy, folder / "data")
    ports = Ports(*free_ports(3))
    bot = f"http://127.0.0.1:{ports.chat}"
    slack = SlackStandIn(bot, SIGNING_SECRET, app=app_of_manifest(manifest(bot), SIGNING_SECRET), limits=NO_LIMITS)
    slack.workspace.channels.clear()
    for channel, name in _CHANNELS.items():
        slack.workspace.channels[channel] = Channel(channel, name, frozenset({BOT, "U1", "U2"}))
    await slack.start(ports.slack)
    try:
        with running_server(folder / "data", ports, settings):
            yield Studio(slack, samples, env)
    finally:
        await slack.stop()


PICTURES = Pictures(SCENES, studio, lambda there: there.slack.base_url)


if __name__ == "__main__":
    PICTURES.main("tests.fakes.slack_pictures", __doc__)
