"""Every road there is.

A road that is opened later joins here: a `Road` with its attempts in a module of its kind, with the routes of the web
listener, the intents and the invokes of Teams that it takes. A test fails for each that has none.
"""

from tests.security.access import (
    answered,
    asking,
    channels,
    clicks,
    failing,
    inside,
    people_answering,
    reading,
    talking,
    teams_clicks,
    teams_messages,
    telling,
    threads,
)
from tests.security.access.attempts import Road

ROADS: tuple[Road, ...] = (
    *asking.ROADS,
    *reading.ROADS,
    *answered.ROADS,
    *talking.ROADS,
    *telling.ROADS,
    *threads.ROADS,
    *clicks.ROADS,
    *teams_clicks.ROADS,
    *teams_messages.ROADS,
    *people_answering.ROADS,
    *failing.ROADS,
    *inside.ROADS,
    *channels.ROADS,
)
