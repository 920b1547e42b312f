"""cache_costs: how many bytes the keys and values of a long text take."""

from dataclasses import replace

import numpy as np

from explorable import Axis, Explorer, Sheet, plots
from explorable.controls import choice, menu, stops
from explorable.drawings.bars import Bars
from explorable.drawings.curves import Curves
from transformer_lib.checks.validation import check_option
from transformer_lib.model.config import TransformerConfig

from ...data.configurations import REAL_MODELS
from ...models.costs import costs

SHARING = ("MHA", "GQA", "MQA")
QUERIES_PER_KEY = 4  # query heads that share a key-value head under GQA
LENGTHS = tuple(2**n for n in range(10, 18))
SEQUENCES = (1, 4, 16, 64)
WINDOWS = ("none", "1,024", "4,096", "16,384")
GIB = 2**30
BYTES = 2  # of a number in float16 or bfloat16


def cache_costs(
    model: str = "Llama 2 7B",
    *,
    heads: str = "MHA",
    window: str = "none",
    tokens: int = 1024,
    sequences: int = 1,
) -> Explorer:
    """Show the size of a real model's KV cache as the text grows.

    Args:
        model: one of `REAL_MODELS`.
        heads: "MHA" (a key-value head for each query head), "GQA" (one for four query
            heads) or "MQA" (one for all).
        window: "none", "1,024", "4,096" or "16,384" tokens.
        tokens: of each sequence: 1024, 2048, … 131072.
        sequences: in the batch: 1, 4, 16 or 64.

    Returns:
        an Explorer with these controls. Its values: "sizes" (2 to 4, 1), the GiB of
        this cache, where they differ of one with a key-value head per query head and no
        window, and of one as the model is built, and of the parameters; "growth"
        (8, 4), the GiB by length with MHA, GQA and MQA, and of the parameters; "built"
        (4, 2), the layers, the query heads, the key-value heads and the KiB of cache
        per token, here and as built.

    Raises:
        TypeError, ValueError: there is no such setting.

    Source: Shazeer (2019); Ainslie et al. (2023); the models' own papers.
    """
    check_option("model", model, list(REAL_MODELS))
    controls = {
        "model": menu("model", list(REAL_MODELS), model),
        "heads": choice("key-value heads", SHARING, heads, "heads"),
        "window": choice("window", WINDOWS, window, "window"),
        "tokens": stops("tokens", LENGTHS, tokens),
        "sequences": stops("sequences", SEQUENCES, sequences),
    }
    return Explorer(
        "cache_costs",
        cache_costs_sheet,
        controls,
        title="What a long text costs",
        task="Make the text longer: when does the cache outgrow the parameters?",
        more=("sequences",),
    )


