"""Checks an export of the record without the bot: `python3 check_audit_export.py FOLDER [KEY_ID]`.

Needs Python 3.9 or later and, for signatures, the program openssl (3.0 or later). KEY_ID: the key that must have
signed; you were told it by another way than with the export. Prints what is wrong, or how many records hold; exit
code 1 or 0.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ZERO = "0" * 64
Place = tuple[str, int]


def signed(folder: Path, key: str, text: bytes, signature: str) -> bool:
    """Whether `text` bears this key's signature, as openssl finds."""
    with tempfile.TemporaryDirectory() as made:
        Path(made, "text").write_bytes(text)
        Path(made, "signature").write_bytes(base64.b64decode(signature))
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", str(folder / f"{key}.pem"), "-rawin"]
        files = ["-in", str(Path(made, "text")), "-sigfile", str(Path(made, "signature"))]
        return subprocess.run([*command, *files], capture_output=True, check=False).returncode == 0


def check_key(folder: Path, key: str) -> Iterator[str]:
    """A key's id is the SHA-256 of its 32 bytes, the last of its DER form."""
    pem = (folder / f"{key}.pem").read_text()
    der = base64.b64decode("".join(line for line in pem.splitlines() if "-" not in line))
    if hashlib.sha256(der[-32:]).hexdigest() != key:
        yield f"{key}.pem: another key"


def check_files(folder: Path, manifest: Any, key: str | None) -> Iterator[str]:
    text = (folder / "manifest.json").read_bytes()
    if key and manifest["key"] != key:
        yield f"manifest.json: signed by {manifest['key']}, not by {key}"
    yield from check_key(folder, manifest["key"])
    if not signed(folder, manifest["key"], text, (folder / "manifest.sig").read_text()):
        yield "manifest.json: the signature does not hold"
    for name, facts in manifest["files"].items():
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != facts["sha256"]:
            yield f"{name}: not the file that was exported"


def check_records(folder: Path, heads: Any, personal: dict[Place, Any], hashes: dict[Place, str]) -> Iterator[str]:
    """Every line is a record; its SHA-256 is what the next one of its chain names. `hashes` is filled."""
    last: dict[str, tuple[int, str]] = {}
    for number, line in enumerate((folder / "records.jsonl").read_bytes().splitlines(), 1):
        try:
            record = json.loads(line)
            chain, sequence = record["chain"], record["sequence"]
        except (ValueError, KeyError, TypeError):
            yield f"records.jsonl, line {number}: no record"
            continue
        count, previous = last.get(chain, (0, ZERO))
        if sequence != count + 1:
            yield f"{chain}, record {sequence}: follows record {count}"
        elif record["previous"] != previous:
            yield f"{chain}, record {count}: changed, or record {sequence} is"
        found = hashlib.sha256(line).hexdigest()
        last[chain] = (sequence, found)
        hashes[chain, sequence] = found
        if record["personal"] and (chain, sequence) not in personal:
            yield f"{chain}, record {sequence}: the personal fields were deleted, and not forgotten"
        for name, field in personal.get((chain, sequence), {}).items():
            salted = bytes.fromhex(field["salt"]) + field["value"].encode()
            if hashlib.sha256(salted).hexdigest() != record["personal"].get(name):
                yield f"{chain}, record {sequence}: {name} is not what was recorded"
    for head in heads:
        if last.get(head["chain"], (0, "")) != (head["count"], head["head"]):
            yield f"{head['chain']}: does not end with record {head['count']} as the manifest says"


def check_forgotten(folder: Path, chains: set[str], personal: dict[Place, Any]) -> Iterator[str]:
    """Of each chain an act says how many records are empty, and the hash of which: the last act is that with the most.
    Only if the export has the chain of acts."""
    if "installation" not in chains:
        return
    told: dict[str, Any] = {}
    for line in (folder / "records.jsonl").read_bytes().splitlines():
        with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
            record = json.loads(line)
            acts = record["facts"].get("forgotten", {}) if record["kind"] == "administration" else {}
            for chain, each in acts.items():
                told[chain] = max(each, told.get(chain, each), key=lambda one: int(one["count"]))
    for chain in sorted(chains):
        empty = sorted(place[1] for place, fields in personal.items() if place[0] == chain and not fields)
        found = hashlib.sha256("".join(f"{each}\n" for each in empty).encode()).hexdigest()
        if (len(empty), found) != (told[chain]["count"], told[chain]["hash"]) if chain in told else empty:
            yield f"{chain}: not those records are empty that were forgotten ({len(empty)} are)"


def check_checkpoints(folder: Path, hashes: dict[Place, str]) -> Iterator[str]:
    for line in (folder / "checkpoints.jsonl").read_text(encoding="utf-8").splitlines():
        checkpoint = json.loads(line)
        told = json.loads(checkpoint["statement"])
        where = f"checkpoint of {told['chain']} at record {told['count']}"
        if not (folder / f"{told['key']}.pem").exists():
            yield f"{where}: signed by {told['key']}, whose key is not here"
        elif not signed(folder, told["key"], checkpoint["statement"].encode(), checkpoint["signature"]):
            yield f"{where}: the signature does not hold"
        elif hashes.get((told["chain"], told["count"])) != told["head"]:
            yield f"{where}: the record is another one, or missing"


def check(folder: Path, key: str | None) -> Iterator[str]:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    yield from check_files(folder, manifest, key)
    personal: dict[Place, Any] = {}
    hashes: dict[Place, str] = {}
    for line in (folder / "personal.jsonl").read_text(encoding="utf-8").split("\n")[:-1]:
        beside = json.loads(line)
        personal[beside["chain"], beside["sequence"]] = beside["fields"]
    yield from check_records(folder, manifest["chains"], personal, hashes)
    yield from check_forgotten(folder, {head["chain"] for head in manifest["chains"]}, personal)
    yield from check_checkpoints(folder, hashes)


def main(folder: Path, key: str | None = None) -> int:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    wrong = list(check(folder, key))
    for each in wrong:
        print(each)
    if not wrong:
        print(f"{sum(head['count'] for head in manifest['chains'])} records hold.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:3]))
