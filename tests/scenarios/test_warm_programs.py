"""Programs that scenarios run are the programs that everybody runs, although they were loaded before."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.fakes.program import environment, run, run_cold
from tests.fakes.warm import WarmServer


@pytest.mark.parametrize(
    ("command", "text_in", "code"),
    [
        (("bot", "ask", "can I advertise alcohol in the UK", "--format", "text"), "", 0),
        (("bot", "chat"), "can I advertise alcohol in the UK\n", 0),
        (("ingest", "preview", "kites.md"), "", 0),
        (("ops", "migrate", "--sideways"), "", 2),
    ],
)
def test_a_program_that_was_loaded_before_does_what_it_does_otherwise(
    command: tuple[str, ...], text_in: str, code: int, sample_copy: Path, tmp_path: Path
) -> None:
    (tmp_path / "kites.md").write_text("# Kites\n\n## Rules\n\nAds for kites are not allowed.\n", encoding="utf-8")
    ended = [each(*command, env=environment(sample_copy), cwd=tmp_path, text_in=text_in) for each in (run, run_cold)]
    assert [each.returncode for each in ended] == [code, code]
    assert (ended[0].stdout, ended[0].stderr) == (ended[1].stdout, ended[1].stderr)
    assert ended[0].stdout + ended[0].stderr


def test_it_has_its_own_settings_folder_and_number(tmp_path: Path) -> None:
    (tmp_path / "inside.py").write_text(
        "import os, sys, time\nprint(os.environ['SEEN'], os.getcwd(), sys.argv, time.tzname[0], os.getpid())\n"
        "print('bad', file=sys.stderr)\nos.environ['SEEN'] = 'lost'\nsys.exit(7)\n",
        encoding="utf-8",
    )
    seen = []
    for number in (1, 2):
        given = {**environment(tmp_path), "SEEN": str(number), "TZ": "Asia/Tokyo"}
        ended = run("inside", "a b", env=given, cwd=tmp_path)
        assert (ended.returncode, ended.stderr) == (7, "bad\n")
        seen.append(ended.stdout.split())
    assert [each[0] for each in seen] == ["1", "2"]
    assert {each[1] for each in seen} == {str(tmp_path)}
    assert {"".join(each[2:5]) for each in seen} == {f"['{tmp_path}/inside.py','ab']"}
    assert {each[5] for each in seen} == {"JST"}
    assert len({each[6] for each in seen}) == 2


def test_another_interpreter_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "inside.py").write_text("import sys\nprint(sys.flags.dev_mode)\n", encoding="utf-8")
    for given, said in (({}, "False"), ({"PYTHONDEVMODE": "1"}, "True")):
        assert run("inside", env={**environment(tmp_path), **given}, cwd=tmp_path).stdout.strip() == said


def test_one_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    (tmp_path / "inside.py").write_text(
        "import os, pathlib, time\nfile = pathlib.Path('begun')\nfile.write_text(str(os.getpid()))\n"
        "file.rename('pid')\ntime.sleep(600)\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "inside"]
    server = WarmServer(environment(tmp_path))
    server.run([*command[:2], "ops", "new-key"], environment(tmp_path), tmp_path, "", 60)  # it has loaded everything
    seconds = 0.5
    while not (tmp_path / "pid").exists():  # it was killed before it began
        seconds *= 2
        with pytest.raises(subprocess.TimeoutExpired):
            server.run(command, environment(tmp_path), tmp_path, "", seconds)
    while _runs(int((tmp_path / "pid").read_text(encoding="utf-8"))):
        time.sleep(0.01)
    server.close()


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
