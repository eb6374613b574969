"""A document for everybody, one for a group, and answers out of both."""

from dataclasses import replace

from rag_core.answers import Answer, Citation, Statement
from rag_core.documents import Classification
from tests.fakes.documents import Section, make_version, make_write
from tests.fakes.web import uk_answer

PUBLIC = make_write()
SECRET = "Zeppelin adverts wait for the launch in May."  # pragma: allowlist secret
CLOSED = make_write(
    make_version(
        "acme_launch",
        title="Launch plan",
        classification=Classification.RESTRICTED,
        allowed_groups=frozenset({"legal"}),
    ),
    (Section("Zeppelins", SECRET),),
)


def with_secret() -> Answer:
    """The public answer, and a statement out of the document that only one group may see."""
    answer, closed = uk_answer(PUBLIC), uk_answer(CLOSED, SECRET)
    cited: Citation = replace(closed.citations[0], number=2)
    return replace(
        answer,
        citations=(*answer.citations, cited),
        statements=(*answer.statements, Statement(SECRET, (2,), ())),
    )


def long_answer() -> Answer:
    answer = uk_answer(PUBLIC)
    statements = tuple(Statement(f"Rule {n}: " + "word " * 60, (1,), ()) for n in range(30))
    return replace(answer, statements=statements)
