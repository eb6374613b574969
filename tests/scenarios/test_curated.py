"""Approved answers from a file to those who ask, and no further than their rules hold: over the sample policies."""

import argparse
import json
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.people.curated import SqlCuratedAnswers
from adapters.sql.tables.audit import audit_records
from adapters.sql.tables.policies import answers, versions
from bot.answers.curated import CitationChecks
from bot.model.messages import Actor
from bot.questions.answerer import Asked
from bot.render.json import reply_json
from bot.render.markdown import body_markdown
from bot.render.slack.message import slack_message
from bot.render.text import reply_text
from ops.chat.curated import build_checks
from ops.config import Config
from ops.curated.command import curated
from ops.parts import Answering, utc_now
from ops.wiring import open_answering
from ops.wording.general import explain
from rag_core.answers import Answer, Reply
from rag_core.curated.kept import CuratedState
from rag_core.errors import Rejected
from tests.fakes.shelf import FakeNotices

ASKED = "Are alcohol ads allowed in Britain on Quillmoor?"
FILE = """\
curated:
- key: alcohol-uk
  questions:
  - Can I advertise alcohol in the UK on Quillmoor?
  - Are ads for alcoholic drinks allowed on Quillmoor in the United Kingdom?
  regions:
  - uk
  platforms:
  - quillmoor
  verdict: restricted
  answer:
  - text: Yes, with <!channel> the label, to people of 21 and over.
    cites:
    - 1
  - text: The general rules hold as well.
    cites:
    - 2
  citations:
  - document_id: quillmoor_alcohol
    section: Alcohol > Country rules > United Kingdom
    quote: the audience is aged 21 or over
  - document_id: quillmoor_alcohol
    section: Alcohol > General rules
    quote: Ads for alcoholic drinks are restricted.
  owner: slack:T1/C1
"""


@pytest.fixture
def config(sample_copy: Path) -> Config:
    return Config(data_dir=sample_copy, _env_file=None)


async def ops(config: Config, what: str, **given: object) -> int:
    defaults = {"file": "", "name": "", "by": "", "format": "text"}
    return await curated(argparse.Namespace(what=what, **{**defaults, **given}), config)


def written(folder: Path, text: str = FILE) -> str:
    path = folder / "curated.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


async def ask(answering: Answering, text: str = ASKED, as_of: date | None = None) -> Reply:
    asked = Asked(text, Actor("terminal", "local", "me"), "terminal", groups=frozenset(), as_of=as_of)
    return (await answering.asking.ask(asked)).reply


def is_approved(reply: Reply) -> bool:
    return isinstance(reply, Answer) and reply.approved is not None


