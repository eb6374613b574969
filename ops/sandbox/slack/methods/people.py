"""users.*, usergroups.*, team.info, bots.info: who is there."""

from ops.sandbox.slack.methods.calling import Answer, Call, Method
from ops.sandbox.slack.people import BOT, BOT_ID, User, group_json, user_json
from ops.sandbox.slack.refusals import SlackRefusal
from ops.sandbox.slack.shapes import team_json


def user_info(call: Call) -> Answer:
    user = call.workspace.people.get(call.required("user"))
    if user is None:
        raise SlackRefusal("user_not_found")
    return {"ok": True, "user": {**_in_organisation(call, user), **user_json(user, call.workspace.team)}}


def _in_organisation(call: Call, user: User) -> Answer:
    """On an Enterprise Grid a person is the same in all workspaces that he is in."""
    enterprise = call.workspace.enterprise
    spaces = call.world.in_organisation(enterprise)
    teams = [each.team for each in spaces if user.user_id in each.people and not user.team]
    return {"enterprise_user": {"id": user.user_id, "enterprise_id": enterprise, "teams": teams}} if teams else {}


def users(call: Call) -> Answer:
    found = [user_json(each, call.workspace.team) for each in call.workspace.people.values()]
    return call.page(found, "members")


def groups(call: Call) -> Answer:
    space, team = call.workspace, call.workspace.team
    found = [
        group_json(
            each, users, team, is_disabled=each in space.disabled_usergroups, with_users=call.flag("include_users")
        )
        for each, users in space.usergroups.items()
        if call.flag("include_disabled") or each not in space.disabled_usergroups
    ]
    return {"ok": True, "usergroups": found}


def group_users(call: Call) -> Answer:
    wanted = call.required("usergroup")
    if wanted not in call.workspace.usergroups:
        raise SlackRefusal("no_such_subteam")
    if wanted in call.workspace.disabled_usergroups and not call.flag("include_disabled"):
        raise SlackRefusal("subteam_disabled")
    return {"ok": True, "users": sorted(call.workspace.usergroups[wanted])}


def team_info(call: Call) -> Answer:
    wanted = call.text("team", call.workspace.team)
    found = call.world.workspaces.get(wanted)
    if found is None or not call.grant.covers(found.team, found.enterprise):
        raise SlackRefusal("team_not_found")
    return {"ok": True, "team": team_json(found)}


def bot_info(call: Call) -> Answer:
    if call.text("bot", BOT_ID) != BOT_ID:
        raise SlackRefusal("bot_not_found")
    app_id = call.world.app.app_id
    return {
        "ok": True,
        "bot": {"id": BOT_ID, "deleted": False, "name": "adpolicy", "app_id": app_id, "user_id": BOT, "updated": 0},
    }


METHODS = {
    "users.info": Method(user_info, ("users:read",), tier=4),
    "users.list": Method(users, ("users:read",), tier=2, by_team=True),
    "usergroups.list": Method(groups, ("usergroups:read",), tier=2, by_team=True),
    "usergroups.users.list": Method(group_users, ("usergroups:read",), tier=2, by_team=True),
    "team.info": Method(team_info, ("team:read",)),
    "bots.info": Method(bot_info, ("users:read",)),
}
