"""What somebody who clicked is told, and shown: nobody else sees it."""

from adapters.slack.actions.clicks import Click
from adapters.slack.client import called
from adapters.slack.parts import SlackParts
from bot.render.blocks import Block
from bot.wording import slack as said
from rag_core.errors import Rejected, Unavailable


async def tell(parts: SlackParts, click: Click, text: str) -> None:
    """An ephemeral sentence: in the thread of the reply, where there is one and the bot is there. Raises Unavailable,
    Rejected."""
    if click.thread or not click.response_url:
        try:
            client = await parts.clients.of(click.team, click.enterprise)
            thread = click.thread or None
            await called(
                client.chat_postEphemeral(
                    channel=click.channel, user=click.user, text=text, parse="none", thread_ts=thread
                )
            )
            return
        except (Rejected, Unavailable):
            if not click.response_url:
                raise
    await parts.clients.respond(
        click.response_url, {"response_type": "ephemeral", "replace_original": False, "text": text}
    )


def tell_later(parts: SlackParts, click: Click, text: str) -> None:
    """After Slack was acknowledged."""
    parts.tasks.start(tell(parts, click, text), "slack.tell")


async def open_modal(parts: SlackParts, click: Click, view: Block) -> str:
    """Opens it, which has to be within 3 seconds of the click; its id, "" where Slack did not open it, and then the
    person is told. Raises Unavailable, Rejected where that fails, too."""
    try:
        client = await parts.clients.of(click.team, click.enterprise)
        opened = await called(client.views_open(trigger_id=click.trigger_id, view=view))
        return str(opened["view"]["id"])
    except (Unavailable, Rejected):
        await tell(parts, click, said.NOT_OPENED)
        return ""


async def update_modal(parts: SlackParts, click: Click, opened: str, view: Block) -> None:
    """Raises Unavailable, Rejected: it may be closed already."""
    client = await parts.clients.of(click.team, click.enterprise)
    await called(client.views_update(view_id=opened, view=view))
