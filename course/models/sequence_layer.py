"""Layers that read word after word, and one that looks at all words at once."""

from typing import Literal, get_args

from torch import Tensor, nn

from transformer_lib.checks.validation import check_option, check_size
from transformer_lib.model.attention import MultiHeadAttention

Kind = Literal["RNN", "LSTM", "open LSTM", "attention"]
KINDS: tuple[Kind, ...] = get_args(Kind)
OPEN = 3.0  # added to a forget gate: σ(3) = 0.95


class SequenceLayer(nn.Module):
    """One layer that turns n vectors into n, of one of four kinds.

        RNN:        h_t = tanh(W_x x_t + W_h h_{t−1} + b)
        LSTM:       c_t = f_t c_{t−1} + i_t g_t,  h_t = o_t tanh(c_t)
        attention:  y_i = Σ_j A_ij v_j

    The gates f, i and o are between 0 and 1. They begin near ½; those of the "open
    LSTM" that forget, f, begin near 0.95. All weights are as torch draws them, those
    of attention as the library does.

    Args:
        kind: one of the four.
        d_model: D.

    Raises:
        TypeError, ValueError: the kind is none of them, or d_model is below 1.

    Source: Elman (1990); Hochreiter and Schmidhuber (1997); Gers et al. (2000), who
        open the gate; Vaswani et al. (2017), §3.2.
    """

    def __init__(self, kind: Kind, d_model: int) -> None:
        super().__init__()
        check_option("kind", kind, KINDS)
        check_size("d_model", d_model)
        self.kind = kind
        if kind == "attention":
            self.layer: nn.Module = MultiHeadAttention(d_model, 1)
        elif kind == "RNN":
            self.layer = nn.RNN(d_model, d_model, batch_first=True)
        else:
            self.layer = nn.LSTM(d_model, d_model, batch_first=True)
        if kind == "open LSTM":
            gates = self.layer.bias_ih_l0.data.view(4, d_model)  # type: ignore[operator]
            gates[1].fill_(OPEN)  # torch's order: i, f, g, o

    def forward(self, x: Tensor) -> Tensor:
        """Turn x (B, n, D) into (B, n, D)."""
        y: Tensor
        y = self.layer(x, x) if self.kind == "attention" else self.layer(x)[0]
        return y
