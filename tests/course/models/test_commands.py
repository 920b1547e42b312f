"""The commands that make a model and say how it does."""

import pytest

from course.data import captions, french_sentences
from course.data.coreference import VOCABULARY
from course.models.attention import coreference
from course.models.multimodal import clip, dalle
from course.models.translation import french
from course.models.vision import vit
from transformer_lib import load_checkpoint

TOLD = {
    coreference: ("says what", "nearest", "cut from what", "cut from the other"),
    french: ("without a fault", "word by word", "looks where", "its own place"),
    vit: ("of new writers", "the commonest digit"),
    clip: ("caption of a new picture", "picture of a new caption", "by chance"),
    dalle: ("the likeliest cells", "at temperature 0.5", "by chance"),
}
WORDS = {
    coreference: VOCABULARY.words,
    french: french_sentences.VOCABULARY.words,
    clip: captions.VOCABULARY.words,
    dalle: captions.VOCABULARY.words,
}


@pytest.mark.parametrize("made", TOLD)
def test_the_command_makes_the_model_and_says_how_it_does(made, tmp_path, capsys):
    path = tmp_path / "made.safetensors"
    made.main(path, steps=1)
    told = capsys.readouterr().out
    for row in TOLD[made]:
        assert row in told
    model, found = load_checkpoint(path)
    assert model.config == made.trained().config
    assert found.words == WORDS.get(made)
