"""Who names a document that is not for him hears so, where the operator wants that."""

import pytest

from rag_core.answers import Answer, Clarification, Refusal, RefusalReason
from rag_core.errors import Unavailable
from rag_core.questions import AskRequest
from rag_core.revealing import RevealingAsker, names_document
from tests.fakes.kites import DARTS, TODAY, TOYS
from tests.fakes.policies import open_desk
from tests.fakes.reader import FakeReader

ID, TITLE = "acme_partner-terms", "Partner Terms  2026"


@pytest.mark.parametrize(
    "text",
    [
        "what does acme_partner-terms say",
        "ACME_PARTNER-TERMS?",
        "what do the partner terms 2026 say on rebates",
        'what does "Partner Terms 2026" say',
        "see Partner\n Terms 2026.",
    ],
)
def test_a_document_is_named_by_its_id_or_its_whole_title(text: str) -> None:
    assert names_document(text, ID, TITLE)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "what do the partner terms say",
        "acme_partner-terms-2",
        "old_acme_partner-terms",
        "acme_partner-terms.v2",
        "the partner terms 20261",
        "Partner Terms: 2026",
    ],
)
def test_something_like_it_names_nothing(text: str) -> None:
    assert not names_document(text, ID, TITLE)


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("can I advertise alcohol", False),
        ("what does “Alcohol” say", True),
        ("what does 'alcohol' say", True),
        ("the brewer's alcohol isn't", False),
        ('what does "alcohol ads" say', False),
    ],
)
def test_a_plain_word_names_a_document_between_quotation_marks_only(text: str, is_named: bool) -> None:
    assert names_document(text, "alcohol", "Alcohol") is is_named
    assert not names_document(text, "", " ")


class FakeHidden:
    """Hides a document that is named "secret_terms" from all but its group."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.down = False

    async def any_named(self, text: str, groups: frozenset[str]) -> bool:
        self.asked.append(text)
        if self.down:
            raise Unavailable("store_down")
        return names_document(text, "secret_terms", "Secret Terms") and "legal" not in groups


class Made:
    def __init__(self, reader: FakeReader | None = None) -> None:
        self.hidden = FakeHidden()
        self.plain = open_desk(TOYS, DARTS, reader=reader or FakeReader()).asker
        self.asker = RevealingAsker(self.plain, self.hidden)

    async def ask(self, text: str, *groups: str) -> Answer | Refusal | Clarification:
        return (await self.asker.ask(AskRequest(text, TODAY, frozenset(groups))))[0]


@pytest.mark.parametrize(
    "text", ["what does secret_terms say on zeppelins", "secret_terms", "what is in Secret Terms?"]
)
async def test_a_refusal_becomes_that_it_is_not_permitted_and_shows_nothing_else(text: str) -> None:
    made = Made()
    reply = await made.ask(text)
    assert isinstance(reply, Refusal)
    assert reply.reason is RefusalReason.NOT_PERMITTED
    assert (reply.nearest, reply.choices, reply.looked_for, reply.searched, reply.warnings) == ((), (), (), (), ())


async def test_rules_that_only_come_near_are_no_answer_to_who_names_a_document() -> None:
    made = Made(FakeReader(all_words=True))
    question = "do secret_terms allow kites with engines"
    near, trace = await made.plain.ask(AskRequest(question, TODAY))
    assert isinstance(near, Answer)
    assert trace.is_nearest
    assert (await made.ask(question, "legal")) == near
    named = await made.ask(question)
    assert isinstance(named, Refusal)
    assert (named.reason, named.nearest, named.warnings) == (RefusalReason.NOT_PERMITTED, (), ())
    assert isinstance(await made.ask("can I advertise kites with engines"), Answer)


async def test_who_may_see_it_is_told_what_the_policies_say() -> None:
    made = Made()
    question = "what does secret_terms say on zeppelins"
    reply, _ = await made.plain.ask(AskRequest(question, TODAY))
    assert isinstance(reply, Refusal)
    assert await made.ask(question, "legal") == reply


async def test_an_answer_stays_and_the_documents_are_not_looked_at() -> None:
    made = Made()
    reply = await made.ask("can I advertise kites in the UK")
    assert isinstance(reply, Answer)
    assert made.hidden.asked == []


async def test_what_cannot_be_read_is_refused_as_ever() -> None:
    made = Made()
    reply = await made.ask("was sagen die Regeln in secret_terms über Drachen und ihre Schnüre?")
    assert isinstance(reply, Refusal)
    assert reply.reason is RefusalReason.UNSUPPORTED_LANGUAGE


async def test_while_nobody_can_look_the_refusal_stays() -> None:
    made = Made()
    made.hidden.down = True
    reply = await made.ask("what does secret_terms say on zeppelins")
    assert isinstance(reply, Refusal)
    assert reply.reason is not RefusalReason.NOT_PERMITTED
