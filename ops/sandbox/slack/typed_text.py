"""What people type, and what Slack makes of it before anybody else sees it."""

import re

from ops.sandbox.slack.deliveries import escaped
from ops.sandbox.slack.workspace import Workspace

_ADDRESS = re.compile(r"https?://[^\s<>|]+")
_HANDLE = re.compile(r"(?<!\w)@([a-z0-9][a-z0-9._-]*)", re.IGNORECASE)
_ANGLED = re.compile(r"<([^<>]*)>")
_BROADCASTS = ("channel", "here", "everyone")


def typed(workspace: Workspace, text: str) -> str:
    """Addresses, @names and @channel in angle brackets, all else escaped."""
    handles = {each.handle: each.user_id for each in workspace.people.values()}

    def mention(found: re.Match[str]) -> str:
        name = found[1].lower()
        if name in _BROADCASTS:
            return f"<!{name}>"
        return f"<@{handles[name]}>" if name in handles else found[0]

    return _HANDLE.sub(mention, _ADDRESS.sub(lambda found: f"<{found[0]}>", escaped(text)))


def as_typed(workspace: Workspace, text: str) -> str:
    """The way back: what a person sees when they edit."""

    def plain(found: re.Match[str]) -> str:
        target = found[1].partition("|")[0]
        user = workspace.people.get(target.removeprefix("@"))
        return f"@{user.handle}" if user else target.replace("!", "@", 1) if target.startswith("!") else target

    return _ANGLED.sub(plain, text).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
