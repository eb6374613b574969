"""Teams as a person sees it, in a browser: conversations, threads, cards, dialogs, the message extension."""

from ops.sandbox.teams.page.routes import page_routes

__all__ = ["page_routes"]
