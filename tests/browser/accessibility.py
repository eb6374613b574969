"""What an accessibility checker looks for, measured in the page: a list of complaints, empty when all is well.

Contrast: WCAG 2.2, 1.4.3 (4.5:1, 3:1 for large text). Targets: 2.5.8 (24 px, links inside a sentence excepted).
"""

from pathlib import Path

from playwright.async_api import Page

_CHECKS = (Path(__file__).parent / "accessibility.js").read_text(encoding="utf-8")


async def complaints(page: Page) -> list[str]:
    """What is wrong with the page as it is shown now."""
    found = await page.evaluate(_CHECKS)
    return [str(each) for each in found]
