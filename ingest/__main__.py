"""`python -m ingest run|plan|preview`."""

import sys

from ops.wiring import run_ingest

if __name__ == "__main__":
    sys.exit(run_ingest(sys.argv[1:]))
