"""`python -m ops evaluate draft`: a file of drafted golden questions, and what was left out."""

import argparse
import asyncio
import sys
from collections import Counter
from datetime import date
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from ops import wording_evaluation as wording
from ops.config import Config
from ops.evaluation.corpora import SETTINGS, corpus_named, default_cache, ingested
from ops.evaluation.drafting import Draft, Flaw, draft_from, picked
from ops.models import open_model
from ops.parts import utc_now
from ops.wiring import open_answering
from rag_core.documents import Passage
from rag_core.errors import Misconfigured, Unavailable
from rag_core.ports import AnswerModel, PolicyStore

_LAST_CHUNK = 100_000


async def draft_questions(args: argparse.Namespace, config: Config, own: AnswerModel | None = None) -> int:
    """0, also where fewer were drafted than asked for. `own`: a model other than the one of the settings.

    Raises Misconfigured("draft_output_missing" | "draft_output_exists" | "draft_model_missing"), Unavailable where
    the model wrote nothing at all, and what reading the corpus raises.
    """
    output = await asyncio.to_thread(_free, args.output)
    async with open_model(config) as configured:
        model = own or configured
        if model is None:
            raise Misconfigured("draft_model_missing")
        passages = await _passages(args, config)
        found = await _drafted(model, passages)
    drafts = [each for each in found if isinstance(each, Draft)]
    flaws = Counter(each for each in found if isinstance(each, Flaw))
    if passages and flaws[Flaw.NOT_WRITTEN] == len(passages):
        raise Unavailable("draft_model_silent", model=model.name)
    lines = "".join(f"{each.line(args.corpus)}\n" for each in drafts)
    await asyncio.to_thread(_write, output, lines)
    print(wording.drafted(len(drafts), str(output), {str(flaw): count for flaw, count in flaws.items()}))
    return 0


async def _passages(args: argparse.Namespace, config: Config) -> list[Passage]:
    """Chunks of the public documents in force; of the settings' own as they are filled, else of a corpus."""
    if args.corpus != SETTINGS:
        corpus = corpus_named(args.corpus, config, args.data)
        config = await ingested(corpus, config, args.cache or default_cache())
    day = args.today or utc_now().date()
    async with open_answering(config.model_copy(update={"model": "none"})) as answering:
        documents = await _documents(answering.store, day)
    return picked(documents, args.count, args.seed)


async def _documents(store: PolicyStore, day: date) -> list[list[Passage]]:
    everybody = frozenset[str]()
    held = [each for each in await store.versions(everybody) if each.holds_on(day)]
    return [await store.section(each.doc_id, 0, _LAST_CHUNK, everybody) for each in held]


async def _drafted(model: AnswerModel, passages: list[Passage]) -> list[Draft | Flaw]:
    """One after the other, with progress on standard error."""
    found: list[Draft | Flaw] = []
    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        for passage in bar.track(passages, description=wording.drafting()):
            found.append(await draft_from(model, passage))
    return found


def _free(output: Path | None) -> Path:
    """Never over a file that somebody may be working on."""
    if output is None:
        raise Misconfigured("draft_output_missing")
    if output.exists():
        raise Misconfigured("draft_output_exists", path=str(output))
    return output


def _write(output: Path, lines: str) -> None:
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(lines, encoding="utf-8")
    except OSError as exc:
        raise Misconfigured("evaluation_report_unwritable", path=str(output)) from exc
