"""Rulebooks that are never mixed: declared in a catalogue, ingested, asked over REST, shown in the scope line."""

from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from ingest.cli import ingest_catalogue
from ops.config import Config
from ops.wiring import open_answering, open_ingest
from rag_core.answers import Refusal, RefusalReason
from rag_core.errors import Misconfigured
from rag_core.questions import AskRequest
from tests.fakes.ingested import ingest_all, web_parts
from tests.fakes.web import Site, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

CATALOGUE = """
labels:
  variant: {indoor: [indoor, inside], outdoor: [outdoor, open air], default: outdoor}
sources:
  - {id: screens, type: folder, path: screens, policy_source: lumen, display_name: Lumen Screens}
"""
_FACTS = "---\neffective_from: 2026-01-01\nlabels: {{variant: {}}}\n---\n"
DOCUMENTS = {
    "inside.md": _FACTS.format("indoor") + "# Indoor screens\n\n## Alcohol\n\nAds for beer are prohibited.\n",
    "outside.md": _FACTS.format("outdoor") + "# Outdoor screens\n\n## Alcohol\n\n"
    "Ads for beer are allowed only with a licence.\n",
    "all.md": "---\neffective_from: 2026-01-01\n---\n# All screens\n\n## Alcohol\n\n"
    "Ads for beer must carry a health warning.\n",
}


def _laid_out(folder: Path) -> Config:
    (folder / "screens").mkdir()
    (folder / "catalogue.yaml").write_text(CATALOGUE)
    for name, text in DOCUMENTS.items():
        (folder / "screens" / name).write_text(text)
    return Config(data_dir=folder / "data", catalogue=folder / "catalogue.yaml")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def site(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    config = _laid_out(tmp_path_factory.mktemp("labels"))
    await ingest_all(config)
    async with open_answering(config) as answering, serving(web_parts(answering)) as served:
        yield served


async def ask(site: Site, question: str, **more: object) -> dict[str, Any]:
    status, body = await site.post("/api/v1/ask", {"question": question} | more)
    assert status == 200, body
    return body


def cited(body: dict[str, Any]) -> set[str]:
    return {each["title"] for each in body["citations"]}


async def test_a_question_that_names_a_variant_gets_that_rulebook_and_not_the_other(site: Site) -> None:
    body = await ask(site, "can I advertise beer on indoor screens?")
    assert body["verdict"] == "prohibited"
    assert "Indoor screens" in cited(body)
    assert "Outdoor screens" not in cited(body)
    assert body["scope"]["labels"] == {"variant": ["indoor"]}
    assert "labels" in body["scope"]["inferred"]
    assert "variant: indoor (from “indoor”)" in body["text"]


async def test_one_that_names_none_gets_the_default_and_is_told_so(site: Site) -> None:
    body = await ask(site, "can I advertise beer on screens?")
    assert body["verdict"] == "restricted"
    assert "Outdoor screens" in cited(body)
    assert "Indoor screens" not in cited(body)
    assert body["scope"]["labels"] == {"variant": ["outdoor"]}
    assert "variant: outdoor (assumed)" in body["text"]
    _, page = await site.page("/?q=can+I+advertise+beer+on+screens%3F")
    assert "variant: outdoor (assumed)" in page


async def test_a_filter_wins_over_the_words(site: Site) -> None:
    body = await ask(site, "can I advertise beer on indoor screens?", filters={"labels": {"variant": "outdoor"}})
    assert cited(body) == {"Outdoor screens"}


async def test_a_follow_up_keeps_the_variant_or_replaces_it(site: Site) -> None:
    history = [{"role": "user", "content": "can I advertise beer on indoor screens?"}]
    other = await ask(site, "and outdoor?", history=history)
    assert other["scope"]["labels"] == {"variant": ["outdoor"]}
    assert "Indoor screens" not in cited(other)


async def test_another_language_is_read_where_the_embedder_is_said_to_read_it(tmp_path: Path) -> None:
    config = _laid_out(tmp_path)
    async with open_ingest(config) as parts:
        await ingest_catalogue(config.catalogue, parts)
    asked = AskRequest("darf ich auf den Bildschirmen drinnen für Bier werben?", date(2026, 3, 1))
    for multilingual in (False, True):
        async with open_answering(config.model_copy(update={"embedding_multilingual": multilingual})) as answering:
            reply, _ = await answering.asker.ask(asked)
            refused = isinstance(reply, Refusal) and reply.reason is RefusalReason.UNSUPPORTED_LANGUAGE
            assert refused is not multilingual


async def test_without_its_catalogue_the_bot_does_not_start(tmp_path: Path) -> None:
    """It could not tell one variant from the other any more."""
    config = _laid_out(tmp_path)
    config.catalogue.unlink()
    with pytest.raises(Misconfigured, match="catalogue_missing"):
        async with open_answering(config):
            pass
