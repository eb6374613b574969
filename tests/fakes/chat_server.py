"""A server that speaks OpenAI's protocol and says what a test tells it to, on loopback."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, Self

from aiohttp import web

Script = str | Callable[[dict[str, Any]], str]


class ChatServer:
    """`async with ChatServer("said") as server:`; `server.url` is the address with its version.

    Each request takes the next of `scripts`; the last one is used again. A token is a word. `status` other than 200
    refuses everything; `pause`: seconds between two pieces of what it says. Keeps bodies and keys of the requests.
    """

    def __init__(self, *scripts: Script, pause: float = 0.0) -> None:
        self._scripts = list(scripts)
        self._pause = pause
        self.status = 200
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str] = []
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._complete)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        body: dict[str, Any] = await request.json()
        self.bodies.append(body)
        self.keys.append(request.headers.get("Authorization", ""))
        if self.status != 200:
            return web.json_response({"error": {"message": "as scripted", "code": None}}, status=self.status)
        script = self._scripts.pop(0) if len(self._scripts) > 1 else self._scripts[0]
        said = script(body) if callable(script) else script
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for start in range(0, len(said), 23):
            await _send(response, {"choices": [_choice(said[start : start + 23])]})
            await asyncio.sleep(self._pause)
        await _send(response, {"choices": [_choice("", "stop")]})
        read = sum(len(message["content"].split()) for message in body["messages"])
        await _send(response, {"choices": [], "usage": _usage(read, len(said.split()))})
        await response.write(b"data: [DONE]\n\n")
        return response


def _choice(text: str, finished: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": {"content": text}, "finish_reason": finished}


def _usage(read: int, written: int) -> dict[str, int]:
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


async def _send(response: web.StreamResponse, chunk: dict[str, Any]) -> None:
    whole = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"} | chunk
    await response.write(f"data: {json.dumps(whole)}\n\n".encode())
