"""How fast the model is, as ratios: `make bench`.

Each row is a race in one process on two threads. The runners take turns, so that a
busy machine slows both, and the ratio is the median of the rounds' ratios. The two
sides hold equal weights and do equal work; a race starts with a check of that. Absolute
times say more about the machine than about the code, and nothing depends on them.
"""

import gc
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lib import (
    DecoderOnlyTransformer,
    Decoding,
    Transformer,
    TransformerConfig,
    beam_search,
    greedy,
    load_torch,
)

TEACHING = TransformerConfig(
    vocabulary_size=64,
    d_model=64,
    n_heads=4,
    n_encoder_layers=2,
    n_decoder_layers=2,
    d_ff=128,
    dropout=0.0,
    final_norm=True,
)
BASE = TransformerConfig(vocabulary_size=1000, dropout=0.0, final_norm=True)
WRITER = TransformerConfig(  # of the shape of a small GPT-2
    vocabulary_size=64,
    d_model=128,
    n_heads=4,
    n_encoder_layers=4,
    n_decoder_layers=4,
    d_ff=512,
    max_length=512,
    positions="learned",
    activation="gelu_tanh",
    norm_first=True,
)
Run = Callable[[], object]


@pytest.fixture(autouse=True, scope="module")
def _two_threads() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    print(f"\n\n{'':58}{'theirs':>10}{'ours':>10}{'ratio':>8}{'goal':>7}")
    yield
    torch.set_num_threads(threads)


def race(name: str, ours: Run, theirs: Run, rounds: int, goal: str = "") -> float:
    """Let both run in turns, print a row, and give the ratio of their medians."""
    times: dict[Run, list[float]] = {ours: [], theirs: []}
    gc.collect()
    for n in range(rounds + 2):
        for run in (ours, theirs) if n % 2 else (theirs, ours):
            start = time.perf_counter()
            run()
            times[run].append(time.perf_counter() - start)
    mine, other = (1e3 * statistics.median(times[r][2:]) for r in (ours, theirs))
    rounds_of_both = zip(times[theirs][2:], times[ours][2:], strict=True)
    ratio = statistics.median(their / our for their, our in rounds_of_both)
    row = f"{name:58}{other:>7.1f} ms{mine:>7.1f} ms{ratio:>8.2f}{goal:>7}"
    print(row, flush=True)
    return ratio


class Twin(nn.Module):
    """nn.Transformer between the embedding, the positions and the output of ours."""

    def __init__(self, ours: Transformer) -> None:
        super().__init__()
        c = ours.config
        sizes = (c.d_model, c.n_heads, c.n_encoder_layers, c.n_decoder_layers, c.d_ff)
        self.core = nn.Transformer(*sizes, c.dropout, batch_first=True)
        self.embedding = nn.Embedding(c.vocabulary_size, c.d_model)
        self.embedding.weight.data.copy_(ours.embedding.weight)
        self.register_buffer("table", ours.positions.table.clone())
        self.dropout, self.scale = nn.Dropout(c.dropout), c.d_model**0.5
        load_torch(ours.encoder, self.core.encoder)
        load_torch(ours.decoder, self.core.decoder)

    def embed(self, ids: Tensor) -> Tensor:
        return self.dropout(
            self.embedding(ids) * self.scale + self.table[: ids.size(1)]
        )

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        x, y = self.embed(source), self.embed(target)
        z = self.core(x, y, tgt_mask=causal(target.size(1)), tgt_is_causal=True)
        return F.linear(z, self.embedding.weight)


def causal(length: int) -> Tensor:
    return nn.Transformer.generate_square_subsequent_mask(length)


def trainer(model: nn.Module, ids: tuple[Tensor, Tensor]) -> Run:
    """Make one step of training: forward, backward, Adam."""
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-4, fused=True)

    def step() -> None:
        optimiser.zero_grad()
        logits = model(*ids)
        F.cross_entropy(logits.flatten(0, 1), ids[1].flatten()).backward()
        optimiser.step()

    return step


@pytest.mark.parametrize(
    ("size", "config", "batch", "length", "rounds", "dropout"),
    [
        ("teaching", TEACHING, 64, 16, 60, 0.0),
        ("teaching", TEACHING, 64, 16, 60, 0.1),
        ("base", BASE, 8, 64, 4, 0.0),
        ("base", BASE, 8, 64, 4, 0.1),
    ],
)
def test_a_training_step_is_faster_than_with_nn_transformer(
    size: str,
    config: TransformerConfig,
    batch: int,
    length: int,
    rounds: int,
    dropout: float,
) -> None:
    ids = torch.randint(config.vocabulary_size, (2, batch, length)).unbind()
    name = f"training step, {size} size, dropout {dropout}: nn.Transformer"
    least, ratios = LEAST_RATIOS[size, dropout], []
    for _ in range(3):  # where in memory a pair comes to lie is worth a twentieth
        ours = Transformer(replace(config, dropout=dropout))
        theirs = Twin(ours)
        with torch.no_grad():
            one, other = ours.eval()(*ids), theirs.eval()(*ids)
        torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)
        runs = trainer(ours.train(), ids), trainer(theirs.train(), ids)
        ratios.append(race(name, *runs, rounds, f"{least:.2f}"))
    assert statistics.median(ratios) >= least


def test_the_cache_saves_most_of_the_work() -> None:
    torch.manual_seed(0)
    model, ids = DecoderOnlyTransformer(WRITER), torch.randint(64, (1, 8))
    cached = Decoding(max_length=264)
    without = replace(cached, use_cache=False)
    assert greedy(model, ids, cached).ids.equal(greedy(model, ids, without).ids)
    ratio = race(
        "256 tokens: without a cache",
        lambda: greedy(model, ids, cached),
        lambda: greedy(model, ids, without),
        5,
    )
    assert ratio >= 3


