"""What operators read of what may work the next time."""

from collections.abc import Callable, Mapping

Details = Mapping[str, object]


def because(details: Details) -> str:
    return f" ({details['reason']})" if details.get("reason") else ""


def again(what: str) -> Callable[[Details], str]:
    return lambda d: f"{what}{because(d)}. Try again in a moment; if it stays like this, run `python -m ops doctor`."
