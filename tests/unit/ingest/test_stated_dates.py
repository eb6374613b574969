from datetime import date
from pathlib import Path
from time import process_time

import pytest

from ingest.dates.statements import StatedDay, StatedKind, stated_day
from ingest.reader.parsing import parse
from rag_core.layout import read_blocks

SEEN = date(2026, 11, 22)
BODY = "\n\n## Alcohol\n\nAds must not appeal to minors.\n\n## Gambling\n\n- Only with a licence.\n"


def effective(year: int, month: int, day: int) -> StatedDay:
    return StatedDay(date(year, month, day), StatedKind.EFFECTIVE)


def updated(year: int, month: int, day: int) -> StatedDay:
    return StatedDay(date(year, month, day), StatedKind.UPDATED)


def found(text: str, title: str | None = None) -> StatedDay | None:
    return stated_day(read_blocks(text), SEEN, title)


def below_title(line: str) -> StatedDay | None:
    return found(f"# Acme ads policy\n\n{line}{BODY}")


def at_the_end(line: str) -> StatedDay | None:
    return found(f"# Acme ads policy{BODY}\nAsk us where in doubt.\n\n{line}\n")


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("Effective 1 July 2026", effective(2026, 7, 1)),
        ("Effective date: July 1, 2026", effective(2026, 7, 1)),
        ("EFFECTIVE DATE: JULY 1ST, 2026.", effective(2026, 7, 1)),
        ("Effective: 2026-07-01", effective(2026, 7, 1)),
        ("(Effective as of Wednesday, 1 July 2026)", effective(2026, 7, 1)),
        ("Version Effective Date: Jul. 1, 2026", effective(2026, 7, 1)),
        ("In force from 13/07/2026", effective(2026, 7, 13)),
        ("In force since 07/13/2026", effective(2026, 7, 13)),
        ("This policy is effective from 1 July 2026", effective(2026, 7, 1)),
        ("These Acme Advertising Terms take effect on 1 July 2026.", effective(2026, 7, 1)),
        ("Effective July 2026", effective(2026, 7, 1)),
        ("Last updated: 3 May 2026", updated(2026, 5, 3)),
        ("Last modified 2026-05-03", updated(2026, 5, 3)),
        ("Last modified: 2026-05-03T10:14:00Z", updated(2026, 5, 3)),
        ("Updated on May 3rd, 2026", updated(2026, 5, 3)),
        ("Version of 1.2.2026", updated(2026, 2, 1)),
        ("Version 2.1, revised 13.02.2026", updated(2026, 2, 13)),
        ("These Acme Terms were last updated on May 3rd 2026.", updated(2026, 5, 3)),
        ("Last updated: 3 May 2026. Please read all of it.", updated(2026, 5, 3)),
        ("Published 1 May 2026 · Last updated 3 May 2026", updated(2026, 5, 3)),
        ("Stand: 3. Mai 2026", updated(2026, 5, 3)),
        ("Gültig ab 1. Juli 2026", effective(2026, 7, 1)),
        ("Dernière mise à jour : 3 mai 2026", updated(2026, 5, 3)),
        ("Date d’entrée en vigueur : 1er juillet 2026", effective(2026, 7, 1)),
        ("Última actualización: 3 de mayo de 2026", updated(2026, 5, 3)),
        ("Ultimo aggiornamento: 3 maggio 2026", updated(2026, 5, 3)),
        ("Última atualização: 3 de maio de 2026", updated(2026, 5, 3)),
        ("Laatst bijgewerkt op 3 mei 2026", updated(2026, 5, 3)),
        ("| Last updated: | 3 May 2026 |", updated(2026, 5, 3)),
        ("| Effective date | 1 July 2026 |", effective(2026, 7, 1)),
        ("## Last updated\n\n3 May 2026", updated(2026, 5, 3)),
        ("## Effective 1 July 2026", effective(2026, 7, 1)),
    ],
)
def test_a_statement_below_the_title_is_the_documents(line: str, day: StatedDay) -> None:
    assert below_title(line) == day