@pytest.mark.parametrize("batch", [1, 8])
def test_greedy_generation_is_faster_than_hugging_faces(batch: int) -> None:
    transformers = pytest.importorskip("transformers", reason="needs the extra: bench")
    transformers.logging.set_verbosity_error()
    torch.manual_seed(0)
    ours = DecoderOnlyTransformer(WRITER)
    theirs = gpt2(transformers, ours)
    ids = torch.randint(64, (batch, 8))
    told = Decoding(max_length=264)

    def generate() -> Any:
        return theirs.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=256,
            do_sample=False,
            use_cache=True,
        )

    with torch.no_grad():
        one, other = ours.eval()(ids), theirs(ids).logits
    torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)
    assert generate().shape == greedy(ours, ids, told).ids.shape
    name = f"256 tokens, cached, batch {batch}: Hugging Face's GPT-2"
    least = LEAST_RATIOS["gpt2", batch]
    ratio = race(name, lambda: greedy(ours, ids, told), generate, 9, f"{least:.2f}")
    assert ratio >= least


@pytest.mark.parametrize("batch", [1, 8])
def test_beam_search_is_faster_than_hugging_faces(batch: int) -> None:
    transformers = pytest.importorskip("transformers", reason="needs the extra: bench")
    transformers.logging.set_verbosity_error()
    torch.manual_seed(0)
    ours = DecoderOnlyTransformer(replace(WRITER, vocabulary_size=1000)).eval()
    theirs = gpt2(transformers, ours)
    ids = torch.randint(1000, (batch, 8))
    told = Decoding(max_length=68)

    def generate() -> Any:
        return theirs.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=60,
            num_beams=4,
            do_sample=False,
            use_cache=True,
        )

    assert generate().equal(beam_search(ours, ids, told, 4).ids[:, 0])
    name = f"60 tokens, 4 beams, batch {batch}: Hugging Face's GPT-2"
    least = LEAST_RATIOS["beams", batch]
    run = partial(beam_search, ours, ids, told, 4)
    assert race(name, run, generate, 9, f"{least:.2f}") >= least


def gpt2(transformers: Any, ours: DecoderOnlyTransformer) -> Any:
    """Build Hugging Face's model of the same configuration, with our weights."""
    c = ours.config
    config = transformers.GPT2Config(
        vocab_size=c.vocabulary_size,
        n_positions=c.max_length,
        n_embd=c.d_model,
        n_layer=c.n_decoder_layers,
        n_head=c.n_heads,
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=0,
    )
    theirs = transformers.GPT2LMHeadModel(config).eval()
    body = theirs.transformer
    with torch.no_grad():
        # Ours scales the embedding, so it is untied from the output here.
        body.wte.weight = nn.Parameter(ours.embedding.weight * ours.embedding.scale)
        theirs.lm_head.weight = nn.Parameter(ours.embedding.weight.clone())
        body.wpe.weight.copy_(ours.positions.table)
        for mine, block in zip(ours.decoder.blocks, body.h, strict=True):
            a, f = mine.self_attention, mine.feed_forward
            W = torch.cat([a.W_Q.weight, a.W_K.weight, a.W_V.weight])
            block.attn.c_attn.weight.copy_(W.T)
            block.attn.c_attn.bias.copy_(
                torch.cat([a.W_Q.bias, a.W_K.bias, a.W_V.bias])
            )
            for own, conv in (
                (a.W_O, block.attn.c_proj),
                (f.W_1, block.mlp.c_fc),
                (f.W_2, block.mlp.c_proj),
            ):
                conv.weight.copy_(own.weight.T)
                conv.bias.copy_(own.bias)
    return theirs


@pytest.mark.parametrize("whole", [True, False])
def test_decoding_is_faster_than_recomputing_nn_transformer(whole: bool) -> None:
    torch.manual_seed(0)
    shape = {"positions": "sinusoidal", "activation": "relu", "norm_first": False}
    ours = Transformer(replace(WRITER, **shape, dropout=0.0, final_norm=True))
    theirs = Twin(ours).eval()
    source = torch.randint(64, (1, 64))
    told = Decoding(max_length=65, start_id=0)

    @torch.no_grad()
    def recompute() -> Tensor:
        target = torch.zeros(1, 1, dtype=torch.long)
        memory = theirs.core.encoder(theirs.embed(source))
        for n in range(1, 65):
            if whole:
                logits = theirs(source, target)
            else:
                y = theirs.embed(target)
                z = theirs.core.decoder(y, memory, causal(n), tgt_is_causal=True)
                logits = F.linear(z, theirs.embedding.weight)
            best = logits[:, -1].argmax(-1, keepdim=True)
            target = torch.cat([target, best], dim=1)
        return target

    assert recompute().equal(greedy(ours, source, told).ids)
    what = "recomputing nn.Transformer" if whole else "recomputing its decoder only"
    ratio = race(
        f"64 target tokens: {what}",
        lambda: greedy(ours, source, told),
        recompute,
        9,
        "4.00" if whole else "",
    )
    assert ratio >= LEAST_RATIOS["decoding", whole]


# What must hold: one implementation, which is the one that the course teaches.
LEAST_RATIOS: dict[tuple[str, float], float] = {
    ("teaching", 0.0): 1.10,
    ("teaching", 0.1): 1.30,
    ("base", 0.0): 1.03,
    ("base", 0.1): 1.10,
    ("gpt2", 1): 1.8,
    ("gpt2", 8): 1.5,
    ("beams", 1): 1.5,
    ("beams", 8): 1.2,
    ("decoding", True): 4.0,
    ("decoding", False): 2.0,
}
