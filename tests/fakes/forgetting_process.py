"""A process that forgets a person and is killed: `python -m tests.fakes.forgetting_process ADDRESS FOLDER STEP WHEN`.

WHEN: before or after the step.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

from adapters.sql.database.engine import open_engine
from adapters.sql.people.privacy import SqlPeopleForgetting
from tests.fakes.keepers import local_keepers
from tests.fakes.privacy import open_town


async def main(address: str, folder: Path, step: str, when: str) -> None:
    engine = open_engine(address)
    async with local_keepers() as keepers, open_town(engine, keepers, folder) as town:
        await town.live()
        real = getattr(SqlPeopleForgetting, step)

        async def dying(self: SqlPeopleForgetting, *args: Any, **kwargs: Any) -> None:
            if when == "after":
                await real(self, *args, **kwargs)
            os.kill(os.getpid(), signal.SIGKILL)

        setattr(SqlPeopleForgetting, step, dying)
        await town.forgetting().run()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4]))
