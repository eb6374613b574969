"""`python -m ops bench mutants`: whether the tests of security-relevant modules notice a changed decision.

Everything happens in a copy of the checkout, which is thrown away.
"""

import ast
import asyncio
import hashlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from ops.bench import wording
from ops.bench.processes import environment
from rag_core.errors import Misconfigured, Rejected

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


_ROOT = Path(__file__).resolve().parents[2]
_TESTS = Path(__file__).with_suffix(".toml")
_SEED, _MOST = 1, 24
_SHORTEST_LIMIT, _TIMES_MEASURED = 30.0, 10
"""A mutant's tests may take ten times what they take without it, and half a minute on a busy machine."""

_PYTEST = ("-m", "pytest", "-x", "-q", "--tb=line", "-m", "not (services or browser or models or torch)")
_MUTATED_AT = 1
"""The time of change of a mutated file: no compiled file of the original fits it."""


class Result(StrEnum):
    KILLED = "killed"
    SURVIVED = "survived"
    TIMED_OUT = "timed out"


@dataclass(frozen=True, slots=True)
class Trial:
    """A mutant and what its tests said. `key` changes with the module's code and with its tests."""

    key: str
    module: str
    mutation: str
    line: int
    function: str
    change: str
    result: str
    seconds: float


async def bench_mutants(modules: Sequence[str], record: Path | None, minutes: float, *, smallest: bool) -> int:
    """Try the mutants of `modules`, or of all, for some minutes; those that are in `record` are not tried again.

    0 also where mutants survive, since some change nothing that can be told; 1 if one of `modules` is unknown or
    its tests fail without a mutant. Raises Misconfigured outside a git checkout.
    """
    tests = tomllib.loads(_TESTS.read_text(encoding="utf-8"))
    for module in modules:
        if module not in tests:
            raise Rejected("mutants_module_unknown", module=module, known=", ".join(tests))
    chosen = {module: tests[module] for module in (modules or tests)}
    if smallest:
        chosen = dict(list(chosen.items())[:1])
        minutes = max(minutes, 1.0)
    runs = MutantRuns(_ROOT, chosen, record, most=1 if smallest else _MOST)
    trials = await runs.run(minutes * 60)
    _tell(trials, runs)
    return 0


class MutantRuns:
    """Mutants of modules in a copy of `root`. `tests`: module -> the paths of its tests, all below `root`."""

    def __init__(
        self,
        root: Path,
        tests: Mapping[str, Sequence[str]],
        record: Path | None = None,
        *,
        most: int = _MOST,
        shortest_limit: float = _SHORTEST_LIMIT,
    ) -> None:
        self._root, self._tests, self._record = root, tests, record
        self._shortest_limit = shortest_limit
        self.found = {module: mutants_of((root / module).read_text(encoding="utf-8")) for module in tests}
        self.drawn = {module: drawn(module, mutants, most) for module, mutants in self.found.items()}

    async def run(self, seconds: float) -> list[Trial]:
        """All finished trials of the mutants that were drawn, those of earlier runs too, after at most `seconds` and
        one trial. Raises Rejected("mutants_tests_fail"), Misconfigured."""
        until = time.monotonic() + seconds
        known = self._known()
        finished: list[Trial] = []
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder)
            await _copy_checkout(self._root, copy)
            for module, mutants in self.drawn.items():
                keys = {self._key(copy, module, mutant): mutant for mutant in mutants}
                finished += [known[key] for key in keys if key in known]
                waiting = {key: mutant for key, mutant in keys.items() if key not in known}
                if waiting and time.monotonic() < until:
                    finished += await self._trials(copy, module, waiting, until)
        return finished

    async def _trials(self, copy: Path, module: str, waiting: Mapping[str, Mutant], until: float) -> list[Trial]:
        began = time.monotonic()
        code, said = await _pytest(copy, self._tests[module], None)
        if code:
            raise Rejected("mutants_tests_fail", module=module, said=said[-500:])
        limit = max(self._shortest_limit, (time.monotonic() - began) * _TIMES_MEASURED)
        finished: list[Trial] = []
        for key, mutant in waiting.items():
            if time.monotonic() >= until:
                break
            with _mutated(copy / module, mutant.source):
                began = time.monotonic()
                code, _ = await _pytest(copy, self._tests[module], limit)
                taken = round(time.monotonic() - began, 2)
            result = Result.TIMED_OUT if code is None else Result.KILLED if code else Result.SURVIVED
            at = (mutant.mutation.value, mutant.line, mutant.function, mutant.change)
            finished.append(Trial(key, module, *at, result.value, taken))
            self._note(finished[-1])
        return finished

    def _key(self, copy: Path, module: str, mutant: Mutant) -> str:
        digest = hashlib.sha256(f"{module}\n{mutant.source}".encode())
        for path in self._tests[module]:
            at = copy / path
            for file in sorted(at.rglob("*.py")) if at.is_dir() else [at]:
                digest.update(file.read_bytes())
        return digest.hexdigest()[:16]

    def _known(self) -> dict[str, Trial]:
        if self._record is None or not self._record.is_file():
            return {}
        lines = self._record.read_text(encoding="utf-8").splitlines()
        return {trial.key: trial for trial in (Trial(**json.loads(line)) for line in lines)}

    def _note(self, trial: Trial) -> None:
        if self._record is not None:
            with self._record.open("a", encoding="utf-8") as written:
                written.write(json.dumps(asdict(trial)) + "\n")


