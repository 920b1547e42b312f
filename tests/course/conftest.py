"""What every test of the course obeys."""

import pytest

from explorable import views


@pytest.fixture(autouse=True)
def no_error_is_shown_but_a_refusal(monkeypatch):
    """An explorer shows in a line whatever its function raises, and then stands still.

    A test that only moves it would not notice.
    """
    shown = []

    def shown_in_a_line(error, told=views.in_a_line):
        shown.append(error)
        return told(error)

    monkeypatch.setattr(views, "in_a_line", shown_in_a_line)
    yield
    assert not shown
