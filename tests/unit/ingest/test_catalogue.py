from datetime import date, timedelta
from pathlib import Path

import pytest

from ingest.catalogue import LabelWords, open_sources, read_catalogue
from ingest.catalogue.entries import DiscourseEntry, GitEntry, JsonLinesEntry, WebsiteEntry
from ingest.catalogue.schedules import Schedule
from rag_core.documents import Classification, ContentType, PolicySource
from rag_core.errors import Misconfigured

MINIMAL = """sources:
  - id: acme
    type: folder
    path: docs
    policy_source: acme
    display_name: Acme Ads
"""
NAMES = "    policy_source: acme\n    display_name: Acme Ads\n"
SITE = "sources:\n  - id: acme-site\n    type: website\n    start_urls: [https://acme.example/ads/]\n" + NAMES
GIT = "sources:\n  - id: acme-git\n    type: git\n    repository: https://git.example/acme.git\n" + NAMES
FORUM = "sources:\n  - id: acme-forum\n    type: discourse\n    address: https://forum.acme.example\n" + NAMES
SECOND = MINIMAL.removeprefix("sources:\n").replace("id: acme", "id: other")
VARIANT = "labels:\n  variant: {indoor: [indoor, Inside], outdoor: [outdoor, open  air], default: outdoor}\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "catalogue.yaml"
    path.write_text(text, encoding="utf-8")
    return path


