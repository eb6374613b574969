"""OpenSearch with its k-NN and neural-search plugins, from Maven Central."""

import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from ops.servers.folders import assembled, cache_folder
from ops.servers.free_ports import ANY
from ops.servers.local_server import LocalServer
from ops.servers.packages import Say, install_debian
from ops.servers.processes import run_program
from ops.servers.wording import ASSEMBLING, tell
from rag_core.errors import Misconfigured, Unavailable

OLDEST = 21
_FOLDERS = (
    "/usr/lib/jvm/*",
    "/usr/lib64/jvm/*",
    "/usr/java/*",
    "/usr/local/openjdk*",
    "/opt/java/*",
    "/opt/*jdk*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "/opt/homebrew/opt/openjdk*",
    "/usr/local/opt/openjdk*",
    "~/.sdkman/candidates/java/*",
    "~/.jdks/*",
    "~/Library/Java/JavaVirtualMachines/*/Contents/Home",
)
_VERSION = re.compile(r"java\.specification\.version = (?:1\.)?(\d+)")
_HOME = re.compile(r"java\.home = (.+)")
# The vector module is asked for because OpenSearch's start line names it; some small runtimes leave it out.
_ASK = ("-XshowSettings:properties", "--add-modules=jdk.incubator.vector", "-version")


@dataclass(frozen=True, slots=True)
class Java:
    """One that runs."""

    program: Path
    home: Path
    version: int


async def find_java(environ: Mapping[str, str] = os.environ) -> Java:
    """The first that is new enough. Misconfigured: there is none; says which there are."""
    older: list[int] = []
    for program in java_programs(environ):
        java = await ask_java(program)
        if java is not None and java.version >= OLDEST:
            return java
        older += [java.version] if java else []
    raise Misconfigured("java_missing", oldest=OLDEST, known=sorted(set(older)))


async def find_maven(say: Say) -> str:
    """`mvn`. Misconfigured: there is none, and none can be installed."""
    found = shutil.which("mvn")
    if found is None and await install_debian("maven", say):
        found = shutil.which("mvn")
    if found is None:
        raise Misconfigured("maven_missing")
    return found


def java_programs(environ: Mapping[str, str]) -> Iterator[Path]:
    """Every `java` of this machine, each once, those that the user names first."""
    seen: set[Path] = set()
    for java in _candidates(environ):
        if java.exists() and java.resolve() not in seen:
            seen.add(java.resolve())
            yield java


def _candidates(environ: Mapping[str, str]) -> Iterator[Path]:
    for name in sorted(environ):  # also JAVA_HOME_21_X64 and the like, as build machines have them
        if name.startswith("JAVA_HOME") and environ[name]:
            yield Path(environ[name]) / "bin" / "java"
    if on_path := shutil.which("java", path=environ.get("PATH")):
        yield Path(on_path)
    for pattern in _FOLDERS:
        place = Path(pattern.replace("~", environ.get("HOME", "/nowhere"), 1))
        for home in sorted(Path("/").glob(str(place).lstrip("/")), reverse=True):
            yield home / "bin" / "java"


async def ask_java(program: Path) -> Java | None:
    """What it says of itself; None if it does not run, or lacks what OpenSearch needs."""
    try:
        said = await run_program([str(program), *_ASK])
    except Unavailable:
        return None
    version, home = _VERSION.search(said), _HOME.search(said)
    return Java(program, Path(home[1].strip()), int(version[1])) if version and home else None


_POM = Path(__file__).with_name("pom.xml")
_NAME = "opensearch-3.6.0"
# The launcher knows ports up to 9299 only, and ends without a word when it is given another one.
_HTTP = range(7_000, 9_200)
_PLUGINS = "org.opensearch.knn.plugin.KNNPlugin,org.opensearch.neuralsearch.plugin.NeuralSearch"
_JAVA = (
    "--add-modules=jdk.incubator.vector",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "-Dlog4j2.configurationFile=conf/log4j2.properties",  # from the start: the launcher keeps its errors to itself
)
_LARGE = ("-Xms1g", "-Xmx1g")
_SMALL = ("-Xms512m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
_SETTINGS = """\
network.host: 127.0.0.1
transport.port: {transport}
action.auto_create_index: false
cluster.routing.allocation.disk.threshold_enabled: false
indices.breaker.total.use_real_memory: false
"""
_LOG = """\
status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d{ISO8601}][%-5p][%c{1.}] %m%n
rootLogger.level = info
rootLogger.appenderRef.console.ref = console
"""


class OpenSearchServer(LocalServer):
    """One node. `small` starts in half the time and half the memory, and searches more slowly."""

    KIND = "opensearch"
    START_SECONDS = 180

    def __init__(self, folder: Path, *, small: bool = False, say: Say = tell) -> None:
        super().__init__(folder, {"http": _HTTP, "transport": ANY}, say)
        self._small = small
        self._cluster = f"adpolicy-{hashlib.sha256(str(self.folder).encode()).hexdigest()[:12]}"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._ports['http']}"

    async def _launch(self) -> None:
        java = await find_java()
        jars = await opensearch_jars(java, self._say)
        await self._ports.give_way()
        conf = self.folder / "conf"
        conf.mkdir(parents=True, exist_ok=True)
        settings = _SETTINGS.format(transport=self._ports["transport"])
        (conf / "opensearch.yml").write_text(settings, encoding="utf-8")
        (conf / "log4j2.properties").write_text(_LOG, encoding="utf-8")
        argv = [str(java.program), *(_SMALL if self._small else _LARGE), *_JAVA, "-cp", f"{jars}/lib/*:{jars}/zips/*"]
        argv += ["org.codelibs.opensearch.runner.OpenSearchRunner", "-basePath", "home", "-confPath", "conf"]
        # HTTP is on the port after the one given.
        argv += ["-numOfNode", "1", "-baseHttpPort", str(self._ports["http"] - 1), "-clusterName", self._cluster]
        argv += ["-useLogger", "-pluginTypes", _PLUGINS]
        self._process.launch(argv, cwd=self.folder, env=os.environ)

    async def _answers(self) -> bool:
        """Its indexes are back, as well."""
        url = f"{self.url}/_cluster/health?wait_for_status=yellow&timeout=2s"
        try:
            async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=4)) as http, http.get(url) as answer:
                health = await answer.json() if answer.status == 200 else {}
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError):
            return False
        return health.get("cluster_name") == self._cluster and health.get("status") in ("yellow", "green")


async def opensearch_jars(java: Java, say: Say) -> Path:
    """The folder with `lib` and `zips`, fetched at the first use."""

    async def fill(part: Path) -> None:
        maven = await find_maven(say)
        say(ASSEMBLING)
        shutil.copy(_POM, part / "pom.xml")
        environ = {**os.environ, "JAVA_HOME": str(java.home)}
        for goal, kind, folder in (("copy", "jar", "lib"), ("unpack", "zip", "zips")):
            await run_program(
                [maven, "-q", "-B", f"dependency:{goal}-dependencies", f"-DincludeTypes={kind}",
                 "-DincludeScope=runtime", f"-DoutputDirectory={folder}"],
                cwd=part, env=environ,
            )  # fmt: skip
            if not any((part / folder).glob("*.jar")):
                raise Unavailable("jars_missing", path=str(part / folder))

    return await assembled(cache_folder() / _NAME, _POM.read_text(encoding="utf-8"), fill)
