"""Seeing an answer grow: what was understood, then whole statements, each as soon as it is verified."""

from typing import Protocol

from rag_core.answers import Statement
from rag_core.questions import Question


class Watching(Protocol):
    """Whoever does not wait for the whole answer. Told at once and in order; both calls return quickly and raise
    nothing.

    The statements told are the first ones of the answer, with the numbers that their citations have in it. An answer
    of which none was told, or that ended in an error, is seen as a whole or not at all.
    """

    def understood(self, question: Question) -> None: ...

    def stated(self, statement: Statement) -> None: ...


class NobodyWatching:
    """For those who wait for the whole answer."""

    def understood(self, question: Question) -> None: ...

    def stated(self, statement: Statement) -> None: ...