async def test_a_source_with_everything(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        MINIMAL
        + "    aliases: [Acme, AcmeBook]\n    region: GB\n    content_type: video\n    classification: restricted\n"
        + "    allowed_groups: [legal]\n    labels: {stage: Live}\n    default_url: https://acme.example/\n"
        + "    chunker: auto\n    misses: 2\n",
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
    assert (source.defaults.chunker, source.defaults.misses) == ("auto", 2)
    assert not source.defaults.guessed
    raw = await source.fetch((await source.discover())[0])
    assert raw is not None
    assert (raw.content, raw.url) == (b"x", "https://acme.example/")


def test_who_names_groups_and_no_classification_means_these_groups_and_nobody_else(tmp_path: Path) -> None:
    path = written(tmp_path, MINIMAL + "    allowed_groups: [legal]\n" + SECOND)
    named, open_to_all = open_sources(read_catalogue(path), path)
    assert named.defaults.classification is Classification.RESTRICTED
    assert named.defaults.allowed_groups == frozenset({"legal"})
    assert open_to_all.defaults.classification is Classification.PUBLIC


def test_a_website(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        SITE
        + "    allowed_paths: [/ads/, '^/help/\\d+$', https://help.acme.example/]\n    sitemap: false\n"
        + "    follow_links: false\n    most_pages: 20\n    selectors: {content: main, drop: .share}\n"
        + "    schedule: every 6h\n    jitter: 10m\n    suspicious_shrink: 0.5\n",
    )

    (entry,) = read_catalogue(path).sources

    assert isinstance(entry, WebsiteEntry)
    assert entry.allowed_paths == ("/ads/", r"^/help/\d+$", "https://help.acme.example/")
    assert (entry.sitemap, entry.follow_links, entry.most_pages, entry.misses) == (False, False, 20, 3)
    assert entry.selectors is not None
    assert (entry.selectors.content, entry.selectors.drop) == ("main", (".share",))
    assert (entry.schedule, entry.jitter) == (Schedule(interval=timedelta(hours=6)), timedelta(minutes=10))
    assert entry.suspicious_shrink == 0.5


def test_sitemaps_may_be_named(tmp_path: Path) -> None:
    path = written(tmp_path, SITE + "    sitemap: [https://acme.example/map.xml]\n")

    (entry,) = read_catalogue(path).sources

    assert isinstance(entry, WebsiteEntry)
    assert entry.sitemap == ("https://acme.example/map.xml",)


def test_a_repository_a_forum_and_an_export(tmp_path: Path) -> None:
    texts = [
        GIT + "    branch: main\n    paths: [ads/]\n    since: 2024-05-01\n",
        FORUM + "    categories: [5, policies/7]\n    topics: [12]\n",
        MINIMAL.replace("folder", "jsonl").replace("path: docs", "address: https://acme.example/x.jsonl"),
    ]

    entries = [read_catalogue(written(tmp_path, text)).sources[0] for text in texts]

    git, forum, export = entries
    assert isinstance(git, GitEntry)
    assert (git.branch, git.paths, git.since) == ("main", ("ads/",), date(2024, 5, 1))
    assert isinstance(forum, DiscourseEntry)
    assert (forum.categories, forum.topics) == (("5", "policies/7"), (12,))
    assert isinstance(export, JsonLinesEntry)
    assert (export.path, export.address) == (None, "https://acme.example/x.jsonl")


def test_groups_and_the_ids_of_their_members(tmp_path: Path) -> None:
    members = ["slack:T1/usergroup/S1", "slack:T1/channel/C1", "entra:contoso/" + "0a" * 18, "oidc:legal"]
    path = written(tmp_path, f"groups:\n  legal: [{', '.join(members)}]\n" + MINIMAL + "    allowed_groups: [legal]\n")

    assert read_catalogue(path).groups == {"legal": tuple(members)}


def test_words_that_name_a_label(tmp_path: Path) -> None:
    catalogue = read_catalogue(written(tmp_path, VARIANT + MINIMAL + "    labels: {variant: Indoor}\n"))

    (words,) = catalogue.label_words()

    assert words == LabelWords(
        "variant", {"indoor": ("indoor", "inside"), "outdoor": ("outdoor", "open air")}, "outdoor"
    )
    assert catalogue.sources[0].defaults().labels == {"variant": "indoor"}


def test_a_source_may_declare_them_and_its_documents_have_the_default(tmp_path: Path) -> None:
    declared = "    labels:\n      stage: live\n      variant: {indoor: inside, outdoor: outside, default: outdoor}\n"
    catalogue = read_catalogue(written(tmp_path, MINIMAL + declared))

    assert catalogue.sources[0].defaults().labels == {"stage": "live", "variant": "outdoor"}
    assert [words.key for words in catalogue.label_words()] == ["variant"]
    without = read_catalogue(written(tmp_path, MINIMAL + declared.replace(", default: outdoor", "")))
    assert without.sources[0].defaults().labels == {"stage": "live"}


@pytest.mark.parametrize(
    ("text", "line", "key", "problem"),
    [
        (MINIMAL.replace("path:", "pth:"), 4, "sources[0].pth", "did you mean path?"),
        (MINIMAL.replace("    path: docs\n", ""), 2, "sources[0].path", "Field required"),
        (MINIMAL.replace("folder", "websit"), 3, "sources[0].type", "unknown type websit; did you mean website?"),
        (MINIMAL.replace("    type: folder\n", ""), 2, "sources[0].type", "one of folder, website"),
        (MINIMAL + "    region: atlantis\n", 7, "sources[0].region", "unknown region 'atlantis'"),
        (MINIMAL.replace("policy_source: acme", "policy_source: Acme Ads"), 5, "sources[0].policy_source", "pattern"),
        (MINIMAL + "    content_type: smell\n", 7, "sources[0].content_type", "known: ad_text"),
        (MINIMAL + "    content_type: vido\n", 7, "sources[0].content_type", "did you mean video?"),
        (MINIMAL + "    chunker: rule\n", 7, "sources[0].chunker", "did you mean rules?"),
        (MINIMAL + "    start_urls: []\n", 7, "sources[0].start_urls", "unknown key start_urls"),
        (MINIMAL + "    suspicious_shrink: 80\n", 7, "sources[0].suspicious_shrink", "less than or equal to 1"),
        (MINIMAL + "    misses: 0\n", 7, "sources[0].misses", "greater than or equal to 1"),
        (MINIMAL + "    schedule: hourly\n", 7, "sources[0].schedule", "write every 6h"),
        (MINIMAL + "    schedule: every 1m\n", 7, "sources[0].schedule", "too often"),
        (MINIMAL + "    schedule: 61 * * * *\n", 7, "sources[0].schedule", "is no schedule"),
        (MINIMAL + "    jitter: a while\n", 7, "sources[0].jitter", "write 30m"),
        (MINIMAL + "    jitter: 2d\n", 7, "sources[0].jitter", "at most 1d"),
        (MINIMAL + "    path: twice\n", 7, "", "path stands twice"),
        ("sources: &s [*s]\n", 1, "sources[0]", "a valid dictionary"),
        (MINIMAL + MINIMAL.removeprefix("sources:\n"), 7, "sources[1].id", "used twice"),
        (MINIMAL + SECOND.replace("Acme Ads", "Acme"), 11, "sources[1].display_name", "is called Acme Ads"),
        (SITE.replace("[https://acme.example/ads/]", "[acme.example]"), 4, "sources[0].start_urls[0]", "pattern"),
        (SITE + "    allowed_paths: [ads]\n", 7, "sources[0].allowed_paths[0]", "neither a path"),
        (SITE + "    allowed_paths: ['^/(']\n", 7, "sources[0].allowed_paths[0]", "no regular expression"),
        (SITE + "    selectors: {contents: main}\n", 7, "sources[0].selectors.contents", "did you mean content?"),
        (SITE + "    selectors: {content: 'div[['}\n", 7, "sources[0].selectors.content", "no CSS selector"),
        (GIT.replace("https:", "ssh:"), 4, "sources[0].repository", "write an https address"),
        (FORUM, 2, "sources[0]", "name categories or topics"),
        (MINIMAL.replace("folder", "jsonl").replace("    path: docs\n", ""), 2, "sources[0]", "either path or address"),
        ("group: {}\n" + MINIMAL, 1, "group", "did you mean groups?"),
        ("groups: {legal: [slack:legal]}\n" + MINIMAL, 1, "groups.legal[0]", "no group of a platform"),
        (
            "groups: {legal: [oidc:legal]}\n" + MINIMAL + "    allowed_groups: [lega]\n",
            8,
            "sources[0].allowed_groups",
            "did you mean legal?",
        ),
        (
            MINIMAL + "    allowed_groups: [legal]\n    classification: public\n",
            8,
            "sources[0].classification",
            "public is for everybody",
        ),
        (VARIANT + MINIMAL + "    labels: {variant: indor}\n", 9, "sources[0].labels.variant", "did you mean indoor?"),
        (VARIANT.replace("outdoor}", "garden}") + MINIMAL, 1, "labels", "the default 'garden' is none"),
        (VARIANT.replace("open  air", "inside") + MINIMAL, 1, "labels", "'inside' names both indoor and outdoor"),
        ("labels: {variant: {indoor: inside}}\n" + MINIMAL, 1, "labels", "at least two values"),
        ("labels: {variant: {in: [], out: x}}\n" + MINIMAL, 1, "labels", "needs words that name it"),
        ("labels: {variant: {in: [yes], out: x}}\n" + MINIMAL, 1, "labels", "quotation marks"),
        ("labels: {variant: indoor}\n" + MINIMAL, 1, "labels", "a plain value belongs to a source"),
        ("labels: [variant]\n" + MINIMAL, 1, "labels", "write labels as"),
        (
            VARIANT
            + MINIMAL
            + "    labels: {variant: {a: x, b: y}}\n"
            + SECOND
            + "    labels: {variant: {c: x, d: y}}\n",
            9,
            "sources[0].labels.variant",
            "declared elsewhere",
        ),
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

    assert problem in str(caught.value.details["problem"])
    assert caught.value.details["path"] == str(path)
    assert caught.value.details["key"] == key
    assert caught.value.details["line"] == line


@pytest.mark.parametrize("opened", ["[{}]", "{{<<: [{}]}}", "{{a: [{}]}}"])
def test_values_that_repeat_each_other_are_not_written_out(tmp_path: Path, opened: str) -> None:
    levels = [f"  g{at}: &a{at} {opened.format(', '.join(9 * [f'*a{at - 1}']))}\n" for at in range(1, 30)]
    path = written(tmp_path, "groups:\n  g0: &a0 {x: y}\n" + "".join(levels) + MINIMAL + "    aliases: *a29\n")

    with pytest.raises(Misconfigured, match="catalogue_invalid") as caught:
        read_catalogue(path)

    assert "repeated by *name" in str(caught.value.details["problem"])


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
