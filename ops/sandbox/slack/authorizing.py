"""The page on which somebody lets the app into a workspace, or does not."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs, urlencode, urlsplit

from ops.sandbox.slack.app import EVERY_SCOPE
from ops.sandbox.slack.grants import Grant
from ops.sandbox.slack.refusals import SlackRefusal
from ops.sandbox.slack.world import World

_FURTHER_SCOPES = frozenset({"chat:write.public", "channels:manage", "groups:write", "files:read", "links:read"})


@dataclass(frozen=True, slots=True)
class Offer:
    """What the app asks for, where the browser goes afterwards, and whether a whole organisation may be chosen."""

    scopes: frozenset[str]
    redirect_uri: str
    is_named: bool
    state: str
    takes_orgs: bool


def asked(url: str) -> dict[str, str]:
    """The query of an authorisation address."""
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


def offer(world: World, query: Mapping[str, str]) -> Offer:
    """Raises SlackRefusal with what is wrong about the link."""
    app = world.app
    if query.get("client_id") != app.client_id:
        raise SlackRefusal("invalid_client_id")
    scopes = frozenset(each for each in query.get("scope", "").replace(" ", ",").split(",") if each)
    if not scopes:
        raise SlackRefusal("no_scopes")
    if scopes - EVERY_SCOPE - _FURTHER_SCOPES:
        raise SlackRefusal("invalid_scope")
    redirect = query.get("redirect_uri", "")
    if redirect and app.redirect_urls and not any(redirect.startswith(each) for each in app.redirect_urls):
        raise SlackRefusal("bad_redirect_uri")
    target = redirect or (app.redirect_urls[0] if app.redirect_urls else "")
    if not target.startswith(("http://", "https://")):
        raise SlackRefusal("bad_redirect_uri")
    return Offer(scopes, target, bool(redirect), query.get("state", ""), app.takes_orgs)


def decide(world: World, made: Offer, *, user: str, team: str, organisation: bool = False, allowed: bool = True) -> str:
    """Where the browser goes: back to the app, with a code or with what was refused."""
    if not allowed:
        return _back(made, {"error": "access_denied"})
    workspace = world.workspaces[team]
    if organisation and not (made.takes_orgs and workspace.enterprise):
        raise SlackRefusal("org_install_not_supported")
    where = "" if organisation else team
    grant = Grant("", where, made.scopes, workspace.enterprise, installer=user)
    return _back(made, {"code": world.grants.code_for(grant, made.redirect_uri if made.is_named else "")})


def _back(made: Offer, answer: Mapping[str, str]) -> str:
    joined = "&" if "?" in made.redirect_uri else "?"
    return f"{made.redirect_uri}{joined}{urlencode({**answer, 'state': made.state})}"
