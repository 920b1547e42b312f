"""Which word stood k steps ago: what is kept of the answers."""

from course.experiments import copying
from course.models.sequence_layer import KINDS


def test_what_the_kept_results_show():
    found = copying.EXPERIMENT.table(
        "accuracy", variant=KINDS, distance=copying.DISTANCES, steps=copying.LONG
    )
    assert found.shape == (4, 5, 5)
    kept = dict(zip(KINDS, found, strict=True))
    assert min(rows[0].min() for rows in kept.values()) > 0.99
    assert kept["attention"].min() > 0.99
    assert kept["LSTM"][1].min() > 0.99
    assert kept["open LSTM"][:4].min() >= 0.98
    *guesses, best = sorted([*kept["RNN"][2:].flat, *kept["LSTM"][2:].flat])
    assert guesses[-1] < copying.BASELINE + 0.05
    assert best == kept["LSTM"][2].max() < 0.5  # one LSTM of five, at 16 steps
    assert kept["open LSTM"][4].min() < 0.2 < 0.9 < kept["open LSTM"][4].max()


def test_what_the_kept_controls_show():
    found = copying.EXPERIMENT.table(
        "accuracy", variant=copying.VARIANTS, steps=copying.STEPS
    )
    assert found.shape == (7, 5)
    for name, shares in zip(copying.VARIANTS, found, strict=True):
        if name in ("open LSTM", "attention"):
            assert min(shares) > 0.95, name
        else:
            assert max(shares) < copying.BASELINE + 0.05, name
