"""`python -m ops evaluate`: the arguments, and the way from datasets to a report."""

import argparse
import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path

from rich.console import Console
from rich.progress import Progress as Bar

from ops.config import Config
from ops.evaluation.asking_all import EMBEDDED, MOCK, Measured, Selected, ask_all
from ops.evaluation.beir import print_beir
from ops.evaluation.corpora import SAMPLE, default_cache
from ops.evaluation.html_page import html_page
from ops.evaluation.judge_model import JudgeModel
from ops.evaluation.judging import Judged, write_unjudged
from ops.evaluation.matching import Pool, read_pool
from ops.evaluation.measures import ANSWERS, CORRECTNESS, RETRIEVAL, Measure
from ops.evaluation.questions import GoldQuestion, Injection, chosen, read_injections, read_lines, read_questions
from ops.evaluation.replies import recorded_model
from ops.evaluation.report import MOST_MILLISECONDS, TARGETS, Report, compare, read_report, report_text
from ops.evaluation.results import Tried, diagnose, diagnose_retrieval, injection_line, question_line, split_report
from ops.evaluation.terminal import TEST, print_comparison, print_report
from ops.evaluation.tuning import print_tuning
from ops.models import open_model
from ops.parts import utc_now
from ops.wording import evaluation as wording
from rag_core.errors import Misconfigured, Rejected

_ROOT = Path(__file__).resolve().parent.parent.parent


