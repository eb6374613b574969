"""Commands as the questions that they stand for: what is asked, and what people read as asked."""


def sources_asked(about: str = "") -> str:
    return f"Which documents do you have {about}?" if about else "Which documents do you have?"


def changes_asked(when: str = "") -> str:
    """`when`: "since 1 March 2026", "this week"."""
    return f"What changed {when}?" if when else "What changed?"


def comparison_asked(sides: str, topic: str) -> str:
    return f"Compare {sides}: {topic}"


def written_out(year: int, month: int, day: int) -> str:
    """A day as no two people read it differently."""
    return f"{day} {_MONTHS[month - 1]} {year}"


_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
