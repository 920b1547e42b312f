"""A walk through a model of base size: each step takes Python a quarter of a second."""

import statistics
import time

import pytest
import torch

from course import explorers
from course.data.jobs import VOCABULARY
from transformer_lib import Transformer, TransformerConfig

SENTENCE = "Ajish works as an AI"
REMOVED = {("decoder.blocks.2.cross_attention.heads", 0): torch.zeros_like}
MOST = 250  # ms


@pytest.fixture(scope="module")
def explorer():
    torch.manual_seed(0)
    model = Transformer(TransformerConfig(vocabulary_size=len(VOCABULARY)))
    words = SENTENCE, SENTENCE
    return explorers.walk(model, VOCABULARY, *words, patches=REMOVED)


@pytest.mark.parametrize("compare", ["patched", "both", "difference"])
def test_each_step_of_the_base_model_comes_soon(compare, explorer):
    explorer.controls["compare"].value = compare
    explorer.go(-len(explorer.way))
    took, sent = [], []
    for _ in explorer.way[1:]:
        start = time.process_time()
        explorer.go(1)
        took.append(1000 * (time.process_time() - start))
        sent.append(sum(len(view.data) for view in explorer.views.values()))
    middle, most = statistics.median(took), max(took)
    said = f"{len(took)} steps: {middle:.0f} ms, at most {most:.0f} ms"
    print(f"\n{compare}: {said}, {max(sent) / 1000:.0f} kB")
    assert most <= MOST
