"""What operators read about the connection to Microsoft Teams."""

from collections.abc import Callable, Sequence

SENTENCES: dict[str, Callable[..., str]] = {
    "teams_pacing": lambda _: "Teams takes 60 messages in 30 s in a conversation. Wait: this one has its turn soon.",
    "teams_app_id_invalid": lambda d: (
        f"{d['setting']} is no app id, and is not shown here, as it may be a secret. Give the application "
        "(client) id that the app's page in Microsoft Entra shows (8-4-4-4-12 digits)."
    ),
    "teams_not_installed": lambda d: (
        f"{d['setting']} is set, but the packages for Teams are not installed. Run `{d.get('command')}` in the folder "
        "of the program, or start it with ops/run, which does."
    ),
    "teams_token_refused": lambda d: (
        f"Microsoft Entra gives the bot's app no token ({d.get('error') or 'no reason given'}). Check "
        "ADPOLICY_TEAMS_APP_ID, ADPOLICY_TEAMS_APP_SECRET (the value, not its id; it expires), ADPOLICY_TEAMS_APP_TYPE "
        "and ADPOLICY_TEAMS_APP_TENANT, then run `python -m ops doctor`."
    ),
    "teams_token_unreachable": lambda d: (
        "Microsoft Entra, or the managed identity of this machine, does not answer. Look at the way out to "
        "ADPOLICY_TEAMS_LOGIN_URL, and try again in a moment."
    ),
    "teams_keys_unreachable": lambda d: (
        f"The keys that Teams signs with cannot be read ({d.get('reason') or 'no reason given'}), so nobody can be "
        "believed to be Teams. Look at the way out to ADPOLICY_TEAMS_OPENID_URL; Teams sends its messages again."
    ),
    "teams_slow_down": lambda d: f"Teams asks to wait {d.get('retry_after')} s. It is tried again after that.",
    "teams_unreachable": lambda d: "Teams cannot be reached. Try again in a moment.",
    "teams_error": lambda d: (
        f"Teams answered with an error ({d.get('error') or 'no reason given'}). Try again in a moment; if it goes on, "
        "run `python -m ops doctor`."
    ),
    "teams_too_many_people": lambda d: (
        f"More people than {d.get('most', 'can be listed')} are in that conversation, so it is not known what all of "
        "them may see. Ask in a smaller one, or in the bot's own chat."
    ),
    "store_unavailable": lambda d: (
        "The database did not answer in time, so what was clicked was not kept. Click again in a moment; if it goes "
        "on, look at the database."
    ),
    "inbox_unavailable": lambda d: (
        "The database did not answer in time, so the question was not kept. Ask again in a moment; if it goes on, look "
        "at the database."
    ),
}


def app_is(app_id: str, kind: str, tenants: int) -> str:
    return f"app {app_id} ({kind}), answers in {tenants} tenant{'' if tenants == 1 else 's'}"


TOKEN_WORKS = "Microsoft Entra gives the app tokens for Bot Framework"


def keys_work(count: int) -> str:
    return f"{count} key{'' if count == 1 else 's'} that Teams may sign with"


def no_keys(address: str) -> str:
    return f"none of the keys at {address} may speak for Teams. Check ADPOLICY_TEAMS_OPENID_URL."


ADDRESS_UNKNOWN = (
    "note  teams address: ADPOLICY_CHAT_URL is not set, so it was not tried whether Teams can reach the bot. The "
    "bot's registration in Azure names https://YOUR-ADDRESS/api/messages."
)


def address_works(address: str) -> str:
    return f"{address} answers as the bot does: who is not Teams is sent away"


def address_fails(address: str, why: str) -> str:
    return (
        f"{address} does not answer as the bot does ({why}). Start the bot, and have the proxy hand on /api/messages; "
        "the address is ADPOLICY_CHAT_URL, https, and the same as in the bot's registration in Azure."
    )


def graph_silent(tenant: str, why: str) -> str:
    """No fault where nothing is restricted to groups of Entra."""
    return (
        f"note  teams graph: Microsoft Graph gives no token for tenant {tenant}. {why} Until then nobody there belongs "
        "to a group, and owners of teams are not known."
    )


def graph_not_told(tenant: str) -> str:
    return f"note  teams graph: what the app may read in tenant {tenant} cannot be told from its token."


def graph_lacks(tenant: str, missing: Sequence[str]) -> str:
    return (
        f"note  teams graph: in tenant {tenant} the app lacks {', '.join(missing)}. Without them groups, readers of "
        "channels or owners of teams are not known there; an administrator grants them (ops/docs/access.md)."
    )


def graph_works(tenant: str, count: int) -> str:
    return f"all {count} permissions in tenant {tenant}"