@pytest.mark.parametrize(
    "line",
    [
        "From 1 March 2027 advertisers must show a licence.",
        "Ads for lotteries are not allowed until 1 May 2026.",
        "This policy will be updated on 1 December 2026.",
        "On 3 May 2026 we updated our policy to cover lotteries.",
        "Updated our policy to cover lotteries: 3 May 2026",
        "Effective 1 July 2026, ads for lotteries need a licence.",
        "Effective 1 July 2026: ads for lotteries need a licence.",
        "Effective 1 July 2026 ads for lotteries need a licence.",
        "Ads for lotteries need a licence. Effective 1 July 2026.",
        "Updated 3 May 2026: lotteries",
        "Effective until 1 July 2026",
        "A new version of this policy takes effect on 1 July 2026.",
        "View the version effective 1 July 2025",
        "The rule on lotteries takes effect on 1 July 2026.",
        "This rule takes effect on 1 July 2026.",
        "Effective date: 1 July 2026 for new accounts",
        "Effective date: 1 July 2026 (lotteries: 1 August 2026)",
        "Effective date: 1 July 2026. For the United Kingdom 1 August 2026.",
        "Last reviewed: 3 May 2026",
        "Next review 3 May 2027",
        "Published on 3 May 2026",
        "Effective date: upon publication",
        "Effective date: 03/04/2026",
        "Last updated 03-04-2026",
        "Last updated: 31 February 2026",
        "Last updated: May 2026",
        "Last updated: 3 May",
        "Last updated: 3 May 26",
        "- Effective 1 July 2026",
        "| Lotteries | 1 July 2026 |",
        "| Version | Effective date | Notes |",
    ],
)
def test_a_day_of_something_else_or_one_that_cannot_be_told_is_none(line: str) -> None:
    assert below_title(line) is None
    assert at_the_end(line) is None


def test_day_or_month_first() -> None:
    assert below_title("Last updated: 03.04.2026") is None
    assert below_title("Zuletzt aktualisiert: 03.04.2026") == updated(2026, 4, 3)
    assert below_title("Zuletzt aktualisiert: 03/04/2026") is None
    assert below_title("Last updated: 03/03/2026") == updated(2026, 3, 3)
    assert below_title("Last updated: 13/13/2026") is None


def test_the_end_of_a_document_states_its_day_in_words_that_name_it() -> None:
    assert at_the_end("Last updated: 3 May 2026") == updated(2026, 5, 3)
    assert at_the_end("© 2026 Acme. Last updated: 3 May 2026") == updated(2026, 5, 3)
    assert at_the_end("This policy is effective from 1 July 2026.") == effective(2026, 7, 1)
    assert at_the_end("Version 3.2, effective 1 July 2026") == effective(2026, 7, 1)


def test_the_end_of_a_section_speaks_of_its_rule() -> None:
    assert at_the_end("Effective 1 July 2026") is None
    assert found(f"# Acme ads policy{BODY}\n## Belgium\n\nEffective date: 1 July 2026\n") is None
    assert found(f"# Acme ads policy{BODY}\nEffective date: 1 July 2026\n\nNo.\n\nNo.\n") is None
    assert found(f"# Acme ads policy{BODY}\n## Belgium\n\nLast updated: 3 May 2026\n") is None


def test_a_labelled_day_at_the_very_end_counts_unless_it_is_to_come() -> None:
    assert at_the_end("Effective date: 1 July 2026") == effective(2026, 7, 1)
    assert at_the_end("Effective date: 1 July 2027") is None


def test_links_to_other_versions_may_follow() -> None:
    assert below_title("Effective July 1, 2026 (archived versions)") == effective(2026, 7, 1)
    assert below_title("Effective July 1, 2026 | View printable version | See previous versions") == effective(
        2026, 7, 1
    )
    assert below_title("Effective July 1, 2026 (previous ads may run on)") is None


def test_sections_on_the_document_are_no_documents_of_their_own() -> None:
    text = "## Privacy policy\n\nEffective: 1 July 2026\n\nIn short.\n\n## {}\n\nNo.\n"
    assert found(text.format("Changes to this privacy policy")) == effective(2026, 7, 1)
    assert found(text.format("Cookie policy")) is None


def test_a_sentence_gives_way_to_another_day() -> None:
    sentence = "Our addendum.\n\nThis addendum is effective from 7 May 2023.\n\n"
    rules = "One more rule.\n\n" * 20
    assert found(sentence + rules) == effective(2023, 5, 7)
    assert found(f"{sentence}{rules}Effective date: 5 May 2023\n") is None


def test_sections_have_days_of_their_own() -> None:
    dated = "# Acme ads policies\n\n## Alcohol\n\nEffective 1 July 2026\n\nNo.\n\n## Gambling\n\nNo.\n"
    assert found(dated) is None
    assert found(dated.replace("Effective", "Effective date:")) is None
    without_title = "## Alcohol\n\nEffective date: 1 July 2026\n\nNo.\n\n## Gambling\n\nNo.\n"
    assert found(without_title) is None
    policies = "## Alcohol policy\n\nEffective date: 1 July 2026\n\nNo.\n\n## Gambling policy\n\nNo.\n"
    assert found(policies) is None
    assert found(policies, title="Acme ads policies") is None
    each = "## Alcohol\n\nNo.\n\nLast updated: 3 May 2026\n\n## Gambling\n\nNo.\n\nLast updated: 4 May 2026\n"
    assert found(each) is None


def test_the_middle_of_a_document_states_nothing() -> None:
    before, after = "One more rule.\n\n" * 20, "\n\nOne more rule." * 20
    assert found(f"{before}Last updated: 3 May 2026{after}") is None
    assert found(f"Last updated: 3 May 2026{after}") == updated(2026, 5, 3)


