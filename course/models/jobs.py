"""A small Transformer that finishes sentences about who works as what."""

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_lib.generation.prediction import Decoding
from transformer_lib.generation.sampling import greedy
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.transformer import Transformer

from ..data.jobs import HELD_OUT, VOCABULARY, probabilities, sentences, written
from ..data.pairs import EOS, SOS
from .measures import by_probability, total_variation
from .small_model import Recipe, SmallModel

SIZES = TransformerConfig(
    vocabulary_size=len(VOCABULARY),
    d_model=32,
    n_heads=4,
    n_encoder_layers=1,
    n_decoder_layers=1,
    d_ff=64,
    dropout=0.0,
    max_length=9,
)
RECIPE = Recipe(steps=1500, peak=3e-3, batch_size=256, beta2=0.999, clip=None)
SEEDS = range(5)  # of the trainings whose models are kept
ENDS = Decoding(
    max_length=SIZES.max_length,
    start_id=VOCABULARY.sos_id,
    end_id=VOCABULARY.eos_id,
)
Batch = tuple[Tensor, Tensor]


def loss(model: Transformer, batch: Batch) -> Tensor:
    """Return the cross-entropy of each next word.

    The model reads the start of a sentence and writes it with its end, but not what was
    studied: of that, the decoder knows what the encoder hands over.

    Source: D2.0, D2.7.train.
    """
    source, target = batch
    logits = model(source, target[:, :-1])  # (B, T, V)
    return F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())


def next_word(model: Transformer, start: str) -> dict[str, float]:
    """Return how likely each word is to follow a start, the likeliest first.

        p = softmax(logits of the last place)

    The encoder reads all of the start. The decoder has written the same words, without
    "studied … and".

    Raises:
        ValueError: a word is not in the vocabulary, or there is none, or too many.

    Source: D2.12.
    """
    ids = _encoded(start)  # (1, S)
    target = torch.tensor([VOCABULARY.encode(f"{SOS} {written(start)}")])  # (1, T)
    with torch.inference_mode():
        return by_probability(model(ids, target)[0, -1], VOCABULARY)


def finish(model: Transformer, start: str) -> str:
    """Write the whole sentence, word by word, from its start alone.

    Raises:
        ValueError: a word is not in the vocabulary, or there is none, or too many.

    Source: D2.7.infer.
    """
    [written] = greedy(model, _encoded(start), ENDS).ids
    words = VOCABULARY.decode(written)
    return " ".join(word for word in words if word not in (SOS, EOS))


def _encoded(start: str) -> Tensor:
    """Return the ids (1, S) of the words of a start."""
    ids = VOCABULARY.encode(start)
    most = SIZES.max_length - 1  # one more is ⟨SOS⟩
    if not 1 <= len(ids) <= most:
        raise ValueError(f"start must have 1 to {most} words, got {len(ids)}")
    return torch.tensor([ids])


def measure(model: Transformer) -> dict[str, float]:
    """Measure how far a model is from the true probabilities of held-out starts."""
    far = [
        total_variation(next_word(model, start), probabilities(start))
        for start in HELD_OUT
    ]
    return {"total variation": sum(far) / len(far)}


#: A learning rate that did not fall to 0 would let the last sentences that happen to
#: come move the probabilities by some hundredths.
MODEL = SmallModel(
    name="jobs",
    build=lambda: Transformer(SIZES),
    batch=sentences,
    loss=loss,
    recipe=RECIPE,
    seeds=SEEDS,
    words=VOCABULARY.words,
    measure=measure,
)
begin, trained = MODEL.begin, MODEL.trained
