"""Replies of any text, length and address, for properties that every rendering keeps."""

from datetime import date
from typing import Any

from hypothesis import strategies as st

from rag_core.answers import (
    Answer,
    Changes,
    Citation,
    Clarification,
    ClarificationReason,
    Comparison,
    ConditionKind,
    DocumentList,
    ListedDocument,
    ListedVersion,
    Nearest,
    Notice,
    Refusal,
    RefusalReason,
    Reply,
    Verdict,
    WarningCode,
)
from rag_core.policy_changes import Direction, RuleChangeKind
from rag_core.questions import NoteKind, ScopeNote
from tests.fakes import replies

ATTACKS = (
    "<!channel> <!here> @channel @everyone <@U0123ABCD> <#C0123ABCD|general>",
    "<https://evil.example|click> [click](https://evil.example) https://evil.example www.evil.example me@evil.example",
    "*bold* _italic_ ~gone~ `code` ```block``` **strong** __strong__ <b>html</b> <script>alert(1)</script>",
    ":no_entry: :white_check_mark::skin-tone-2: &lt;!channel&gt; &amp;#58; &#x3c;",
    "> quote\n>>> quote\n# heading\n- item\n1. item\n    code\n| a | b |\n| --- | --- |\n===\n---",
    "\x1b[31mred\x1b[0m \x07 \x9b31m \u202ereversed\u202c \u2066isolated\u2069 \u2028line\x00",
    "Ünïcödé 广告政策 إعلان 🍷👩‍👩‍👧 ﷽ Ａ＊Ｂ＿",
    '"quoted" \\ back\\slash ' * 5,
    "|".join("abc>def<"),
)
URLS = (
    None,
    "https://ads.example/policies/alcohol",
    "https://ads.example/a b|c>d(e)?x=1&y=<2>#old:~:text=evil",
    "javascript:alert(1)",
    "data:text/html,<b>",
    "https://ads.example@evil.example/",
    "https://ads.example/" + "long/" * 400,
    "ftp://ads.example/",
    "https://[",
    "//evil.example",
)

texts = st.one_of(
    st.sampled_from(ATTACKS),
    st.text(max_size=60),
    st.builds(
        lambda text, times: (text + " ") * times, st.sampled_from([*ATTACKS, "&", "word", "広"]), st.integers(1, 120)
    ),
    st.builds(
        lambda char, times: char * times, st.sampled_from(["&", "<", "x", "🍷", "*", "\n", "_"]), st.integers(1, 4000)
    ),
)
lines = st.one_of(st.sampled_from(ATTACKS), st.text(max_size=40))
regions = st.lists(st.sampled_from(["uk", "de", "us-tx", "eu", "global", "fr"]), max_size=6).map(tuple)
days = st.dates(date(2000, 1, 2), date(2100, 1, 1))


def citations(number: int) -> st.SearchStrategy[Citation]:
    return st.builds(
        lambda **changes: replies.citation(number, **changes),
        title=texts,
        url=st.sampled_from(URLS),
        anchor=st.one_of(st.none(), lines),
        section_path=texts,
        rule_number=st.one_of(st.none(), lines),
        page=st.one_of(st.none(), st.integers(1, 999)),
        regions=regions,
        effective_from=days,
        effective_to=st.one_of(st.none(), days),
        quote=texts,
        author=st.one_of(st.none(), lines),
        post_number=st.one_of(st.none(), st.integers(1, 9)),
    )


notices = st.lists(
    st.builds(Notice, st.sampled_from(WarningCode), st.lists(lines, max_size=4).map(tuple)).filter(
        lambda each: each.code not in (WarningCode.NO_RULE_FOR_PLACE, WarningCode.PLACES_DIFFER)
    ),
    max_size=6,
).map(tuple)
choices = st.lists(st.builds(replies.choice, st.just("topic").map(lambda _: "uk"), question=texts), max_size=6).map(
    tuple
)


def _note(kind: NoteKind) -> st.SearchStrategy[ScopeNote]:
    """As understanding makes it: `meant` fits its kind, `said` is whatever stood in the question."""
    meant: st.SearchStrategy[tuple[str, ...]] = regions
    if kind in (NoteKind.OTHER_NAME, NoteKind.MISSPELT_PLATFORM):
        meant = st.just(("sample",))
    elif kind in (NoteKind.LABEL_WORD, NoteKind.LABEL_DEFAULT):
        meant = st.just(("stage=sample",))
    elif kind is NoteKind.CARRIED:
        meant = st.just(("regions", "as_of", "content_types"))
    return st.builds(ScopeNote, st.just(kind), lines, meant)


notes = st.sampled_from(NoteKind).flatmap(_note)


