"""`python -m ops.training learn --base FILE [--work DIR]`: from data to weights. Broken off, it goes on later."""

import argparse
import asyncio
import json
import sys
from datetime import date
from pathlib import Path

import torch

from ops.config import load_config
from ops.evaluation.replies import recorded_model
from ops.parts import utc_now
from ops.training.calibrating import calibrate_and_tell
from ops.training.course import learn_all
from ops.training.measuring import BLIND, measure


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m ops.training", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    learn = commands.add_parser("learn", help="learn the weights of the small reader")
    learn.add_argument("--base", type=Path, required=True, help="bge-small-en-v1.5 as a float ONNX file")
    learn.add_argument("--work", type=Path, default=Path(".adpolicy/training"), help="where what is unfinished is kept")
    learn.add_argument(
        "--folds", type=int, default=2, help="parts of the platforms, each measured by weights without it"
    )
    learn.add_argument(
        "--only", nargs="+", default=[], metavar="NAME", help="of fold-0, fold-1 ... and final, only these"
    )
    learn.add_argument("--threads", type=int, help="processor threads; as many as there are cores by default")
    calibrate = commands.add_parser("calibrate", help="set the thresholds from what a fold's weights say of the rest")
    calibrate.add_argument("--weights", type=Path, required=True, help="fold-N.onnx")
    calibrate.add_argument("--fold", type=int, required=True, help="N: its platforms are measured")
    calibrate.add_argument("--folds", type=int, default=2)
    calibrate.add_argument("--most", type=int, default=5_000, help="questions at most")
    calibrate.add_argument("--cache", type=Path, default=Path(".adpolicy/training"))
    calibrate.add_argument("--write", action="store_true", help="keep the thresholds, rag_core/rules/thresholds.json")
    told = commands.add_parser("measure", help="ask what was written blind, and print the figures")
    told.add_argument("--set", type=Path, default=BLIND, dest="folder", help="a folder as tests/golden/reading")
    told.add_argument("--cache", type=Path, default=Path(".adpolicy/training"))
    told.add_argument("--replies", type=Path, help="answer with these recorded replies of a language model")
    told.add_argument(
        "--day", type=date.fromisoformat, help="the day that is asked on, today by default; prompts name it"
    )
    told.add_argument("--prompts", type=Path, help="keep what a model would be asked, where it has no reply")
    args = parser.parse_args(arguments)
    if args.command == "measure":
        model = recorded_model(args.replies, args.prompts)
        day = args.day or utc_now().date()
        found = asyncio.run(measure(load_config(), args.folder, args.cache, day, model))
        print(json.dumps({name: round(value, 3) for name, value in found.items()}, indent=1))
        return
    if args.command == "calibrate":
        asyncio.run(calibrate_and_tell(args.weights, (args.fold, args.folds), args.most, args.cache, write=args.write))
        return
    if args.threads:
        torch.set_num_threads(args.threads)
    learn_all(args.base, args.work, args.folds, args.only)


if __name__ == "__main__":
    main(sys.argv[1:])
