"""A stand-in for Microsoft Teams, on this machine only: for tests, and for trying the bot by hand.

    async with teams_stand_in(bot_url, app_id, app_secret) as teams:    # start the bot with teams.settings
        person = teams.person(1)
        asked = await person.mentions("can I advertise alcohol?", "ads")   # returns when the bot has answered over HTTP
        assert asked.status == 200
        await teams.until(lambda: teams.bot_messages("ads"))
        await person.clicks(teams.bot_messages("ads")[0], "Show sources")
        assert person.dialog is not None

It is token issuer, connector and people in one: OpenID metadata with keys that rotate, Entra's token endpoint, the
connector's REST API, and what Teams posts to `/api/messages`. What Teams would refuse is refused with Teams' own codes:
tokens, conversations the app is not in, sizes, cards, citations, streams, suggested actions, limits (`limits=Limits()`
for the documented ones). `teams.trouble` makes calls fail, `teams.disorder`, `teams.hold` and `teams.redeliver` make
activities late, out of order or doubled; `teams.calls` and `teams.attempts` tell what went in and out.
"""

from ops.sandbox.teams.deliveries import Answered, Delivery
from ops.sandbox.teams.limits import NO_LIMITS, Limits
from ops.sandbox.teams.messages import Message
from ops.sandbox.teams.person import Person
from ops.sandbox.teams.stand_in import APP_ID, APP_SECRET, TeamsStandIn, teams_stand_in
from ops.sandbox.teams.tokens import Bad
from ops.sandbox.teams.world import OTHER_TENANT, TENANT, PersonKind
from ops.sandbox.troubles import Trouble, cut, slow

__all__ = [
    "APP_ID",
    "APP_SECRET",
    "NO_LIMITS",
    "OTHER_TENANT",
    "TENANT",
    "Answered",
    "Bad",
    "Delivery",
    "Limits",
    "Message",
    "Person",
    "PersonKind",
    "TeamsStandIn",
    "Trouble",
    "cut",
    "slow",
    "teams_stand_in",
]
