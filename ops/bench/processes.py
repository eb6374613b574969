"""What processes that a benchmark starts inherit."""

import os

_PREFIX = "ADPOLICY_"
_KEPT = f"{_PREFIX}RULE_READER"


def environment(**settings: str) -> dict[str, str]:
    """This process's environment with these settings (names without prefix) in place of the operator's.

    Of the operator's only what judges rules is kept: without its weights no question is answered.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_PREFIX) or name == _KEPT}
    return {**inherited, **{f"{_PREFIX}{name}": value for name, value in settings.items()}}
