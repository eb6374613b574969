"""The program with planted secrets and planted questions, at the level at which everything is logged: none is shown.

Read is what an operator or a scraper could: standard output and error, `/metrics`, `/readyz`, problem details.
"""

import asyncio
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from shutil import copytree

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from cryptography.fernet import Fernet

from ops.redaction.sources import secret_settings
from ops.sandbox.troubles import Trouble, refused
from tests.fakes.program import SIGNING_SECRET, Server, environment, run, running_server
from tests.fakes.secrets import SHAPED
from tests.fakes.service import until
from tests.fakes.services import address_of
from tests.fakes.slack_beside import slack_beside

PLANTED = "Hunter2-Planted-Value"  # pragma: allowlist secret
QUESTION = "may zeppelinquestion alcohol adverts run in the UK"
WORD = "zeppelinquestion"
EVERYTHING = {"LOG_LEVEL": "DEBUG", "LOG_FORMAT": "json"}
TEAMS = {
    "TEAMS_APP_ID": "44444444-4444-4444-4444-444444444444",
    "TEAMS_TENANTS": "00000000-0000-4000-8000-000000000001",
    "TEAMS_LOGIN_URL": "http://127.0.0.1:1",
    "TEAMS_OPENID_URL": "http://127.0.0.1:1/openid",
    "TEAMS_GRAPH_URL": "http://127.0.0.1:1/v1.0",
}
SLACK = {"SLACK_CLIENT_ID": "1.1", "SLACK_WORKSPACES": "T1", "CHAT_URL": "http://127.0.0.1:1"}
"""What belongs to secrets that are planted: half of it stops the start."""


def planted(**settings: str) -> dict[str, str]:
    """Every secret setting with a value of its own, in a form that is taken."""
    values = {name.removeprefix("ADPOLICY_"): f"{PLANTED}-{name}" for name in secret_settings()}
    for of_servers in ("DATABASE_URL", "OPENSEARCH_URL", "REDIS_URL", "AUDIT_KEY"):
        del values[of_servers]
    values["SECRET_KEY"] = Fernet.generate_key().decode()
    return {**values, "MODEL_URL": "", **EVERYTHING, **TEAMS, **SLACK, **settings}


def shown_by(ended: "subprocess.CompletedProcess[str]") -> str:
    return ended.stdout + ended.stderr


