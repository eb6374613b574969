"""oauth.v2.*: tokens for codes, new tokens for old ones. The caller is known by the app's secret."""

import hmac
from collections.abc import Mapping

from ops.sandbox.slack.grants import Grant
from ops.sandbox.slack.methods.calling import Answer
from ops.sandbox.slack.refusals import SlackRefusal
from ops.sandbox.slack.world import World


def access(world: World, arguments: Mapping[str, object]) -> Answer:
    _check_client(world, arguments)
    kind = arguments.get("grant_type") or "authorization_code"
    if kind == "refresh_token":
        if not world.app.is_rotating:
            raise SlackRefusal("invalid_grant_type")
        return _token(world, world.grants.refresh(str(arguments.get("refresh_token") or "")))
    if kind != "authorization_code":
        raise SlackRefusal("invalid_grant_type")
    code, redirect = str(arguments.get("code") or ""), str(arguments.get("redirect_uri") or "")
    return _token(world, world.grants.exchange(code, redirect, rotating=world.app.is_rotating))


def exchange(world: World, arguments: Mapping[str, object]) -> Answer:
    """A token that lasts for one that expires; the old one ends."""
    _check_client(world, arguments)
    if not world.app.is_rotating:
        raise SlackRefusal("token_rotation_not_enabled")
    grant = world.grants.check(str(arguments.get("token") or ""))
    if grant.expires_at is not None:
        raise SlackRefusal("invalid_auth")
    made = world.grants.issue(grant, rotating=True)
    world.grants.end(grant.token)
    return _token(world, made)


def _check_client(world: World, arguments: Mapping[str, object]) -> None:
    if arguments.get("client_id") != world.app.client_id:
        raise SlackRefusal("invalid_client_id")
    if not hmac.compare_digest(str(arguments.get("client_secret") or "").encode(), world.app.client_secret.encode()):
        raise SlackRefusal("bad_client_secret")


def _token(world: World, grant: Grant) -> Answer:
    workspace = world.workspaces.get(grant.team)
    rotating: Answer = {}
    if grant.expires_at is not None:
        left = int((grant.expires_at - world.clock()).total_seconds())
        rotating = {"refresh_token": grant.refresh_token, "expires_in": left}
    return {
        "ok": True,
        "app_id": world.app.app_id,
        "authed_user": {"id": grant.installer},
        "scope": ",".join(sorted(grant.scopes)),
        "token_type": "bot",
        "access_token": grant.token,
        "bot_user_id": grant.bot_user,
        "team": {"id": workspace.team, "name": workspace.name} if workspace else None,
        "enterprise": {"id": grant.enterprise, "name": "Sandbox organisation"} if grant.enterprise else None,
        "is_enterprise_install": grant.is_org,
        **rotating,
    }


METHODS = {"oauth.v2.access": access, "oauth.v2.exchange": exchange}
