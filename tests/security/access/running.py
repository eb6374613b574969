"""All roads taken, and what came out."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tests.security.access.attempts import Attempt, Leak, Proof, Road, is_public, settled, words_out
from tests.security.access.people import LEAVERS, MEMBERS, NOBODY, STRANGERS, Asker
from tests.security.access.world import Door, World

_SHOWN = 400


@dataclass(slots=True)
class Taken:
    """What came of one road. `attempts`: tries by those who may not; `controls`: replies that show that the road leads
    somewhere; `idle`: attempts without one."""

    road: str
    attempts: int = 0
    controls: int = 0
    leaks: list[Leak] = field(default_factory=list)
    idle: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        return not self.leaks and not self.idle and self.attempts > 0


async def take_all(
    roads: Iterable[Road],
    world: World,
    without: World | None,
) -> list[Taken]:
    """Every attempt of every road, first by members, then by whoever may not; what nobody gets is
    compared with what he gets `without` hidden documents."""
    found = []
    for road in roads:
        taken = Taken(road.name)
        async with road.around(world) as prepared:
            for number, attempt in enumerate(road.attempts(prepared)):
                await _take(attempt, number, prepared, without, taken)
        if taken.attempts:
            found.append(taken)
    return found


async def _take(attempt: Attempt, number: int, world: World, without: World | None, taken: Taken) -> None:
    secret = world.secrets[attempt.of]
    shown = 0
    for member in (each for each in MEMBERS if secret.may_see(each)):
        text = await attempt.take(Door(world, member))
        shown += bool(words_out(text, [secret], attempt.own_words(member)))
        _note(world, attempt, member, text, taken)
    for asker in (*_outsiders(world, attempt), NOBODY, STRANGERS[number % len(STRANGERS)]):
        text = await attempt.take(Door(world, asker))
        taken.attempts += 1
        _note(world, attempt, asker, text, taken)
        shown += attempt.proof is Proof.PUBLIC and is_public(text)
        if asker is NOBODY and without is not None and attempt.alike:
            plain = settled(await attempt.take(Door(without, asker)))
            if settled(text) != plain:
                taken.leaks.append(Leak(taken.road, attempt.name, asker.name, (), _difference(plain, settled(text))))
    taken.controls += shown
    if not shown and attempt.proof is not Proof.TAKEN:
        taken.idle.append(attempt.name)


def _outsiders(world: World, attempt: Attempt) -> list[Asker]:
    """Those who were members until now, and members of the operator's other groups."""
    secret = world.secrets[attempt.of]
    left = [gone for member, gone in zip(MEMBERS, LEAVERS, strict=True) if secret.may_see(member)]
    return [*(left or LEAVERS[:1]), *(each for each in MEMBERS if not secret.may_see(each))]


def _note(world: World, attempt: Attempt, asker: Asker, text: str, taken: Taken) -> None:
    if words := words_out(text, world.hidden_from(asker), attempt.own_words(asker)):
        taken.leaks.append(Leak(taken.road, attempt.name, asker.name, words, text[:_SHOWN]))


def _difference(one: str, other: str) -> str:
    """Where two texts begin to differ, with what follows in both."""
    at = next(
        (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(map(len, (one, other)))
    )
    start = max(0, at - 60)
    return f"without: {one[start : at + 160]}\nwith: {other[start : at + 160]}"


def findings(taken: Taken) -> Iterator[str]:
    """What came out, and what proves nothing."""
    for leak in taken.leaks:
        what = (
            f"words of hidden documents: {', '.join(leak.words)}" if leak.words else "another reply than without them"
        )
        yield f"  LEAK {leak.attempt!r}, {leak.asker}: {what}\n{_indented(leak.reply)}"
    for attempt in taken.idle:
        yield f"  IDLE {attempt!r}: not even those who may see it got anything, so that this attempt proves nothing"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
