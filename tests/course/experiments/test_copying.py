"""Which word stood k steps ago: what is kept of the answers."""

import numpy as np

from course.experiments import copying
from course.models.sequence_layer import KINDS


def test_what_the_kept_results_show():
    kept = {kind: np.array(rows) for kind, rows in copying.load_results().items()}
    assert set(kept) == set(KINDS)
    assert {rows.shape for rows in kept.values()} == {(5, 5)}
    assert min(rows[0].min() for rows in kept.values()) > 0.99
    assert kept["attention"].min() > 0.99
    assert kept["open LSTM"][:4].min() > 0.99
    for kind, learned in (("RNN", 2), ("LSTM", 2)):
        assert kept[kind][learned:].max() < copying.FLOOR + 0.05
    assert kept["open LSTM"][4].min() < 0.2 < 0.9 < kept["open LSTM"][4].max()


def test_what_the_kept_controls_show():
    kept = copying.load_controls()
    assert set(kept) == set(copying.CONTROLS)
    for name, shares in kept.items():
        assert len(shares) == 5
        if name in ("open LSTM", "attention"):
            assert min(shares) > 0.95, name
        else:
            assert max(shares) < copying.FLOOR + 0.05, name


def test_the_command_keeps_what_a_training_came_to(tmp_path, capsys):
    copying.main(tmp_path, steps=2, distances=(1,), near=2)
    kept = copying.load_results(tmp_path)
    first = [copying.run(1, ["RNN"], steps=2, seed=s)["RNN"] for s in range(5)]
    assert kept["RNN"] == [[round(share, 3) for share in first]]
    told = [copying.run(2, ["RNN"], steps=2, seed=s, places=True) for s in range(5)]
    controls = copying.load_controls(tmp_path)
    assert controls["RNN, told places"] == [round(share["RNN"], 3) for share in told]
    assert "1 steps ago" in capsys.readouterr().out
