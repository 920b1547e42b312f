"""The exercises of notebook 15 ask for what the library's models do."""

import numpy as np
import torch

from course import exercises
from course.data import captions, shapes
from course.data.digits import digits
from course.models import clip, dalle, vit
from course.models.vision import PatchEmbedding
from transformer_lib.runtime.recording import record


def solved(name):
    """The exercise's own solution, as a function."""
    return exercises.EXERCISES[name].build()


def test_patches_are_what_a_vit_projects():
    embedding = PatchEmbedding(1, 2, 4)
    with torch.no_grad():
        embedding.W.weight.copy_(torch.eye(4))
        embedding.W.bias.zero_()
        x = torch.rand(1, 1, 6, 8)
        np.testing.assert_allclose(
            solved("patches")(x[0, 0].numpy(), 2), embedding(x)[0]
        )


def test_image_tokens_are_what_enters_the_first_block_of_a_vit():
    model = vit.trained()
    reader, image = model.reader, digits("held out").pictures[0]
    x = solved("patches")(((image - vit.MEAN) / vit.SPREAD).numpy(), vit.PATCH)
    given = (
        reader.patches.W.weight,
        reader.patches.W.bias,
        reader.class_token,
        reader.positions.table,
    )
    found = solved("image_tokens")(x, *(tensor.detach().numpy() for tensor in given))
    with record(model) as tensors:
        vit.probabilities(model, image[None])
    np.testing.assert_allclose(found, tensors["reader.input"][0], atol=1e-6)


def test_one_sequence_is_what_a_dalle_reads():
    scene = shapes.SCENES[123]
    [said] = captions.captions_for([scene])
    ids = captions.VOCABULARY.encode(["⟨SOS⟩", *said.split()])
    cells = shapes.drawn(scene)
    ids_of_both = solved("one_sequence")(
        ids, cells.numpy(), captions.LENGTH, dalle.WORDS
    )
    read = dalle.tokens_of([said], cells.flatten()[:-1])[0]
    np.testing.assert_array_equal(ids_of_both[:-1], read)


def test_the_best_caption_is_the_one_that_a_clip_finds():
    draw = torch.Generator().manual_seed(3)
    scenes = torch.randperm(len(shapes.SCENES), generator=draw)[:30]
    pictures, said = clip.of_scenes(scenes, draw)
    with torch.inference_mode():
        model = clip.trained()
        vectors = model.of_pictures(pictures), model.of_texts(said)
        found = model(pictures, said).argmax(1)
    longer = torch.rand(30, 1, generator=draw) + 0.1
    p, t = (x.numpy() for x in (vectors[0] * longer, vectors[1] * longer.flip(0)))
    np.testing.assert_array_equal(solved("best_captions")(p, t), found)
