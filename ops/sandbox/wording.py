"""What all stand-ins say alike, on their pages and in the terminal. `title`: of the platform."""


def refused_origin() -> str:
    return "This page takes only what is typed on it. Open it at its own address and try again."


def no_longer_there() -> str:
    return "This is no longer there. Go back to the conversation and try again."


def page_title(title: str) -> str:
    return f"{title} sandbox"


def page_hint(title: str, bot: str) -> str:
    return f"A pretended {title} for trying the bot at {bot}. Nothing leaves this machine."


def action_failed(error: str) -> str:
    return (
        f"The app did not take this ({error}). If it is still starting, wait until it says that it is running; else "
        "its log says more. Then try again."
    )


def help_sandbox(title: str) -> str:
    return f"start a pretended {title} beside the bot, with a page on which to type, click and read"


def help_sandbox_port(title: str) -> str:
    return f"where the pretended {title} listens, on loopback"


def help_port() -> str:
    return "where this sandbox listens, on loopback"


def help_ends_with_input() -> str:
    return "end when standard input does, as beside a bot that was stopped"


def no_port(text: str) -> str:
    return f"{text} is no port. Give a number from 1 to 65535."


def cannot_listen(port: int, why: str) -> str:
    return f"127.0.0.1:{port} cannot be listened on ({why}). Stop what listens there, or choose another port.\n"


def is_set_up(title: str, flag: str) -> str:
    return (
        f"{title} is set up already (ADPOLICY_{title.upper()}_... in the environment or in .env), and the sandbox "
        f"takes settings of its own. Unset them, or start without {flag}."
    )


def did_not_start(title: str, port: int) -> str:
    return (
        f"The {title} sandbox did not start on port {port}; the lines above say why. Another port is chosen with "
        "--sandbox-port."
    )
