"""What the probe says."""


def no_answer(address: str, reason: str) -> str:
    return f"Nothing answers on {address} ({reason}). The log of the server says why."


USAGE = "Give one path of the web listener, /readyz or /metrics, or nothing: then only whether the server answers."
