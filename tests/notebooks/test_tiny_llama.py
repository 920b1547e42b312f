"""The tiny Llama of notebook 16: its numbers are those of the package transformers."""

import pathlib
import re

import nbformat
import pytest
import torch
from hugging_face import transformers

PATH = next(pathlib.Path(__file__).parents[2].glob("notebooks/16_*.ipynb"))


@pytest.fixture(scope="module")
def made():
    """What its cells define, from the folder on."""
    cells = {cell.id: cell.source for cell in nbformat.read(PATH, as_version=4).cells}
    names = {}
    for name in ("n16-001", "n16-603", "n16-604"):
        exec(cells[name], names)
    return names


def test_its_logits_are_those_of_transformers(made):
    model = transformers().LlamaForCausalLM.from_pretrained(made["folder"]).eval()
    with torch.inference_mode():
        logits = model(made["tokens"]).logits[0]
    torch.testing.assert_close(made["logits"], logits, atol=1e-5, rtol=1e-5)
    shown = made["by_transformers"]
    torch.testing.assert_close(shown, logits[-1, :6], atol=6e-5, rtol=0.0)


def test_its_files_are_in_a_folder_of_their_own(made):
    assert not re.search("notebooks", str(made["folder"]))
