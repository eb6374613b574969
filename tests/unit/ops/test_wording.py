"""What operators read: every error that can reach them has a sentence, and no sentence is for nothing."""

import re
from pathlib import Path

import pytest

from ops.servers import wording as starting
from ops.wording import general as wording
from rag_core.errors import Misconfigured, PolicyBotError, Rejected, Unavailable

ROOT = Path(__file__).resolve().parents[3]
RAISED = re.compile(r"\b(Misconfigured|Unavailable|_again)\(\s*\"([a-z_]+)\"((?: (?:if|else) [^\n]*?\"[a-z_]+\")*)")
WORDS = re.compile(r"\"([a-z_]+)\"")
PLACES = ("adapters", "ingest", "ops", "rag_core", "bot")
DETAILS = {
    "path": "/data/x", "setting": "ADPOLICY_X", "value": "v", "reason": "r", "seconds": 1, "suggestion": "S",
    "other": "ADPOLICY_Y", "known": ("a", "b"), "driver": "asyncpg", "tables": ["t"], "problem": "p", "line": 3,
    "key": "k", "model": "m", "dimensions": 1, "index_model": "n", "index_dimensions": 2, "got": 1, "expected": 2,
    "retry_after": 3.0, "source_id": "s", "address": "http://a.example", "status": 500,
}  # fmt: skip


def raised_codes() -> dict[str, str]:
    """Code -> a file in which it is raised, docstrings included."""
    found: dict[str, str] = {}
    for place in PLACES:
        for path in sorted((ROOT / place).rglob("*.py")):
            if "sandbox" in path.parts:
                continue
            text = path.read_text(encoding="utf-8")
            for match in RAISED.finditer(text):
                for code in (match[2], *WORDS.findall(match[3])):
                    found[code] = str(path.relative_to(ROOT))
    return found


RAISED_CODES = raised_codes()


def test_the_codes_are_found() -> None:
    """Guards the search itself: one of each way in which a code is written."""
    assert {"setting_missing", "store_busy", "store_down", "slack_api_url_insecure", "index_broken"} <= set(
        RAISED_CODES
    )
    assert len(RAISED_CODES) > 35


def said_by_its_command(code: str) -> str:
    """`ops/services` has words of its own: the rest of the program does without it."""
    if code in starting.SENTENCES and RAISED_CODES[code].startswith("ops/servers/"):
        return starting.explain(Misconfigured(code, **DETAILS))
    assert wording.explains(code), f"{code}, raised in {RAISED_CODES[code]}, has none"
    return wording.explain(Misconfigured(code, **DETAILS))


@pytest.mark.parametrize("code", sorted(RAISED_CODES))
def test_every_error_of_the_operator_has_a_sentence(code: str) -> None:
    said = said_by_its_command(code)
    assert said[0].isupper() or said.startswith("ADPOLICY_")
    assert said.endswith(".")
    assert ".." not in said.replace("...", "")
    assert said.count(". ") >= 1, "it says what happened, and not what to do next"


@pytest.mark.parametrize("code", sorted({**wording._SENTENCES, **starting.SENTENCES}))
def test_no_sentence_is_for_nothing(code: str) -> None:
    sources = [path.read_text(encoding="utf-8") for place in PLACES for path in (ROOT / place).rglob("*.py")]
    assert sum(f'"{code}"' in text for text in sources) >= 2, f"nobody raises {code}"


def test_an_error_without_a_sentence_still_shows_its_facts() -> None:
    assert wording.explain(PolicyBotError("odd_thing", path="/x")) == "Odd thing (path: /x)."
    assert wording.explain(Rejected("odd_thing")) == "Odd thing."


def test_facts_are_in_the_sentence() -> None:
    said = wording.explain(Misconfigured("data_dir_in_use", path="/data/here"))
    assert "/data/here" in said
    assert "doctor" in said
    assert "in use" in wording.explain(Misconfigured("address_in_use", setting="ADPOLICY_CHAT_BIND", value="1:2"))
    assert "20 s" in wording.explain(Unavailable("too_slow", seconds=20))


def test_words_of_ingest_become_a_sentence() -> None:
    said = wording.explain(Misconfigured("source_folder_missing", source_id="s", path="/docs"))
    assert said.startswith("There is no folder /docs.")
