"""What came of a load: acknowledged how fast, answered how often and when."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that a platform delivered: `claim_key` as the inbox knows it, `at` in Unix seconds. `is_due`: not
    where the platform told the person that it failed; an answer may come all the same."""

    claim_key: str
    at: float
    is_due: bool = True


@dataclass(frozen=True, slots=True)
class Ended:
    """Times in seconds. `lost`: questions without a terminal message; `twice`: with more than one; `foreign`: terminal
    messages of questions that nobody asked here."""

    questions: int
    acknowledged: Sequence[float]
    answered: Sequence[float]
    lost: Sequence[str] = ()
    twice: Sequence[str] = ()
    foreign: int = 0
    refused: int = 0
    """Deliveries that were answered with an error of the server's own (500 and above), or not at all."""
    megabytes: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Worker -> memory early and at the end."""


def percentile(values: Iterable[float], share: float) -> float:
    """The value that `share` of them do not exceed (nearest rank); 0 for none."""
    found = sorted(values)
    return found[min(len(found) - 1, max(0, -(-int(share * 1000) * len(found) // 1000) - 1))] if found else 0.0


def matched(
    asked: Sequence[Asked], question_ids: Mapping[str, str], shown: Sequence[tuple[str, float]]
) -> tuple[list[float], list[str], list[str], int]:
    """Seconds to the first terminal message of each question, then the lost, the doubled, and how many belong to none.

    `question_ids`: claim key -> id under which it is answered; `shown`: that id and when the message was posted.
    """
    times: dict[str, list[float]] = {}
    for question_id, at in shown:
        times.setdefault(question_id, []).append(at)
    seconds: list[float] = []
    lost: list[str] = []
    twice: list[str] = []
    for each in asked:
        found = times.pop(question_ids.get(each.claim_key, ""), [])
        if not found:
            lost += [each.claim_key] if each.is_due else []
            continue
        seconds.append(min(found) - each.at)
        if len(found) > 1:
            twice.append(each.claim_key)
    return seconds, lost, twice, sum(len(each) for each in times.values())
