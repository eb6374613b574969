"""The grammar after `/adpolicy`, and after a mention: what is asked of the bot, on any platform."""

from dataclasses import dataclass, field
from datetime import date

from rag_core.questions import Filters


@dataclass(frozen=True, slots=True)
class Ask:
    """A question. `private`: for the asker's eyes only."""

    text: str
    as_of: date | None = None
    private: bool = False
    filters: Filters = field(default_factory=Filters)


@dataclass(frozen=True, slots=True)
class ShowHelp:
    """Nothing typed, or `help`."""


@dataclass(frozen=True, slots=True)
class Subscribe:
    """`subscribe [daily|weekly] [places and platforms]`: `wanted` as it was typed."""

    wanted: str = ""
    rhythm: str = ""


@dataclass(frozen=True, slots=True)
class Unsubscribe:
    """`unsubscribe`: the channel hears of no changes any more."""


@dataclass(frozen=True, slots=True)
class ShowSettings:
    """`settings`: of the channel."""


Command = Ask | ShowHelp | Subscribe | Unsubscribe | ShowSettings
