"""How patiently questions are worked on. Seconds everywhere."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """How the workers run. `retry` is the pause before the second try, doubled for each further one.

    `lease`: how long after the death of a process another one goes on with its questions. The living renew it
    three times as often, so it need not cover the longest answer. `postpone`: how long a question is put off when
    what it needs is down, doubled each time. `give_up`: how long after it came in it is told that it is not answered
    (Slack takes messages to a `response_url` for 30 minutes, five at most). `deliveries`: how many replies may be on
    their way at once, beside what is being answered. `longest_wait`: the longest that a platform's word to wait is
    followed without asking again.
    """

    workers: int = 4
    poll: float = 1.0
    retry: float = 1.0
    longest_retry: float = 15.0
    lease: float = 30.0
    postpone: float = 5.0
    longest_postpone: float = 60.0
    give_up: float = 25 * 60.0
    deliveries: int = 100
    longest_wait: float = 120.0

    def pause(self, attempt: int) -> float:
        """Before the next try, after try `attempt` (from 1)."""
        return float(min(self.retry * 2 ** (attempt - 1), self.longest_retry))

    def delay(self, postponed: int) -> float:
        """How long a question is put off that was so `postponed` times."""
        return float(min(self.postpone * 2 ** min(postponed, 20), self.longest_postpone))

    def is_over(self, waited: float, postponed: int) -> bool:
        """Whether a question has waited long enough. `waited`: by the clocks of two processes, which may differ;
        the times that it was put off count as well."""
        return max(waited, sum(self.delay(each) for each in range(postponed))) >= self.give_up
