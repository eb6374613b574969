from datetime import UTC, date, datetime

import pytest

from ingest.model.document_types import DOCX, HTML, MARKDOWN
from ingest.reader.contents import Contents, ReadingTask, contents_of
from ingest.reader.parsing import parse
from tests.fakes.docx import cell, docx, paragraph, row, table

TODAY = date(2026, 7, 1)


def read(content: str | bytes, mime_type: str = MARKDOWN) -> Contents:
    given = content.encode() if isinstance(content, str) else content
    task = ReadingTask(given, mime_type, "a.md", {}, True, "global", "rules", TODAY)
    return contents_of(parse(given, mime_type), task, len, 2_000)


EIP = """---
eip: 1234
title: Signed consent: a registry
status: Rejected
type: Standards Track
author: Ada Byron (@ada), Bo Li <bo@li.example>
created: 2019-03-04
requires: 20, 165
layout: wide
---
# Signed consent

## Abstract

Consent is registered.
"""
PEP = """PEP: 9999
Title: Signed consent
Author: Ada Byron <ada@byron.example>,
        Bo Li <bo@li.example>
Status: Withdrawn
Type: Process
Created: 04-Mar-2019

Abstract
========

Consent is registered.
"""


def test_front_matter_of_a_proposal_is_both_facts_and_text() -> None:
    found = read(EIP)

    assert found.facts.labels == {"status": "rejected", "type": "standards track"}
    assert found.facts.author == "Ada Byron (@ada), Bo Li"
    assert found.facts.posted_at == datetime(2019, 3, 4, tzinfo=UTC)
    assert found.text.startswith(
        "# Signed consent\n\nEIP: 1234.\n\nStatus: Rejected.\n\nType: Standards Track.\n\n"
        "Author: Ada Byron (@ada), Bo Li <bo@li.example>.\n\nCreated: 2019-03-04.\n\nRequires: 20, 165.\n\n"
        "## Abstract\n"
    )
    assert found.drafts[0].path == ("Signed consent",)


def test_lines_of_keys_and_values_at_the_top_are_facts_and_stay_apart() -> None:
    found = read(PEP)

    assert found.facts.labels == {"status": "withdrawn", "type": "process"}
    assert found.facts.author == "Ada Byron, Bo Li"
    assert found.facts.posted_at == datetime(2019, 3, 4, tzinfo=UTC)
    assert "\n\nStatus: Withdrawn\n\nType: Process\n\n" in found.text


@pytest.mark.parametrize(
    ("content", "mime_type"),
    [
        ("# T\n\n- Status: Accepted\n- Author: Ada\n- Start Date: 2019-03-04\n\nText.\n", MARKDOWN),
        ("# T\n\n**Status:** Accepted\n**Author:** Ada\n**Created:** March 4, 2019\n\nText.\n", MARKDOWN),
        ("# T\n\n| Status | Accepted |\n|--|--|\n| Author | Ada |\n| Created | 2019-03-04 |\n\nText.\n", MARKDOWN),
        ("T\n===\n\n```\n  Status: Accepted\n  Author: Ada\n  Created: 2019-03-04\n```\n\nText.\n", MARKDOWN),
        (
            "<h1>T</h1><table><tr><th>Status:</th><td>Accepted</td></tr><tr><th>Author:</th><td>Ada</td></tr>"
            "<tr><th>Created:</th><td>4 March 2019</td></tr></table><p>Text.</p>",
            HTML,
        ),
        (
            "<h1>T</h1><dl><dt>Status</dt><dd>Accepted</dd><dt>Author:</dt><dd>Ada</dd><dt>Created:</dt>"
            "<dd>2019-03-04</dd></dl><p>Text.</p>",
            HTML,
        ),
        (
            docx(
                paragraph("T", "heading1")
                + table(
                    row(cell("Status"), cell("Accepted")),
                    row(cell("Author"), cell("Ada")),
                    row(cell("Created"), cell("2019-03-04")),
                )
                + paragraph("Text.")
            ),
            DOCX,
        ),
    ],
)
def test_headers_of_other_forms_state_the_same_facts(content: str | bytes, mime_type: str) -> None:
    facts = read(content, mime_type).facts

    assert facts.labels == {"status": "accepted"}
    assert facts.author == "Ada"
    assert facts.posted_at == datetime(2019, 3, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    "content",
    [
        "# Beer\n\nType: image\nSize: 300 by 250\n\nBeer is restricted.\n",
        "# Beer\n\n| Type | Status |\n|--|--|\n| Image | allowed |\n| Video | prohibited |\n",
        "# Beer\n\nBeer is restricted.\n\n## Review\n\nStatus: pending until checked.\n",
        "---\ntitle: Beer\ntype: article\ndescription: On beer\n---\nBeer is restricted.\n",
    ],
)
def test_what_is_no_header_of_a_proposal_gives_neither_author_nor_status(content: str) -> None:
    found = read(content)

    assert "status" not in found.facts.labels
    assert found.facts.author is None
    assert "Description" not in found.text


def test_a_file_that_is_nothing_but_a_header_keeps_its_last_line() -> None:
    assert read("Status: Draft\nAuthor: Ada").text == "Status: Draft\n\nAuthor: Ada\n"


def test_one_line_with_the_status_below_the_title_is_enough() -> None:
    assert read("# T\n\nStatus: Draft\n\nText.\n").facts.labels == {"status": "draft"}


def test_what_the_source_knows_goes_before_what_the_text_says() -> None:
    task = ReadingTask(
        b"Status: Draft\nAuthor: Ada\n\nText.\n", MARKDOWN, "a.md", {"author": "Bo"}, True, "uk", "rules", TODAY
    )

    assert contents_of(parse(task.content, MARKDOWN), task, len, 2_000).facts.author == "Bo"


def test_a_day_of_front_matter_without_time_zone_is_one_of_utc() -> None:
    assert read("---\nposted_at: 2026-01-02\n---\nx\n").facts.posted_at == datetime(2026, 1, 2, tzinfo=UTC)


def test_many_authors_are_shortened_to_whole_names() -> None:
    names = [f"Person Number {at}" for at in range(40)]

    author = read(f"---\nauthors: [{', '.join(names)}]\nstatus: Draft\n---\nx\n").facts.author or ""

    assert len(author) <= 200
    assert author.split(", ") == names[: author.count(",") + 1]
