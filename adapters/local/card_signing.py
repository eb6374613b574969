"""Signatures of what cards carry: HMAC-SHA-256 (RFC 2104) with keys made from those that encrypt at rest."""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence

from rag_core.errors import Misconfigured

SIGNED = "signed"
_VERSION = "1"
_PURPOSE = b"adpolicy card signatures 1"
_SETTING = "ADPOLICY_SECRET_KEY"


class CardSigning:
    """`bot.access.signing.Signing`. Signs with the first key, believes what any of the keys signed.

    `keys`: as of `adapters.sql.vault.Vault`; what signs is derived from them, so that neither use tells of the other.
    `signed` is the version, the names of the fields and the signature: all three are proven by it.

    Raises Misconfigured("secret_key_missing").
    """

    def __init__(self, keys: Sequence[str]) -> None:
        if not keys or not all(key.strip() for key in keys):
            raise Misconfigured("secret_key_missing", setting=_SETTING)
        self._keys = tuple(hmac.digest(key.strip().encode(), _PURPOSE, hashlib.sha256) for key in keys)

    def signed(self, fields: Mapping[str, str], conversation: str) -> dict[str, str]:
        names = ",".join(sorted(fields))
        proof = base64.urlsafe_b64encode(_mac(self._keys[0], fields, conversation)).decode().rstrip("=")
        return {**fields, SIGNED: f"{_VERSION}.{names}.{proof}"}

    def read(self, payload: Mapping[str, object], conversation: str) -> Mapping[str, str] | None:
        said = payload.get(SIGNED)
        version, _, rest = said.partition(".") if isinstance(said, str) else ("", "", "")
        names, _, proof = rest.rpartition(".")
        if version != _VERSION:
            return None
        fields = {name: value for name in names.split(",") if isinstance(value := payload.get(name), str)}
        given = _decoded(proof)
        proven = [hmac.compare_digest(given, _mac(key, fields, conversation)) for key in self._keys]
        return fields if any(proven) else None


def _mac(key: bytes, fields: Mapping[str, str], conversation: str) -> bytes:
    """Of JSON with sorted names and in ASCII: the same for the same fields, whatever their order."""
    text = json.dumps([_VERSION, conversation, dict(fields)], sort_keys=True, separators=(",", ":"))
    return hmac.digest(key, text.encode("ascii"), hashlib.sha256)


def _decoded(proof: str) -> bytes:
    """Nothing for what is no base64, which no signature equals."""
    try:
        return base64.b64decode(f"{proof}=", altchars=b"-_", validate=True)
    except ValueError:
        return b""
