"""The commands that make a model and say how it does."""

import pytest

from transformer_lib import load_checkpoint
from transformer_lib.data import french_sentences
from transformer_lib.data.coreference import VOCABULARY
from transformer_lib.small_models.attention import coreference
from transformer_lib.small_models.translation import french

TOLD = {
    coreference: ("says what", "nearest", "cut from what", "cut from the other"),
    french: ("without a fault", "word by word", "looks where", "its own place"),
}
WORDS = {coreference: VOCABULARY.words, french: french_sentences.VOCABULARY.words}


@pytest.mark.parametrize("made", TOLD)
def test_the_command_makes_the_model_and_says_how_it_does(made, tmp_path, capsys):
    path = tmp_path / "made.safetensors"
    made.main(path, steps=1)
    told = capsys.readouterr().out
    for row in TOLD[made]:
        assert row in told
    model, about = load_checkpoint(path)
    assert model.config == made.trained().config
    assert about["words"] == WORDS[made]
