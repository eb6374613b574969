"""The methods of Slack's Web API that a bot needs, a file a family."""

from ops.sandbox.slack.methods import assistant, auth, chat, conversations, people, streams, views
from ops.sandbox.slack.methods.calling import Method

METHODS: dict[str, Method] = {
    **auth.METHODS,
    **chat.METHODS,
    **streams.METHODS,
    **conversations.METHODS,
    **people.METHODS,
    **views.METHODS,
    **assistant.METHODS,
}
