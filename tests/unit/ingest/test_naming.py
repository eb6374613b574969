from datetime import date

import pytest

from ingest.naming import date_in_name, document_id, document_names, slug, title_from, version_id, version_number


def test_slugs() -> None:
    assert slug("Advertising Content Policy") == "advertising_content_policy"
    assert slug("Crème & Öl!") == "creme_ol"
    assert slug("文") == ""


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("2026-02-26_x.md", date(2026, 2, 26)),
        ("alcohol.2025-03-01.md", date(2025, 3, 1)),
        ("folder/2025-03-01/alcohol.md", None),
        ("2025-13-01.md", None),
        ("alcohol.md", None),
        ("12025-03-01.md", None),
    ],
)
def test_dates_in_file_names(name: str, day: date | None) -> None:
    assert date_in_name(name) == day


def test_documents_are_named_for_their_files_without_date_and_hash() -> None:
    assert document_names(["a/Alcohol Policy.md", "beer.2025-03-01.md", "beer.2026-01-01.html"]) == {
        "a/Alcohol Policy.md": "alcohol_policy",
        "beer.2025-03-01.md": "beer",
        "beer.2026-01-01.html": "beer",
    }
    assert document_names(["Reddit/2026-02-26_fc0437be.md", "2026-02-26_fc0437be.md"]) == {
        "Reddit/2026-02-26_fc0437be.md": "reddit",
        "2026-02-26_fc0437be.md": "policy",
    }


def test_files_of_one_name_in_several_folders_are_several_documents() -> None:
    assert document_names(["ads/overview.md", "apps/overview.md", "apps/beer.md"]) == {
        "ads/overview.md": "ads_overview",
        "apps/overview.md": "apps_overview",
        "apps/beer.md": "beer",
    }


def test_ids() -> None:
    assert document_id("acme", "beer") == "acme_beer"
    assert document_id("acme", "acme_beer") == "acme_beer"
    assert document_id("acme", "acme") == "acme_policy"
    assert version_id("acme_beer", date(2026, 1, 2), 1) == "acme_beer_2026-01-02"
    assert version_id("acme_beer", date(2026, 1, 2), 3) == "acme_beer_2026-01-02.3"
    assert [version_number(each) for each in ("acme_beer_2026-01-02", "acme_beer_2026-01-02.12")] == [1, 12]


def test_titles() -> None:
    assert title_from("personal-data.2025-03-01.md") == "Personal data"
    assert title_from("2025-03-01.md") == "2025-03-01.md"
