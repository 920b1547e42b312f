"""Pictures for an encoder: patches for tokens, and a class token in front of them."""

import re

import pytest
import torch
import torch.nn.functional as F

from course.models.vision import PatchEmbedding, VisionTransformer
from transformer_lib import TransformerConfig, record


def config(**options):
    sizes = {"d_model": 12, "n_heads": 3, "n_encoder_layers": 2, "d_ff": 24}
    return TransformerConfig(**{**sizes, "dropout": 0.0, "max_length": 10, **options})


def build(channels=3, side=6, patch_size=2, **options):
    torch.manual_seed(0)
    model = VisionTransformer(config(**options), channels, side, patch_size)
    with torch.no_grad():
        for p in model.parameters():
            if p.dim() > 1:
                p.mul_(2)
    return model.eval()


def pictures(*shape):
    return torch.rand(shape, generator=torch.Generator().manual_seed(1))


# ── patches ───────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("shape", "patch_size"),
    [((2, 1, 8, 8), 2), ((1, 3, 6, 9), 3), ((2, 3, 4, 4), 4), ((1, 2, 3, 2), 1)],
)
def test_patches_are_what_a_convolution_with_their_stride_gives(shape, patch_size):
    torch.manual_seed(0)
    patches, x = PatchEmbedding(shape[1], patch_size, 5), pictures(*shape)
    kernel = patches.W.weight.view(5, shape[1], patch_size, patch_size)
    expected = F.conv2d(x, kernel, patches.W.bias, stride=patch_size)  # (B, D, h, w)
    assert torch.allclose(patches(x), expected.flatten(2).mT, atol=1e-6)


def test_a_patch_hears_of_its_own_pixels_alone_row_after_row():
    patches, x = PatchEmbedding(1, 2, 5), pictures(1, 1, 4, 6)
    before = patches(x)
    x[0, 0, 3, 2] += 1  # in the second row of patches, the second column
    changed = (patches(x) != before).any(-1)[0]
    assert changed.tolist() == [n == 4 for n in range(6)]


def test_a_patch_may_be_a_pixel_and_a_picture_too():
    patches, x = PatchEmbedding(1, 1, 5), pictures(1, 1, 1, 1)
    torch.testing.assert_close(patches(x), patches.W(x.flatten(2)))


# ── the model ─────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("positions", ["learned", "sinusoidal", "none"])
def test_it_is_an_encoder_of_the_class_token_and_the_patches_at_their_positions(
    positions,
):
    model, x = build(positions=positions), pictures(2, 3, 6, 6)
    row = model.class_token.expand(2, 1, 12)
    tokens = torch.cat([row, model.patches(x)], dim=1) + model.positions.table
    assert torch.allclose(model(x), model.encoder(tokens), atol=1e-6)


def test_the_class_token_starts_as_small_as_the_rows_of_positions():
    wide = build(d_model=768, positions="learned", n_encoder_layers=1)
    spread = wide.positions.table.std().item() / 2  # `build` has doubled the table
    assert wide.class_token.std().item() == pytest.approx(spread, rel=0.1)


@pytest.mark.parametrize("patch_size", [6, 3])
def test_one_patch_or_a_few_are_read_as_well(patch_size):
    model = build(patch_size=patch_size, n_heads=1)
    tokens = 1 + (6 // patch_size) ** 2
    assert model(pictures(2, 3, 6, 6)).shape == (2, tokens, 12)


def exchanged(x):
    """Exchange the first patch and the last one of pictures (B, C, 6, 6)."""
    y = x.clone()
    y[..., :2, :2], y[..., 4:, 4:] = x[..., 4:, 4:], x[..., :2, :2]
    return y


def test_without_positions_the_class_token_does_not_know_where_a_patch_is():
    x = pictures(1, 3, 6, 6)
    blind, told = build(positions="none"), build(positions="learned")
    assert torch.allclose(blind(x)[:, 0], blind(exchanged(x))[:, 0], atol=1e-5)
    assert torch.allclose(blind(x)[:, 1], blind(exchanged(x))[:, 9], atol=1e-5)
    assert not torch.allclose(told(x)[:, 0], told(exchanged(x))[:, 0], atol=1e-2)


def test_what_it_computes_can_be_recorded():
    model, x = build(), pictures(2, 3, 6, 6)
    with record(model) as tensors:
        hidden = model(x)
    assert tensors["patches"].equal(model.patches(x))
    assert tensors["input"].shape == (2, 10, 12)
    assert tensors["encoder.blocks.1.self_attention.weights"].shape == (2, 3, 10, 10)
    assert tensors["output"].equal(hidden)


def test_dropout_is_for_training_alone():
    model, x = build(dropout=0.5), pictures(1, 3, 6, 6)
    assert model(x).equal(model(x))
    model.train()
    assert not model(x).equal(model(x))


# ── what is refused ───────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("shape", "says"),
    [
        ((2, 1, 6, 6), "have shape (batch, 3, 6, 6), got (2, 1, 6, 6)"),
        ((3, 6, 6), "have shape (batch, 3, 6, 6), got (3, 6, 6)"),
        ((2, 3, 8, 8), "have shape (batch, 3, 6, 6), got (2, 3, 8, 8)"),
    ],
)
def test_pictures_of_another_shape_are_refused(shape, says):
    with pytest.raises(ValueError, match=f"^pictures must {re.escape(says)}$"):
        build()(pictures(*shape))


@pytest.mark.parametrize("shape", [(1, 1, 0, 4), (1, 1, 4, 0)])
def test_pictures_without_a_pixel_are_refused(shape):
    with pytest.raises(ValueError, match=r"^pictures must have shape \(batch, 1, he"):
        PatchEmbedding(1, 2, 4)(torch.zeros(shape))


def test_pixels_beside_whole_patches_are_refused():
    with pytest.raises(ValueError, match=r"^pictures must be whole patches of 2 × 2"):
        PatchEmbedding(1, 2, 4)(pictures(1, 1, 4, 5))


@pytest.mark.parametrize(
    "x", [pictures(1, 3, 6, 6).double(), torch.ones(1, 3, 6, 6, dtype=torch.long)]
)
def test_pictures_of_another_type_are_refused(x):
    with pytest.raises(TypeError, match=r"^pictures must be of type torch.float32, g"):
        build()(x)
    with pytest.raises(TypeError, match=r"^pictures must be a torch.Tensor, got list$"):
        build()([[0.0]])


def test_a_model_whose_patches_do_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"^patch_size must divide side, got 4 and 6$"):
        build(patch_size=4)
    wanted = r"^config must have max_length of at least 10, .* got 9$"
    with pytest.raises(ValueError, match=wanted):
        build(max_length=9)
