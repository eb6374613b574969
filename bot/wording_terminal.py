"""What the terminal commands say of themselves."""


def help_texts() -> dict[str, str]:
    """Help of `python -m bot`, by command and option."""
    return {
        "bot": "Answers advertising-policy questions from the policy documents it was given.",
        "serve": "Start the web page, the REST API and the chat platforms that are configured.",
        "ask": "Answer one question and exit.",
        "chat": "Answer questions from standard input, one a line; an empty line ends.",
        "question": "The question, for example: can I advertise alcohol in the UK",
        "format": "text (default), json (the REST shape), slack (Block Kit) or teams (Adaptive Card).",
        "region": "Place to answer for, whatever the question says: uk, de, us-tx ... May be given several times.",
        "source": "Policy source to answer from: its short name. May be given several times.",
        "content_type": "ad_text, image, video, landing_page or general. May be given several times.",
        "as_of": "Day to answer for, as YYYY-MM-DD. Default: today (UTC).",
    }


def chat_welcome() -> str:
    return "Ask about the policies, one question a line. An empty line ends."


def chat_prompt() -> str:
    return "> "
