"""Single-point mutants of a Python module: its source with one decision changed."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

_TURNED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_EMPTY = {"bool": ("True", "False"), "str": ('""',), "bytes": ('b""',), "int": ("0",)}
_EMPTY_OF = {"list": "[]", "tuple": "()", "dict": "{}", "set": "set()", "frozenset": "frozenset()"}
_UNTOUCHED = frozenset({"annotation", "returns", "decorator_list"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LONGEST = 80


class Mutation(StrEnum):
    COMPARISON = "comparison"
    AND_OR = "and/or"
    NOT = "not"
    CONSTANT = "constant"
    RETURN = "return"
    RAISE = "raise"
    GUARD = "guard"


@dataclass(frozen=True, slots=True)
class Mutant:
    """`source` is the whole module, mutated, without comments; `line` (from 1) and `change` are of the original."""

    mutation: Mutation
    line: int
    function: str
    change: str
    source: str


@dataclass(frozen=True, slots=True)
class _Place:
    """A field of `holder`, or one item of it, which can be replaced and put back."""

    holder: ast.AST
    field: str
    index: int | None
    scope: tuple[str, ...] = ()
    returns: str = ""
    is_guard: bool = False

    @property
    def node(self) -> ast.AST:
        value = getattr(self.holder, self.field)
        found: ast.AST = value if self.index is None else value[self.index]
        return found

    def put(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.holder, self.field, node)
        else:
            getattr(self.holder, self.field)[self.index] = node


def mutants_of(source: str) -> list[Mutant]:
    """Each mutant of `source` once, in its order. Annotations, decorators and docstrings stay as they are.

    Raises SyntaxError.
    """
    tree = ast.parse(source)
    found: dict[str, Mutant] = {}
    for place in _places(tree, (), "", is_guard=False):
        node = place.node
        for mutation, mutated in _mutations(node, place):
            place.put(ast.copy_location(mutated, node))
            text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
            place.put(node)
            change = f"{_short(node)} -> {_short(mutated)}"
            line = getattr(node, "lineno", 0)
            found.setdefault(text, Mutant(mutation, line, ".".join(place.scope), change, text))
    found.pop(ast.unparse(tree) + "\n", None)
    return list(found.values())


def _places(node: ast.AST, scope: tuple[str, ...], returns: str, *, is_guard: bool) -> Iterator[_Place]:
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        scope = (*scope, node.name)
    if isinstance(node, _FUNCTIONS):
        returns = ast.unparse(node.returns) if node.returns else ""
    for field, value in ast.iter_fields(node):
        if field in _UNTOUCHED:
            continue
        guard = _is_guard(node, field) or (is_guard and isinstance(node, ast.BoolOp | ast.UnaryOp))
        for index, child in enumerate(value) if isinstance(value, list) else ((None, value),):
            if isinstance(child, ast.AST):
                yield _Place(node, field, index, scope, returns, guard)
                yield from _places(child, scope, returns, is_guard=guard)


def _is_guard(node: ast.AST, field: str) -> bool:
    """Whether the field is a condition."""
    return (isinstance(node, ast.If | ast.IfExp | ast.While) and field == "test") or field == "ifs"


def _mutations(node: ast.AST, place: _Place) -> Iterator[tuple[Mutation, ast.AST]]:
    if isinstance(node, ast.Compare):
        yield from _turned(node)
    elif isinstance(node, ast.BoolOp):
        other = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        yield Mutation.AND_OR, ast.BoolOp(other, node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield Mutation.NOT, node.operand
    elif isinstance(node, ast.Constant):
        yield from ((Mutation.CONSTANT, ast.Constant(value)) for value in _near(node.value))
    elif isinstance(node, ast.Return) and node.value is not None:
        yield from ((Mutation.RETURN, ast.Return(_expression(text))) for text in _empty(place.returns))
    elif isinstance(node, ast.Raise):
        yield Mutation.RAISE, ast.Pass()
    elif isinstance(node, ast.Call) and place.is_guard:
        yield from ((Mutation.GUARD, ast.Constant(value)) for value in (True, False))
    # A comparison is turned above, and a `not` was taken away.
    if isinstance(node, ast.expr) and _is_guard(place.holder, place.field) and not _has_opposite(node):
        yield Mutation.NOT, ast.UnaryOp(ast.Not(), node)


def _has_opposite(node: ast.expr) -> bool:
    is_not = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return is_not or (isinstance(node, ast.Compare) and len(node.ops) == 1)


def _turned(node: ast.Compare) -> Iterator[tuple[Mutation, ast.AST]]:
    for index, op in enumerate(node.ops):
        for other in _TURNED[type(op)]:
            ops: list[ast.cmpop] = [*node.ops[:index], other(), *node.ops[index + 1 :]]
            yield Mutation.COMPARISON, ast.Compare(node.left, ops, node.comparators)


def _near(value: object) -> Sequence[bool | int | float]:
    if isinstance(value, bool):
        return (not value,)
    return (value + 1, value - 1) if isinstance(value, int | float) else ()


def _empty(returns: str) -> tuple[str, ...]:
    """What a function with the annotation `returns` may return for nothing."""
    of = _EMPTY_OF.get(returns.partition("[")[0])
    return _EMPTY.get(returns) or ((of,) if of else ("None",))


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
