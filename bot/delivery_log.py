"""What an operator hears of replies on their way to a chat platform."""

import logging
from typing import Protocol

_log = logging.getLogger(__name__)


class DeliveryLog(Protocol):
    """Codes and ids only. `road`: "channel", "update", "stream", "response_url", "ephemeral", "direct" ..."""

    def delivered(self, question_id: str, road: str) -> None: ...

    def delivery_retried(self, question_id: str, code: str) -> None: ...

    def reconciled(self, question_id: str, found: bool) -> None:
        """It was looked for, as it may have been there already."""

    def fell_back(self, question_id: str, code: str, road: str) -> None:
        """Where it was asked it cannot be answered: it goes by another road."""


class LoggedDeliveries:
    """Where nothing is counted."""

    def delivered(self, question_id: str, road: str) -> None:
        _log.info("reply delivered: question_id=%s road=%s", question_id, road)

    def delivery_retried(self, question_id: str, code: str) -> None:
        _log.warning("reply sent again: question_id=%s code=%s", question_id, code)

    def reconciled(self, question_id: str, found: bool) -> None:
        _log.warning("reply looked for: question_id=%s found=%s", question_id, found)

    def fell_back(self, question_id: str, code: str, road: str) -> None:
        _log.warning("reply goes by another road: question_id=%s code=%s road=%s", question_id, code, road)
