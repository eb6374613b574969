"""`rules`: what is uncertain is listed, an operator corrects it, and both are on record."""

import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from adapters.sql.audit.reading import SqlAuditReading
from bot.audit.entries import body_of
from ingest.cli import parse, run_command
from ingest.cli.rules import rules_command
from ingest.ports import VersionUpdate
from ingest.rules.listing import hash_of
from rag_core.documents import VersionStatus
from rag_core.errors import Rejected
from rag_core.rules.reader import Effect, RuleReading, RuleText
from tests.fakes.reader import FakeReader
from tests.fakes.sources import FakeSource
from tests.fakes.workshop import Workshop

WINE = """# Wine

## France

Ads for wine are not allowed.

## Spain

Ads for wine are allowed. Labels are green.
"""
DOUBTED = "Ads for wine are allowed."


@pytest.fixture
async def stocked(workshop: Workshop) -> Workshop:
    """With one document, of whose rules one is read with doubt."""
    workshop.rule_reader = reader = FakeReader()
    reader.doubted = {DOUBTED}
    await workshop.run(FakeSource({"wine.md": WINE}))
    return workshop


class Informing(FakeReader):
    """Takes every rule for information."""

    async def read(self, rules: Sequence[RuleText]) -> list[RuleReading]:
        effects = {effect: 0.96 if effect is Effect.INFORMS else 0.005 for effect in Effect}
        return [RuleReading(effects, 0.02) for _ in rules]


async def said(workshop: Workshop, *argv: str) -> str:
    out = io.StringIO()
    assert await rules_command(parse(["rules", *argv]), workshop, out, whoami=lambda: "legal-desk") == 0
    return out.getvalue()


async def id_of(workshop: Workshop, text: str) -> str:
    (line,) = [each for each in (await said(workshop, "acme_wine", "--all")).splitlines() if each.endswith(text)]
    return line.split()[0]


async def test_only_uncertain_rules_are_listed_unless_all_are_asked_for(stocked: Workshop) -> None:
    lines = (await said(stocked, "acme_wine")).splitlines()
    (version,) = await stocked.stored()
    assert lines[0] == f"Wine ({version.doc_id}): 1 of 3 rules is uncertain."
    assert lines[1:3] == ["", "Spain"]
    assert lines[3].endswith(f"[allows 45 %] {DOUBTED}")
    assert len(lines[3].split()[0]) == 8

    everything = await said(stocked, "acme_wine", "--all")
    assert everything.startswith(f"Wine ({version.doc_id}): 1 of 3 rules is uncertain.\n\nFrance\n")
    assert "[prohibits 90 %] Ads for wine are not allowed." in everything
    assert "[informs 90 %] Labels are green." in everything


async def test_a_reading_that_contradicts_plain_words_is_listed_with_both_opinions(stocked: Workshop) -> None:
    stocked.rule_reader = Informing("contrary")
    await stocked.run()
    listed = await said(stocked, "acme_wine")
    assert "[informs 96 %; its words say: prohibits] Ads for wine are not allowed." in listed
    assert "Labels are green." not in listed


async def test_as_json_each_rule_has_all_that_is_known_of_it(stocked: Workshop) -> None:
    found = json.loads(await said(stocked, "acme_wine", "--format", "json"))
    assert (found["document_id"], found["rules_in_all"], len(found["rules"])) == ("acme_wine", 3, 1)
    (rule,) = found["rules"]
    assert (rule["id"], rule["path"], rule["text"]) == (await id_of(stocked, DOUBTED), ["Spain"], [DOUBTED])
    assert (rule["effect"], rule["certainty"], rule["words_say"]) == ("allows", 0.45, "allows")
    assert (rule["opinions_differ"], rule["corrected"], rule["no_rule"]) == (False, None, 0.02)
    assert set(rule["effects"]) == set(Effect)


