"""The Dockerfile without Docker: its instructions, and its build stage carried out in a folder."""

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = ROOT / "Dockerfile"
_OURS = ("ADPOLICY_", "PYTHON", "VIRTUAL_ENV", "COV_")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction; `stage` counts the FROMs up to it, 0 before the first."""

    stage: int
    word: str
    arguments: str

    @property
    def exec_form(self) -> list[str]:
        """The words of CMD and the like. Raises ValueError for the shell form."""
        words = json.loads(self.arguments[self.arguments.index("[") :])
        return [str(word) for word in words]


def instructions() -> list[Instruction]:
    """All of the Dockerfile, in order."""
    text = re.sub(r"^\s*#.*\n", "", DOCKERFILE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found: list[Instruction] = []
    stage = 0
    for line in filter(None, (line.strip() for line in text.replace("\\\n", " ").splitlines())):
        word, _, arguments = line.partition(" ")
        stage += word == "FROM"
        found.append(Instruction(stage, word, re.sub(r"\s+", " ", arguments).strip()))
    return found


def final_environment() -> dict[str, str]:
    """What ENV sets in the last stage; `$PATH` as written."""
    stage = instructions()[-1].stage
    given = " ".join(each.arguments for each in instructions() if (each.stage, each.word) == (stage, "ENV"))
    return dict(pair.split("=", 1) for pair in given.split())


def is_sent(path: str) -> bool:
    """Whether a file of the tree gets into the build, as .dockerignore has it: the last rule that fits decides."""
    sent = True
    for rule in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        if rule and not rule.startswith("#") and _pattern(rule.removeprefix("!")).match(path):
            sent = rule.startswith("!")
    return sent


def _pattern(rule: str) -> re.Pattern[str]:
    """A rule names a file or a folder with all that is in it."""
    words = {"**/": "(?:.*/)?", "*": "[^/]*"}
    parts = re.split(r"(\*\*/|\*)", rule)
    return re.compile("".join(words.get(part, re.escape(part)) for part in parts) + "(?:/|$)")


def carry_out(target: Path, path: str) -> None:
    """The COPY and RUN instructions of the build stage, in `target`, which stands for its WORKDIR; `path` is PATH."""
    for each in instructions():
        if each.stage != 1:
            continue
        if each.word == "COPY":
            source, destination = each.arguments.split()
            _copy(source, target / destination)
        elif each.word == "RUN":
            command = re.sub(r"--mount=\S+\s*", "", each.arguments)
            # where packages come from is in the environment; what is particular to this process is not for it
            environment = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
            environment["PATH"] = path
            subprocess.run(["/bin/sh", "-c", command], cwd=target, env=environment, check=True, timeout=600)


def _copy(source: str, destination: Path) -> None:
    here = ROOT / source
    files = [here] if here.is_file() else [file for file in here.rglob("*") if file.is_file()]
    for file in files:
        if is_sent(file.relative_to(ROOT).as_posix()):
            into = destination / file.relative_to(here) if file != here else destination
            into = into / file.name if into.is_dir() else into
            into.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, into)