async def test_an_approved_answer_is_shown_until_its_rule_is_superseded(
    config: Config, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await ops(config, "import", file=written(tmp_path))
    assert "1 new, 0 changed" in capsys.readouterr().out
    async with open_answering(config) as answering:
        assert not is_approved(await ask(answering))  # a draft
        await ops(config, "approve", name="alcohol-uk", by="Legal <desk>")
        reply = await ask(answering)
        assert is_approved(reply)
        assert isinstance(reply, Answer)
        shown_everywhere(reply, answering)
        assert not is_approved(await ask(answering, "Are alcohol ads allowed in Germany on Quillmoor?"))
        assert not is_approved(await ask(answering, ASKED, as_of=date(2025, 6, 1)))
        await on_record(answering.engine)

        await supersede(answering.engine)
        assert not is_approved(await ask(answering))
        await owner_is_told(answering.engine)
        with pytest.raises(Rejected, match="curated_not_approvable"):
            await ops(config, "approve", name="alcohol-uk")
    await ops(config, "show", name="alcohol-uk")
    assert "suspended" in (said := capsys.readouterr().out)
    assert "a later version holds" in said


def shown_everywhere(reply: Answer, answering: Answering) -> None:
    """Who approved it and when, its citations, and nothing that a person wrote as mark-up."""
    links = answering.links
    told = reply_json("a1", reply, links, {})
    assert told["approved"] == {"by": "Legal <desk>", "on": utc_now().date().isoformat()}
    assert "Legal \\<desk\\>" in body_markdown(reply, links)
    assert "> Yes, with" not in body_markdown(reply, links)
    assert "approved by Legal <desk> on" in reply_text(ASKED, reply, links, 200)
    slack = json.dumps(slack_message(ASKED, "a1", reply, links))
    assert "approved by Legal &lt;desk&gt;" in slack
    assert "<!channel>" not in slack
    assert "> Yes, with" not in slack
    assert [each.document_id for each in reply.citations] == ["quillmoor_alcohol"] * 2


async def on_record(engine: AsyncEngine) -> None:
    """The record says which approved answer was shown, and who did what to it."""
    async with engine.connect() as connection:
        rows = [json.loads(each) for each in await connection.scalars(select(audit_records.c.canonical))]
        kept = [each for each in await connection.scalars(select(answers.c.reply)) if "approved" in each]
    shown = [each["facts"]["curated"] for each in rows if "curated" in each["facts"]]
    acts = [each["facts"]["act"] for each in rows if str(each["facts"].get("act", "")).startswith("curated")]
    answer = await SqlCuratedAnswers(engine).find("alcohol-uk")
    assert answer is not None
    assert [(each["id"], each["revision"]) for each in shown] == [(answer.curated_id, answer.revision)]
    assert acts == ["curated_imported", "curated_approved"]
    assert len(kept) == 1


async def supersede(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        newest = (versions.c.document_id == "quillmoor_alcohol") & versions.c.effective_to.is_(None)
        await connection.execute(update(versions).where(newest).values(effective_to=utc_now().date()))


async def owner_is_told(engine: AsyncEngine) -> None:
    queue = FakeNotices()
    checks: CitationChecks = build_checks(engine, queue)
    assert await checks.once() == 1
    assert await checks.once() == 0
    assert [(each.channel, each.kind.value) for each in queue.queued.values()] == [("C1", "curated_suspended")]
    kept = await SqlCuratedAnswers(engine).find("alcohol-uk")
    assert kept is not None
    assert kept.state is CuratedState.SUSPENDED


async def test_what_was_exported_is_imported_as_it_was(
    config: Config, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path)
    await ops(config, "import", file=path)
    await ops(config, "approve", name="alcohol-uk")
    await ops(config, "export", file=str(tmp_path / "out.yaml"))
    assert (tmp_path / "out.yaml").read_text() == FILE
    capsys.readouterr()
    await ops(config, "import", file=str(tmp_path / "out.yaml"))
    assert "0 new, 0 changed, 1 as before" in capsys.readouterr().out
    await ops(config, "list")
    assert "approved" in capsys.readouterr().out
    await ops(config, "retire", name="alcohol-uk")
    await ops(config, "export", file="-")
    assert capsys.readouterr().out.endswith("curated: []\n")


@pytest.mark.parametrize(
    ("said", "instead", "line", "problem"),
    [
        ("aged 21 or over", "aged 18 or over", 21, "letter by letter"),
        ("> United Kingdom", "> United Kingdoms", 20, "did you mean"),
        ("document_id: quillmoor_alcohol", "document_id: quillmoor_beer", 19, "no version"),
        ("    - 2\n", "    - 3\n", 16, "no citation 3"),
        ("  - quillmoor\n", "  - nobody\n", 9, "no documents of nobody"),
        ("  - uk\n", "  - atlantis\n", 7, "no place"),
        ("in the UK on", "in France on", 4, "about fr"),
        ("Can I advertise alcohol in the UK", "Compare alcohol and beer in the UK", 4, "stands for itself"),
        ("Can I advertise alcohol in the UK", "Could I advertise it in the UK in 2024", 4, "stands for itself"),
        ("verdict: restricted", "verdict: maybe", 10, "restricted"),
        ("  owner:", "  ovner:", 25, "not permitted"),
        ("- key: alcohol-uk", "- key: Alcohol UK", 2, "pattern"),
        ("regions:\n", "regions: [\n", 7, ""),
    ],
)
async def test_a_mistake_is_told_with_its_line_and_nothing_is_imported(
    said: str, instead: str, line: int, problem: str, sample_store: Path, tmp_path: Path
) -> None:
    """Reads the samples only."""
    config = Config(data_dir=sample_store, _env_file=None)
    text = FILE.replace(said, instead, 1)
    assert text != FILE
    with pytest.raises(Rejected) as refused:
        await ops(config, "import", file=written(tmp_path, text))
    assert refused.value.code == "curated_file_invalid"
    assert refused.value.details["line"] == line
    assert problem in explain(refused.value)
    assert f"line {line}" in explain(refused.value)
