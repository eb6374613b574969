"""One deliberately wrong reply for each diagnosis."""

from datetime import date

import pytest

from ops.evaluation.observed import Observed
from ops.evaluation.questions import GoldQuestion
from ops.evaluation.results import Diagnosis, diagnose, diagnose_retrieval
from rag_core.answers import Verdict
from tests.fakes.gold import answer, cited, gold, judged, retrieved

ELSEWHERE = cited("Alcohol > Spain", "Wine is fine.", regions=("global",))
NOT_FOUND = (retrieved("Alcohol > Spain", "Wine is fine."),)


@pytest.mark.parametrize(
    ("question", "observed", "diagnosis"),
    [
        (gold(), answer(), None),
        (gold(), Observed("refusal", retrieved=NOT_FOUND), Diagnosis.NOT_RETRIEVED),
        (gold(), Observed("refusal", retrieved=(retrieved(),)), Diagnosis.REFUSED_THOUGH_ANSWERABLE),
        (gold(), Observed("refusal"), Diagnosis.REFUSED_THOUGH_ANSWERABLE),
        (gold(), answer(Verdict.ALLOWED, ELSEWHERE), Diagnosis.RETRIEVED_NOT_USED),
        (gold(), answer(Verdict.ALLOWED), Diagnosis.WRONG_VERDICT),
        (gold(), answer(Verdict.PROHIBITED, cited(), cited(regions=("us",))), Diagnosis.WRONG_PLACE),
        (gold(), answer(Verdict.PROHIBITED, cited(effective_to=date(2026, 1, 1))), Diagnosis.WRONG_DAY),
        (gold(), answer(Verdict.PROHIBITED, ELSEWHERE), Diagnosis.WRONG_CITATION),
        (gold(), answer(None, not_stated=("beer",)), Diagnosis.GAP_THOUGH_ANSWERABLE),
        (gold(), Observed("clarification", retrieved=(retrieved(),)), Diagnosis.ASKED_BACK),
        (gold(), Observed("rejected"), Diagnosis.NOT_TAKEN),
        (gold(kind="gap"), answer(), Diagnosis.ANSWERED_THOUGH_NOT_STATED),
        (gold(kind="gap"), Observed("clarification"), Diagnosis.ASKED_BACK),
        (gold(kind="refusal"), answer(), Diagnosis.ANSWERED_THOUGH_REFUSABLE),
        (gold(kind="clarification"), answer(), Diagnosis.ANSWERED_THOUGH_BROAD),
    ],
)
def test_the_first_cause_on_the_way(question: GoldQuestion, observed: Observed, diagnosis: Diagnosis | None) -> None:
    assert diagnose(judged(question, observed)) is diagnosis


def test_where_only_retrieval_counts() -> None:
    """Whatever was answered: the right section stands among the first five, or it does not."""
    far = (*NOT_FOUND * 5, retrieved())
    assert diagnose_retrieval(judged(gold(), Observed("refusal", retrieved=far[1:]))) is None
    assert diagnose_retrieval(judged(gold(), Observed("refusal", retrieved=far))) is Diagnosis.NOT_RETRIEVED
    assert diagnose_retrieval(judged(gold(), answer(retrieved=()))) is Diagnosis.NOT_RETRIEVED
