"""What tokens cost."""

from dataclasses import dataclass

from rag_core.ports import TokenUsage


@dataclass(frozen=True, slots=True)
class Prices:
    """For 1,000 tokens read and 1,000 written, in any currency; None: not known."""

    read: float | None = None
    written: float | None = None

    def usage(self, read: int, written: int, *, estimated: bool = False) -> TokenUsage:
        """So many tokens, with their cost where a price is known."""
        if self.read is None and self.written is None:
            return TokenUsage(read, written, None, estimated)
        cost = (read * (self.read or 0.0) + written * (self.written or 0.0)) / 1000
        return TokenUsage(read, written, round(cost, 8), estimated)


UNPRICED = Prices()
