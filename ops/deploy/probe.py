"""`python -m ops.deploy.probe [PATH]`: asks the server of this container, which has no curl.

Without PATH: whether the chat listener answers on `/healthz`. With one, `/readyz` or `/metrics` say, what the web
listener says there is printed. Exit code 0 for status 200, 1 for anything else, 2 for wrong arguments.
Only the standard library: it runs every few seconds.
"""

import http.client
import os
import sys
from collections.abc import Mapping, Sequence

from ops.deploy import wording

CHAT, CHAT_DEFAULT = "ADPOLICY_CHAT_BIND", "127.0.0.1:3000"
WEB, WEB_DEFAULT = "ADPOLICY_WEB_BIND", "127.0.0.1:8080"
_SECONDS = 10.0
_LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  a listener on all addresses is asked on loopback


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """The exit code; see above."""
    if len(arguments) > 1 or not all(each.startswith("/") for each in arguments):
        print(wording.USAGE, file=sys.stderr)
        return 2
    bind = environ.get(WEB, WEB_DEFAULT) if arguments else environ.get(CHAT, CHAT_DEFAULT)
    try:
        status, body = _get(bind, arguments[0] if arguments else "/healthz")
    except (OSError, http.client.HTTPException) as exc:
        print(wording.no_answer(bind, str(exc) or type(exc).__name__), file=sys.stderr)
        return 1
    if arguments:
        print(body)
    return 0 if status == http.client.OK else 1


def _get(bind: str, path: str) -> tuple[int, str]:
    """Status and text of an answer. Raises OSError, HTTPException."""
    host, _, port = bind.rpartition(":")
    host = host.strip("[]")
    connection = http.client.HTTPConnection(_LOOPBACK.get(host, host), int(port), timeout=_SECONDS)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode("utf-8", "replace")
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
