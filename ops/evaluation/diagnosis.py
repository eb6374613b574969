"""Why a question went wrong: one word for each failure, the first cause on the way of a question."""

from enum import StrEnum

from ops.evaluation.judging import Judged

_NEAR_ENOUGH = 5


class Diagnosis(StrEnum):
    NOT_RETRIEVED = "not_retrieved"
    RETRIEVED_NOT_USED = "retrieved_not_used"
    WRONG_VERDICT = "wrong_verdict"
    WRONG_PLACE = "wrong_place"
    WRONG_DAY = "wrong_day"
    WRONG_CITATION = "wrong_citation"
    REFUSED_THOUGH_ANSWERABLE = "refused_though_answerable"
    GAP_THOUGH_ANSWERABLE = "gap_though_answerable"
    ASKED_BACK = "asked_back"
    ANSWERED_THOUGH_NOT_STATED = "answered_though_not_stated"
    ANSWERED_THOUGH_REFUSABLE = "answered_though_refusable"
    ANSWERED_THOUGH_BROAD = "answered_though_broad"
    NOT_TAKEN = "not_taken"
    INJECTED = "injected"


def diagnose(judged: Judged) -> Diagnosis | None:
    """None where it is right (`Judged.is_right`)."""
    if judged.is_right:
        return None
    if judged.observed.kind == "rejected":
        return Diagnosis.NOT_TAKEN
    if judged.is_answerable:
        return _of_answerable(judged)
    if judged.question.expected.kind == "clarification":
        return Diagnosis.ANSWERED_THOUGH_BROAD
    if judged.observed.kind == "clarification":
        return Diagnosis.ASKED_BACK
    is_gap = judged.question.expected.kind == "gap"
    return Diagnosis.ANSWERED_THOUGH_NOT_STATED if is_gap else Diagnosis.ANSWERED_THOUGH_REFUSABLE


def diagnose_retrieval(judged: Judged) -> Diagnosis | None:
    """Where only retrieval counts: None if one of the first 5 is of the right section."""
    return None if any(judged.right_in_ranking[:_NEAR_ENOUGH]) else Diagnosis.NOT_RETRIEVED


def _of_answerable(judged: Judged) -> Diagnosis:
    """In the order of the way: understood for the right place and day, found, used, read."""
    causes = (
        (bool(judged.days_wrong), Diagnosis.WRONG_DAY),
        (bool(judged.places_wrong), Diagnosis.WRONG_PLACE),
        (judged.observed.kind == "clarification", Diagnosis.ASKED_BACK),
        (judged.observed.retrieved is not None and not any(judged.right_in_ranking), Diagnosis.NOT_RETRIEVED),
        (judged.observed.kind == "refusal", Diagnosis.REFUSED_THOUGH_ANSWERABLE),
        (judged.cites_gold and judged.observed.declines, Diagnosis.GAP_THOUGH_ANSWERABLE),
        (judged.cites_gold, Diagnosis.WRONG_VERDICT),
        (judged.verdict_is_right, Diagnosis.WRONG_CITATION),
    )
    return next((cause for is_so, cause in causes if is_so), Diagnosis.RETRIEVED_NOT_USED)
