"""What the tests of pictures share."""

import pytest

from explorable.plots import lettering


@pytest.fixture
def only_our_font(monkeypatch):
    """A machine that has no font but the one that comes with matplotlib."""
    kept = {lettering.FAMILY: lettering._families()[lettering.FAMILY]}
    cached = lettering._family_with, lettering._advance, lettering.outline
    monkeypatch.setattr(lettering, "_families", lambda: kept)
    for function in cached:
        function.cache_clear()
    yield
    for function in cached:
        function.cache_clear()
