"""Tabs of a page: their labels stand apart from what they show."""

from collections.abc import Callable

from selectolax.lexbor import LexborNode


def tab_labels(main: LexborNode, text_of: Callable[[LexborNode], str]) -> dict[str, str]:
    """The label of each panel by its id, for tabs that name a panel which is there."""
    panels = {node.attributes.get("id") for node in main.css("[role=tabpanel][id]")}
    labels: dict[str, str] = {}
    for tab in main.css("[role=tab][aria-controls]"):
        panel = tab.attributes.get("aria-controls")
        if panel and panel in panels:
            labels[panel] = text_of(tab)
    return labels
