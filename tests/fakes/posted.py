"""Posted messages in memory."""

from collections.abc import Callable

from bot.model.posted import MessagePlace, Posted, Subject


class FakePostedMessages:
    """`failure` is raised instead."""

    def __init__(self, *rows: Posted) -> None:
        self.rows = list(rows)
        self.failure: Exception | None = None

    async def save(self, posted: Posted) -> None:
        await self.remove(posted.place)
        self.rows.append(posted)

    async def of_subject(self, subject: Subject, subject_id: str) -> tuple[Posted, ...]:
        return self._found(lambda each: (each.subject, each.subject_id) == (subject, subject_id))

    async def in_thread(self, platform: str, workspace: str, channel: str, thread: str) -> tuple[Posted, ...]:
        place = (platform, workspace, channel, thread)
        return self._found(lambda each: (*_where(each), each.place.thread) == place)

    async def answering(self, platform: str, workspace: str, channel: str, asked_in: str) -> Posted | None:
        place = (platform, workspace, channel, asked_in)
        found = self._found(lambda each: bool(asked_in) and (*_where(each), each.asked_in) == place)
        answers = [each for each in found if each.subject is Subject.ANSWER]
        return answers[-1] if answers else None

    async def at(self, platform: str, workspace: str, channel: str, message: str) -> Posted | None:
        place = (platform, workspace, channel, message)
        found = self._found(lambda each: (*_where(each), each.place.message) == place)
        return found[0] if found else None

    async def remove(self, place: MessagePlace) -> None:
        self._fail()
        self.rows = [each for each in self.rows if each.place != place]

    def _found(self, fits: Callable[[Posted], bool]) -> tuple[Posted, ...]:
        self._fail()
        return tuple(sorted(filter(fits, self.rows), key=lambda each: (each.posted_at, each.place.message)))

    def _fail(self) -> None:
        if self.failure:
            raise self.failure


def _where(posted: Posted) -> tuple[str, str, str]:
    return posted.place.platform, posted.place.workspace, posted.place.channel
