"""The page that asks whether an app may come in."""

from pathlib import Path

import jinja2

from ops.sandbox.slack.authorizing import Offer
from ops.sandbox.slack.page.here import people_of
from ops.sandbox.slack.world import World

_TEMPLATES = jinja2.Environment(loader=jinja2.FileSystemLoader(Path(__file__).parent), autoescape=True)


def install_page(world: World, made: Offer, asked: str) -> str:
    workspaces = list(world.workspaces.values())
    organisations = {each.enterprise: each for each in workspaces if each.enterprise and made.takes_orgs}
    return _TEMPLATES.get_template("install.html").render(
        scopes=sorted(made.scopes),
        workspaces=workspaces,
        organisations=list(organisations.values()),
        people=people_of(workspaces[0]),
        asked=asked,
    )
