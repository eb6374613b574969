"""A sentence as an Adaptive Card, where nothing but a card can be shown."""

from bot.render.clean import one_line

CARD_VERSION = "1.5"


def note_card(text: str) -> dict[str, object]:
    """`text` is ours, or escaped."""
    return {
        "type": "AdaptiveCard",
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "version": CARD_VERSION,
        "fallbackText": one_line(text),
        "body": [{"type": "TextBlock", "text": text, "wrap": True}],
    }
