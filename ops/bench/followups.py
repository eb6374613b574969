"""`python -m ops bench followups`: completed follow-ups against the questions that people made of them (MTRAG)."""

from pathlib import Path

from ops.bench import wording
from ops.bench.rewrites import DOMAINS, scores_of, tasks_of


async def bench_followups(data: Path) -> int:
    """Print the figures of each domain and of all together. Always 0; missing data are named."""
    folder = data / "mtrag" / "retrieval_tasks"
    if not folder.is_dir():
        print(wording.left_out(wording.conversations(), str(folder)))
        return 0
    tasks = list(tasks_of(folder))
    for name in (*DOMAINS, ""):
        some = [each for each in tasks if name in ("", each.domain)]
        print(wording.followups(name, scores_of(some)))
    return 0
