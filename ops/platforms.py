"""The platforms that the bot knows by name, whatever documents it has."""

from pathlib import Path

from rag_core.documents import PolicySource

_FILE = Path(__file__).with_name("platforms.txt")


def known_platforms() -> tuple[PolicySource, ...]:
    """Each line of `platforms.txt` as a source without documents."""
    lines = (line.strip() for line in _FILE.read_text(encoding="utf-8").splitlines())
    return tuple(_platform(line) for line in lines if line and not line.startswith("#"))


def _platform(line: str) -> PolicySource:
    name, *aliases = (each.strip() for each in line.split("|"))
    return PolicySource("-".join(name.lower().replace("+", " plus").split()), name, tuple(aliases))
