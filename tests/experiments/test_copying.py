"""Which word stood k steps ago: what is kept of the answers."""

import numpy as np

from transformer_lib.experiments import copying
from transformer_lib.small_models.recurrence.sequence_layer import KINDS


def test_what_the_kept_results_show():
    kept = {kind: np.array(rows) for kind, rows in copying.load_results().items()}
    assert set(kept) == set(KINDS)
    assert {rows.shape for rows in kept.values()} == {(5, 3)}
    assert min(rows[0].min() for rows in kept.values()) > 0.99
    assert kept["attention"].min() > 0.99
    assert kept["open LSTM"][:4].min() > 0.99
    for kind, learned in (("RNN", 2), ("LSTM", 2)):
        assert kept[kind][learned:].max() < copying.FLOOR + 0.05
    assert kept["open LSTM"][4].min() < 0.2 < 0.9 < kept["open LSTM"][4].max()


def test_the_command_keeps_what_a_training_came_to(tmp_path, capsys):
    copying.main(tmp_path, steps=2, distances=(1,))
    kept = copying.load_results(tmp_path)
    assert kept["RNN"] == [
        [round(copying.run(1, ["RNN"], steps=2, seed=s)["RNN"], 3) for s in (0, 1, 2)]
    ]
    assert "1 steps ago" in capsys.readouterr().out
