"""`preview`: how one document is read. It needs the model's tokenizer and a reader, and no store."""

import argparse
import sys
from pathlib import Path
from typing import TextIO

from ingest import wording
from ingest.model.operators import utc_now
from ingest.parts import DocumentReader
from ingest.preview import Asked, preview
from ingest.preview_report import preview_json, preview_text
from rag_core.errors import Misconfigured, Rejected
from rag_core.ports import Embedder
from rag_core.rules.reader import Reader as RuleReader


async def preview_command(
    args: argparse.Namespace,
    embedder: Embedder,
    reader: DocumentReader,
    catalogue: Path,
    out: TextIO | None = None,
    rule_reader: RuleReader | None = None,
) -> int:
    """0, or 2 for a document that cannot be read. Raises Unavailable."""
    asked = Asked(args.file, args.catalogue or catalogue, args.chunker, args.region)
    try:
        found = await preview(asked, reader, embedder.count_tokens, embedder.max_tokens, utc_now(), rule_reader)
    except (Rejected, Misconfigured) as error:
        if not wording.knows(error.code):
            raise
        print(wording.refused(error.code, error.details), file=sys.stderr)
        return 2
    print(preview_json(found) if args.format == "json" else preview_text(found), file=out or sys.stdout)
    return 0