def shared(real: TransformerConfig, heads: str) -> TransformerConfig:
    """Return the model with other key-value heads."""
    H = real.n_heads
    kv_heads = {"MHA": H, "GQA": H // QUERIES_PER_KEY, "MQA": 1}[heads]
    return replace(real, n_kv_heads=kv_heads)


def cache_costs_sheet(
    *, model: str, heads: str, window: str, tokens: int, sequences: int
) -> Sheet:
    """Compare the cache with the parameters, and show how it grows with the text."""
    real = REAL_MODELS[model]
    limit = None if window == "none" else int(window.replace(",", ""))

    def gib(config: TransformerConfig, length: int) -> float:
        found = costs(config, length, bytes_per_number=BYTES)
        return found.cache_bytes * sequences / GIB

    chosen = replace(shared(real, heads), window=limit)
    parameters = BYTES * costs(real, 1).parameters / GIB
    sizes = {
        name: gib(config, tokens) for name, config in compared(chosen, real).items()
    }
    sizes["parameters"] = parameters  # what the caches are compared with
    most = max(sizes.values())
    s = Sheet()
    bars = Bars(
        name="sizes",
        title="memory in GiB",
        formula=f"{tokens:,} tokens × {sequences}",
        palette="weights",
        labels=[*sizes],
        rest=True,
        scale=(0.0, plots.rounded_up(most)),
        sentence="{label}: GiB",
        note=f"{BYTES} bytes a number",
        least=16,
        wide=22,
        band=1,
    )
    _show_built(s, chosen, real)
    s.draw(bars, np.array([[size] for size in sizes.values()]))
    cached = [replace(shared(real, one), window=limit) for one in SHARING]
    grown = np.array(
        [
            [*(gib(config, length) for config in cached), parameters]
            for length in LENGTHS
        ]
    )
    powers = np.log10(grown)
    beyond = tokens > real.max_length
    here = LENGTHS.index(tokens)
    over = np.flatnonzero(grown[:, SHARING.index(heads)] > parameters)[:1]
    marks = {n: f"{heads} > parameters" for n in over.tolist()}
    marks[here] = ", ".join(["here", *([marks[here]] if here in marks else [])])
    trained = f"trained on {real.max_length:,} tokens"
    times = grown[here, SHARING.index(heads)] / parameters
    share = f"{times:.1f} times" if times >= 1 else f"{times:.0%} of"
    stated = f"{tokens:,} tokens: the cache takes {share} the parameters’ memory"
    curves = Curves(
        name="growth",
        title="cache and length",
        formula="of the whole batch · "
        + (f"{trained}: more than that is “what if”" if beyond else trained),
        x=[*range(len(LENGTHS))],
        doubling=True,
        series=(*SHARING, "parameters"),
        hues=[
            *("weights" if one == heads else "position" for one in SHARING),
            "reference",
        ],
        looks=("both", "both", "both", "line"),
        logarithmic=True,
        axes=("tokens (× 1,024)", "GiB"),
        limits=(
            (0, len(LENGTHS) - 1),
            (10.0 ** np.floor(powers.min()), 10.0 ** np.ceil(powers.max())),
        ),
        marks=sorted(marks.items()),
        sentence="GiB at 1,024 tokens × {x}",
        note=stated,
        concludes=True,
        wide=58,
        high=20,
    )
    s.draw(curves, grown)
    return s


def compared(
    chosen: TransformerConfig, real: TransformerConfig
) -> dict[str, TransformerConfig]:
    """The model as chosen, with a key-value head per query head, and as it is built.

    What is the same is there once.
    """
    full = replace(shared(real, "MHA"), window=None)
    named = {"this cache": chosen, "MHA, no window": full, "as built": real}
    found: dict[tuple[int, int | None], str] = {}
    for name, config in named.items():
        kept = config.n_kv_heads or config.n_heads, config.window
        if kept in found and name == "as built":
            found[kept] = found[kept].split()[0].rstrip(",") + f", {name}"
        found.setdefault(kept, name)
    configs = {(c.n_kv_heads or c.n_heads, c.window): c for c in named.values()}
    return {name: configs[kept] for kept, name in found.items()}


def _show_built(s: Sheet, chosen: TransformerConfig, real: TransformerConfig) -> None:
    """Show what the cache of one token follows from, here and as the model is built."""
    columns = []
    for config in (chosen, real):
        one = costs(config, 1, bytes_per_number=BYTES).cache_bytes / 2**10
        heads = config.n_heads, config.n_kv_heads or config.n_heads
        columns.append([config.n_decoder_layers, *heads, one])
    names = ("layers", "query heads", "KV heads", "KiB per token")
    numbers = np.transpose(columns)
    table = s.leaf("built", Axis("", names), Axis("", ("here", "as built")), numbers)
    window = f"built with a window of {real.window:,}" if real.window else ""
    s.show(
        table,
        "one token’s cache",
        palette="weights",
        vmax=plots.UNSHADED,
        size="large",
        digits=0,
        sentence="{row}, {column}",
        note=window,
        band=1,
    )
