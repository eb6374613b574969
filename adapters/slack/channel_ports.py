"""What listeners need of channels: their settings, who is answered in them, and what App Home shows."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from adapters.slack.audience import ExternalRule
from bot.commands.home import HomeReader
from bot.model.channels import ChannelSettings
from bot.model.subscriptions import Subscriptions


@dataclass(frozen=True, slots=True)
class ChannelPorts:
    """`platforms`: those of documents that everybody may see, slug -> name; raises Unavailable. `subscriptions`: None
    where nobody hears of changes."""

    settings: ChannelSettings
    admits: ExternalRule
    platforms: Callable[[], Awaitable[Mapping[str, str]]]
    home: HomeReader
    subscriptions: Subscriptions | None = None
