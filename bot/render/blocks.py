"""Block Kit blocks within Slack's limits, and what they weigh. Block = a dict as Slack's API takes it."""

import json
from collections.abc import Callable, Iterable, Sequence

from bot.model.visible import one_line, shorten

Block = dict[str, object]

MESSAGE_CHARACTERS = 10_000
"""A whole message fails (`msg_blocks_too_long`) near 12,000 to 13,000, whatever its blocks."""
MESSAGE_BLOCKS = 50
HEADER_CHARACTERS = 150
SECTION_CHARACTERS = 3_000
FIELD_CHARACTERS = 2_000


def header(text: str) -> Block:
    """A headline: plain text, without emoji codes."""
    shown = shorten(one_line(text), HEADER_CHARACTERS)
    return {"type": "header", "text": {"type": "plain_text", "text": shown, "emoji": False}}


def sections(lines: Iterable[str]) -> list[Block]:
    """Lines of mrkdwn, each shorter than a section takes, in as few sections as hold them."""
    packed: list[str] = []
    for line in lines:
        if packed and len(packed[-1]) + 1 + len(line) <= SECTION_CHARACTERS:
            packed[-1] += "\n" + line
        else:
            packed.append(line)
    return [{"type": "section", "text": _mrkdwn(text)} for text in packed if text]


def side_by_side(*texts: str, above: str = "") -> Block:
    """Texts of mrkdwn in two columns, at most ten of `FIELD_CHARACTERS`, under a line of their own."""
    block: Block = {"type": "section", "fields": [_mrkdwn(text) for text in texts]}
    return {**block, "text": _mrkdwn(above)} if above else block


def context(text: str) -> Block:
    """A line of small print in mrkdwn."""
    return {"type": "context", "elements": [_mrkdwn(text)]}


def divider() -> Block:
    return {"type": "divider"}


def weight(blocks: Sequence[Block]) -> int:
    """Characters of the blocks as JSON."""
    return sum(len(json.dumps(block, ensure_ascii=False)) + 2 for block in blocks)


class Room:
    """What is left of a message: blocks are taken whole or not at all."""

    def __init__(
        self, characters: int, blocks: int = MESSAGE_BLOCKS, weigh: Callable[[Sequence[Block]], int] = weight
    ) -> None:
        self._weigh = weigh
        self._characters = characters
        self._blocks = blocks

    def take(self, blocks: Sequence[Block]) -> bool:
        """Whether there is room for all of them; then it is used up."""
        if self._weigh(blocks) > self._characters or len(blocks) > self._blocks:
            return False
        self._characters -= self._weigh(blocks)
        self._blocks -= len(blocks)
        return True

    def first(self, *candidates: list[Block]) -> list[Block]:
        """The first of the candidates that there is room for, else nothing."""
        return next((each for each in candidates if self.take(each)), [])


def _mrkdwn(text: str) -> Block:
    """`verbatim`: Slack makes no link out of what merely looks like an address, a channel or a person."""
    return {"type": "mrkdwn", "text": text, "verbatim": True}
