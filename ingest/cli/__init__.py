"""`python -m ingest`: its arguments, what it prints, its exit codes.

0: done. 1: some documents could not be read, the others were; or somebody who was asked said no. 2: the operator must
act first, or wrong arguments. 3: stored, but the index has not learned of it yet; or a service did not answer.
"""

from ingest.cli.arguments import parse
from ingest.cli.changes import changes_command
from ingest.cli.previewing import preview_command
from ingest.cli.reading import ingest_catalogue
from ingest.cli.running import run_command
from ingest.cli.showing import exit_code
from ingest.cli.watch import watch_command

__all__ = [
    "changes_command",
    "exit_code",
    "ingest_catalogue",
    "parse",
    "preview_command",
    "run_command",
    "watch_command",
]
