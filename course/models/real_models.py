"""The sizes of real models, as their makers published them: what a cache depends on."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class RealModel:
    """The sizes of a real decoder-only model.

    Args:
        layers: N.
        heads: query heads H of a layer.
        kv_heads: key-value heads of a layer, each shared by H / kv_heads query heads.
        head_size: d_k, the numbers of a key and of a value.
        length: tokens that it was trained to read at once.
        parameters: all of them.
        window: tokens that a query attends to, itself included; None for all.
        source: where these numbers were published.
    """

    layers: int
    heads: int
    kv_heads: int
    head_size: int
    length: int
    parameters: int
    window: int | None = None
    source: str = ""


REAL_MODELS = {
    "GPT-2 124M": RealModel(
        layers=12,
        heads=12,
        kv_heads=12,
        head_size=64,
        length=1024,
        parameters=124_439_808,
        source="Radford et al. (2019), table 2, and its config.json",
    ),
    "Llama 2 7B": RealModel(
        layers=32,
        heads=32,
        kv_heads=32,
        head_size=128,
        length=4096,
        parameters=6_738_415_616,
        source="Touvron et al. (2023), table 1, and its config.json",
    ),
    "Llama 3 8B": RealModel(
        layers=32,
        heads=32,
        kv_heads=8,
        head_size=128,
        length=8192,
        parameters=8_030_261_248,
        source="Grattafiori et al. (2024), table 3, and its config.json",
    ),
    "Mistral 7B": RealModel(
        layers=32,
        heads=32,
        kv_heads=8,
        head_size=128,
        length=8192,
        parameters=7_241_732_096,
        window=4096,
        source="Jiang et al. (2023), table 1, version 0.1",
    ),
    "Qwen3 8B": RealModel(
        layers=36,
        heads=32,
        kv_heads=8,
        head_size=128,
        length=32_768,
        parameters=8_190_735_360,
        source="Yang et al. (2025), table 1, and its config.json",
    ),
}
