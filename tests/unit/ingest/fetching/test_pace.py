from ingest.fetching.fetcher import HostPace


class Hourglass:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


async def test_requests_to_one_host_are_the_interval_apart() -> None:
    hourglass = Hourglass()
    pace = HostPace(hourglass, hourglass.sleep)
    begun = []

    for interval in (1.0, 5.0, 1.0):
        await pace.turn("acme.example", interval)
        begun.append(hourglass.now)
    await pace.turn("other.example", 1.0)

    assert begun == [100.0, 101.0, 106.0]
    assert hourglass.now == 106.0


async def test_hosts_are_forgotten_when_they_are_many() -> None:
    hourglass = Hourglass()
    pace = HostPace(hourglass, hourglass.sleep)
    for number in range(10_002):
        await pace.turn(f"{number}.example", 0.0)

    await pace.turn("acme.example", 1.0)
    await pace.turn("acme.example", 1.0)

    assert hourglass.now == 101.0
    assert len(pace._free_at) == 2


async def test_time_that_passed_anyway_counts() -> None:
    hourglass = Hourglass()
    pace = HostPace(hourglass, hourglass.sleep)

    await pace.turn("acme.example", 2.0)
    hourglass.now += 10
    await pace.turn("acme.example", 2.0)

    assert hourglass.now == 110.0
