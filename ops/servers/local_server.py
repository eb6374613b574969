"""What the real servers of a folder have in common."""

import signal
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from ops.servers.free_ports import Ports
from ops.servers.packages import Say
from ops.servers.processes import ServerProcess


class LocalServer(ABC):
    """A real server on loopback, with a folder of its own; several can run side by side.

    It outlives this process. Another object on the same folder, in another process too, finds it again. Methods can
    be called from any event loop, one at a time.
    """

    KIND: ClassVar[str]
    START_SECONDS: ClassVar[float] = 60
    END: ClassVar[signal.Signals] = signal.SIGTERM
    """Ends it in order, without waiting for clients to leave."""

    def __init__(self, folder: Path, ports: Mapping[str, range], say: Say) -> None:
        """`folder`: where its data, its log and its port numbers are."""
        self.folder = folder.resolve()
        self._say = say
        self._ports = Ports(self.folder / "ports.json", ports)
        self._process = ServerProcess(self.folder, self.KIND)

    @property
    @abstractmethod
    def url(self) -> str:
        """The value of its setting. It stays the same when the server is stopped or killed and started again."""

    async def start(self) -> bool:
        """Returns when the server answers with the data it had; False if it was running already, paused or not.

        Unavailable: it ended, or does not answer. Misconfigured: a program is missing and cannot be installed.
        """
        running = self._process.running()
        if running:
            await self.resume()
        else:
            await self._launch()
        await self._process.wait_until(self._answers, seconds=self.START_SECONDS)
        return not running

    async def stop(self) -> None:
        """Ends it in order and keeps its data; nothing to do if it is not running."""
        await self._process.end(self.END)

    async def kill(self) -> None:
        """SIGKILL to every process of it; returns when they are gone."""
        await self._process.kill()

    async def pause(self) -> None:
        """SIGSTOP to every process of it: connections are accepted by the kernel, and nobody answers."""
        self._process.send(signal.SIGSTOP)

    async def resume(self) -> None:
        """SIGCONT, after `pause`."""
        self._process.send(signal.SIGCONT)

    @abstractmethod
    async def _launch(self) -> None:
        """Starts its process."""

    @abstractmethod
    async def _answers(self) -> bool:
        """Whether it answers, and is ours: another server may have taken the port."""
