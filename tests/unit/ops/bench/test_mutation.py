"""Mutants of a module: each changes one decision, and nothing else."""

import ast

import pytest

from ops.bench.mutants import Mutant, Mutation, mutants_of

SOURCE = '''"""A guard."""

LIMIT: int = 3

def may(name: str, age: int = 17) -> bool:
    """A docstring of 3 words."""
    if not name or name.startswith("x"):
        raise ValueError(name)
    return age > LIMIT and name != "root"
'''


def changes(mutation: Mutation, source: str = SOURCE) -> list[str]:
    return [each.change for each in mutants_of(source) if each.mutation is mutation]


@pytest.mark.parametrize(
    ("mutation", "expected"),
    [
        (
            Mutation.COMPARISON,
            ["age > LIMIT -> age >= LIMIT", "age > LIMIT -> age <= LIMIT", "name != 'root' -> name == 'root'"],
        ),
        (
            Mutation.AND_OR,
            [
                "not name or name.startswith('x') -> not name and name.startswith('x')",
                "age > LIMIT and name != 'root' -> age > LIMIT or name != 'root'",
            ],
        ),
        (
            Mutation.NOT,
            [
                "not name or name.startswith('x') -> not (not name or name.startswith('x'))",
                "not name -> name",
            ],
        ),
        (Mutation.CONSTANT, ["3 -> 4", "3 -> 2", "17 -> 18", "17 -> 16"]),
        (
            Mutation.RETURN,
            [
                "return age > LIMIT and name != 'root' -> return True",
                "return age > LIMIT and name != 'root' -> return False",
            ],
        ),
        (Mutation.RAISE, ["raise ValueError(name) -> pass"]),
        (Mutation.GUARD, ["name.startswith('x') -> True", "name.startswith('x') -> False"]),
    ],
)
def test_each_kind_of_mutation_is_made_wherever_it_applies(mutation: Mutation, expected: list[str]) -> None:
    assert changes(mutation) == expected


@pytest.mark.parametrize(
    ("source", "mutation", "expected"),
    [
        ("def f() -> list[int]:\n    return [x]", Mutation.RETURN, ["return [x] -> return []"]),
        ("def f() -> str:\n    return x", Mutation.RETURN, ["return x -> return ''"]),
        ("def f():\n    return x", Mutation.RETURN, ["return x -> return None"]),
        ("def f():\n    return None", Mutation.RETURN, []),
        ("x = f(True)", Mutation.CONSTANT, ["True -> False"]),
        ("x = [y for y in z if f(y)]", Mutation.GUARD, ["f(y) -> True", "f(y) -> False"]),
        ("x = [y for y in z if f(y)]", Mutation.NOT, ["f(y) -> not f(y)"]),
        ("x = f(y)", Mutation.GUARD, []),
        ("if TYPE_CHECKING:\n    x = 1", Mutation.CONSTANT, []),
        ("@dataclass(frozen=True)\nclass A:\n    x: Literal[1]", Mutation.CONSTANT, []),
        ("if a in b:\n    pass", Mutation.COMPARISON, ["a in b -> a not in b"]),
        (
            "x = 0 < a < 2",
            Mutation.COMPARISON,
            [
                "0 < a < 2 -> 0 <= a < 2",
                "0 < a < 2 -> 0 >= a < 2",
                "0 < a < 2 -> 0 < a <= 2",
                "0 < a < 2 -> 0 < a >= 2",
            ],
        ),
    ],
)
def test_a_mutation_suits_the_code_around_it(source: str, mutation: Mutation, expected: list[str]) -> None:
    assert changes(mutation, source) == expected


def test_every_mutant_differs_from_the_source_and_from_every_other() -> None:
    texts = [each.source for each in mutants_of(SOURCE)]
    plain = ast.unparse(ast.parse(SOURCE)) + "\n"
    assert plain not in texts
    assert len(set(texts)) == len(texts)


def test_every_mutant_can_be_compiled_and_changes_one_place() -> None:
    plain = ast.unparse(ast.parse(SOURCE)).splitlines()
    for each in mutants_of(SOURCE):
        compile(each.source, "mutant", "exec")
        lines = each.source.splitlines()
        assert len([1 for before, after in zip(plain, lines, strict=True) if before != after]) == 1, each.change


def test_a_mutant_names_its_function_and_line() -> None:
    source = "class Guard:\n    def check(self) -> None:\n        raise ValueError\n"
    assert mutants_of(source) == [
        Mutant(
            Mutation.RAISE,
            3,
            "Guard.check",
            "raise ValueError -> pass",
            "class Guard:\n\n    def check(self) -> None:\n        pass\n",
        )
    ]


def test_the_same_source_gives_the_same_mutants_in_the_same_order() -> None:
    assert mutants_of(SOURCE) == mutants_of(SOURCE)
