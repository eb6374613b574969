"""Messages of which Teams says no id (it may make two of a text and a card): they are there, and can neither be changed
nor taken back, nor found by what people click below them."""

_MARK = "unnamed:"


def message_id(told: str, of: str) -> str:
    """How a message is written down, by the id that Teams told, "" for none. `of`: what it is about."""
    return told or f"{_MARK}{of}"


def is_unnamed(message: str) -> bool:
    return not message or message.startswith(_MARK)
