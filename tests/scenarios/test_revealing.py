"""A restricted document that is named: as if it did not exist, or that it is not permitted, in REST, Slack and text."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from bot.model.messages import Actor
from bot.questions.answerer import Asked
from bot.render.slack.message import slack_message
from bot.render.text import reply_text
from ops.config import Config
from ops.parts import Answering
from ops.wiring import open_answering
from tests.fakes.ingested import ingest_all, web_parts
from tests.fakes.web import serving

QUESTION = "what do the Partner Terms say about gambling ads"
HIDDEN = ("acme_partners", "Partner Terms", "rebate", "legal")
NEXT = "Ask whoever administers the policies for access"
SOURCE = "policy_source: acme, display_name: Acme"
OPEN = f"sources:\n  - {{id: open, type: folder, path: open, {SOURCE}}}\n"
CLOSED = (
    f"  - {{id: closed, type: folder, path: closed, {SOURCE}, classification: restricted, allowed_groups: [legal]}}\n"
    "groups: {legal: [oidc:legal]}\n"
)


@dataclass(frozen=True, slots=True)
class Shown:
    """The same question as REST, Slack, a terminal and the web page show its answer."""

    rest: dict[str, Any]
    slack: str
    text: str
    page: str


def _documents(folder: Path) -> None:
    for name, text in (
        ("open", "# Kites\n\nAds for kites are allowed.\n"),
        ("closed", "---\ndocument_id: acme_partners\ntitle: Partner Terms\n---\n# Rebate\n\nPartners get a rebate.\n"),
    ):
        (folder / name).mkdir()
        (folder / name / "page.2026-01-01.md").write_text(text)


@asynccontextmanager
async def _answering(folder: Path, catalogue: str, **settings: Any) -> AsyncIterator[Answering]:
    data, path = folder / f"data{len(catalogue)}", folder / f"{len(catalogue)}.yaml"
    path.write_text(catalogue)
    config = Config(data_dir=data, catalogue=path, **settings)
    if not data.exists():
        await ingest_all(config)
    async with open_answering(config) as answering:
        yield answering


async def _shown(answering: Answering, question: str = QUESTION, groups: frozenset[str] = frozenset()) -> Shown:
    answered = await answering.asking.ask(Asked(question, Actor("rest", "local", "x"), "rest", groups=groups))
    async with serving(web_parts(answering)) as site:
        _, rest = await site.post("/api/v1/ask", {"question": question})
        _, page = await site.page(f"/?{urlencode({'q': question})}")
    message = slack_message(question, "a1", answered.reply, answering.links)
    return Shown(dict(rest), json.dumps(message), reply_text(question, answered.reply, answering.links), page)


def _without_moment(shown: Shown) -> tuple[object, ...]:
    kept = {name: value for name, value in shown.rest.items() if name not in ("answer_id", "timings_ms")}
    return kept, shown.slack, shown.text, shown.page


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    _documents(tmp_path)
    return tmp_path


async def test_by_default_it_is_as_if_it_did_not_exist(folder: Path) -> None:
    async with _answering(folder, OPEN + CLOSED) as answering:
        with_it = await _shown(answering)
    async with _answering(folder, OPEN) as answering:
        without_it = await _shown(answering)
    assert _without_moment(with_it) == _without_moment(without_it)
    assert with_it.rest["refusal"]["reason"] == "not_covered"


async def test_where_the_operator_reveals_who_names_it_hears_whom_to_ask(folder: Path) -> None:
    async with _answering(folder, OPEN + CLOSED, reveal_restricted=True) as answering:
        named = await _shown(answering)
        unnamed = await _shown(answering, "is there a rebate for partners with zeppelins")
        member = await answering.asking.ask(
            Asked("what is the rebate", Actor("rest", "local", "y"), "rest", groups=frozenset({"legal"}))
        )
    assert named.rest["refusal"] == {"reason": "not_permitted", "nearest": []}
    for shown in (named.rest["text"], named.slack, " ".join(named.text.split()), named.page):
        assert NEXT in shown
        for word in set(HIDDEN) - {"Partner Terms"}:  # which the asker typed
            assert word not in shown
    assert "not_permitted" not in str(unnamed.rest)
    assert NEXT not in unnamed.slack
    assert "Partner" not in str(unnamed.rest) + unnamed.slack.replace("partners with", "")
    assert "rebate" in str(member.reply)
