"""Lists of documents, and what there is to ask about."""

from datetime import date, timedelta

from rag_core.answering.refusals import MOST_DOCUMENTS, MOST_VERSIONS, list_documents, offer_help
from rag_core.answers import ClarificationReason
from tests.fakes.documents import make_version
from tests.fakes.rules import question

DAY = date(2026, 1, 1)


def test_by_platform_and_title_each_with_its_versions_newest_first() -> None:
    versions = [
        make_version("brim_a", DAY, title="A"),
        make_version("acme_z", DAY, title="Z"),
        make_version("acme_z", DAY + timedelta(1), title="Zeppelins"),
    ]
    found = list_documents(question(""), versions)
    assert [(each.policy_source, each.title) for each in found.documents] == [("acme", "Zeppelins"), ("brim", "A")]
    assert [each.effective_from for each in found.documents[0].versions] == [DAY + timedelta(1), DAY]


def test_platform_and_topic_narrow_the_list() -> None:
    versions = [make_version(f"{slug}_{name}", title=name) for slug in ("acme", "brim") for name in ("Kites", "Books")]
    on_platform = list_documents(question("", policy_sources=("brim",)), versions)
    assert [each.document_id for each in on_platform.documents] == ["brim_Books", "brim_Kites"]
    on_topic = list_documents(question("kites"), versions, {"acme_Books"})
    assert [each.document_id for each in on_topic.documents] == ["acme_Books", "acme_Kites", "brim_Kites"]


def test_limits_are_said() -> None:
    many = [make_version(f"acme_{number:02}") for number in range(MOST_DOCUMENTS + 3)]
    found = list_documents(question(""), many)
    assert (len(found.documents), found.left_out) == (MOST_DOCUMENTS, 3)
    long = [make_version("acme_z", DAY + timedelta(number)) for number in range(MOST_VERSIONS + 2)]
    (document,) = list_documents(question(""), long).documents
    assert (len(document.versions), document.more_versions) == (MOST_VERSIONS, 2)


def test_help_offers_one_of_each_platform_before_the_second_of_any() -> None:
    acme = [make_version(f"acme_{number}", title=f"Acme {number}") for number in range(6)]
    brim = [make_version("brim_1", title="Brim 1"), make_version("brim_1", DAY + timedelta(1), title="Brim 1")]
    found = offer_help(question(""), [*acme, *brim])
    assert [each.subject for each in found.choices] == ["Acme 0", "Brim 1", "Acme 1", "Acme 2", "Acme 3"]
    assert found.choices[1].filters.policy_sources == ("brim",)
    assert found.reason is ClarificationReason.HELP


def test_help_without_documents_has_no_choices() -> None:
    assert offer_help(question(""), []).choices == ()