BROKEN: dict[str, dict[str, str]] = {
    "a malformed key": {"SECRET_KEY": f"{PLANTED},{PLANTED}"},
    "a malformed signing key": {"AUDIT_KEY": PLANTED},
    "another kind of database": {"DATABASE_URL": f"mysql://bot:{PLANTED}@127.0.0.1/x"},
    "a database address that is none": {"DATABASE_URL": f"postgresql://bot:{PLANTED}@[::1/x"},
    "a database that is not there": {"DATABASE_URL": f"postgresql://bot:{PLANTED}@127.0.0.1:1/x"},
    "another kind of memory": {"REDIS_URL": f"memcached://:{PLANTED}@127.0.0.1:1"},
    "a memory address that is none": {"REDIS_URL": f"redis://:{PLANTED}@127.0.0.1:x/0"},
    "another kind of index": {"OPENSEARCH_URL": f"ftp://bot:{PLANTED}@127.0.0.1:1"},
    "a login in the model's address": {"MODEL_URL": f"https://bot:{PLANTED}@models.example/v1"},
    "an address that nobody can read": {"PUBLIC_URL": f"https://bot:{PLANTED}@exam\u2100ple.com"},
    "a secret that is no number": {"WORKERS": PLANTED + SHAPED["bot token"]},
    "a secret that is no bind": {"CHAT_BIND": f"{PLANTED}:{SHAPED['bot token']}"},
    "a secret where its file belongs": {"MODEL_KEY_FILE": PLANTED},
    "a token under a wrong name": {"SLACK_BOT_TOKN": f"{PLANTED}"},
    "a secret without a name": {"SLACK_API_URL": f"http://bot:{PLANTED}@slack.example/api/"},
    "a token in a proxy's place": {"TRUSTED_PROXIES": SHAPED["bot token"]},
    "a missing token": {"SLACK_BOT_TOKEN": ""},
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_start_with_broken_settings_quotes_none_of_them(how: str, sample_copy: Path) -> None:
    settings = {name: each for name, each in planted(**BROKEN[how]).items() if f"{name}_FILE" not in BROKEN[how]}
    ended = run("bot", "serve", env=environment(sample_copy, **settings), cwd=sample_copy.parent)
    assert ended.returncode in (2, 3)
    assert ended.stderr
    for secret in (PLANTED, "PlantedSecretTail", settings["SECRET_KEY"].partition(",")[0]):
        assert secret not in shown_by(ended)


@pytest.mark.parametrize(
    "settings",
    [
        {"DATABASE_URL": f"postgresql://bot:{PLANTED}@127.0.0.1:1/x"},
        {"OPENSEARCH_URL": f"http://bot:{PLANTED}@127.0.0.1:1"},
        {"REDIS_URL": f"redis://bot:{PLANTED}@127.0.0.1:1/0"},
        {
            "MODEL": "openai",
            "MODEL_URL": "http://127.0.0.1:1/v1",
            "MODEL_NAME": "m",
            "MODEL_KEY": f"sk-{PLANTED}",
        },
    ],
    ids=lambda each: next(iter(each)),
)
def test_doctor_names_what_does_not_answer_and_no_password(settings: dict[str, str], sample_copy: Path) -> None:
    env = environment(sample_copy, **{**planted(), "SLACK_API_URL": "http://127.0.0.1:1/api/", **settings})
    ended = run("ops", "doctor", env=env, cwd=sample_copy.parent)
    assert ended.returncode != 0
    failed = {line.split(":")[0] for line in ended.stdout.splitlines() if line.startswith("FAIL")}
    if "REDIS_URL" in settings:  # it looks at no Redis
        teams = {f"FAIL  teams {each}" for each in ("token", "keys", "address")}
        assert failed == {"FAIL  slack token", "FAIL  slack socket", *teams}
    assert PLANTED not in shown_by(ended)
    assert shown_by(ended)


@pytest.mark.models  # openai is not in what everybody installs
@pytest.mark.parametrize("command", [("ops", "doctor"), ("bot", "ask", QUESTION)], ids=" ".join)
async def test_a_model_endpoint_that_repeats_key_and_question_is_not_repeated(
    command: tuple[str, ...], sample_copy: Path
) -> None:
    heard: list[str] = []

    async def refuse(request: web.Request) -> web.Response:
        heard.append(f"{request.headers['Authorization']} {await request.text()}")
        error = {"message": f"wrong: {heard[-1]}", "code": PLANTED, "type": heard[-1]}
        return web.json_response({"error": error}, status=401, reason=PLANTED)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", refuse)
    async with TestServer(app) as endpoint:
        model = {"MODEL": "openai", "MODEL_URL": str(endpoint.make_url("/v1")), "MODEL_NAME": "m"}
        env = environment(sample_copy, **planted(**model))
        ended = await asyncio.to_thread(run, *command, env=env, cwd=sample_copy.parent)
    assert PLANTED in heard[0]
    assert PLANTED not in shown_by(ended)
    assert WORD not in ended.stderr


@pytest.mark.services
@pytest.mark.parametrize("kind", ["postgresql", "opensearch", "redis"])
@pytest.mark.parametrize("command", [("ops", "doctor"), ("bot", "ask", QUESTION)], ids=" ".join)
def test_what_a_real_server_refuses_is_told_without_the_password(
    kind: str, command: tuple[str, ...], sample_copy: Path
) -> None:
    """Each refuses for a reason of its own, in words of its own: an unknown role, https, a user that is not there."""
    scheme, _, rest = address_of(kind).partition("://")
    place = rest.rpartition("@")[2]
    name = {"postgresql": "DATABASE_URL", "opensearch": "OPENSEARCH_URL", "redis": "REDIS_URL"}[kind]
    login = f"nobody-{PLANTED}:{PLANTED}%40x"
    address = f"{'https' if kind == 'opensearch' else scheme}://{login}@{place}"
    settings = planted(**{name: address, "SLACK_BOT_TOKEN": "", "SLACK_SIGNING_SECRET": ""})
    ended = run(*command, env=environment(sample_copy, **settings), cwd=sample_copy.parent)
    assert ended.returncode in (0, 1, 2, 3)
    assert PLANTED not in shown_by(ended)
    assert QUESTION not in ended.stderr
    assert ended.stderr or ended.stdout


@pytest.fixture(scope="module")
def troubled(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose model is nowhere, and that tells everything it would ever tell."""
    folder = tmp_path_factory.mktemp("troubled")
    settings = planted(
        MODEL="openai", MODEL_URL="http://127.0.0.1:1/v1", MODEL_NAME="a-model", SLACK_SIGNING_SECRET=SIGNING_SECRET
    )
    with running_server(Path(copytree(sample_store, folder / "data")), settings=settings) as running:
        yield running


def log_of(server: Server) -> str:
    return (server.data_dir.parent / "server.log").read_text(encoding="utf-8")


async def bodies(server: Server, *requests: tuple[str, str, object]) -> str:
    """What a server answers to requests, head and all."""
    told = []
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30)) as session:
        for method, path, body in requests:
            given: Mapping[str, object] = {"data": body} if isinstance(body, bytes) else {"json": body}
            async with session.request(method, server.web_url + path, **(given if body else {})) as response:  # type: ignore[arg-type]
                told.append(f"{response.status} {response.headers} {await response.text()}")
    return "\n".join(told)


@pytest.mark.models  # openai is not in what everybody installs
async def test_no_question_and_no_secret_is_in_logs_metrics_readiness_or_problems(troubled: Server) -> None:
    asked = await bodies(
        troubled,
        ("POST", "/api/v1/ask", {"question": QUESTION}),
        ("POST", "/api/v1/ask", {"question": "alcohol in the UK", "history": [{"role": "user", "content": WORD}]}),
        ("POST", "/api/v1/search", {"query": QUESTION}),
    )
    assert asked.count("200 ") >= 3
    problems = await bodies(
        troubled,
        ("POST", "/api/v1/ask", {"question": QUESTION, "filters": {"region": SHAPED["bearer"]}, "nonsense": PLANTED}),
        ("POST", "/api/v1/ask", {"question": WORD * 20_000}),
        ("POST", "/api/v1/ask", f'{{"question": "{QUESTION}'.encode()),
        ("GET", f"/api/v1/chunks/{WORD}", None),
        ("GET", f"/api/v1/documents/{WORD}/versions", None),
        ("GET", f"/api/v1/changes?since={WORD}", None),
        ("GET", f"/nowhere?q={WORD}", None),
    )
    looked_at = await bodies(troubled, ("GET", "/metrics", None), ("GET", "/readyz", None))
    assert "adpolicy_answers_total" in looked_at
    for text in (problems, looked_at, log_of(troubled)):
        assert PLANTED not in text.replace(f"'{PLANTED}'", "")  # a member's name that was sent may be sent back
    assert WORD not in looked_at
    assert WORD not in log_of(troubled)
    assert SIGNING_SECRET not in looked_at + log_of(troubled) + problems


@pytest.mark.models  # openai is not in what everybody installs
async def test_failures_of_slack_tell_no_address_and_no_question(troubled: Server) -> None:
    secrets = [WORD, SIGNING_SECRET, PLANTED]
    async with slack_beside(troubled, planted()["SLACK_BOT_TOKEN"]) as slack:
        slack.trouble("chat.postMessage", Trouble(500), times=3)
        slack.trouble("chat.postMessage", refused("not_in_channel"), times=3)
        slack.trouble("response_url", Trouble(404), times=3)
        slack.trouble("conversations.open", refused("user_disabled"), times=3)
        for _ in range(2):
            sent = (await slack.send_command(QUESTION)).delivery
            secrets += sent.response_url.split("/")[-1:]

        async def told() -> bool:
            return {"slack_error", "slack_not_in_channel"} <= set(re.findall(r"[a-z_]+", log_of(troubled)))

        await until(told, seconds=40)
    for secret in secrets:
        assert secret not in log_of(troubled)
