"""`python -m bot serve|ask|chat`."""

import sys

from ops.wiring import run_bot

if __name__ == "__main__":
    sys.exit(run_bot(sys.argv[1:]))
