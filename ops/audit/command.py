"""`python -m ops audit`: who does what."""

import argparse

from ops.audit.exporting import export
from ops.audit.showing import show
from ops.audit.verifying import print_head, verify
from ops.checkpoints.keys import build_signer
from ops.config import Config


async def audit(args: argparse.Namespace, config: Config) -> int:
    """0, 1 where something is not as it was recorded."""
    match args.what:
        case "verify":
            return await verify(config, args.workspace, columns=not args.bytes_only, head=args.head)
        case "head":
            return await print_head(config)
        case "key":
            print(build_signer(config).public_key)
            return 0
        case "export":
            return await export(config, args.folder, args.workspace)
        case _:
            return await show(config, args.answer_id, today=not args.not_today)
