"""A server that other machines reach: who comes in with a token of ours or an issuer's, or a cookie; who does not."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from http.cookies import SimpleCookie
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bot.access.tokens import new_token
from ingest.indexing import follow
from ingest.ports import VersionWrite
from ops.config import Config
from ops.wiring import open_ingest
from rag_core.documents import Classification
from tests.fakes.documents import ACME, Section, make_version, make_write
from tests.fakes.issuer import AUDIENCE, FakeIssuer, hmac_signed, rsa_key, running_issuer, unsigned
from tests.fakes.program import Ports, environment, free_ports, run, running_server

SECRET = "Whisky adverts for partners are invoiced at half price."  # pragma: allowlist secret
PUBLIC = make_write(make_version(url=None), (Section("Alcohol", "Adverts for alcohol must not be aimed at minors."),))
HIDDEN = make_write(
    replace(
        make_version("acme_partners", url=None),
        classification=Classification.RESTRICTED,
        allowed_groups=frozenset({"legal"}),
    ),
    (Section("Partners", SECRET),),
)
CATALOGUE = "groups:\n  legal: [oidc:legal-team]\nsources: []\n"

pytestmark = pytest.mark.asyncio(loop_scope="module")


@dataclass
class House:
    """A running server, its issuer, and what an operator does beside it. `secrets`: what must be in no log."""

    data: Path
    settings: dict[str, str]
    web: str
    said: str
    issuer: FakeIssuer
    session: aiohttp.ClientSession
    secrets: list[str]

    def tokens(self, *arguments: str) -> CompletedProcess[str]:
        env = environment(self.data, **self.settings)
        return run("ops", "tokens", *arguments, env=env, cwd=self.data.parent)

    async def token(self, name: str, *arguments: str) -> str:
        ended = await asyncio.to_thread(self.tokens, "create", name, *arguments)
        assert ended.returncode == 0, ended.stderr
        self.secrets.append(ended.stdout.strip())
        return ended.stdout.strip()

    async def get(self, secret: str, path: str = "/api/v1/documents") -> tuple[int, dict[str, Any]]:
        self.secrets.append(secret)
        headers = {"Authorization": f"Bearer {secret}"}
        async with self.session.get(f"{self.web}{path}", headers=headers) as response:
            return response.status, await response.json(content_type=None)

    async def seen(self, secret: str) -> set[str]:
        status, body = await self.get(secret)
        assert status == 200, body
        return {each["document_id"] for each in body["documents"]}


async def _ingest(data: Path, writes: list[VersionWrite]) -> None:
    async with open_ingest(Config(data_dir=data)) as parts:
        await parts.versions.declare(ACME)
        await parts.versions.save(writes, [])
        await follow(parts.outbox, parts.embeddings, parts.writer, parts.embedder)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    folder: Path = tmp_path_factory.mktemp("house")
    data, catalogue = folder / "data", folder / "catalogue.yaml"
    catalogue.write_text(CATALOGUE, encoding="utf-8")
    await _ingest(data, [PUBLIC, HIDDEN])
    ports = Ports(*free_ports(3))
    async with running_issuer() as issuer, aiohttp.ClientSession() as session:
        settings = {
            "CATALOGUE": str(catalogue),
            "WEB_BIND": f"0.0.0.0:{ports.web}",
            "WEB_TOKENS": "true",
            "OIDC_ISSUER": issuer.url,
            "OIDC_AUDIENCE": AUDIENCE,
            "LIMIT_FAILURES": "200/minute",
            "LOG_LEVEL": "DEBUG",
        }
        with running_server(data, ports, settings) as server:
            assert server.process.stdout is not None
            said = "".join(server.process.stdout.readline() for _ in range(3))
            yield House(data, settings, f"http://127.0.0.1:{ports.web}", said, issuer, session, [])


async def test_the_start_says_who_is_let_in(house: House) -> None:
    assert f"ask for a token of this server (`python -m ops tokens`) or of {house.issuer.url}." in house.said
    assert "no log-in" not in house.said


async def test_nobody_comes_in_without_credentials(house: House) -> None:
    for path, status in (("/healthz", 200), ("/readyz", 200), ("/", 401), ("/metrics", 401), ("/api/v1/changes", 401)):
        async with house.session.get(f"{house.web}{path}") as response:
            assert response.status == status
    async with house.session.get(f"{house.web}/readyz") as response:
        assert await response.json() == {"status": "ready"}


async def test_while_the_issuer_is_down_its_tokens_let_nobody_in_and_ours_do(house: House) -> None:
    house.issuer.down = True
    token = await house.token("steady")
    assert (await house.get(house.issuer.token()))[0] == 503
    assert await house.seen(token) == {"acme_alcohol"}
    house.issuer.down = False
    async with asyncio.timeout(30):  # it is asked again after a pause
        while (await house.get(house.issuer.token()))[0] != 200:  # noqa: ASYNC110
            await asyncio.sleep(0.5)


async def test_groups_decide_what_is_seen(house: House) -> None:
    everybody = {PUBLIC.version.document_id}
    assert await house.seen(await house.token("plain")) == everybody
    assert await house.seen(await house.token("lawyer", "--groups", "legal")) == everybody | {"acme_partners"}
    assert await house.seen(house.issuer.token(groups=["legal-team"])) == everybody | {"acme_partners"}
    for groups in (None, [], ["legal"], ["sales"]):
        assert await house.seen(house.issuer.token(groups=groups)) == everybody
    overage = house.issuer.token(groups=["legal-team"], _claim_names={"groups": "src1"})
    assert await house.seen(overage) == everybody


async def test_questions_are_answered_for_those_groups(house: House) -> None:
    question = {"question": "what is said about whisky adverts for partners"}
    told = {}
    for groups in (["legal-team"], []):
        headers = {"Authorization": f"Bearer {house.issuer.token(groups=groups)}"}
        async with house.session.post(f"{house.web}/api/v1/ask", json=question, headers=headers) as response:
            assert response.status == 200
            told[bool(groups)] = await response.text()
    assert "half price" in told[True]
    assert "half price" not in told[False]
    assert "acme_partners" not in told[False]


async def test_bad_tokens_of_every_kind(house: House) -> None:
    issuer, now = house.issuer, int(time.time())
    issuer.add("thief", rsa_key("thief"), publish=False)
    jwk = {"jwk": issuer.keys["thief"].as_dict(private=False), "jku": f"{issuer.url}/keys", "x5u": "https://x.example"}
    good = issuer.token()
    head, body, signature = good.split(".")
    wrong = [
        new_token(),
        "adpolicy_short",
        "garbage",
        "a.b.c",
        unsigned(issuer.claims()),
        hmac_signed(issuer.claims(), issuer.public_pem("rsa")),
        issuer.token("thief", header={"kid": "rsa"}),
        issuer.token("thief", header=jwk),
        issuer.token("thief", header={"kid": None, **jwk}),
        issuer.token(iss="https://elsewhere.example"),
        issuer.token(aud="another"),
        issuer.token(exp=now - 600),
        issuer.token(exp=None),
        issuer.token(nbf=now + 600),
        issuer.token(iat=now + 600),
        issuer.token(header={"kid": "unknown"}),
        issuer.token(header={"typ": "logout+jwt"}),
        f"{head}.{body}.{signature[:-4]}AAAA",
        f"{head}.{body}.",
        good + "A" * 12_000,
    ]
    told = [await house.get(each) for each in wrong]
    assert {status for status, _ in told} == {401}
    assert len({json.dumps(body) for _, body in told}) == 1
    assert (await house.get(good))[0] == 200


async def test_a_new_key_of_the_issuer_is_taken(house: House) -> None:
    house.issuer.add("next", rsa_key("next"))
    async with asyncio.timeout(30):  # an unknown key is asked for, but not all the time
        while (await house.get(house.issuer.token("next")))[0] != 200:  # noqa: ASYNC110
            await asyncio.sleep(0.5)


async def test_what_a_token_may_do_and_how_it_ends(house: House) -> None:
    prometheus = await house.token("prometheus", "--permissions", "metrics", "--days", "1")
    async with house.session.get(f"{house.web}/metrics", headers={"Authorization": f"Bearer {prometheus}"}) as response:
        assert response.status == 200
        assert "adpolicy_" in await response.text()
    assert (await house.get(prometheus))[0] == 403
    ended = await asyncio.to_thread(house.tokens, "revoke", "prometheus")
    assert ended.returncode == 0, ended.stderr
    assert "after 5 seconds" in ended.stdout
    await asyncio.sleep(5.1)
    assert (await house.get(prometheus, "/metrics"))[0] == 401


async def test_a_person_signs_in_reads_and_signs_out(house: House) -> None:
    token = await house.token("reader", "--groups", "legal")
    browser = {"Accept": "text/html", "Origin": house.web}
    page = f"{house.web}/sources/{HIDDEN.version.doc_id}"
    async with house.session.get(page, headers=browser) as response:
        assert response.status == 401
        assert SECRET not in await response.text()
    form = {"token": token, "next": f"/sources/{HIDDEN.version.doc_id}"}
    jar: dict[str, str] = {}
    async with house.session.post(
        f"{house.web}/sign-in", data=form, headers=browser, allow_redirects=False
    ) as response:
        assert (response.status, response.headers["Location"]) == (303, form["next"])
        cookie: SimpleCookie = SimpleCookie(response.headers["Set-Cookie"])
        jar = {name: each.value for name, each in cookie.items()}
        house.secrets += jar.values()
    headers = browser | {"Cookie": "; ".join(f"{name}={value}" for name, value in jar.items())}
    async with house.session.get(page, headers=headers) as response:
        assert response.status == 200
        assert SECRET in await response.text()
    async with house.session.post(f"{house.web}/sign-out", headers=headers, allow_redirects=False) as response:
        assert response.status == 303
    async with house.session.get(page, headers=headers) as response:
        assert response.status == 401


async def test_acts_are_on_record_and_no_secret_is_anywhere(house: House) -> None:
    listed = await asyncio.to_thread(house.tokens, "list", "--all", "--format", "json")
    used = {each["name"]: each["last_used_at"] is not None for each in json.loads(listed.stdout)}
    assert used["lawyer"]
    env = environment(house.data, **house.settings)
    out = house.data.parent / "export"
    ended = await asyncio.to_thread(run, "ops", "audit", "export", str(out), env=env, cwd=house.data.parent)
    assert ended.returncode == 0, ended.stderr
    written = "".join(each.read_text(encoding="utf-8") for each in out.rglob("*") if each.is_file())
    assert '"token_created"' in written
    assert '"token_revoked"' in written
    log = (house.data.parent / "server.log").read_text(encoding="utf-8")
    assert log
    secrets = [each for each in house.secrets if len(each) > 10]
    assert len(secrets) > 20
    kept = (house.data / "adpolicy.sqlite3").read_bytes()
    for each in secrets:
        assert each not in log
        assert each not in written
        assert each.encode() not in kept


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"WEB_BIND": "0.0.0.0:8080"}, "ADPOLICY_WEB_TOKENS"),
        ({"OIDC_ISSUER": "https://login.example"}, "ADPOLICY_OIDC_AUDIENCE"),
        ({"OIDC_ISSUER": "http://login.example", "OIDC_AUDIENCE": "x"}, "https"),
        ({"WEB_ORIGINS": "*"}, "origin"),
    ],
)
async def test_a_start_that_would_let_anybody_in_is_none(tmp_path: Path, settings: dict[str, str], said: str) -> None:
    ended = await asyncio.to_thread(run, "bot", "serve", env=environment(tmp_path / "data", **settings), cwd=tmp_path)
    assert ended.returncode == 2
    assert said in ended.stderr
