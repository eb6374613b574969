"""Escalations, posted messages and settings of channels in memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from bot.audit.entries import AuditEntry
from bot.model.channels import ChannelPreferences
from bot.model.posted import MessagePlace, Posted, Subject
from bot.people.escalations import ActKind, Escalation, EscalationAct, EscalationState
from bot.ports import RecordedAnswer


@dataclass(slots=True)
class FakePosted:
    """`PostedMessages`."""

    kept: dict[MessagePlace, Posted] = field(default_factory=dict)

    async def save(self, posted: Posted) -> None:
        self.kept[posted.place] = posted

    async def of_subject(self, subject: Subject, subject_id: str) -> tuple[Posted, ...]:
        return tuple(each for each in self.kept.values() if (each.subject, each.subject_id) == (subject, subject_id))

    async def in_thread(self, platform: str, workspace: str, channel: str, thread: str) -> tuple[Posted, ...]:
        place = (platform, workspace, channel, thread)
        mine = list(self.kept.values())
        return tuple(
            each
            for each in mine
            if (each.place.platform, each.place.workspace, each.place.channel, each.place.thread) == place
        )

    async def answering(self, platform: str, workspace: str, channel: str, asked_in: str) -> Posted | None:
        return next((each for each in self.kept.values() if each.asked_in == asked_in), None)

    async def remove(self, place: MessagePlace) -> None:
        self.kept.pop(place, None)


@dataclass(slots=True)
class FakeChannelSettings:
    """`ChannelSettings`, by channel."""

    kept: dict[str, ChannelPreferences] = field(default_factory=dict)

    async def of(self, platform: str, workspace: str, channel: str) -> ChannelPreferences:
        return self.kept.get(channel, ChannelPreferences())

    async def save(self, platform: str, workspace: str, channel: str, preferences: ChannelPreferences, by: str) -> None:
        self.kept[channel] = preferences

    async def remove_workspace(self, platform: str, workspace: str) -> int:
        return len(self.kept)

    async def remove(self, platform: str, workspace: str, channel: str) -> bool:
        return self.kept.pop(channel, None) is not None


@dataclass(slots=True)
class FakeGiven:
    """`GivenAnswers`."""

    kept: dict[str, RecordedAnswer] = field(default_factory=dict)

    async def answer(self, answer_id: str) -> RecordedAnswer | None:
        return self.kept.get(answer_id)


@dataclass(slots=True)
class FakeEscalations:
    """`Escalations`, by the rules of its docstrings."""

    kept: dict[str, Escalation] = field(default_factory=dict)
    entries: list[AuditEntry] = field(default_factory=list)

    async def begin(self, escalation: Escalation, entry: AuditEntry) -> Escalation:
        if escalation.escalation_id not in self.kept:
            self.kept[escalation.escalation_id] = escalation
            self.entries.append(entry)
        return self.kept[escalation.escalation_id]

    async def of(self, escalation_id: str) -> Escalation | None:
        return self.kept.get(escalation_id)

    async def claim(self, act: EscalationAct, entry: AuditEntry) -> bool:
        found = self.kept[act.escalation_id]
        if found.state is not EscalationState.OPEN:
            return found.claim is not None and found.claim.person == act.person
        self._add(found, act, EscalationState.CLAIMED, entry)
        return True

    async def reply(self, act: EscalationAct, entry: AuditEntry) -> bool:
        found = self.kept[act.escalation_id]
        if any(each.act_id == act.act_id for each in found.acts):
            return True
        if found.acts and {each.person for each in found.acts} != {act.person}:
            return False
        self._add(found, act, EscalationState.ANSWERED, entry)
        return True

    def _add(self, found: Escalation, act: EscalationAct, state: EscalationState, entry: AuditEntry) -> None:
        self.kept[found.escalation_id] = replace(found, state=state, acts=(*found.acts, act))
        self.entries.append(entry)

    @property
    def acts(self) -> Mapping[str, list[ActKind]]:
        return {each.escalation_id: [act.kind for act in each.acts] for each in self.kept.values()}
