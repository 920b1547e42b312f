"""The suite itself: it runs in more than one way."""

import pytest


def test_the_suite_runs_without_the_plugin_that_makes_it_parallel(pytestconfig):
    plugins = pytestconfig.pluginmanager.get_plugins()
    [own] = [p for p in plugins if getattr(p, "TogetherByFile", None)]
    manager = pytest.PytestPluginManager()
    manager.register(own)
    manager.check_pending()  # a hook that nobody but xdist knows is an error
