"""What can go wrong, named by what to do next.

PolicyBotError
  Unavailable      a service did not answer: retry, degrade, or say "try again"
  Rejected         this input can never work: say why
  Misconfigured    the operator must act: stop at the start and name the setting

That no policy answers a question is a value (`answers.Refusal`), not an error.
"""


class PolicyBotError(Exception):
    """An expected failure: a stable `code` and the facts (`details`) a wording needs to explain it."""

    def __init__(self, code: str, **details: object) -> None:
        self.code = code
        self.details = details
        facts = ", ".join(f"{name}={value!r}" for name, value in details.items())
        super().__init__(f"{code} ({facts})" if facts else code)


class Unavailable(PolicyBotError):
    """A service did not answer: retry, degrade, or say "try again"."""


STORED_TEXT_CHANGED = "stored_text_changed"
"""The code of an Unavailable: a text of the store does not fit its checksum, so nothing may be said from it. Calling
again does not help; nothing else may stand in for it."""


class Rejected(PolicyBotError):
    """This input can never work: say why, and what would."""


class Misconfigured(PolicyBotError):
    """The operator must act: stop at the start and name the setting."""