async def test_a_correction_is_kept_shown_and_taken_back_by_its_id_and_on_record(stocked: Workshop) -> None:
    rule_id = await id_of(stocked, DOUBTED)

    done = await said(stocked, "acme_wine", "--correct", rule_id, "--effect", "limits", "--note", "only by day")

    assert done.startswith(f"Rule {rule_id} limits, from now on")
    assert DOUBTED not in await said(stocked, "acme_wine")
    assert f"{rule_id}  [limits, corrected (read: allows 45 %)] {DOUBTED}" in await said(stocked, "acme_wine", "--all")
    assert "is withdrawn" in await said(stocked, "acme_wine", "--withdraw", rule_id.upper())
    assert DOUBTED in await said(stocked, "acme_wine")
    acts = (await SqlAuditReading(stocked.versions._engine).of_subject("acme_wine"))[-2:]
    assert [body_of(each.canonical)["facts"]["act"] for each in acts] == ["correct_rule", "withdraw_rule_correction"]
    assert [(each.personal or {})["person"]["value"] for each in acts] == ["legal-desk", "legal-desk"]
    assert (acts[0].personal or {})["reason"]["value"] == "only by day"


async def test_a_correction_whose_words_are_gone_is_shown_until_it_is_withdrawn(stocked: Workshop) -> None:
    rule_id = await id_of(stocked, DOUBTED)
    await said(stocked, "acme_wine", "--correct", rule_id, "--effect", "limits")
    stocked.wait(1)
    await stocked.run(FakeSource({"wine.md": WINE.replace(DOUBTED, "Ads for wine need a permit.")}))
    listed = await said(stocked, "acme_wine")
    assert f"{rule_id}  [limits, corrected by legal-desk on " in listed
    assert listed.endswith("does not stand in this version\n")
    await said(stocked, "acme_wine", "--withdraw", rule_id)
    assert rule_id not in await said(stocked, "acme_wine")


async def test_rules_that_nobody_has_read_are_counted_and_can_be_corrected(workshop: Workshop) -> None:
    await workshop.run(FakeSource({"wine.md": WINE}))
    assert "3 were not read yet: run `python -m ingest run`" in await said(workshop, "acme_wine")
    everything = await said(workshop, "acme_wine", "--all")
    assert "[not read yet; its words say: prohibits] Ads for wine are not allowed." in everything
    assert "[not read yet] Labels are green." in everything
    rule_id = await id_of(workshop, DOUBTED)
    await said(workshop, "acme_wine", "--correct", rule_id, "--effect", "limits")
    assert f"[limits, corrected] {DOUBTED}" in await said(workshop, "acme_wine", "--all")


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (("acme_none",), "unknown_document"),
        (("acme_wine", "--correct", "ffffffffff", "--effect", "limits"), "unknown_rule"),
        (("acme_wine", "--withdraw", "ffffffff"), "unknown_correction"),
    ],
)
async def test_what_is_not_there_is_named(
    stocked: Workshop, capsys: pytest.CaptureFixture[str], argv: tuple[str, ...], code: str
) -> None:
    with pytest.raises(Rejected, match=code):
        await said(stocked, *argv)
    assert await run_command(parse(["rules", *argv]), stocked, Path("none.yaml"), io.StringIO()) == 2
    assert argv[-1] in (error := capsys.readouterr().err) or "acme_" in error


def test_an_id_that_several_rules_have_is_refused_with_their_whole_ids() -> None:
    assert hash_of("AB", "acme_wine", ["abc1", "b", "abc1"]) == "abc1"
    with pytest.raises(Rejected, match="rule_ambiguous") as caught:
        hash_of("ab", "acme_wine", ["abc1", "abd2", "b"])
    assert caught.value.details["ids"] == "abc1, abd2"
    with pytest.raises(Rejected, match="unknown_rule"):
        hash_of(" ", "acme_wine", ["abc1"])


async def test_a_document_that_holds_no_more_has_no_rules_to_list(stocked: Workshop) -> None:
    (version,) = await stocked.stored()
    ended = VersionUpdate(version.doc_id, version.effective_from, VersionStatus.RETIRED, None)
    await stocked.versions.save([], [ended])
    with pytest.raises(Rejected, match="no_live_version"):
        await said(stocked, "acme_wine")


@pytest.mark.parametrize(
    "argv",
    [
        ("rules",),
        ("rules", "acme_wine", "--correct", "abc"),
        ("rules", "acme_wine", "--correct", "abc", "--effect", "forbids"),
        ("rules", "acme_wine", "--effect", "limits"),
        ("rules", "acme_wine", "--note", "why"),
        ("rules", "acme_wine", "--withdraw", "abc", "--all"),
    ],
)
def test_wrong_arguments_end_with_2(argv: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(argv)
    assert ended.value.code == 2
