"""From the block of 2017 to that of today, one change at a time.

The dictionary's GPT, of the same width and depth and by the same recipe each time, with
two lengths of training. Post-norm has a lower learning rate, and two controls exchange
the rates. A gate adds a third matrix; with 427 hidden features in place of 640, its
three have as many numbers as the two had.
"""

from collections.abc import Mapping
from dataclasses import replace
from time import process_time
from typing import Any

from transformer_lib.checks.validation import check_option
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.transformer import DecoderOnlyTransformer

from ..models.costs import Costs, costs
from ..models.dictionary import (
    LENGTH,
    SIZES,
    batch,
    bits_per_character,
    next_token_loss,
)
from ..models.small_model import Recipe, SmallModel
from .experiment import Experiment, grid
from .results import Row

STEPS = (300, 1200)
SEEDS = range(5)
#: The block of the 2017 paper; and what each later one changes of the one before it.
FIRST = "2017"
CHANGES: Mapping[str, Mapping[str, Any]] = {
    FIRST: {
        "norm_first": False,
        "activation": "relu",
        "positions": "sinusoidal",
    },
    "pre-norm": {"norm_first": True},
    "GELU": {"activation": "gelu"},
    "learned positions": {"positions": "learned"},
    "rotary positions": {"positions": "rotary"},
    "RMSNorm": {"norm": "rms"},
    "SwiGLU": {"gated": True, "activation": "silu", "d_ff": 427},
    "no biases": {"bias": False},
    "QK-norm": {"qk_norm": True},
    "1 key-value head": {"n_kv_heads": 1},
    "window of 16": {"window": 16},
}
#: Controls: how much of what pre-norm gains is due to the larger rate that it allows?
LOW_RATE, HIGH_RATE = "pre-norm, low rate", "2017, high rate"
#: Beside the chain: what else is tried with one of its blocks.
BESIDE: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "post-norm to the end": ("1 key-value head", {"norm_first": False}),
    "no positions": ("GELU", {"positions": "none"}),
    LOW_RATE: ("pre-norm", {}),
    HIGH_RATE: (FIRST, {}),
}
BLOCKS = (*CHANGES, *BESIDE)
RECIPE = Recipe(steps=STEPS[-1], peak=0.003, warmup=STEPS[-1] // 10, batch_size=16)
#: Post-norm learns little at RECIPE's rate. Of 0.0004, 0.0008, 0.0015 and 0.003, this
#: was the best for the block of 2017 on the validation entries (seed 9, the longer
#: training).
POST_NORM_PEAK = 0.0008


def sizes(block: str) -> TransformerConfig:
    """Return the configuration of one of BLOCKS.

    Raises:
        ValueError: there is no such block.
    """
    check_option("block", block, [*BLOCKS])
    end, own = BESIDE.get(block, (block, {}))
    config = SIZES
    for name, changes in CHANGES.items():
        config = replace(config, **changes)
        if name == end:
            break
    return replace(config, **own)


def small(block: str) -> SmallModel[Any, Any]:
    """Return the dictionary's GPT with one of BLOCKS; its weights are not kept."""
    config = sizes(block)
    is_high = block == HIGH_RATE or (config.norm_first and block != LOW_RATE)
    peak = RECIPE.peak if is_high else POST_NORM_PEAK
    return SmallModel(
        name=f"modern_block_{block}",
        build=lambda: DecoderOnlyTransformer(config),
        batch=batch,
        loss=next_token_loss,
        recipe=replace(RECIPE, peak=peak),
        seeds=(),
    )


def cost(block: str) -> Costs:
    """Count the parameters, and the work and the cache for a text of LENGTH tokens."""
    return costs(sizes(block), LENGTH)


def run(block: str, steps: int, seed: int) -> Row:
    """Train a GPT with one of BLOCKS.

    Returns:
        "bits per character" of held-out definitions; "tokens per second" of training,
        padding included, by the time of this process; and "losses", the mean of each
        tenth of the training.
    """
    tokens = 0

    def read(generator: Any) -> Any:
        nonlocal tokens
        ids = batch(generator, RECIPE.batch_size)
        tokens += ids.numel()
        return ids

    model, training = small(block).begin(seed, steps, batch=read)
    start = process_time()
    losses = [*training]
    seconds = process_time() - start
    tenth = max(1, steps // 10)
    parts = [losses[n : n + tenth] for n in range(0, steps, tenth)]
    return {
        "bits per character": bits_per_character(model.eval()),
        "tokens per second": round(tokens / seconds),
        "losses": [sum(part) / len(part) for part in parts],
    }


EXPERIMENT = Experiment(
    name="modern_block",
    runs=grid(block=BLOCKS, steps=STEPS, seed=SEEDS),
    measure=run,
    models={block: small(block) for block in BLOCKS},
)
