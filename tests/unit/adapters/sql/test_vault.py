"""Vault: unreadable without the key, and the operator is told which setting to look at."""

import pytest

from adapters.sql.database.vault import Vault, new_key
from rag_core.errors import Misconfigured

TEXT = "https://hooks.example/commands/secret „ü“"


def test_what_is_encrypted_can_be_read_with_the_key_alone() -> None:
    key = new_key()
    token = Vault([key]).encrypt(TEXT)
    assert "hooks" not in token
    assert Vault([key]).decrypt(token) == TEXT
    assert Vault([key]).encrypt(TEXT) != token
    with pytest.raises(Misconfigured, match="secret_key_wrong") as caught:
        Vault([new_key()]).decrypt(token)
    assert caught.value.details == {"setting": "ADPOLICY_SECRET_KEY"}


def test_a_new_key_goes_in_front_of_the_old_one() -> None:
    old, new = new_key(), new_key()
    both = Vault([new, f" {old}\n"])
    assert both.decrypt(Vault([old]).encrypt(TEXT)) == TEXT
    assert Vault([new]).decrypt(both.encrypt(TEXT)) == TEXT


@pytest.mark.parametrize("token", ["", "not a token", "gAAAAAB", "ü"])
def test_what_was_never_encrypted_is_the_wrong_key(token: str) -> None:
    with pytest.raises(Misconfigured, match="secret_key_wrong"):
        Vault([new_key()]).decrypt(token)


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ([], "secret_key_missing"),
        ([""], "secret_key_missing"),
        (["  "], "secret_key_missing"),
        ([new_key(), ""], "secret_key_missing"),
        (["password"], "secret_key_malformed"),
        (["ü" * 44], "secret_key_malformed"),
        ([new_key()[:-4]], "secret_key_malformed"),
    ],
)
def test_a_key_that_is_none_is_refused_without_showing_it(keys: list[str], code: str) -> None:
    with pytest.raises(Misconfigured, match=code) as caught:
        Vault(keys)
    assert caught.value.details == {"setting": "ADPOLICY_SECRET_KEY"}