def commit_here() -> str:
    """The short hash of the commit, with "+" where something is changed since; "" without git."""
    try:
        head = _git("rev-parse", "--short=9", "HEAD")
        return head + ("+" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=_ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


GOLDEN = Path(__file__).resolve().parent.parent.parent / "tests" / "golden"
_OWN = ("questions_answerable.jsonl", "questions_unanswerable.jsonl", "sample_questions.jsonl", "injections.jsonl")
_CITED_SECTIONS = GOLDEN / "cited_sections.jsonl"
_OF_THE_SAMPLE = "sample_questions.jsonl"
_TERMINAL_WIDTH = 120


async def evaluate(args: argparse.Namespace, config: Config) -> int:
    """Always 0 where it could measure: a figure is no failure. Raises what reading and asking raise."""
    if args.beir is not None and not args.tuning:
        return await print_beir(args.beir)
    if args.tuning:
        return await print_tuning(_measured(args), config, _selected(args).questions, args.beir)
    old = read_report(args.compare) if args.compare else None
    _show(await measured_report(args, config), args, old)
    return 0


async def measured_report(args: argparse.Namespace, config: Config) -> Report:
    """The report, which is written where the arguments say. Raises what reading and asking raise."""
    measured = _measured(args)
    async with _judge(args, config) as judge:
        judged, tried = await _asked(measured, config, _selected(args), judge)
    report = _report(args, _paths(args), measured.today, judged, tried)
    if judge is not None:
        report = report.model_copy(update={"judge": judge.name, "ungraded": judge.failed})
    _write(report, args.output)
    if args.unjudged is not None:
        count = await asyncio.to_thread(write_unjudged, judged, args.unjudged)
        print(wording.unjudged_written(count, str(args.unjudged)), file=sys.stderr)
    return report


def _paths(args: argparse.Namespace) -> list[Path]:
    return args.dataset or [GOLDEN / name for name in _OWN]


def _measured(args: argparse.Namespace) -> Measured:
    return Measured(
        args.bot,
        args.today or utc_now().date(),
        args.top_k,
        args.data,
        args.cache or default_cache(),
        args.retrieval_only,
        skip_correctness=args.skip_correctness,
        model=recorded_model(args.replies, args.prompts),
    )


@asynccontextmanager
async def _judge(args: argparse.Namespace, config: Config) -> AsyncIterator[JudgeModel | None]:
    """The model that grades, as --judge says. Raises as `open_model` does."""
    if args.judge == "none" or args.retrieval_only or args.skip_correctness:
        yield None
        return
    if args.judge == "llama":
        config = config.model_copy(update={"model": "llama"})
    elif args.judge != "settings":
        config = config.model_copy(update={"model": "openai", "model_url": args.judge, "model_name": args.judge_name})
    async with open_model(config) as model:
        yield JudgeModel(model) if model is not None else None


def _pool(path: Path | None) -> Pool:
    """The judgements that were named, else those of the project's own set, else none."""
    if path is not None or _CITED_SECTIONS.is_file():
        return read_pool(path or _CITED_SECTIONS)
    return Pool()


def _selected(args: argparse.Namespace) -> Selected:
    """The questions to ask, the injections to try, and all injections: whose documents lie side by side is the same in
    every run. Raises Rejected("dataset_empty"), and what reading raises."""
    questions: list[GoldQuestion] = []
    injections: list[Injection] = []
    for path in _paths(args):
        if _has_injections(path):
            injections += read_injections(path)
        else:
            questions += _at_home(path, read_questions(path))
    tags = frozenset(each.replace("_", "-") for each in args.tags)
    questions = chosen(questions, split=args.split, tags=tags, ids=frozenset(args.ids))
    if args.retrieval_only:
        questions = [each for each in questions if each.expected.kind == "answer"]
    wanted = [each for each in injections if _is_wanted(each, args, tags)]
    if not questions and not wanted:
        raise Rejected("dataset_empty")
    return Selected(questions, wanted, injections, _pool(args.judged))


def _has_injections(path: Path) -> bool:
    first = next((line for line in read_lines(path) if line.strip()), "{}")
    return '"must_not"' in first


def _at_home(path: Path, questions: list[GoldQuestion]) -> list[GoldQuestion]:
    """The project's older file names no corpus: its questions are of the sample, whatever the settings name."""
    if path.resolve() != GOLDEN / _OF_THE_SAMPLE:
        return questions
    return [each.model_copy(update={"corpus": SAMPLE}) for each in questions]


def _is_wanted(injection: Injection, args: argparse.Namespace, tags: frozenset[str]) -> bool:
    if args.retrieval_only or args.split not in ("all", injection.split):
        return False
    return (not tags or bool(tags & set(injection.tags))) and (not args.ids or injection.id in args.ids)


async def _asked(
    measured: Measured, config: Config, selected: Selected, judge: JudgeModel | None
) -> tuple[list[Judged], list[Tried]]:
    """With progress on standard error. Injected documents are there only where this command ingests."""
    if measured.bot != EMBEDDED:
        kept = [each for each in selected.injections if each.where == "question" and measured.bot != MOCK]
        if left := len(selected.injections) - len(kept):
            print(wording.injections_left_out(left, measured.bot), file=sys.stderr)
        selected = replace(selected, injections=kept)
    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(wording.ASKING, total=None)
        return await ask_all(
            measured, config, selected,
            lambda done, total: bar.update(task, completed=done, total=total),
            judge,
        )  # fmt: skip


def _report(
    args: argparse.Namespace, paths: Sequence[Path], today: date, judged: list[Judged], tried: list[Tried]
) -> Report:
    splits = [name for name in ("dev", TEST) if args.split in ("all", name)]
    measures = _measures(args)
    cause = diagnose_retrieval if args.retrieval_only else diagnose
    lines = [*(question_line(each, cause) for each in judged), *map(injection_line, tried)]
    return Report(
        made_on=utc_now().date(),
        commit=commit_here(),
        bot=args.bot,
        today=today,
        top_k=args.top_k,
        datasets=tuple(path.name for path in paths),
        splits={
            name: split_report(
                [each for each in judged if each.question.split == name],
                [each for each in tried if each.injection.split == name],
                measures,
                cause,
            )
            for name in splits
        },
        targets=TARGETS,
        most_milliseconds=MOST_MILLISECONDS,
        questions=tuple(each for each in lines if args.show_test or each.split != TEST),
    )


def _measures(args: argparse.Namespace) -> Mapping[str, Measure]:
    if args.retrieval_only:
        return RETRIEVAL
    return {**RETRIEVAL, **ANSWERS, **({} if args.skip_correctness else CORRECTNESS)}


def _write(report: Report, output: Path | None) -> None:
    """Raises Misconfigured("evaluation_report_unwritable", path=...)."""
    if output is None:
        return
    text = html_page(report) if output.suffix == ".html" else report_text(report)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8")
    except OSError as exc:
        raise Misconfigured("evaluation_report_unwritable", path=str(output)) from exc


def _show(report: Report, args: argparse.Namespace, old: Report | None) -> None:
    comparison = compare(old, report) if old else None
    if args.format == "json":
        print(report_text(report))
    elif args.format == "html":
        print(html_page(report))
    console = Console(width=None if sys.stdout.isatty() else _TERMINAL_WIDTH, stderr=args.format != "text")
    if args.format == "text":
        print_report(report, console, failures=args.failures)
    if comparison is not None:
        print_comparison(comparison, str(args.compare), console)
