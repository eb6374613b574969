"""The page of an evaluation in Chromium: it fits the window, its plots are whole, and it loads nothing."""

from datetime import date

import pytest
from playwright.async_api import Page

from ops.evaluation.html_page import html_page
from ops.evaluation.measures import ANSWERS, CORRECTNESS, RETRIEVAL
from ops.evaluation.report import TARGETS, Report
from ops.evaluation.results import question_line, split_report
from ops.wording import evaluation as wording
from rag_core.answers import Verdict
from tests.fakes.gold import answer, gold, judged

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


def page_of_a_report() -> str:
    """Six right, six wrong, all with one tag; every cause with its longest words in the plot."""
    cases = [judged(gold("place"), answer(verdict)) for verdict in [Verdict.PROHIBITED, Verdict.ALLOWED] * 6]
    part = split_report(cases, [], {**RETRIEVAL, **ANSWERS, **CORRECTNESS})
    part = part.model_copy(update={"diagnoses": dict.fromkeys(wording.DIAGNOSES, 3)})
    return html_page(
        Report(
            made_on=date(2026, 6, 1), commit="abc", bot="embedded", today=date(2026, 6, 1), top_k=15,
            datasets=("q.jsonl",), splits={"dev": part}, targets=TARGETS, most_milliseconds=20,
            questions=tuple(map(question_line, cases)),
        )
    )  # fmt: skip


@pytest.mark.parametrize("width", [390, 1200])
async def test_the_page_never_scrolls_sideways_and_no_label_is_cut(page: Page, width: int) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.set_viewport_size({"width": width, "height": 800})
    await page.set_content(page_of_a_report())
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
    assert await page.locator("h1").is_visible()
    for picture in await page.locator("svg").all():
        frame = await picture.bounding_box()
        assert frame is not None
        for label in await picture.locator("text").all():
            box = await label.bounding_box()
            assert box is not None
            assert box["x"] >= frame["x"], await label.text_content()
            assert box["x"] + box["width"] <= frame["x"] + frame["width"], await label.text_content()
    assert asked == []


async def test_failures_open_by_cause(page: Page) -> None:
    await page.set_content(page_of_a_report())
    cause = page.locator("details")
    assert await cause.count() == 1
    row = cause.locator("tbody tr").first
    assert not await row.is_visible()
    await cause.locator("summary").click()
    assert await row.is_visible()
