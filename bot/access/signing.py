"""Signatures of card data, so that a forged payload does nothing."""

from collections.abc import Mapping
from typing import Protocol


class Signing(Protocol):
    """Pure; keys are given when it is made. A signature holds for one conversation and as long as the keys do."""

    def signed(self, fields: Mapping[str, str], conversation: str) -> dict[str, str]:
        """`fields`, with one more that proves them, `signed`."""
        ...

    def read(self, payload: Mapping[str, object], conversation: str) -> Mapping[str, str] | None:
        """The fields that were signed, and no others: what a form adds is the person's own. None: forged, of another
        conversation, or too old to be read."""
        ...
