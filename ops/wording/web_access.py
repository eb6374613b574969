"""What an operator reads of who is let in to web pages and REST."""

from collections.abc import Callable, Mapping

SENTENCES: dict[str, Callable[[Mapping[str, object]], str]] = {
    "web_bind_unprotected": lambda d: (
        f"{d['setting']} is {d['value']}, but web pages and REST ask nobody who he is, so they may listen on this "
        "machine only. Set ADPOLICY_WEB_TOKENS=true and make a token (`python -m ops tokens create`), or set "
        "ADPOLICY_OIDC_ISSUER and ADPOLICY_OIDC_AUDIENCE; or use 127.0.0.1."
    ),
    "proxies_unprotected": lambda d: (
        f"{d['setting']} is {d['value']}, but web pages and REST ask nobody who he is, so whoever reaches the proxy "
        "could ask. Set ADPOLICY_WEB_TOKENS=true and make a token (`python -m ops tokens create`), or set "
        "ADPOLICY_OIDC_ISSUER and ADPOLICY_OIDC_AUDIENCE; or leave the proxy out."
    ),
    "oidc_incomplete": lambda d: (
        f"{d['setting']} and {d['other']} belong together. Set both, or neither: a token of the issuer that is for "
        "somebody else must not be taken."
    ),
    "token_name_invalid": lambda d: (
        f"{d['name']} is no name for a token. Use small letters, digits, dots, _ and -, at most 64, beginning with a "
        "letter or digit."
    ),
    "token_name_taken": lambda d: (
        f"There is a token {d['name']} that is not revoked. Choose another name, or revoke that one first."
    ),
    "unknown_token": lambda d: (
        f"There is no token {d['name']} that is not revoked. `python -m ops tokens list` shows those there are."
    ),
    "unknown_group": lambda d: _unknown_group(d),
    "callers_unknown": lambda _: (
        "Nobody could be told from anybody else on the web listener, so nobody was let in: the database or the issuer "
        "did not answer. Run `python -m ops doctor`."
    ),
    "issuer_down": lambda d: (
        f"The issuer did not answer ({d.get('reason', '')}). Check ADPOLICY_OIDC_ISSUER, and that this machine reaches "
        "it."
    ),
    "issuer_unusable": lambda d: (
        f"What the issuer publishes cannot be used ({d.get('reason', '')}). Check that ADPOLICY_OIDC_ISSUER is exactly "
        "what its discovery document says, with or without a slash at its end."
    ),
}


def _unknown_group(details: Mapping[str, object]) -> str:
    known = details.get("known")
    listed = ", ".join(str(each) for each in known) if isinstance(known, list) else ""
    there = f"It names {listed}." if listed else "It names none."
    return f"The catalogue names no group {details['group']}. {there} Correct it, or declare the group there."


def doctor_note(text: str) -> str:
    """Something to know, below a check that did not fail."""
    return f"      {text}"


def protection(*, tokens: bool, issuer: str) -> str:
    """One sentence for the start."""
    if tokens and issuer:
        return f"Web pages and REST ask for a token of this server (`python -m ops tokens`) or of {issuer}."
    if tokens:
        return "Web pages and REST ask for a token (`python -m ops tokens`)."
    if issuer:
        return f"Web pages and REST ask for a token of {issuer}."
    return "The web pages have no log-in: they answer on this machine only."


def issuer_works(issuer: str, keys: int) -> str:
    return f"{issuer} answers, with {keys} {'key' if keys == 1 else 'keys'} to check tokens with"


def issuer_fails(issuer: str, why: str) -> str:
    return f"{issuer}: {why}"


NO_CREDENTIALS = "nobody is asked who he is; web pages and REST answer on this machine only"


def tokens_facts(live: int, expired: int) -> str:
    told = f"{live} {'token' if live == 1 else 'tokens'} in force"
    return f"{told}, {expired} expired" if expired else told


NO_TOKEN_IN_FORCE = "ADPOLICY_WEB_TOKENS is set, but no token is in force: `python -m ops tokens create` makes one"


def tokens_not_asked_for(live: int) -> str:
    return f"{live} in force, but ADPOLICY_WEB_TOKENS is not set: nobody is asked for one"


def token_expires(name: str, days: int) -> str:
    when = "today" if days < 1 else "tomorrow" if days == 1 else f"in {days} days"
    return f"{name} expires {when}; make its successor with `python -m ops tokens create`, then revoke it"
