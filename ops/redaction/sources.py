"""Which values of this process are secret."""

from collections.abc import Iterator, Mapping
from typing import get_args

from pydantic import SecretStr

from ops.config import PREFIX, Config
from ops.redaction.redactor import Redactor

_FILE = "_FILE"


def redactor_of(config: Config) -> Redactor:
    """Knows every secret setting."""
    return Redactor(value.get_secret_value() for _, value in config if isinstance(value, SecretStr))


def redactor_before(environ: Mapping[str, str]) -> Redactor:
    """Before the settings are read: they may be wrong, and what is said of that must not quote them."""
    return Redactor(_given(environ))


def secret_settings() -> frozenset[str]:
    """Names of the settings that are secret, as the environment has them."""
    return frozenset(
        PREFIX + name.upper()
        for name, field in Config.model_fields.items()
        if SecretStr in (field.annotation, *get_args(field.annotation))
    )


def _given(environ: Mapping[str, str]) -> Iterator[str]:
    for name in secret_settings():
        yield environ.get(name, "")
        path = environ.get(name + _FILE, "")
        if "/" not in path:  # somebody may have put the secret where its file's path belongs
            yield path
