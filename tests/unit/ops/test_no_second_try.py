"""A test that fails now and then fails: nothing runs it again until it passes."""

import pytest

KNOWN = {
    *("anyio", "hypothesis", "platformdirs", "pytest-asyncio", "pytest-cov", "pytest-socket", "pytest-timeout"),
    "schemathesis",
}
"""The plugins of pytest that may be there. One that repeats tests is not to be among them."""


def test_no_plugin_repeats_what_failed(pytestconfig: pytest.Config) -> None:
    loaded = {str(package.project_name) for _, package in pytestconfig.pluginmanager.list_plugin_distinfo()}
    assert loaded <= KNOWN


def test_no_option_repeats_what_failed(pytestconfig: pytest.Config) -> None:
    given = [*pytestconfig.getini("addopts"), *pytestconfig.invocation_params.args]
    assert not [each for each in given if str(each).startswith(("--reruns", "--retries", "--force-flaky"))]
