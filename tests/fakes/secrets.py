"""Planted secrets: of every shape that a log must never show. None of them opens anything."""

import base64

_TAIL = "Zz9PlantedSecretTail0123456789abcdefXYZ"  # pragma: allowlist secret
_BEGIN = "-----BEGIN {}PRIVATE" + " KEY-----"
PART = "PlantedSecretTail"
"""Stands in every one of them."""

SHAPED = {
    "bot token": f"xoxb-2345-6789-{_TAIL}",  # pragma: allowlist secret
    "user token": f"xoxp-2345-6789-{_TAIL}",  # pragma: allowlist secret
    "app token": f"xapp-1-A123-456-{_TAIL}",  # pragma: allowlist secret
    "rotated token": f"xoxe.xoxp-1-{_TAIL}",  # pragma: allowlist secret
    "refresh token": f"xoxe-1-{_TAIL}",  # pragma: allowlist secret
    "commands address": f"https://hooks.slack.com/commands/T1/2/{_TAIL}",
    "services address": f"https://hooks.slack.com/services/T1/B2/{_TAIL}",
    "bearer": f"Bearer {_TAIL}",
    "header": f"Authorization: Basic {_TAIL}==",
    "cookie": f"Set-Cookie: session={_TAIL}; HttpOnly",
    "jwt": f"eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0{_TAIL}.c2ln{_TAIL}",  # pragma: allowlist secret
    "own token": f"adpolicy_{_TAIL}",  # pragma: allowlist secret
    "fernet token": f"gAAAAABm{_TAIL}{_TAIL}==",
    "32 bytes": f"{_TAIL}{_TAIL}"[:43] + "=",
    "model key": f"sk-proj-{_TAIL}",  # pragma: allowlist secret
    "github token": f"ghp_{_TAIL}",  # pragma: allowlist secret
    "private key": f"{_BEGIN.format('')}\nMIIE{_TAIL}\n{_TAIL}\n-----END PRIVATE KEY-----",
    "ec private key": f"{_BEGIN.format('EC ')}\\nMIIE{_TAIL}\\n-----END EC PRIVATE KEY-----",
    "database address": f"postgresql://bot:{_TAIL}@db.example.com/adpolicy",  # pragma: allowlist secret
    "odd address": f"redis://:{_TAIL}/with@and:more@cache.example.com:6379/0"[:30] + f"{_TAIL}@cache:6379/0",
    "encoded address": f"postgresql%3A%2F%2Fbot%3A{_TAIL}%40db.example.com",
    "member": f"https://example.com/x?a=1&access_token={_TAIL}&b=2",
    "setting": f"ADPOLICY_SLACK_SIGNING_SECRET={_TAIL}",
    "keyword": f"connect(user='bot', password='{_TAIL}')",
}

AWS_KEY = "AKIA" + "PLANTED0SECRET42"
SLACK_SIGNATURE = "v0=" + "0123456789abcdef" * 4


def in_base64(text: str, before: str = "") -> str:
    return base64.b64encode((before + text).encode()).decode()