@st.composite
def answers(draw: st.DrawFn) -> Answer:
    """Up to 30 statements, 12 sources and 15 verdicts."""
    count = draw(st.integers(0, 12))
    numbers = st.lists(st.integers(1, count + 2), min_size=1, max_size=7, unique=True).map(tuple)
    conditions = st.lists(st.builds(replies.condition, st.sampled_from(ConditionKind), texts, numbers), max_size=4).map(
        tuple
    )
    verdicts = st.builds(
        lambda verdict, region, conditions, cited: replies.place_verdict(
            verdict, region, conditions=conditions, citations=cited
        ),
        st.sampled_from(Verdict),
        st.sampled_from([None, "uk", "de", "us-tx"]),
        conditions,
        numbers,
    )
    statements = st.builds(lambda text, cited: replies.statement(text, citations=cited), texts, numbers)
    return replies.answer(
        scope=replies.scope(
            regions=draw(regions),
            sections=draw(st.lists(lines, max_size=3).map(tuple)),
            notes=draw(st.lists(notes, max_size=4).map(tuple)),
        ),
        statements=tuple(draw(st.lists(statements, max_size=30))),
        citations=tuple(draw(citations(number)) for number in range(1, count + 1)),
        verdicts=tuple(draw(st.lists(verdicts, max_size=15))),
        not_stated=tuple(draw(st.lists(texts, max_size=3))),
        warnings=draw(notices),
        choices=draw(choices),
        degraded=tuple(draw(st.lists(lines, max_size=3))),
        rewritten_question=draw(st.one_of(st.none(), texts)),
        **draw(tables(count)),
    )


@st.composite
def tables(draw: st.DrawFn, count: int) -> dict[str, Any]:
    """At most one of a comparison, changes and a list of documents, which cite up to two numbers that are not there."""
    number = st.one_of(st.none(), st.integers(1, count + 2))
    conditions = st.lists(st.builds(replies.condition, st.sampled_from(ConditionKind), texts), max_size=5).map(tuple)
    row = st.builds(
        lambda **changes: replies.comparison_row(**changes),
        region=st.sampled_from([None, "uk", "us-tx"]),
        policy_source=st.one_of(st.none(), lines),
        verdict=st.one_of(st.none(), st.sampled_from(Verdict)),
        conditions=conditions,
        not_stated=st.lists(texts, max_size=3).map(tuple),
        citations=st.lists(st.integers(1, count + 2), max_size=7, unique=True).map(tuple),
    )
    rule = st.builds(
        lambda **changes: replies.changed_rule(**changes),
        kind=st.sampled_from(RuleChangeKind),
        title=texts,
        section_path=texts,
        before=texts,
        after=texts,
        before_citation=number,
        after_citation=number,
        lead_in=texts,
        direction=st.one_of(st.none(), st.sampled_from(Direction)),
        whole_document=st.booleans(),
        moved_from=texts,
    )
    versions = (ListedVersion("sample_alcohol_2026-01-15", date(2026, 1, 15), None),)
    listed = st.builds(
        lambda title, url: ListedDocument("d", "sample", title, url, versions, replies.CHECKED),
        texts,
        st.sampled_from(URLS),
    )
    left_out = draw(st.integers(0, 9))
    match draw(st.sampled_from(["none", "comparison", "changes", "documents"])):
        case "comparison":
            return {"comparison": Comparison(tuple(draw(st.lists(row, min_size=2, max_size=6))), left_out)}
        case "changes":
            rules = tuple(draw(st.lists(rule, max_size=8)))
            return {"changes": Changes(draw(st.one_of(st.none(), days)), draw(days), rules, left_out)}
        case "documents":
            return {"documents": DocumentList(tuple(draw(st.lists(listed, max_size=20))), left_out)}
        case _:
            return {}


nearest: st.SearchStrategy[Nearest] = st.builds(
    replies.nearest, title=texts, url=st.sampled_from(URLS), anchor=st.one_of(st.none(), lines), section_path=texts
)
refusals: st.SearchStrategy[Refusal] = st.builds(
    replies.refusal,
    st.sampled_from(RefusalReason),
    looked_for=st.lists(texts, max_size=9).map(tuple),
    searched=st.lists(lines, max_size=9).map(tuple),
    nearest=st.lists(nearest, max_size=12).map(tuple),
    warnings=notices,
    choices=choices,
)
clarifications: st.SearchStrategy[Clarification] = st.builds(
    replies.clarification, choices=choices, warnings=notices, reason=st.sampled_from(ClarificationReason)
)
any_reply: st.SearchStrategy[Reply] = st.one_of(answers(), refusals, clarifications)
