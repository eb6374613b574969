"""The options of `python -m ops evaluate`."""

import argparse
from datetime import date
from pathlib import Path

from ops.wording.evaluation import help_texts

_TOP_K, _MOST_TOP_K = 15, 50


def add_arguments(command: argparse.ArgumentParser) -> None:
    """All but --data, which other commands know too."""
    texts = help_texts()
    command.add_argument("what", nargs="?", choices=("run", "draft"), default="run", help=texts["what"])
    command.add_argument("--count", type=int, default=20, help=texts["count"])
    command.add_argument("--corpus", choices=("", "sample", "real"), default="", help=texts["corpus"])
    command.add_argument("--seed", type=int, default=0, help=texts["seed"])
    command.add_argument("--dataset", type=Path, action="append", default=[], help=texts["dataset"])
    command.add_argument("--beir", type=Path, help=texts["beir"])
    command.add_argument("--tuning", action="store_true", help=texts["tuning"])
    command.add_argument("--retrieval-only", action="store_true", help=texts["retrieval_only"])
    command.add_argument("--skip-correctness", action="store_true", help=texts["skip_correctness"])
    command.add_argument("--judge", type=_judge, default="settings", help=texts["judge"])
    command.add_argument("--judge-name", default="", help=texts["judge_name"])
    command.add_argument("--replies", type=Path, help=texts["replies"])
    command.add_argument("--prompts", type=Path, help=texts["prompts"])
    command.add_argument("--tags", action="extend", nargs="+", default=[], help=texts["tags"])
    command.add_argument("--ids", action="extend", nargs="+", default=[], help=texts["ids"])
    command.add_argument("--split", choices=("dev", "test", "all"), default="dev", help=texts["split"])
    command.add_argument("--show-test", action="store_true", help=texts["show_test"])
    command.add_argument("--top-k", type=_top_k, default=_TOP_K, help=texts["top_k"])
    command.add_argument("--bot", type=_bot, default="embedded", help=texts["bot"])
    command.add_argument("--today", type=date.fromisoformat, help=texts["today"])
    command.add_argument("--judged", type=Path, help=texts["judged"])
    command.add_argument("--unjudged", type=Path, help=texts["unjudged"])
    command.add_argument("--output", type=Path, help=texts["output"])
    command.add_argument("--compare", type=Path, help=texts["compare"])
    command.add_argument("--format", choices=("text", "json", "html"), default="text", help=texts["format"])
    command.add_argument("--table", action="store_true", help=texts["table"])
    command.add_argument("--failures", type=int, default=20, help=texts["failures"])
    command.add_argument("--cache", type=Path, help=texts["cache"])


def _bot(value: str) -> str:
    if value in ("embedded", "services", "mock") or value.startswith(("http://", "https://")):
        return value
    raise argparse.ArgumentTypeError(help_texts()["bot"])


def _judge(value: str) -> str:
    if value in ("settings", "none", "llama") or value.startswith(("http://", "https://")):
        return value
    raise argparse.ArgumentTypeError(help_texts()["judge"])


def _top_k(value: str) -> int:
    number = int(value)
    if not 1 <= number <= _MOST_TOP_K:
        raise argparse.ArgumentTypeError(f"1 to {_MOST_TOP_K}")
    return number
