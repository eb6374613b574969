"""What secrets look like that are none of our settings: other people's tokens, keys, addresses that hold one.

Each pattern is looked for only where its hint stands in the text, and takes time in proportion to the text: every
repetition is over one class of characters that what follows it does not begin with, or is bounded.
"""

import re
from dataclasses import dataclass

REDACTED = "[redacted]"

_KEEP_FIRST = rf"\g<1>{REDACTED}"


@dataclass(frozen=True, slots=True)
class Shape:
    """`hints`: one of them, in lower case, stands in every text that has such a secret."""

    name: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    replacement: str = REDACTED


def _shape(name: str, hints: tuple[str, ...], pattern: str, replacement: str = REDACTED) -> Shape:
    return Shape(name, hints, re.compile(pattern), replacement)


_NAMES_OF_MEMBERS = (
    r"(?:access_?|refresh_?|id_?|bot_?|client_?|api_?|secret_?|auth_?|session_?|signing_?|x-amz-)?-?"
    r"(?:token|secret|password|passwd|pwd|key|signature|credential|assertion|code)"
)

SHAPES = (
    _shape(
        "private key",
        ("private key",),
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[A-Za-z0-9+/=\s\\:,.-]*",
    ),
    _shape("slack token", ("xox", "xapp-"), r"\b(?:xox[a-z]\.)?(?:xox[a-z]|xapp)-[A-Za-z0-9._-]{4,}"),
    _shape("slack signature", ("v0=",), r"\bv0=[0-9a-fA-F]{16,}"),
    _shape(
        "slack address",
        ("hooks.slack",),
        r"""(?i)(\bhooks\.slack(?:-gov)?\.com)[^\s"'<>\\]+""",
        _KEEP_FIRST,
    ),
    _shape("jwt", ("eyj",), r"\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,4}"),
    _shape("own token", ("adpolicy_",), r"\badpolicy_(?=[a-z_-]{0,100}[0-9A-Z])[A-Za-z0-9_-]{16,}"),
    _shape("fernet token", ("gaaaa",), r"gAAAA[A-Za-z0-9_-]{20,}={0,2}"),
    _shape("32 bytes in base64", ("=",), r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{43}=(?![A-Za-z0-9+/=])"),
    _shape("model key", ("sk-",), r"\bsk-[A-Za-z0-9_-]{12,}"),
    _shape("aws key", ("akia", "asia"), r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    _shape("github token", ("gh", "github_pat_"), r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"),
    _shape("other key", ("aiza", "hf_", "glpat-"), r"\b(?:AIza|hf_|glpat-)[A-Za-z0-9_-]{20,}"),
    _shape(
        "header",
        ("authorization", "cookie", "x-slack-signature", "x-api-key", "x-amz-security-token"),
        r"(?i)\b((?:proxy-)?authorization|(?:set-)?cookie|x-slack-signature|x-api-key|x-amz-security-token)"
        r"""(["']{0,2}\s{0,3}[:=,]\s{0,3}[bB]?["']?)[^"'\r\n\\]+""",
        rf"\g<1>\g<2>{REDACTED}",
    ),
    _shape("bearer", ("bearer",), r"(?i)\b(bearer\s{1,3})[A-Za-z0-9._~+/=-]{6,}", _KEEP_FIRST),
    _shape("basic", ("basic",), r"\b([Bb]asic\s{1,3})(?=[a-z+/]{0,200}[0-9A-Z=])[A-Za-z0-9+/]{6,}={0,2}", _KEEP_FIRST),
    _shape(
        "login in an address",
        ("://", "%3a%2f%2f"),
        r"""(?i)((?::|%3a)(?:/|%2f){2})[^\s/?#"'<>%]{1,300}(?:%[0-9a-f]{2}[^\s/?#"'<>%]{0,300}){0,50}(?:@|%40)""",
        rf"\g<1>{REDACTED}@",
    ),
    _shape(
        "member of an address",
        ("?", "&", "="),
        rf"""(?i)([?&;]{_NAMES_OF_MEMBERS}=)(?!\[redacted)[^&\s"'<>\\;]+""",
        _KEEP_FIRST,
    ),
    _shape(
        "named value",
        ("password", "passwd", "secret", "token", "api_key", "apikey", "api-key", "pwd"),
        r"(?i)((?<![a-z])(?:[a-z]{1,20}[_-]){0,3}(?:password|passwd|pwd|secret|token|api[_-]?key)"
        r"""["']{0,2}\s{0,2}[=:]\s{0,2}[bB]?["']?)(?!\[redacted)[^\s"',;&)}\]\\]{3,}""",
        _KEEP_FIRST,
    ),
)


def without_shapes(text: str) -> str:
    """`text` with everything that looks like a secret replaced."""
    lowered = text.lower()
    for shape in SHAPES:
        if any(hint in lowered for hint in shape.hints):
            text = shape.pattern.sub(shape.replacement, text)
    return text
