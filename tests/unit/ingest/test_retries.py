from datetime import timedelta

import pytest

from ingest.model.retries import retry_after


@pytest.mark.parametrize(("failures", "minutes"), [(0, 0), (1, 5), (2, 10), (3, 20), (4, 40), (5, 80)])
def test_waits_double_from_five_to_eighty_minutes(failures: int, minutes: int) -> None:
    assert retry_after(failures) == timedelta(minutes=minutes)


@pytest.mark.parametrize("failures", [6, 7, 10_000])
def test_after_five_retries_it_is_not_tried_again(failures: int) -> None:
    assert retry_after(failures) is None
