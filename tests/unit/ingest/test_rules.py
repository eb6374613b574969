"""Reading the rules of what is stored: once for each text, in batches, and again when what reads them changed."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from ingest.cli import exit_code
from ingest.cli.showing import remarks
from ingest.model.report import IngestReport
from ingest.rules import reading
from ingest.rules.reading import RULE_WORK, read_rules
from ingest.run.held import release
from ingest.run.pipeline import ingest
from rag_core.documents import VersionStatus
from rag_core.errors import Misconfigured, PolicyBotError, Unavailable
from rag_core.rules.reader import Effect, KeptReading, RuleReading, RuleText
from rag_core.rules.rule import rules_in
from tests.fakes.reader import FakeReader
from tests.fakes.sources import FakeSource
from tests.fakes.workshop import Workshop, open_workshop

BEER = "# Beer\n\n## Germany\n\nAds for beer must not be shown to minors. Audience aged 18 or over.\n"
WINE = "# Wine\n\n## France\n\nAds for wine are not allowed.\n\n## Spain\n\nAds for wine are allowed.\n"


async def kept(workshop: Workshop) -> dict[str, KeptReading]:
    """What is kept, by the text of the rule."""
    passages = await workshop.passages()
    found = await workshop.rules.kept([each.chunk.chunk_id for each in passages], workshop.embedder.model)
    return {
        rule.text: rule.kept
        for passage in passages
        for rule in rules_in(passage, found.get(passage.chunk.chunk_id))
        if rule.kept
    }


def many(count: int) -> dict[str, str | bytes | PolicyBotError]:
    return {f"rule{n}.md": f"# Rule {n}\n\n## Part {n}\n\nAds for thing {n} are not allowed.\n" for n in range(count)}


async def test_rules_are_read_and_embedded_after_documents_were_stored(workshop: Workshop) -> None:
    workshop.rule_reader = reader = FakeReader()

    report = await workshop.run(FakeSource({"beer.md": BEER, "wine.md": WINE}))

    assert (report.chunks, report.rules_read, report.rules_not_read) == (3, 3, None)
    found = await kept(workshop)
    effects = {text: max(each.reading.effects, key=lambda e: each.reading.effects[e]) for text, each in found.items()}
    assert effects == {
        "Ads for beer must not be shown to minors.": Effect.PROHIBITS,
        "Audience aged 18 or over.": Effect.INFORMS,
        "Ads for wine are not allowed.": Effect.PROHIBITS,
        "Ads for wine are allowed.": Effect.ALLOWS,
    }
    assert {each.reader for each in found.values()} == {"fake-1"}
    for text in reader.read_texts:
        assert text in workshop.embedder.embedded
    assert all(each.vector is not None for each in found.values())
    assert len(reader.read_texts) == 4
    assert (await workshop.run(FakeSource({"beer.md": BEER, "wine.md": WINE}))).rules_read == 0
    assert (len(reader.read_texts), workshop.embedder.embedded) == (4, [])


async def test_of_a_new_version_only_what_is_new_in_it_is_read(workshop: Workshop) -> None:
    workshop.rule_reader = reader = FakeReader()
    await workshop.run(FakeSource({"wine.md": WINE}))
    reader.read_texts.clear()
    workshop.wait(1)

    report = await workshop.run(FakeSource({"wine.md": WINE + "\n## Italy\n\nAds for wine need a permit.\n"}))

    assert report.rules_read == 3
    assert [text.rpartition(" | ")[2] for text in reader.read_texts] == ["Ads for wine need a permit."]


async def test_a_newer_reader_reads_again_without_embedding_anything(workshop: Workshop) -> None:
    workshop.rule_reader = FakeReader()
    await workshop.run(FakeSource({"wine.md": WINE}))
    workshop.rule_reader = newer = FakeReader("fake-2")

    report = await workshop.run()

    assert (report.rules_read, len(newer.read_texts), workshop.embedder.embedded) == (2, 2, [])
    assert {each.reader for each in (await kept(workshop)).values()} == {"fake-2"}


async def test_another_embedding_model_embeds_without_reading_anything(workshop: Workshop) -> None:
    workshop.rule_reader = reader = FakeReader()
    await workshop.run(FakeSource({"wine.md": WINE}))
    reader.read_texts.clear()
    workshop.embedder._model = "another"

    assert await read_rules(workshop) == 2
    assert reader.read_texts == []
    assert all(each.vector is not None for each in (await kept(workshop)).values())


async def test_broken_off_in_the_middle_it_goes_on_from_there(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "CHUNKS_AT_ONCE", 4)
    await workshop.run(FakeSource(many(10)))
    workshop.rule_reader = dying = DyingReader(after=4)
    with pytest.raises(Killed):
        await read_rules(workshop)
    assert len(await kept(workshop)) == 4

    workshop.rule_reader = reader = FakeReader()
    steps: list[tuple[int, int]] = []
    assert await read_rules(workshop, lambda done, total, _: steps.append((done, total))) == 6

    assert steps == [(0, 6), (4, 6), (6, 6)]
    assert len(await kept(workshop)) == 10
    assert not set(reader.read_texts) & set(dying.read_texts[:4])


async def test_without_weights_documents_are_ingested_with_a_warning(workshop: Workshop) -> None:
    workshop.rule_reader = FakeReader(missing=True)

    report = await workshop.run(FakeSource({"wine.md": WINE}))

    assert (report.new, report.failed, exit_code(report)) == (1, [], 0)
    assert isinstance(report.rules_not_read, Misconfigured)
    (said,) = remarks(report)
    assert said.startswith("Rules were not read: the weights of the reader are missing (rule-reader.onnx)")
    assert await kept(workshop) == {}
    with pytest.raises(Misconfigured, match="rule_reader_missing"):
        await read_rules(workshop)
    workshop.rule_reader = FakeReader()
    assert (await workshop.run()).rules_read == 2


async def test_a_reader_that_does_not_answer_is_asked_again_in_the_next_run(workshop: Workshop) -> None:
    workshop.rule_reader = reader = FakeReader()
    reader.down = True

    report = await workshop.run(FakeSource({"wine.md": WINE}))

    assert (report.new, report.not_indexed, exit_code(report)) == (1, None, 3)
    assert isinstance(report.rules_not_read, Unavailable)
    reader.down = False
    assert (await workshop.run()).rules_read == 2


async def test_a_plan_reads_no_rules(workshop: Workshop) -> None:
    workshop.rule_reader = reader = FakeReader()
    report: IngestReport = await workshop.run(FakeSource({"wine.md": WINE}), dry_run=True)
    assert (report.rules_read, reader.read_texts) == (0, [])


async def test_what_another_process_reads_just_now_is_not_read_twice(tmp_path: Path) -> None:
    async with open_workshop(tmp_path) as workshop:
        await workshop.run(FakeSource({"wine.md": WINE}))
        workshop.rule_reader = reader = FakeReader()
        async with workshop.lease.hold(RULE_WORK, 0) as is_ours:
            assert is_ours
            with_now = await reading.read_with_now(reader, workshop.embedder)
            assert await reading.read_lacking(workshop, reader, with_now) == 2
        assert await read_rules(workshop) == 0
        assert len(reader.read_texts) == 2


async def test_rules_of_a_version_that_was_released_are_read(workshop: Workshop) -> None:
    workshop.rule_reader = FakeReader()
    long = "# Beer\n\n" + "\n\n".join(f"Condition {n} for beer ads must be met by everybody." for n in range(40))
    await workshop.run(FakeSource({"beer.md": long}))
    workshop.wait(1)
    await workshop.run(FakeSource({"beer.md": "# Beer\n\n## All\n\nNo ads for beer.\n"}))
    (waiting,) = [each for each in await workshop.stored() if each.status is VersionStatus.HELD]
    assert "No ads for beer." not in await kept(workshop)

    await release(workshop, waiting.doc_id, lambda: workshop.now)

    assert "No ads for beer." in await kept(workshop)
    workshop.rule_reader = FakeReader("fake-2")
    assert (await ingest((), workshop, lambda: workshop.now)).rules_read == len(await workshop.passages())


class Killed(BaseException):
    """Nothing catches it."""


class DyingReader(FakeReader):
    """Its process ends after so many texts."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self._after = after

    async def read(self, rules: Sequence[RuleText]) -> list[RuleReading]:
        if len(self.read_texts) + len(rules) > self._after:
            raise Killed
        return await super().read(rules)
