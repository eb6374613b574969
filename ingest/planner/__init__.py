"""What is stored and what was read -> what to write. Pure: no store, no clock.

Each version of a document holds until the next one's `effective_from`, until the end that it states, or until another
document that supersedes it holds: whichever comes first. Among versions of one day the later arrival holds, and the
earlier one is retired: it held for no day. Nothing that is stored is overwritten.

A stated end is kept nowhere by itself: it is what closes a live version where no other version begins on that day
(`history.stated_ends`). So it stays put when versions come after it, and needs no column. What that cannot tell: an
end stated for after the beginning of the next version is forgotten, and so not there again should that one be
withdrawn.
"""

from ingest.planner.history import stated_ends_of, up_to_date
from ingest.planner.planning import plan, profiles_wanted
from ingest.planner.releasing import released
from ingest.planner.shapes import Arrival, DocumentPlan, Plan, PlanKind, Refused, Remark

__all__ = [
    "Arrival",
    "DocumentPlan",
    "Plan",
    "PlanKind",
    "Refused",
    "Remark",
    "plan",
    "profiles_wanted",
    "released",
    "stated_ends_of",
    "up_to_date",
]
