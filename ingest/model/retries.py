"""When to try again what failed."""

from datetime import timedelta

FIRST_WAIT = timedelta(minutes=5)
MOST_RETRIES = 5


def retry_after(failures: int) -> timedelta | None:
    """How long to wait after something failed `failures` times in a row: 5, 10, 20, 40, 80 minutes.

    None: it was tried again five times and is not any more; it is shown as failed.
    """
    if failures < 1:
        return timedelta(0)
    return FIRST_WAIT * 2 ** (failures - 1) if failures <= MOST_RETRIES else None
