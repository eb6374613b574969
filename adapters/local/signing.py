"""Signatures of what cards carry: HMAC-SHA-256 (RFC 2104) with keys made from those that encrypt at rest."""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping, Sequence

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from rag_core.errors import Misconfigured

SIGNED = "signed"
_VERSION = "1"
_PURPOSE = b"adpolicy card signatures 1"
_CARD_SETTING = "ADPOLICY_SECRET_KEY"


class CardSigning:
    """`bot.access.signing.Signing`. Signs with the first key, believes what any of the keys signed.

    `keys`: as of `adapters.sql.database.vault.Vault`; what signs is derived from them, so that neither use tells of the
    other. `signed` is the version, the names of the fields and the signature: all three are proven by it.

    Raises Misconfigured("secret_key_missing").
    """

    def __init__(self, keys: Sequence[str]) -> None:
        if not keys or not all(key.strip() for key in keys):
            raise Misconfigured("secret_key_missing", setting=_CARD_SETTING)
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


_SETTING = "ADPOLICY_AUDIT_KEY"
_TRUSTED_SETTING = "ADPOLICY_AUDIT_TRUSTED_KEYS"


def new_signing_key() -> str:
    """A private key: 32 random bytes in URL-safe base64."""
    raw = Ed25519PrivateKey.generate().private_bytes_raw()
    return base64.urlsafe_b64encode(raw).decode()


class Ed25519Signer:
    """`bot.audit.checkpoints.Signer`. Raises Misconfigured("audit_key_malformed")."""

    def __init__(self, key: str) -> None:
        try:
            self._key = Ed25519PrivateKey.from_private_bytes(base64.urlsafe_b64decode(key.strip()))
        except (ValueError, UnsupportedAlgorithm, binascii.Error) as exc:
            raise Misconfigured("audit_key_malformed", setting=_SETTING) from exc
        self.public_key = base64.urlsafe_b64encode(self._key.public_key().public_bytes_raw()).decode()

    @property
    def key_id(self) -> str:
        return key_id_of(self._key.public_key())

    def sign(self, text: bytes) -> str:
        return base64.b64encode(self._key.sign(text)).decode()


class TrustedKeys:
    """`bot.audit.checkpoints.SignatureCheck`. `public_keys`: as `Ed25519Signer.public_key` gives them. Raises
    Misconfigured("audit_trusted_key_malformed")."""

    def __init__(self, public_keys: Iterable[str]) -> None:
        try:
            raw = [base64.urlsafe_b64decode(key.strip()) for key in public_keys if key.strip()]
            keys = [Ed25519PublicKey.from_public_bytes(each) for each in raw]
        except (ValueError, UnsupportedAlgorithm, binascii.Error) as exc:
            raise Misconfigured("audit_trusted_key_malformed", setting=_TRUSTED_SETTING) from exc
        self._keys = {key_id_of(key): key for key in keys}

    def knows(self, key_id: str) -> bool:
        return key_id in self._keys

    def holds(self, key_id: str, text: bytes, signature: str) -> bool:
        if (key := self._keys.get(key_id)) is None:
            return False
        try:
            key.verify(base64.b64decode(signature, validate=True), text)
        except (InvalidSignature, ValueError, binascii.Error):
            return False
        return True

    def pems(self) -> dict[str, str]:
        """The public keys by their ids, as OpenSSL reads them."""
        encoding, format_ = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        return {key_id: key.public_bytes(encoding, format_).decode() for key_id, key in self._keys.items()}


def key_id_of(key: Ed25519PublicKey) -> str:
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()
