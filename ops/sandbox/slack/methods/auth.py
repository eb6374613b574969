"""auth.*, apps.*: whose token it is, and giving it back."""

import hmac

from ops.sandbox.slack.methods.calling import Answer, Call, Method
from ops.sandbox.slack.people import BOT_ID
from ops.sandbox.slack.refusals import SlackRefusal


def test(call: Call) -> Answer:
    organisation: Answer = {"enterprise_id": call.workspace.enterprise} if call.workspace.enterprise else {}
    return {
        "ok": True,
        "url": f"{call.world.base_url}/",
        "team": call.workspace.name,
        "user": "adpolicy",
        "team_id": call.grant.enterprise if call.grant.is_org else call.workspace.team,
        "user_id": call.grant.bot_user,
        "bot_id": BOT_ID,
        "is_enterprise_install": call.grant.is_org,
        **organisation,
    }


def revoke(call: Call) -> Answer:
    if call.flag("test"):
        return {"ok": True, "revoked": False}
    call.world.grants.end(call.grant.token)
    call.world.uninstalled(call.workspace.team, False)
    return {"ok": True, "revoked": True}


def uninstall(call: Call) -> Answer:
    """The app leaves the workspace; it is told so by events."""
    app = call.world.app
    if call.text("client_id") != app.client_id:
        raise SlackRefusal("invalid_client_id")
    if not hmac.compare_digest(call.text("client_secret"), app.client_secret):
        raise SlackRefusal("bad_client_secret")
    call.world.uninstalled(call.workspace.team, True)
    return {"ok": True}


def teams(call: Call) -> Answer:
    found = [
        {"id": each.team, "name": each.name}
        for each in call.world.workspaces.values()
        if call.grant.covers(each.team, each.enterprise)
    ]
    return call.page(found, "teams")


METHODS = {
    "auth.test": Method(test, tier=0),
    "auth.revoke": Method(revoke, tier=3),
    "auth.teams.list": Method(teams, tier=2),
    "apps.uninstall": Method(uninstall, tier=1),
}
