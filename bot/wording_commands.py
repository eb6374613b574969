"""Commands as the questions that they stand for: what is asked, and what people read as asked."""


def sources_asked(about: str = "") -> str:
    return f"Which documents do you have {about}?" if about else "Which documents do you have?"


def changes_asked(when: str = "") -> str:
    """`when`: "since 1 March 2026", "this week"."""
    return f"What changed {when}?" if when else "What changed?"


def comparison_asked(sides: str, topic: str) -> str:
    return f"Compare {sides}: {topic}"


def ad_copy_asked(copy: str) -> str:
    """Which rules touch the text of an ad; the quotation marks keep its words from being read as ours."""
    quotable = copy.replace("\u201c", '"').replace("\u201d", '"')
    return f"What do the policies say about this ad: \u201c{quotable}\u201d"


def written_out(year: int, month: int, day: int) -> str:
    """A day as no two people read it differently."""
    return f"{day} {_MONTHS[month - 1]} {year}"


def help_asked() -> str:
    """A word that is understood as asking for help."""
    return "help"


_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
