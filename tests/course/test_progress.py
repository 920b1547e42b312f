"""The bar over a training: it tells how far, and takes the same steps."""

import io
import sys
import threading

import torch
from torch import nn

from course.progress import ProgressBar, with_progress
from transformer_lib.training import fit_steps


class Terminal(io.StringIO):
    def isatty(self):
        return True


def training(steps=4):
    torch.manual_seed(0)
    model = nn.Linear(1, 1)
    return fit_steps(
        model, lambda g: torch.rand(2, 1, generator=g), lambda x: model(x).sum(), steps
    )


def a_terminal(monkeypatch):
    """Look on as a terminal: not in a fixture, after which pytest sets its own."""
    written = Terminal()
    monkeypatch.setattr(sys, "stderr", written)
    return written


def test_a_terminal_is_told_how_far_a_training_is_and_its_loss(monkeypatch):
    terminal = a_terminal(monkeypatch)
    losses = list(with_progress(training()))
    assert losses == list(training())
    assert "4/4" in terminal.getvalue()
    assert f"loss {losses[-1]:.3f}" in terminal.getvalue()


def test_a_bar_starts_no_thread_that_other_bars_would_disturb(monkeypatch):
    a_terminal(monkeypatch)
    monkeypatch.setattr(ProgressBar, "monitor", None)  # whoever may have started one
    before = {*threading.enumerate()}
    list(with_progress(training()))
    assert {*threading.enumerate()} <= before


def test_a_pipe_and_a_log_are_told_nothing(capsys):
    assert len(list(with_progress(training()))) == 4
    assert capsys.readouterr() == ("", "")


def test_a_training_that_was_stopped_goes_on_under_another_bar(monkeypatch):
    terminal = a_terminal(monkeypatch)
    steps = training()
    first = with_progress(steps)
    found = [next(first), next(first)]
    first.close()
    before = len(terminal.getvalue())
    found += with_progress(steps)
    assert found == list(training())
    told = terminal.getvalue()[before:]
    assert "4/4" in told
    assert "0/4" not in told
