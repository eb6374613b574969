"""Why a question went wrong: one word for each failure, the first cause on the way of a question."""

from enum import StrEnum

from ops.evaluation.judging import Judged


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


def _of_answerable(judged: Judged) -> Diagnosis:
    """In the order of the way: understood for the right place and day, found, used, read."""
    if judged.days_wrong:
        return Diagnosis.WRONG_DAY
    if judged.places_wrong:
        return Diagnosis.WRONG_PLACE
    if judged.observed.kind == "clarification":
        return Diagnosis.ASKED_BACK
    if judged.observed.retrieved is not None and not any(judged.right_in_ranking):
        return Diagnosis.NOT_RETRIEVED
    if judged.observed.kind == "refusal":
        return Diagnosis.REFUSED_THOUGH_ANSWERABLE
    if judged.cites_gold:
        return Diagnosis.GAP_THOUGH_ANSWERABLE if judged.observed.declines else Diagnosis.WRONG_VERDICT
    return Diagnosis.WRONG_CITATION if judged.verdict_is_right else Diagnosis.RETRIEVED_NOT_USED
