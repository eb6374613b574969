"""Slack as a person sees it, in a browser: channels, threads, messages, modals, the app's home."""

from ops.sandbox.slack.page.routes import page_routes

__all__ = ["page_routes"]
