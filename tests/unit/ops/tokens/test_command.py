"""`python -m ops tokens`, and what `doctor` says of them, on a real store."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from adapters.sql.database.transactions import fetch
from adapters.sql.people.api_tokens import SqlApiTokens
from adapters.sql.tables.audit import audit_personal, audit_records
from bot.access.tokens import Permission, hash_of, is_token
from bot.audit.entries import body_of
from ops.backends import open_engine
from ops.cli import parse
from ops.config import Config
from ops.parts import utc_now
from ops.tokens.command import tokens
from ops.web_access import check_web_access
from rag_core.errors import Rejected
from tests.fakes.issuer import AUDIENCE, running_issuer

Said = Callable[[], tuple[str, str]]


@pytest.fixture
def config(tmp_path: Path) -> Config:
    catalogue = tmp_path / "catalogue.yaml"
    catalogue.write_text("groups:\n  legal: [oidc:legal-team]\n  safety: []\nsources: []\n", encoding="utf-8")
    return Config(data_dir=tmp_path / "data", catalogue=catalogue, web_tokens=True)


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    def read() -> tuple[str, str]:
        captured = capsys.readouterr()
        return captured.out, captured.err

    return read


async def run(config: Config, *arguments: str) -> int:
    return await tokens(parse(["tokens", *arguments]), config)


async def refused(config: Config, *arguments: str) -> Rejected:
    with pytest.raises(Rejected) as caught:
        await run(config, *arguments)
    return caught.value


async def test_a_token_is_printed_once_alone_and_is_what_was_asked_for(config: Config, said: Said) -> None:
    assert await run(config, "create", "lawyers", "--groups", "legal, safety", "--days", "30") == 0
    out, err = said()
    secret = out.removesuffix("\n")
    assert is_token(secret)
    assert secret not in err
    assert "permissions ask, read; sees public documents, those for legal, those for safety" in err
    async with open_engine(config) as engine:
        kept = await SqlApiTokens(engine).with_hash(hash_of(secret))
    assert kept is not None
    assert (kept.name, kept.permissions) == ("lawyers", frozenset({Permission.ASK, Permission.READ}))
    assert kept.groups == {"legal", "safety"}
    assert kept.expires_at - kept.created_at == timedelta(days=30)
    assert await run(config, "list") == 0
    assert secret[9:] not in said()[0]


async def test_without_days_it_is_good_for_ninety(config: Config, said: Said) -> None:
    assert await run(config, "create", "a", "--format", "json") == 0
    made = json.loads(said()[0])
    assert is_token(made["token"])
    assert (made["state"], made["permissions"], made["groups"]) == ("in_force", ["ask", "read"], [])
    async with open_engine(config) as engine:
        (kept,) = await SqlApiTokens(engine).all()
    assert kept.expires_at - kept.created_at == timedelta(days=90)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--days", "0"), "from 1 to 366"),
        (("--days", "367"), "from 1 to 366"),
        (("--days", "-1"), "from 1 to 366"),
        (("--days", "never"), "lasts for ever"),
        (("--never",), "unrecognized"),
        (("--permissions", "admin"), "ask, read, metrics"),
        (("--permissions", ""), "without permissions"),
    ],
)
def test_what_no_token_can_be(arguments: tuple[str, ...], word: str, said: Said) -> None:
    with pytest.raises(SystemExit):
        parse(["tokens", "create", "a", *arguments])
    assert word in said()[1]


async def test_a_group_that_the_catalogue_does_not_name_is_named(config: Config) -> None:
    error = await refused(config, "create", "a", "--groups", "legal,finance")
    assert (error.code, error.details["group"], error.details["known"]) == (
        "unknown_group",
        "finance",
        ["legal", "safety"],
    )
    assert (await refused(config, "create", "a", "--groups", "oidc:legal-team")).code == "unknown_group"
    async with open_engine(config) as engine:
        assert await SqlApiTokens(engine).all() == []


async def test_names_are_plain_and_taken_once(config: Config, said: Said) -> None:
    assert (await refused(config, "create", "Law yers")).code == "token_name_invalid"
    await run(config, "create", "a")
    assert (await refused(config, "create", "a")).code == "token_name_taken"
    assert said()[0].count("adpolicy_") == 1


async def test_revoking_by_name_or_id_and_only_once(config: Config, said: Said) -> None:
    for name in ("one", "two"):
        await run(config, "create", name)
    async with open_engine(config) as engine:
        two = next(each for each in await SqlApiTokens(engine).all() if each.name == "two")
    assert await run(config, "revoke", "one") == 0
    assert await run(config, "revoke", two.token_id, "--format", "json") == 0
    assert json.loads(said()[0].splitlines()[-1])["name"] == "two"
    for gone in ("one", two.token_id, "three"):
        assert (await refused(config, "revoke", gone)).code == "unknown_token"
    await run(config, "list")
    assert "no tokens" in said()[0]
    await run(config, "list", "--all")
    assert said()[0].count("revoked") == 2


async def test_each_act_is_on_record_with_who_did_it_beside(config: Config, said: Said) -> None:
    await run(config, "create", "lawyers", "--groups", "legal")
    await run(config, "revoke", "lawyers")
    secret = said()[0].split()[0]
    async with open_engine(config) as engine:
        rows = await fetch(engine, select(audit_records).order_by(audit_records.c.sequence))
        personal = await fetch(engine, select(audit_personal))
    bodies = [body_of(row.canonical) for row in rows]
    assert [(each["kind"], each["facts"]["act"]) for each in bodies] == [
        ("administration", "token_created"),
        ("administration", "token_revoked"),
    ]
    assert bodies[0]["facts"]["groups"] == ["legal"]
    assert all(each["personal"].keys() == {"person", "name"} for each in bodies)
    assert not [row for row in rows if b"lawyers" in row.canonical]  # a name may be somebody's: it can be forgotten
    assert len(personal) == 2
    assert secret not in str(rows)


async def test_doctor_says_what_is_in_force_and_what_ends_soon(config: Config, said: Said) -> None:
    assert await check_web_access(config) == 1
    assert "FAIL  tokens: ADPOLICY_WEB_TOKENS is set, but no token is in force" in said()[0]
    await run(config, "create", "long")
    await run(config, "create", "short", "--days", "3")
    said()
    assert await check_web_access(config) == 0
    out, _ = said()
    assert "ok    tokens: 2 tokens in force" in out
    assert "short expires in 2 days" in out
    assert "long expires" not in out
    assert await check_web_access(config, utc_now() + timedelta(days=80)) == 0
    out, _ = said()
    assert "1 token in force, 1 expired" in out
    assert "long expires in 9 days" in out
    unasked = config.model_copy(update={"web_tokens": False})
    assert await check_web_access(unasked) == 0
    assert "2 in force, but ADPOLICY_WEB_TOKENS is not set" in said()[0]


async def test_doctor_asks_the_issuer(config: Config, said: Said) -> None:
    async with running_issuer() as issuer:
        asked = config.model_copy(update={"oidc_issuer": issuer.url, "oidc_audience": AUDIENCE})
        assert await check_web_access(asked) == 0
        assert f"ok    issuer: {issuer.url} answers, with 2 keys" in said()[0]
        issuer.more = {"issuer": f"{issuer.url}/"}
        assert await check_web_access(asked) == 1
        assert "with or without a slash" in said()[0]
        issuer.down = True
        assert await check_web_access(asked) == 1
        assert "FAIL  issuer" in said()[0]


async def test_doctor_where_nobody_is_asked(config: Config, said: Said) -> None:
    assert await check_web_access(config.model_copy(update={"web_tokens": False})) == 0
    assert "nobody is asked who he is" in said()[0]
