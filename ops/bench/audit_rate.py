"""A figure of the record's benchmark."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rate:
    """`records` in `seconds`; `target`: a second, at least."""

    records: int
    seconds: float
    target: int

    @property
    def a_second(self) -> float:
        return self.records / self.seconds
