"""What every server here can do."""

from pathlib import Path
from typing import Protocol


class LocalServer(Protocol):
    """A real server on loopback, with a folder of its own; several can run side by side.

    It outlives this process. Another object on the same folder, in another process too, finds it again. Methods can
    be called from any event loop, one at a time.
    """

    @property
    def url(self) -> str:
        """The value of its setting. It stays the same when the server is stopped or killed and started again."""

    @property
    def folder(self) -> Path:
        """Where its data, its log and its port number are."""

    async def start(self) -> bool:
        """Returns when the server answers with the data it had; False if it was running already, paused or not.

        Unavailable: it ended, or does not answer. Misconfigured: a program is missing and cannot be installed.
        """

    async def stop(self) -> None:
        """Ends it in order and keeps its data; nothing to do if it is not running."""

    async def kill(self) -> None:
        """SIGKILL to every process of it; returns when they are gone."""

    async def pause(self) -> None:
        """SIGSTOP to every process of it: connections are accepted by the kernel, and nobody answers."""

    async def resume(self) -> None:
        """SIGCONT, after `pause`."""