def drawn(module: str, mutants: Sequence[Mutant], most: int) -> list[Mutant]:
    """At most `most` of `mutants`, in their order: the same ones every time."""
    chance = random.Random(f"{_SEED}:{module}")  # noqa: S311 - the same every time
    return [mutants[at] for at in sorted(chance.sample(range(len(mutants)), min(most, len(mutants))))]


async def _copy_checkout(root: Path, copy: Path) -> None:
    """What git keeps, and new files that it does not ignore. Raises Misconfigured("mutants_no_checkout")."""
    listing = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    try:
        git = await asyncio.create_subprocess_exec("git", *listing, cwd=root, stdout=PIPE, stderr=DEVNULL)
    except FileNotFoundError as error:
        raise Misconfigured("mutants_no_checkout", folder=str(root)) from error
    listed, _ = await git.communicate()
    if git.returncode:
        raise Misconfigured("mutants_no_checkout", folder=str(root))
    for name in filter(None, os.fsdecode(listed).split("\0")):
        if (root / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, copy / name)


@contextmanager
def _mutated(path: Path, source: str) -> Iterator[None]:
    original, was = path.read_bytes(), path.stat()
    path.write_text(source, encoding="utf-8")
    os.utime(path, (_MUTATED_AT, _MUTATED_AT))
    try:
        yield
    finally:
        path.write_bytes(original)
        os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))


async def _pytest(copy: Path, tests: Sequence[str], limit: float | None) -> tuple[int | None, str]:
    """The exit code, None after `limit` seconds, and what was printed. Only the run without a limit, which is the one
    without a mutant, writes compiled files."""
    own = {**environment(), "PYTHONDONTWRITEBYTECODE": "" if limit is None else "1"}
    process = await asyncio.create_subprocess_exec(
        sys.executable, *_PYTEST, *tests, cwd=copy, env=own, stdout=PIPE, stderr=STDOUT, start_new_session=True
    )
    try:
        said, _ = await asyncio.wait_for(process.communicate(), limit)
    except TimeoutError:
        return None, ""
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)  # what the tests started too
            await process.wait()
    return process.returncode, said.decode(errors="replace")


def _tell(trials: Sequence[Trial], runs: MutantRuns) -> None:
    for module, mutants in runs.drawn.items():
        mine = [each.result for each in trials if each.module == module]
        counts = {result.value: mine.count(result.value) for result in Result}
        print(wording.mutants_of_module(module, len(mine), len(mutants), len(runs.found[module]), counts))
    for each in trials:
        if each.result == Result.SURVIVED:
            print(wording.mutant_survived(each.module, each.line, each.function, each.change))
    counts = {result.value: sum(each.result == result.value for each in trials) for result in Result}
    print(wording.mutants_tried(len(trials), sum(map(len, runs.drawn.values())), counts))
