"""Slack saying no."""

from collections.abc import Sequence


class SlackRefusal(Exception):
    """`ok: false` with Slack's error code; `messages` and further fields stand in the answer as Slack puts them."""

    def __init__(self, code: str, messages: Sequence[str] = (), *, retry_after: int = 0, **fields: object) -> None:
        super().__init__(code)
        self.code = code
        self.messages = tuple(messages)
        self.retry_after = retry_after
        self.fields = fields

    @property
    def answer(self) -> dict[str, object]:
        found: dict[str, object] = {"ok": False, "error": self.code, **self.fields}
        if self.messages:
            found["response_metadata"] = {"messages": list(self.messages)}
        return found
