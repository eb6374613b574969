"""Pieces of known size into parts of about equal size."""

from collections.abc import Callable, Iterator, Sequence

from ingest.chunkers.atoms import Atom

AIM = 190
"""Tokens of text that a part of a long section should have at most; 120-200 read best in an answer."""


def packed(atoms: Sequence[Atom], room_after: Callable[[Atom], int], least_room: int) -> Iterator[list[Atom]]:
    """`atoms` in order in parts that fit, joined ones together where they do.

    `room_after(atom)`: the tokens of text left in a part that begins with `atom`; never below `least_room`.
    """
    total = sum(atom.tokens for atom in atoms)
    if total <= room_after(atoms[0]):
        yield list(atoms)
        return
    aim = total / -(-total // min(AIM, least_room))
    part: list[Atom] = []
    for group in _groups(atoms, least_room):
        size, cost = _tokens(part), _tokens(group)
        if part and (size + cost > room_after(part[0]) or size + cost / 2 > aim):
            yield part
            part = []
        part = [*part, *group]
    if part:
        yield part


def _groups(atoms: Sequence[Atom], most: int) -> Iterator[list[Atom]]:
    """Atoms with those that are joined to them; a group that does not fit comes apart before its last atoms."""
    group: list[Atom] = []
    for atom in atoms:
        if group and _tokens([*group, atom]) > most:
            yield group
            group = []
        group.append(atom)
        if not atom.joined:
            yield group
            group = []
    if group:
        yield group


def _tokens(atoms: Sequence[Atom]) -> int:
    return sum(atom.tokens for atom in atoms)
