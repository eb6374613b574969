"""`python -m ops rotate-keys`: what is encrypted at rest, with a new key.

Safe beside running servers that have both keys. Without the setting the keys are in the data folder's own file, which
a running server read when it started: then no server may run on the folder meanwhile.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.database.vault import Vault, new_key
from adapters.sql.people.encrypted import ENCRYPTED, Renewal, SqlRenewal
from ops.acts import record_act
from ops.backends import build_spool, open_engine
from ops.config import Config
from ops.data_folder import key_file, secret_keys, server_lock, write_keys
from ops.keys import wording
from ops.keys.fingerprints import fingerprint

_SPOOL = "spool"


async def rotate_keys(config: Config, *, check: bool = False) -> int:
    """0; 1 if something cannot be read with any key or, with `check`, needs another than the first.

    Raises Misconfigured("data_dir_in_use") where the keys are in the data folder and a server runs on it.
    """
    if check:
        return await _check(config, secret_keys(config))
    with _keys(config) as keys:
        async with open_engine(config) as engine:
            found = {what: each async for what, each in _places(config, engine, keys, keep=True)}
            for what, each in found.items():
                print(wording.renewed(what, each))
            total = sum(found.values(), Renewal())
            dropped = _drop(config, keys) if not total.unreadable else ()
            if total.behind or dropped:
                facts = {
                    "renewed": {what: each.behind for what, each in found.items()},
                    "key": fingerprint(keys[0]),
                    "dropped": [fingerprint(each) for each in dropped],
                }
                await record_act(engine, "rotate_keys", facts=facts)
    if total.unreadable:
        print(wording.not_readable(total.unreadable))
    elif config.secret_key is not None:
        print(wording.may_drop(len(keys)))
    return 1 if total.unreadable else 0


async def _check(config: Config, keys: Sequence[str]) -> int:
    total = Renewal()
    async with open_engine(config) as engine:
        async for what, found in _places(config, engine, keys, keep=False):
            print(wording.looked_at(what, found))
            total += found
    if total.unreadable:
        print(wording.not_readable(total.unreadable))
    if total.behind:
        print(wording.still_needed(total.behind))
    if not total.behind and not total.unreadable:
        print(wording.may_drop(len(keys)))
    return 1 if total.behind or total.unreadable else 0


async def _places(
    config: Config, engine: AsyncEngine, keys: Sequence[str], *, keep: bool
) -> AsyncIterator[tuple[str, Renewal]]:
    """Every place where something is encrypted; with `keep`, it is written anew there. The spool first: what leaves it
    meanwhile goes into the database, encrypted by who takes it there."""
    vault = Vault(keys)
    seen, behind, unreadable = await build_spool(config, vault).renew(vault.renewed, keep=keep)
    yield _SPOOL, Renewal(seen, behind, unreadable)
    renewal = SqlRenewal(engine, vault)
    for column in ENCRYPTED:
        yield f"{column.table.name}.{column.name}", await (renewal.renew if keep else renewal.look)(column)


@contextmanager
def _keys(config: Config) -> Iterator[tuple[str, ...]]:
    """The keys, the one to encrypt with first. In the data folder: one is made, unless an earlier run made it."""
    if config.secret_key is not None:
        yield secret_keys(config)
        return
    with server_lock(config.data_dir):
        keys, path = secret_keys(config), str(key_file(config))
        if len(keys) == 1:
            keys = (new_key(), *keys)
            write_keys(config, keys)
            print(wording.made_a_key(path))
        else:
            print(wording.went_on(path))
        yield keys


def _drop(config: Config, keys: Sequence[str]) -> Sequence[str]:
    """The old keys, out of the data folder's file; a setting is the operator's."""
    if config.secret_key is not None:
        return ()
    write_keys(config, keys[:1])
    print(wording.dropped_old_keys(str(key_file(config))))
    return keys[1:]
