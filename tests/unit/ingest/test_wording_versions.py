"""What people read of versions that are refused, held, or only to be known of."""

import pytest

from ingest import wording
from ingest.model.report import Failure, Note

DAY = {"doc_id": "acme_beer_2026-05-01", "day": "2026-05-01"}


@pytest.mark.parametrize(
    ("code", "details", "said"),
    [
        ("supersedes_unknown", {"name": "acme_wine", "document_id": "acme_beer"}, "acme_wine"),
        ("version_backdated", DAY | {"live_doc_id": "acme_beer_2026-05-09"}, "acme_beer_2026-05-09"),
        ("version_future", DAY, "holds from 2026-05-01"),
        ("version_held", DAY | {"was": 9000, "now": 12, "why": "shrunk"}, "9000 characters before, 12 now"),
        ("version_held", DAY | {"was": 9000, "now": 8000, "why": "other_page"}, "another page"),
        ("version_held", DAY | {"was": None, "now": None, "why": None}, "unlike the version before"),
        (
            "versions_overlap",
            DAY | {"ends": "2026-07-01", "next_doc_id": "acme_beer_2026-06-01", "next_from": "2026-06-01"},
            "acme_beer_2026-06-01 holds from 2026-06-01",
        ),
        ("versions_same_day", DAY | {"doc_ids": ["a", "b"], "holds": "acme_beer_2026-05-01.2"}, "2026-05-01.2 holds"),
    ],
)
def test_each_note_says_what_happened(code: str, details: dict[str, object], said: str) -> None:
    sentence = wording.noted(Note("acme-docs", "beer.md", code, details))

    assert sentence.startswith("acme-docs: beer.md: ")
    assert said in sentence
    assert "None" not in sentence


def test_what_is_held_says_how_to_release_it_and_what_is_refused_how_to_force_it() -> None:
    held = wording.noted(Note("acme-docs", "beer.md", "version_held", DAY | {"was": 9, "now": 1, "why": "shrunk"}))
    taken = wording.failed(Failure("acme-docs", "beer.md", "doc_id_taken", DAY | {"document_id": "acme_beer"}))

    assert "python -m ingest release acme_beer_2026-05-01" in held
    assert "effective_from" in taken
    assert "--force acme_beer," in taken
