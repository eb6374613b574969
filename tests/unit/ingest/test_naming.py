from datetime import date

import pytest

from ingest.dates.file_names import date_in_name, version_in_name
from ingest.model.names import document_id, document_names, oldest_first, slug, title_from, version_id, version_number


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
        ("alcohol_20260301.pdf", date(2026, 3, 1)),
        ("2026_03_01 alcohol.md", date(2026, 3, 1)),
        ("alcohol.2026.03.01.md", date(2026, 3, 1)),
        ("alcohol-31-12-2025.md", date(2025, 12, 31)),
        ("alcohol 12.31.2025.md", date(2025, 12, 31)),
        ("alcohol 03-03-2025.md", date(2025, 3, 3)),
        ("alcohol-1-march-2026.md", date(2026, 3, 1)),
        ("Alcohol Policy March 1st, 2026.pdf", date(2026, 3, 1)),
        ("2026-03-01_20250101.md", date(2026, 3, 1)),
        ("20260301_alcohol_20260301.md", date(2026, 3, 1)),
        ("20260301-20260401.md", None),
        ("01-03-2026.md", None),
        ("01.03.2026.md", None),
        ("alcohol-march-2026.md", None),
        ("beer-12-2026.md", None),
        ("alcohol-2026.md", None),
        ("20261301.md", None),
        ("19740101.md", None),
        ("10520683.md", None),
        ("70235493.md", None),
        ("ab20260301.md", None),
        ("20260301ab.md", None),
        ("120260301.md", None),
        ("20260301101500.md", None),
        ("v2026.03.01.md", None),
        ("020-7946-2012.md", None),
        ("4420260301.md", None),
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


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("alcohol_v1.md", (1,)),
        ("Alcohol Policy v2.1.pdf", (2, 1)),
        ("Alcohol Policy V2.1", (2, 1)),
        ("alcohol-version-3.docx", (3,)),
        ("alcohol Version 3.1.4.docx", (3, 1, 4)),
        ("v12.md", (12,)),
        ("rules/v1/alcohol_v2_2026-03-01.md", (2,)),
        ("rules/v1/alcohol.md", None),
        ("tv1.md", None),
        ("cov2x.md", None),
        ("v2x.md", None),
        ("alcohol-v.md", None),
        ("conversion-3.md", None),
        ("version-2026.md", None),
        ("alcohol_v20260301.md", None),
        ("from-v1-to-v2.md", None),
        ("alcohol 2.md", None),
    ],
)
def test_versions_in_file_names(name: str, version: tuple[int, ...] | None) -> None:
    assert version_in_name(name) == version


def test_files_that_a_version_mark_or_a_date_tells_apart_are_one_document() -> None:
    assert document_names(["alcohol_v1.md"]) == {"alcohol_v1.md": "alcohol"}
    several = [
        "alcohol.md",
        "alcohol_v1.md",
        "Alcohol Version 2.1.pdf",
        "alcohol_v3_20260301.md",
        "alcohol-1-may-2026.md",
    ]
    assert set(document_names(several).values()) == {"alcohol"}
    assert document_names(["tv1.md", "from-v1-to-v2.md", "beer-01-03-2026.md", "no4420260301.md"]) == {
        "tv1.md": "tv1",
        "from-v1-to-v2.md": "from_v1_to_v2",
        "beer-01-03-2026.md": "beer_01_03_2026",
        "no4420260301.md": "no4420260301",
    }


def test_version_marks_stand_for_their_folder_where_there_is_no_other_name() -> None:
    assert document_names(["ads/alcohol/v1.md", "ads/alcohol/v2.md"]) == {
        "ads/alcohol/v1.md": "alcohol",
        "ads/alcohol/v2.md": "alcohol",
    }
    assert document_names(["v1.md", "policy.md"]) == {"v1.md": "policy", "policy.md": "policy"}


def test_versions_in_several_folders_are_several_documents() -> None:
    assert document_names(["ads/beer_v1.md", "ads/beer_v2.md", "apps/beer_v1.md"]) == {
        "ads/beer_v1.md": "ads_beer",
        "ads/beer_v2.md": "ads_beer",
        "apps/beer_v1.md": "apps_beer",
    }


def test_undated_files_named_for_hashes_are_several_documents() -> None:
    assert document_names(["acme/fc0437be.md", "acme/ba41442b.md"]) == {
        "acme/fc0437be.md": "acme_fc0437be",
        "acme/ba41442b.md": "acme_ba41442b",
    }


def test_versions_are_told_oldest_first() -> None:
    assert oldest_first(["a_v10.md", "a_v2.md", "b.md", "c/a_v1.md"]) == ["a_v2.md", "a_v10.md", "b.md", "c/a_v1.md"]
    assert oldest_first(["a_v2.1.md", "a_v2.md", "a_v3.md", "a.md"]) == ["a.md", "a_v2.md", "a_v2.1.md", "a_v3.md"]
    assert oldest_first(["a.md", "a_v1.md", "a_v2.md"]) == ["a_v1.md", "a_v2.md", "a.md"]
    dated = ["a_v2_2026-01-01.md", "a_v1_2026-01-02.md"]
    assert oldest_first(dated) == dated


def test_ids() -> None:
    assert document_id("acme", "beer") == "acme_beer"
    assert document_id("acme", "acme_beer") == "acme_beer"
    assert document_id("acme", "acme") == "acme_policy"
    assert version_id("acme_beer", date(2026, 1, 2), 1) == "acme_beer_2026-01-02"
    assert version_id("acme_beer", date(2026, 1, 2), 3) == "acme_beer_2026-01-02.3"
    assert [version_number(each) for each in ("acme_beer_2026-01-02", "acme_beer_2026-01-02.12")] == [1, 12]


def test_titles() -> None:
    assert title_from("personal-data.2025-03-01.md") == "Personal data"
    assert title_from("personal-data_20250301.md") == "Personal data"
    assert title_from("Personal data v2.1") == "Personal data v2 1"
    assert title_from("2025-03-01.md") == "2025-03-01.md"
