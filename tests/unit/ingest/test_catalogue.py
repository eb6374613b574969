from pathlib import Path

import pytest

from ingest.catalogue import open_sources, read_catalogue
from rag_core.documents import Classification, ContentType, PolicySource
from rag_core.errors import Misconfigured

MINIMAL = """sources:
  - id: acme
    type: folder
    path: docs
    policy_source: acme
    display_name: Acme Ads
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "catalogue.yaml"
    path.write_text(text, encoding="utf-8")
    return path


async def test_a_source_with_everything(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        MINIMAL
        + "    aliases: [Acme, AcmeBook]\n    region: GB\n    content_type: video\n    classification: restricted\n"
        + "    allowed_groups: [legal]\n    labels: {stage: Live}\n    default_url: https://acme.example/\n",
    )
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "beer.md").write_text("x", encoding="utf-8")

    (source,) = open_sources(read_catalogue(path), path)

    assert source.source_id == "acme"
    assert source.defaults.policy_source == PolicySource("acme", "Acme Ads", ("Acme", "AcmeBook"))
    assert source.defaults.region == "uk"
    assert source.defaults.content_type is ContentType.VIDEO
    assert source.defaults.classification is Classification.RESTRICTED
    assert source.defaults.allowed_groups == frozenset({"legal"})
    assert source.defaults.labels == {"stage": "live"}
    assert not source.defaults.guessed
    raw = await source.fetch((await source.discover())[0])
    assert (raw.content, raw.url) == (b"x", "https://acme.example/")


@pytest.mark.parametrize(
    ("text", "line", "key", "problem"),
    [
        (MINIMAL.replace("path:", "pth:"), 4, "sources[0].pth", "did you mean path?"),
        (MINIMAL.replace("    path: docs\n", ""), 2, "sources[0].path", "Field required"),
        (MINIMAL.replace("folder", "website"), 3, "sources[0].type", "Input should be 'folder'"),
        (MINIMAL + "    region: atlantis\n", 7, "sources[0].region", "unknown region 'atlantis'"),
        (MINIMAL.replace("policy_source: acme", "policy_source: Acme Ads"), 5, "sources[0].policy_source", "pattern"),
        (MINIMAL + "    content_type: smell\n", 7, "sources[0].content_type", "Input should be"),
        (MINIMAL + MINIMAL.removeprefix("sources:\n"), 7, "sources[1].id", "used twice"),
        ("sources: []\n", 1, "sources", "at least 1 item"),
        ("sources:\n  - id: [\n", 3, "", "expected"),
        ("", None, "", "valid dictionary"),
        ("source:\n  - x\n", 1, "source", "did you mean sources?"),
    ],
)
def test_what_is_wrong_is_named_with_file_line_and_key(
    tmp_path: Path, text: str, line: int | None, key: str, problem: str
) -> None:
    path = written(tmp_path, text)

    with pytest.raises(Misconfigured, match="catalogue_invalid") as caught:
        read_catalogue(path)

    assert caught.value.details["path"] == str(path)
    assert caught.value.details["line"] == line
    assert caught.value.details["key"] == key
    assert problem in str(caught.value.details["problem"])


def test_a_missing_catalogue(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="catalogue_missing"):
        read_catalogue(tmp_path / "none.yaml")


def test_a_catalogue_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "catalogue.yaml").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(Misconfigured, match="catalogue_invalid"):
        read_catalogue(tmp_path / "catalogue.yaml")


def test_the_sample_catalogue_is_valid() -> None:
    path = Path(__file__).resolve().parents[3] / "ingest" / "sample" / "catalogue.yaml"

    assert read_catalogue(path).sources
