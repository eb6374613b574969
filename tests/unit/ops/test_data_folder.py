"""The data folder: made, checked, locked; its key is made once."""

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.sql.database.vault import Vault, new_key
from ops.config import Config, load_config
from ops.data_folder import prepare_folder, secret_keys, server_lock
from ops.wording.general import explain
from rag_core.errors import Misconfigured

ROOT = Path(__file__).resolve().parents[3]


def config_in(folder: Path, **settings: str) -> Config:
    given = {"ADPOLICY_DATA_DIR": str(folder), **{f"ADPOLICY_{name}": value for name, value in settings.items()}}
    return load_config(given, folder / "no.env")


def test_the_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    folder = prepare_folder(tmp_path / "a" / "b")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert list(folder.iterdir()) == []
    assert prepare_folder(folder) == folder


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        for use in (
            prepare_folder,
            lambda path: server_lock(path).__enter__(),
            lambda path: secret_keys(config_in(path)),
        ):
            with pytest.raises(Misconfigured, match="data_dir_unwritable") as raised:
                use(folder)
            assert str(folder) in explain(raised.value)
            assert "ADPOLICY_DATA_DIR" in explain(raised.value)


def test_a_lock_file_that_cannot_be_opened_is_an_unwritable_folder(tmp_path: Path) -> None:
    (tmp_path / "server.lock").mkdir()
    with pytest.raises(Misconfigured, match="data_dir_unwritable"), server_lock(tmp_path):
        pass


def test_a_second_server_is_refused_and_may_come_later(tmp_path: Path) -> None:
    with server_lock(tmp_path):
        with pytest.raises(Misconfigured, match="data_dir_in_use") as raised, server_lock(tmp_path):
            pass
        assert str(tmp_path) in explain(raised.value)
    with server_lock(tmp_path):
        pass


def test_a_dead_server_leaves_no_lock(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path; from ops.data_folder import server_lock\n"
        "with server_lock(Path(sys.argv[1])): os.kill(os.getpid(), signal.SIGKILL)"
    )
    ended = subprocess.run([sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, check=False)
    assert ended.returncode == -9
    with server_lock(tmp_path):
        pass


def test_the_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    [key] = secret_keys(config_in(tmp_path))
    assert secret_keys(config_in(tmp_path)) == (key,)
    file = tmp_path / "secret.key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text(encoding="ascii") == key
    assert Vault([key]).decrypt(Vault([key]).encrypt("text")) == "text"
    assert [each.name for each in tmp_path.iterdir()] == ["secret.key"]


def test_processes_that_start_together_get_one_key(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from ops.config import Config\n"
        "from ops.data_folder import secret_keys\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "print(*secret_keys(Config(data_dir=Path(sys.argv[1]))))"
    )
    started = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path / "new")],
            cwd=ROOT,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(3)
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    keys = {process.communicate(timeout=30)[0].strip() for process in started}
    assert len(keys) == 1
    assert len(keys.pop()) == 44


def test_a_given_key_is_used_and_none_is_made(tmp_path: Path) -> None:
    new, old = new_key(), new_key()
    assert secret_keys(config_in(tmp_path, SECRET_KEY=f"{new}, {old}")) == (new, old)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("given", ["", "abc,"])
def test_an_empty_key_is_refused_by_name(given: str, tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="secret_key_missing") as raised:
        Vault(secret_keys(config_in(tmp_path, SECRET_KEY=given)))
    assert "ADPOLICY_SECRET_KEY" in explain(raised.value)


def test_a_key_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "secret.key").write_bytes(b"\xff\xfe")
    with pytest.raises(Misconfigured, match="secret_key_unreadable") as raised:
        secret_keys(config_in(tmp_path))
    assert str(tmp_path / "secret.key") in explain(raised.value)
