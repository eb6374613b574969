"""What the makers of pictures share: a browser, and a look at the fonts."""

import contextlib
import shutil
import subprocess
from collections.abc import AsyncIterator

from playwright.async_api import Browser, Page, async_playwright


@contextlib.asynccontextmanager
async def browsing(width: int, height: int) -> AsyncIterator[Page]:
    executable = shutil.which("chromium")
    assert executable is not None, "Chromium is not installed (apt-get install chromium)"
    async with async_playwright() as playwright:
        browser: Browser = await playwright.chromium.launch(
            executable_path=executable, args=["--no-sandbox", "--disable-lcd-text"]
        )
        yield await browser.new_page(viewport={"width": width, "height": height})
        await browser.close()


def check_font() -> None:
    """Raises SystemExit."""
    if not subprocess.run(["fc-list", ":charset=26d4"], check=True, capture_output=True).stdout:
        raise SystemExit("No font has the signs of verdicts: apt-get install fonts-noto-color-emoji, then try again.")
