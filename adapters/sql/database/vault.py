"""Encryption of what must not be readable at rest: reply addresses, tokens of platforms, what waits in the spool."""

from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from rag_core.errors import Misconfigured

_SETTING = "ADPOLICY_SECRET_KEY"


def new_key() -> str:
    """A key for `Vault`: 32 random bytes in URL-safe base64."""
    return Fernet.generate_key().decode()


class Vault:
    """Encrypts with the first key, reads what any of the keys wrote: a new key goes in front of the old ones.

    Raises Misconfigured for a missing or malformed key, and on reading what none of the keys wrote.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        if not keys or not all(key.strip() for key in keys):
            raise Misconfigured("secret_key_missing", setting=_SETTING)
        try:
            each = [Fernet(key.strip()) for key in keys]
            self._first, self._fernet = each[0], MultiFernet(each)
        except ValueError as exc:
            raise Misconfigured("secret_key_malformed", setting=_SETTING) from exc

    def encrypt(self, text: str) -> str:
        return self._fernet.encrypt(text.encode()).decode()

    def decrypt(self, token: str) -> str:
        try:
            return self._fernet.decrypt(token.encode()).decode()
        except InvalidToken as exc:
            raise Misconfigured("secret_key_wrong", setting=_SETTING) from exc

    def renewed(self, token: str) -> str | None:
        """The same text, encrypted with the first key; None where it is already. Raises as `decrypt`."""
        try:
            self._first.decrypt(token.encode())
        except InvalidToken:
            try:
                return self._fernet.rotate(token.encode()).decode()
            except InvalidToken as exc:
                raise Misconfigured("secret_key_wrong", setting=_SETTING) from exc
        return None