def test_a_list_at_the_beginning_counts_as_one_block() -> None:
    contents = "- One section\n" * 40
    assert found(f"# Acme ads policy\n\n{contents}\nLast updated: 3 May 2026{BODY}") == updated(2026, 5, 3)


def test_a_heading_that_says_the_title_or_speaks_of_versions_stands_over_the_documents_day() -> None:
    text = "## Summary\n\nIn short.\n\n## The {}\n\nEffective date: 1 July 2026\n\n## Alcohol\n\nNo.\n"
    assert found(text.format("Acme ads policy"), title="Acme Ads Policy") == effective(2026, 7, 1)
    assert found(text.format("Acme ads"), title="Acme policy on video") is None
    assert found(text.replace("The {}", "1.2 Date of last update").replace("Effective date", "Updated")) == updated(
        2026, 7, 1
    )


def test_a_title_may_hold_the_day() -> None:
    assert found(f"# Acme ads policy (effective 1 July 2026){BODY}") == effective(2026, 7, 1)
    assert found(f"# Acme ads policy – last updated 3 May 2026{BODY}") == updated(2026, 5, 3)
    assert found(f"## Alcohol (effective 1 July 2026){BODY}") is None


def test_a_page_about_changes_states_their_days() -> None:
    assert found(f"# Policy updates\n\n**Effective 1 July 2026**\n\n## Effective 1 July 2026{BODY}") is None
    assert found(f"# Upcoming changes\n\nLast updated: 3 May 2026{BODY}") == updated(2026, 5, 3)


def test_effective_counts_unless_the_wording_changed_later() -> None:
    assert below_title("Last updated: 3 May 2026. Effective date: 1 July 2026") == effective(2026, 7, 1)
    assert below_title("Effective date: 1 July 2026\n\nLast updated: July 1, 2026") == effective(2026, 7, 1)
    assert below_title("Effective: 1 July 2020 | Last updated: 3 May 2026") == updated(2026, 5, 3)
    assert below_title("Effective: 1 July 2020 | Last updated: May 2026") is None
    assert below_title("Effective: 1 July 2026 | Last updated: May 2026") == effective(2026, 7, 1)


def test_an_effective_day_that_cannot_be_told_is_not_replaced_by_the_update_before_it() -> None:
    assert below_title("Last updated: 1 March 2026\n\nEffective date: 03/04/2026") is None


def test_statements_that_disagree_are_none() -> None:
    assert below_title("Effective 1 July 2026\n\nEffective 2 July 2026") is None
    assert below_title("Last updated: 1 July 2026\n\nLast modified: 2 July 2026") is None


def test_days_that_cannot_be() -> None:
    assert below_title("Last updated: 23 November 2026") is None
    assert below_title("Last updated: 22 November 2026") == updated(2026, 11, 22)
    assert below_title("Effective 22 November 2029") == effective(2029, 11, 22)
    assert below_title("Effective 23 November 2029") is None
    assert below_title("Effective 31 December 1994") is None
    assert below_title("Effective 1 July 2020 | Last updated: 23 November 2026") == effective(2020, 7, 1)


def test_no_document_no_day() -> None:
    assert stated_day([], SEEN) is None


REAL = {
    "github-copilot-extension-developer-policy.md": updated(2025, 10, 20),
    "github-corporate-terms-of-service.md": effective(2020, 11, 16),
    "github-event-terms.md": updated(2024, 2, 7),
    "github-marketplace-developer-agreement.md": effective(2025, 5, 27),
    "github-marketplace-terms-of-service.md": effective(2024, 8, 1),
    "github-secret-scanning-partner-program-agreement.md": effective(2026, 3, 17),
    "github-terms-for-additional-products-and-features.md": effective(2025, 4, 1),
    "github-terms-of-service.md": effective(2020, 11, 16),
    "github-general-privacy-statement.md": effective(2024, 2, 1),
    "github-sirt-description-rfc-2350.md": updated(2025, 12, 18),
}
"""What people find when they read the documents. All others state no day, one only a month."""


def test_the_days_of_the_real_documents(shared_data: Path) -> None:
    stated = {}
    for path in [*shared_data.glob("ad-policies/**/*.md"), *shared_data.glob("github-site-policy/Policies/**/*.md")]:
        document = parse(path.read_bytes(), "text/markdown")
        title = document.metadata.get("title")
        if day := stated_day(document.blocks, SEEN, title if isinstance(title, str) else None):
            stated[path.name] = day
    assert stated == REAL


@pytest.mark.parametrize("words", ["Effective date: 1 July 2026 ", "this policy ", "© ", "(Last updated ", "1 "])
def test_a_line_without_end_takes_no_time(words: str) -> None:
    started = process_time()
    assert found(f"# {words * 40_000}\n\n{words * 40_000}\n") is None
    assert process_time() - started < 20
