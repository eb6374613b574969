"""`python -m ops.sandbox.slack`: which app it is."""

import argparse
from pathlib import Path

import pytest
import yaml

from ops.sandbox.slack.__main__ import MANIFEST, app_of


def arguments(manifest: Path = MANIFEST, socket: bool = False) -> argparse.Namespace:
    return argparse.Namespace(
        manifest=manifest, signing_secret="s", bot_url="http://127.0.0.1:3000/", client_id="1.1", client_secret="c",
        app_token="xapp-1", socket=socket,
    )  # fmt: skip


def test_the_app_is_the_one_of_the_manifest() -> None:
    manifest = yaml.safe_load(MANIFEST.read_text("utf-8"))
    made = app_of(arguments())
    assert made.scopes == frozenset(manifest["oauth_config"]["scopes"]["bot"])
    assert made.commands == tuple(each["command"] for each in manifest["features"]["slash_commands"])
    assert made.redirect_urls == ("http://127.0.0.1:3000/slack/oauth_redirect",)
    assert (made.client_secret, made.app_token) == ("c", "xapp-1")
    assert app_of(arguments(socket=True)).is_socket is True


@pytest.mark.parametrize("text", ["a: [", "- a list", None])
def test_what_is_no_manifest(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "manifest.yaml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(SystemExit, match="cannot be read as a manifest"):
        app_of(arguments(path))
