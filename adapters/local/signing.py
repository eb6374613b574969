"""Ed25519: the key that signs checkpoints, and the public keys that are believed."""

import base64
import binascii
import hashlib
from collections.abc import Iterable

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from rag_core.errors import Misconfigured

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
