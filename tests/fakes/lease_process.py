"""A process of its own that keeps a lease: `python -m tests.fakes.lease_process ADDRESS WORK WAIT_SECONDS`.

Prints "held" or "not held"; then keeps it until a line comes in, or until it is killed.
"""

import asyncio
import sys

from adapters.sql.database.engine import open_engine
from adapters.sql.database.lease import SqlLeaderLease


async def main(address: str, work: str, wait_seconds: float) -> None:
    engine = open_engine(address)
    async with SqlLeaderLease(engine).hold(work, wait_seconds) as is_ours:
        print("held" if is_ours else "not held", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
    await engine.dispose()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], float(sys.argv[3])))
