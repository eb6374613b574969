"""Who is let in, as the settings say."""

from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from adapters.web.callers import Unauthenticated
from bot.access.groups import Access
from ops.config import Config
from ops.web_access import open_web_access
from rag_core.errors import Misconfigured


@pytest.mark.parametrize("protected", [False, True])
async def test_a_limit_that_cannot_be_read_stops_the_start(tmp_path: Path, protected: bool) -> None:
    engine = create_async_engine("sqlite+aiosqlite://")  # nothing connects
    config = Config(data_dir=tmp_path, web_tokens=protected, limit_failures="often")
    with pytest.raises(Misconfigured, match="limit_invalid") as raised:
        async with open_web_access(config, engine, Access({}, {})):
            pass
    assert raised.value.details["setting"] == "ADPOLICY_LIMIT_FAILURES"
    right = config.model_copy(update={"limit_failures": "5/minute"})
    async with open_web_access(right, engine, Access({}, {})) as access:
        assert isinstance(access.callers, Unauthenticated) is not protected
        assert (access.sign_in is not None) is protected
    await engine.dispose()
