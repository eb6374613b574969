"""What the makers of pictures of the sandbox pages share: a browser, scenes, a look at the fonts."""

import argparse
import asyncio
import contextlib
import io
import re
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar
from urllib.parse import urlencode

from PIL import Image
from playwright.async_api import Browser, FloatRect, Page, async_playwright

from tests.fakes.program import ROOT

KEPT = ROOT / "ops" / "docs"
MOST_BYTES = 150_000
_WIDTH, _HEIGHT = 980, 2400
_FEWEST_BYTES = 10_000

Studio = TypeVar("Studio")


@dataclass(frozen=True, slots=True)
class Shown:
    """A place on the page as its address has it, and what stands in the part of it that is taken once all has come.
    `press`: a button that opens it; `alone`: nothing but this part is taken."""

    place: Mapping[str, str]
    holds: str
    selector: str
    press: str = ""
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Pictures(Generic[Studio]):
    """`scenes`: name of a picture -> what happens before it is taken, in this order. `studio`: opened in an empty
    folder; `address`: where its page is."""

    scenes: Mapping[str, Callable[[Studio], Awaitable[Shown]]]
    studio: Callable[[Path], AbstractAsyncContextManager[Studio]]
    address: Callable[[Studio], str]

    async def take(self, folder: Path) -> dict[str, str]:
        """All pictures into `folder`; the text that is to be read in each."""
        read: dict[str, str] = {}
        with tempfile.TemporaryDirectory() as made:
            async with self.studio(Path(made)) as there, browsing(_WIDTH, _HEIGHT) as page:
                for name, scene in self.scenes.items():
                    shown = await scene(there)
                    read[name] = await _look(page, self.address(there), shown)
                    await _photograph(page, shown, folder / f"{name}.png")
        return read

    def main(self, module: str, description: str | None) -> None:
        parser = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
        parser.add_argument("--folder", type=Path, default=KEPT, help="where the pictures go")
        folder = parser.parse_args().folder
        check_font()
        asyncio.run(self.take(folder))


def faults_of(
    folder: Path, read: Mapping[str, str], expected: Mapping[str, tuple[str, ...]], raw: re.Pattern[str]
) -> list[str]:
    """What is wrong with pictures that were taken: text that is missing, `raw` mark-up, a size that cannot be."""
    wanted = [(name, each) for name, texts in expected.items() for each in texts]
    found = [f"{name}: there is no {each!r}" for name, each in wanted if each not in read[name]]
    found += [f"{name}: {each[0]!r} is to be read" for name, text in read.items() if (each := raw.search(text))]
    sizes = {name: (folder / f"{name}.png").stat().st_size for name in expected}
    return found + [f"{name}: {size} bytes" for name, size in sizes.items() if not _FEWEST_BYTES < size < MOST_BYTES]


async def _look(page: Page, address: str, shown: Shown) -> str:
    """Opens the place once all of it is there; the text of what is shown."""
    await page.goto(f"{address}/?{urlencode(shown.place)}")
    if shown.press:
        await page.get_by_role("button", name=shown.press).last.click()
    found = page.locator(shown.selector).filter(has_text=shown.holds).last
    await found.wait_for(timeout=10_000)
    return await found.inner_text()


async def _photograph(page: Page, shown: Shown, file: Path) -> None:
    """The page down to the end of what is shown: without what is below it."""
    await page.evaluate("document.activeElement?.blur()")
    box = await page.locator(shown.selector).filter(has_text=shown.holds).last.bounding_box()
    assert box is not None
    down: FloatRect = {"x": 0, "y": 0, "width": _WIDTH, "height": box["y"] + box["height"] + 8}
    taken = await page.screenshot(clip=box if shown.alone else down)
    await asyncio.to_thread(_save, taken, file)


def _save(png: bytes, file: Path) -> None:
    """With a palette: text on white has hardly more than 256 colours, and takes a third of the bytes."""
    Image.open(io.BytesIO(png)).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)


@contextlib.asynccontextmanager
async def browsing(width: int, height: int) -> AsyncIterator[Page]:
    executable = shutil.which("chromium")
    assert executable is not None, "Chromium is not installed (apt-get install chromium)"
    async with async_playwright() as playwright:
        browser: Browser = await playwright.chromium.launch(
            executable_path=executable, args=["--no-sandbox", "--disable-lcd-text", "--disable-gpu"]
        )
        yield await browser.new_page(viewport={"width": width, "height": height})
        await browser.close()


def check_font() -> None:
    """Raises SystemExit."""
    if not subprocess.run(["fc-list", ":charset=26d4"], check=True, capture_output=True).stdout:
        raise SystemExit("No font has the signs of verdicts: apt-get install fonts-noto-color-emoji, then try again.")
