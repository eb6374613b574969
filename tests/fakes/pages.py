"""A document with every kind of block, and the answer to each question that the browser tests type."""

from dataclasses import dataclass, replace
from datetime import date

from bot.questions.answerer import Answered, Asked
from ingest.ports import VersionWrite
from rag_core.answers import AskTrace, Citation, Reply, Verdict
from rag_core.errors import Rejected, Unavailable
from rag_core.questions import Intent, Question
from tests.fakes import replies
from tests.fakes.documents import make_version

TEXT = """# Alcohol

Adverts for drinks above 1.2% alcohol are restricted. They need approval in some countries.

## Where it is allowed

### United Kingdom

The following is required in the United Kingdom:

- Adverts for drinks above 1.2% alcohol are shown only to people aged 18 or older.
- The advert shows nobody who seems to be under 25:
  1. in the picture
  2. in the video, at any moment
- The advert makes no claim about health.

### Other countries

| Country | Youngest audience | Approval | What else |
| --- | --- | --- | --- |
| Germany | 18 | not needed | Spirits not before eight in the evening |
| India | - | - | Not allowed at all |
| United States | 21 | needed for spirits | The seller's licence is shown on the page that opens |

## Words

“Alcohol” is every drink above 1.2%, and what imitates one.
"""

OLD = VersionWrite(
    make_version(
        "sample_alcohol", date(2025, 3, 1), effective_to=date(2026, 1, 15), title="Alcohol", url=None,
        labels={"stage": "sample"},
    ),
    "folder", TEXT.replace("18 or older", "16 or older"), (),
)  # fmt: skip
NEW = VersionWrite(
    make_version("sample_alcohol", date(2026, 1, 15), title="Alcohol", url=None, labels={"stage": "sample"}),
    "folder", TEXT, (),
)  # fmt: skip


def cited(quote: str, number: int = 1) -> Citation:
    """A citation of NEW at `quote`."""
    start = TEXT.index(quote)
    return replies.citation(number, quote=quote, char_start=start, char_end=start + len(quote))


def answers() -> dict[str, Reply | Exception]:
    """Question -> what comes of it."""
    restricted = replies.answer(choices=(replies.choice("de"), replies.choice("us")))
    second = replace(restricted.citations[1], url=None, char_start=0, char_end=0)
    restricted = replace(restricted, citations=(cited(replies.ITEM), second))
    verdict = restricted.verdicts[0]
    return {
        "restricted": restricted,
        "allowed": replace(restricted, verdicts=(replace(verdict, verdict=Verdict.ALLOWED, conditions=()),)),
        "prohibited": replace(restricted, verdicts=(replace(verdict, verdict=Verdict.PROHIBITED, conditions=()),)),
        "differs": replace(
            restricted,
            verdicts=(verdict, replace(verdict, region="in", verdict=Verdict.PROHIBITED, conditions=())),
            degraded=("vector",),
        ),
        "wider": replace(
            restricted,
            verdicts=(replace(verdict, verdict=Verdict.PROHIBITED, conditions=()),),
            not_stated=("mezcal gummies",),
        ),
        "open": replace(restricted, verdicts=(), not_stated=("mezcal",), rewritten_question="can I advertise mezcal"),
        "refused": replies.refusal(),
        "broad": replies.clarification(),
        "down": Unavailable("index_down"),
        "wrong": Rejected("unknown_policy_source", value="acmee", known="acme, sample"),
    }


@dataclass(frozen=True)
class ScriptedAsk:
    """Answers by the question's text."""

    script: dict[str, Reply | Exception]

    async def __call__(self, asked: Asked) -> Answered:
        reply = self.script[asked.text]
        if isinstance(reply, Exception):
            raise reply
        return Answered("answer-1", reply, AskTrace(Question(asked.text, reply.scope, Intent.PERMISSION, ())))
