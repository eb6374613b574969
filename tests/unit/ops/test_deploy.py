"""Dockerfile, compose.yaml and .env.example, held against our own rules and against the settings there are.

Their form is checked by `ops/check`: hadolint, and the JSON schema of the Compose specification.
"""

import contextlib
import os
import re
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from ops.config import Config, load_config
from ops.deploy import probe
from ops.monitoring.metrics import Metrics
from ops.serving import DRAIN_SECONDS
from ops.supply.locks import IMAGE
from ops.teams_connection import teams_settings
from tests.fakes.image import ROOT, Instruction, final_environment, instructions, is_sent
from tests.fakes.program import free_ports
from tests.fakes.teams import APP_ID, TENANT

EXAMPLE = (ROOT / ".env.example").read_text(encoding="utf-8")
COMPOSE_TEXT = (ROOT / "compose.yaml").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load(COMPOSE_TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
STORES = ("postgres", "opensearch", "redis")
SECRET = re.compile(r"pass|secret|token|key", re.IGNORECASE)


def _in_image(word: str) -> list[Instruction]:
    last = instructions()[-1].stage
    return [each for each in instructions() if each.stage == last and each.word == word]


# The image


def test_the_image_is_built_in_two_stages_on_one_pinned_base() -> None:
    default = next(each.arguments for each in instructions() if each.word == "ARG")
    assert re.fullmatch(r"PYTHON_IMAGE=python:3\.1\d\.\d+-slim-[a-z]+@sha256:[0-9a-f]{64}", default)
    assert [each.arguments for each in instructions() if each.word == "FROM"] == [
        "${PYTHON_IMAGE} AS build",
        "${PYTHON_IMAGE}",
    ]


def test_the_image_runs_as_nobody_in_particular_and_as_the_first_process() -> None:
    assert [each.arguments for each in _in_image("USER")] == ["10001:10001"]
    assert _in_image("ENTRYPOINT")[0].exec_form == ["python", "-m"]
    assert _in_image("CMD")[0].exec_form == ["ops.start"]
    assert _in_image("STOPSIGNAL")[0].arguments == "SIGTERM"
    assert _in_image("VOLUME")[0].exec_form == [final_environment()["ADPOLICY_DATA_DIR"]]


def test_the_image_checks_its_own_health_without_other_tools() -> None:
    assert _in_image("HEALTHCHECK")[0].exec_form == ["python", "-m", "ops.deploy.probe"]


def test_only_what_was_installed_comes_into_the_image() -> None:
    assert [each.arguments for each in _in_image("COPY")] == ["--from=build /opt/adpolicy /opt/adpolicy"]
    assert [each for each in instructions() if each.word == "ADD"] == []
    installs = [each for each in instructions() if "apt-get" in each.arguments]
    assert [each.stage for each in installs] == [1, instructions()[-1].stage]
    assert "install --yes --no-install-recommends git libgomp1 && rm -rf /var/lib/apt/lists/*" in installs[1].arguments


def test_the_image_has_what_microsoft_teams_needs() -> None:
    needed = set(re.findall(r"^  need (\w+)$", (ROOT / "ops/deploy/install.sh").read_text("utf-8"), re.MULTILINE))
    assert "chat" in needed <= set(IMAGE)


def test_a_compiler_is_there_only_where_llama_is_asked_for_and_never_in_the_image() -> None:
    assert ("ARG", "LLAMA=no") in [(each.word, each.arguments) for each in instructions() if each.stage == 1]
    (installing,) = [each.arguments for each in instructions() if "g++" in each.arguments]
    assert installing.startswith('if [ "$LLAMA" = yes ]; then apt-get update')
    assert installing.endswith("; fi")
    args = SERVICES["bot"]["build"]["args"]
    assert args == {"LLAMA": "${LLAMA:-no}"}


def test_llama_is_compiled_with_the_same_flags_wherever_it_is(tmp_path: Path) -> None:
    """One definition: the scripts have it from ops/setup.sh, the image's step as well."""
    defining = [path for path in (ROOT / "ops").rglob("*.sh") if "GGML_NATIVE" in path.read_text(encoding="utf-8")]
    assert defining == [ROOT / "ops" / "setup.sh"]
    for path in ("Dockerfile", "ops/test", "ops/run", ".ci/run"):
        assert "GGML_" not in (ROOT / path).read_text(encoding="utf-8")
    said = subprocess.run(
        ["bash", "-euc", ". ops/setup.sh; llama_flags; echo; llama_wheels"],
        cwd=ROOT,
        env=os.environ | {"XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout.splitlines()
    assert "-DGGML_NATIVE=OFF" in said[0]
    assert said[1].startswith(str(tmp_path / "adpolicy" / "wheels" / "llama-"))


def test_no_secret_is_in_a_layer() -> None:
    given = [each.arguments for each in instructions() if each.word in ("ARG", "ENV")]
    assert [each for each in given if SECRET.search(each)] == []


def test_the_settings_of_the_image_exist() -> None:
    given = {name: value for name, value in final_environment().items() if name.startswith("ADPOLICY_")}
    config = load_config(given, env_file=Path("none"))
    assert (config.chat_bind, config.log_format) == ("0.0.0.0:3000", "json")
    assert [each.arguments for each in _in_image("EXPOSE")] == [config.chat_bind.rpartition(":")[2]]


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("bot/questions/service.py", True),
        ("ops/requirements/light.txt", True),
        ("ops/requirements/locked/light.txt", True),
        ("ingest/sample/catalogue.yaml", True),
        ("LICENSE", True),
        ("adapters/models/weights/rule-reader.onnx", True),
        (".git/config", False),
        (".env", False),
        ("ops/.env", False),
        (".venv/bin/python", False),
        (".adpolicy/secret.key", False),
        ("tests/conftest.py", False),
        ("policies/acme/alcohol.md", False),
        ("a-new-file.key", False),
        ("ops/sandbox/slack/app.py", False),
        ("ops/servers/redis.py", False),
        ("ops/training/data/topics.jsonl", False),
        ("bot/__pycache__/service.cpython-311.pyc", False),
    ],
)
def test_what_is_sent_to_the_build(path: str, sent: bool) -> None:
    assert is_sent(path) is sent


def test_everything_that_is_copied_is_there_and_is_sent() -> None:
    copied = [each.arguments.split()[0] for each in instructions() if (each.stage, each.word) == (1, "COPY")]
    assert [name for name in copied if not (ROOT / name).exists() or not is_sent(name)] == []


def test_nothing_is_reported_to_the_maker_of_a_library() -> None:
    assert final_environment()["ORT_DISABLE_TELEMETRY"] == "1"


# compose.yaml


def test_the_bot_has_the_three_servers() -> None:
    assert set(SERVICES) == {"bot", "ingest", *STORES}
    assert SERVICES["bot"]["depends_on"] == {name: {"condition": "service_healthy"} for name in STORES}
    assert SERVICES["opensearch"]["image"] == "opensearchproject/opensearch:3.6.0"


def test_the_sources_are_watched_beside_the_bot_with_its_image_settings_and_policies() -> None:
    bot, ingest = SERVICES["bot"], SERVICES["ingest"]
    assert ingest["command"] == ["ingest", "watch"]
    for same in ("image", "volumes", "secrets", "read_only", "init", "pids_limit", "stop_grace_period"):
        assert ingest[same] == bot[same]
    needed = ("postgres", "opensearch")
    assert ingest["depends_on"] == {name: {"condition": "service_healthy"} for name in needed}
    assert ingest["networks"] == ["outside", *(SERVICES[name]["networks"][0] for name in needed)]
    assert "build" not in ingest


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_pinned_checked_bounded_and_without_privileges(name: str) -> None:
    service = SERVICES[name]
    assert re.fullmatch(r"[a-z/]+:(\d+\.\d+[\w.-]*|local)", service["image"])
    if name == "ingest":  # it listens nowhere
        assert service["healthcheck"] == {"disable": True}
    else:
        assert service["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL")
    assert service["cap_drop"] == ["ALL"]
    assert "cap_add" not in service
    assert "privileged" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["mem_limit"]
    assert {"max-size", "max-file"} <= set(service["logging"]["options"])
    assert service["restart"] == "unless-stopped"


def test_published_is_the_chat_listener_alone_and_on_loopback() -> None:
    assert {name: service["ports"] for name, service in SERVICES.items() if "ports" in service} == {
        "bot": ["127.0.0.1:${CHAT_PORT:-3000}:3000"]
    }
    assert [name for name, service in SERVICES.items() if service.get("network_mode") == "host"] == []


def test_each_store_is_alone_with_the_bot_in_a_network_that_leads_nowhere() -> None:
    networks = [SERVICES[name]["networks"] for name in STORES]
    assert sorted(name for (name,) in networks) == ["cache", "database", "search"]
    assert all(COMPOSE["networks"][name] == {"internal": True} for (name,) in networks)
    assert set(SERVICES["bot"]["networks"]) == set(COMPOSE["networks"])


def test_what_must_last_is_in_named_volumes() -> None:
    named = {service: spec["volumes"][0].split(":") for service, spec in SERVICES.items() if "volumes" in spec}
    assert {service: name for service, (name, _) in named.items()} == {
        "bot": "bot",
        "ingest": "bot",
        "postgres": "postgres",
        "opensearch": "opensearch",
    }
    assert set(COMPOSE["volumes"]) == {"bot", "postgres", "opensearch"}
    assert named["bot"][1] == final_environment()["ADPOLICY_DATA_DIR"]


def test_the_root_of_the_bot_is_read_only() -> None:
    bot = SERVICES["bot"]
    assert bot["read_only"] is True
    assert [each.split(":")[0] for each in bot["tmpfs"]] == ["/tmp"]
    # Compose copies a secret of another kind into the container, which a read-only root refuses
    assert all("file" in COMPOSE["secrets"][each["source"]] for each in bot["secrets"])


def test_the_bot_is_checked_as_its_image_says_and_has_time_to_stop() -> None:
    bot = SERVICES["bot"]
    assert bot["healthcheck"]["test"] == ["CMD", *_in_image("HEALTHCHECK")[0].exec_form]
    assert int(bot["stop_grace_period"].removesuffix("s")) > DRAIN_SECONDS


def test_no_secret_is_in_the_file_or_in_the_environment_of_a_container() -> None:
    environment = [pair for service in SERVICES.values() for pair in service.get("environment", {}).items()]
    assert [name for name, _ in environment if SECRET.search(name) and not name.endswith("_FILE")] == []
    put_in = re.findall(r"(?<!\$)\$\{(\w+)", COMPOSE_TEXT)
    assert put_in
    assert [name for name in put_in if SECRET.search(name)] == []
    assert COMPOSE["secrets"] == {
        "settings": {"file": ".env"},
        "postgres_password": {"environment": "POSTGRES_PASSWORD"},
        "redis_password": {"environment": "REDIS_PASSWORD"},
    }


# .env.example


def _filled_in(text: str) -> str:
    """The example with every value given and every commented setting set."""
    key = "a" * 43 + "="
    given = {"ADPOLICY_SECRET_KEY": key, "ADPOLICY_SLACK_BOT_TOKEN": "t", "ADPOLICY_SLACK_SIGNING_SECRET": "s"}
    given |= {"ADPOLICY_TEAMS_APP_ID": APP_ID, "ADPOLICY_TEAMS_TENANTS": TENANT}
    text = re.sub(r"^#([A-Z_]+=)", r"\1", text, flags=re.MULTILINE)
    return re.sub(r"^([A-Z_]+)=$", lambda m: f"{m[1]}={given.get(m[1], 'abc')}", text, flags=re.MULTILINE)


def test_the_example_names_what_compose_takes_from_it() -> None:
    named = set(re.findall(r"^#?([A-Z_]+)=", EXAMPLE, flags=re.MULTILINE))
    taken = set(re.findall(r"\$\{([A-Z_]+)", COMPOSE_TEXT)) | {
        secret["environment"] for secret in COMPOSE["secrets"].values() if "environment" in secret
    }
    assert taken == {name for name in named if not name.startswith("ADPOLICY_")}


def test_the_example_holds_no_secret() -> None:
    secrets = re.findall(r"^#?(\w*(?:PASSWORD|KEY|TOKEN|SECRET))=(.*)$", EXAMPLE, flags=re.MULTILINE)
    assert len(secrets) == 8
    assert [name for name, value in secrets if value] == []


def test_the_bot_takes_the_example_and_reaches_the_servers_of_compose(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text(_filled_in(EXAMPLE), encoding="utf-8")
    config = load_config(final_environment(), env_file=file)
    addresses = [config.database_url, config.opensearch_url, config.redis_url]
    assert [address.get_secret_value() for address in addresses if address] == [
        "postgresql://adpolicy:abc@postgres:5432/adpolicy",  # pragma: allowlist secret
        "http://opensearch:9200",
        "redis://:abc@redis:6379/0",
    ]
    mounted = [volume.split(":")[-2] for volume in SERVICES["bot"]["volumes"] if volume.endswith(":ro")]
    assert str(config.catalogue.parent) in mounted
    assert config.slack_is_configured
    assert config.teams_is_configured
    assert teams_settings(config) is not None


# ops/docs


@pytest.mark.parametrize("name", ["production.md", "models.md"])
def test_every_figure_and_setting_that_the_page_names_exists(name: str) -> None:
    page = (ROOT / "ops" / "docs" / name).read_text(encoding="utf-8")
    families = {family.name for family in Metrics().registry.collect()}
    figures = {re.sub(r"_(total|bucket)$", "", name) for name in re.findall(r"\badpolicy_[a-z_]+", page)}
    assert figures
    assert figures - families == set()
    known = {*Config.model_fields, *(f"{name}_file" for name in Config.model_fields)}
    assert {name.lower() for name in re.findall(r"ADPOLICY_([A-Z_]+)", page)} - known == set()


# The probe


class _Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status = {"/healthz": 200, "/metrics": 200}.get(self.path, 503)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(f"said {self.path}".encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name for it
        """Nothing: standard error is looked at."""


@contextlib.contextmanager
def _answering() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), _Answers)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f":{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_the_probe_asks_on_loopback_whatever_the_listener_is_bound_to(capsys: pytest.CaptureFixture[str]) -> None:
    with _answering() as port:
        assert probe.main([], {"ADPOLICY_CHAT_BIND": "0.0.0.0" + port}) == 0
        assert capsys.readouterr() == ("", "")
        assert probe.main(["/metrics"], {"ADPOLICY_WEB_BIND": "127.0.0.1" + port}) == 0
        assert capsys.readouterr().out == "said /metrics\n"
        assert probe.main(["/readyz"], {"ADPOLICY_WEB_BIND": "127.0.0.1" + port}) == 1
        assert capsys.readouterr().out == "said /readyz\n"


def test_the_probe_says_when_nothing_answers(capsys: pytest.CaptureFixture[str]) -> None:
    (port,) = free_ports(1)
    assert probe.main([], {"ADPOLICY_CHAT_BIND": f"0.0.0.0:{port}"}) == 1
    assert f"Nothing answers on 0.0.0.0:{port}" in capsys.readouterr().err


def test_the_probe_takes_one_path(capsys: pytest.CaptureFixture[str]) -> None:
    assert probe.main(["readyz"], {}) == 2
    assert probe.main(["/readyz", "/metrics"], {}) == 2
    assert "one path" in capsys.readouterr().err


def test_the_probe_knows_the_defaults_of_the_settings() -> None:
    fields = Config.model_fields
    assert fields["chat_bind"].default == probe.CHAT_DEFAULT
    assert fields["web_bind"].default == probe.WEB_DEFAULT
