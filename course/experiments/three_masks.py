"""Who looks at whom in the three small language models, as their weights tell it."""

import torch
from torch import Tensor, nn

from transformer_lib.runtime.recording import record

from ..data import documentation, three_tasks
from ..data.masked_words import VOCABULARY
from ..data.pairs import EOS, SOS
from ..models import bert, gpt, t5
from ..models.pairs import write

Seen = tuple[Tensor, list[str], list[str]]


def weights(
    sentence: str = "the cat sits on the mat",
    text: str = "the ca",
    asked: str = "translate: I love AI",
) -> dict[str, Seen]:
    """Return the weights of the first block of BERT, GPT and T5, the mean of the heads.

    Args:
        sentence: what the BERT reads, in words that it knows, from ⟨SOS⟩ to ⟨EOS⟩.
        text: what the GPT reads, in characters.
        asked: what the T5 reads.

    Returns:
        by the model's name the weights, and what asks and what is looked at. The T5's
        three attentions stand in one matrix (S + T, S + T): its encoder's at the upper
        left, the cross-attention's at the lower left, its decoder's at the lower right.

    Raises:
        ValueError: a word or a character is not in a vocabulary.
    """
    words, characters = [SOS, *sentence.split(), EOS], [*text]
    read = torch.tensor([VOCABULARY.encode(words)])
    model: nn.Module = bert.trained()
    with torch.inference_mode(), record(model) as inside:
        model(read)
    found = {"BERT": (_mean(inside, "encoder", "self"), words, words)}
    model = gpt.trained()
    with torch.inference_mode(), record(model) as inside:
        model(documentation.in_ids(text)[None])
    found["GPT"] = _mean(inside, "decoder", "self"), characters, characters
    found["T5"] = _joined(asked)
    return found


def _joined(asked: str) -> Seen:
    encode = three_tasks.VOCABULARY.encode
    source = torch.tensor([encode(asked)])  # (1, S)
    model = t5.trained()
    [said] = write(model, three_tasks.ThreeTasks(), source)
    target = [SOS, *said]
    with torch.inference_mode(), record(model) as inside:
        model(source, torch.tensor([encode(target)]))
    own, cross, past = (
        _mean(inside, *where)
        for where in (("encoder", "self"), ("decoder", "cross"), ("decoder", "self"))
    )
    shut = torch.zeros(len(own), len(past))
    tokens = [*asked.split(), *target]
    rows = [torch.cat([own, shut], dim=1), torch.cat([cross, past], dim=1)]
    return torch.cat(rows), tokens, tokens


def _mean(inside: dict[str, Tensor], stack: str, kind: str) -> Tensor:
    """The first block's weights (T, S), the mean of its heads."""
    name = f"{stack}.blocks.0.{kind}_attention.weights"
    return inside[name][0].mean(0)
