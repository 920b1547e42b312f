"""What generation refuses, and in which words."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch

from transformer_lib import (
    DecoderOnlyTransformer,
    Decoding,
    EncoderOnlyTransformer,
    Sampling,
    Transformer,
    TransformerConfig,
    beam_search,
    greedy,
    sample,
)

CONFIG = TransformerConfig(
    vocabulary_size=7,
    d_model=4,
    n_heads=2,
    n_encoder_layers=1,
    n_decoder_layers=1,
    d_ff=8,
    max_length=10,
)
IDS = torch.tensor([[3, 4], [5, 6]])
TOLD = Decoding(max_length=6, end_id=1, pad_id=0)


def text_model() -> DecoderOnlyTransformer:
    torch.manual_seed(0)
    return DecoderOnlyTransformer(CONFIG)


def translator() -> Transformer:
    torch.manual_seed(0)
    return Transformer(CONFIG)


Write = Callable[..., Any]
WRITERS: list[Write] = [greedy, sample, lambda *a: beam_search(*a, 2)]


def told(**options: Any) -> Decoding:
    return Decoding(**{"max_length": 6, "pad_id": 0, **options})


def long(*rows: list[int]) -> torch.Tensor:
    return torch.tensor(rows)


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize(
    ("ids", "decoding", "error", "words"),
    [
        ([[3, 4]], TOLD, TypeError, "ids must be a torch.Tensor, got list"),
        (IDS.float(), TOLD, TypeError, "ids must hold int64 or int32, got torch.float"),
        (IDS.bool(), TOLD, TypeError, "ids must hold int64 or int32, got torch.bool"),
        (
            IDS[0],
            TOLD,
            ValueError,
            r"ids must have shape \(batch, length ≥ 1\).*\(2,\)",
        ),
        (IDS[:, :0], TOLD, ValueError, r"ids must have shape .*, got \(2, 0\)"),
        (long([3, 7]), TOLD, IndexError, "ids must lie between 0 and 6, got 3 to 7"),
        (long([3, -1]), TOLD, IndexError, "ids must lie between 0 and 6, got -1 to 3"),
        (long([3, 4], [0, 0]), TOLD, ValueError, "a token in every row.*row 1"),
        (long([3, 0, 4]), TOLD, ValueError, "only before or after.*pad_id=0.*row 0"),
        (IDS, 6, TypeError, "decoding must be a Decoding, got int"),
        (IDS, told(end_id=7), IndexError, "end_id must lie between 0 and 6, got 7"),
        (IDS, told(end_id=-1), IndexError, "end_id must lie between 0 and 6, got -1"),
        (IDS, told(pad_id=9), IndexError, "pad_id must lie between 0 and 6, got 9"),
        (IDS, told(start_id=8), IndexError, "start_id must lie between 0 and 6, got 8"),
        (IDS, told(max_length=11), ValueError, "max_length must be .* 10, got 11"),
    ],
)
def test_a_request_that_does_not_fit_is_refused(write, ids, decoding, error, words):
    with pytest.raises(error, match=words):
        write(text_model(), ids, decoding)


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("length", [6, 7, 12])
def test_a_prompt_that_leaves_no_room_is_refused(write, length):
    ids = torch.full((1, length), 3)
    with pytest.raises(ValueError, match=f"ids must hold at most 5 .*, got {length}"):
        write(text_model(), ids, TOLD)


@pytest.mark.parametrize("write", WRITERS)
def test_a_source_longer_than_the_model_is_refused(write):
    source = torch.full((1, 11), 3)
    with pytest.raises(ValueError, match=r"ids must hold at most 10 .*, got 11"):
        write(translator(), source, told(start_id=2))


@pytest.mark.parametrize("write", WRITERS)
def test_a_target_needs_a_start(write):
    with pytest.raises(ValueError, match=r"start_id must be given .*, got None"):
        write(translator(), IDS, TOLD)


@pytest.mark.parametrize("write", WRITERS)
def test_a_prompt_is_a_start_already(write):
    with pytest.raises(ValueError, match=r"start_id .* prompt.*, got 2"):
        write(text_model(), IDS, told(start_id=2))


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("model", [EncoderOnlyTransformer(CONFIG), None, "gpt"])
def test_a_model_that_writes_nothing_is_refused(write, model):
    words = "model must be a DecoderOnlyTransformer or a Transformer, got "
    with pytest.raises(TypeError, match=words + type(model).__name__):
        write(model, IDS, TOLD)


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("bad", [torch.nan, torch.inf])
def test_a_model_that_lost_its_numbers_is_refused(write, bad):
    model = text_model()
    with torch.no_grad():
        model.decoder.blocks[0].feed_forward.W_2.bias.fill_(bad)
    with pytest.raises(ValueError, match="model must give finite logits"):
        write(model, IDS, TOLD)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"max_length": 1}, ValueError, "max_length must be at least 2, got 1"),
        ({"max_length": -3}, ValueError, "max_length must be at least 2, got -3"),
        ({"max_length": 6.0}, TypeError, "max_length must be an integer, got 6.0"),
        ({"max_length": True}, TypeError, "max_length must be an integer, got True"),
        ({"end_id": "."}, TypeError, "end_id must be an integer or None, got '.'"),
        ({"pad_id": 0.0}, TypeError, "pad_id must be an integer or None, got 0.0"),
        ({"start_id": True}, TypeError, "start_id must be an integer or None, got Tr"),
        (
            {"pad_id": 3, "end_id": 3},
            ValueError,
            "pad_id must differ from end_id, got 3",
        ),
        ({"use_cache": 1}, TypeError, "use_cache must be True or False, got 1"),
        ({"beams": 2}, TypeError, "unexpected keyword argument 'beams'"),
    ],
)
def test_settings_that_mean_nothing_are_refused(options, error, words):
    with pytest.raises(error, match=words):
        told(**options)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"temperature": 0}, ValueError, "temperature must be above 0 .*, got 0"),
        ({"temperature": -1.0}, ValueError, "temperature must be above 0 .*, got -1.0"),
        ({"temperature": torch.nan}, ValueError, "temperature must be .*, got nan"),
        ({"temperature": torch.inf}, ValueError, "temperature must be .*, got inf"),
        ({"temperature": "hot"}, TypeError, "temperature must be a number, got 'hot'"),
        ({"top_k": 0}, ValueError, "top_k must be at least 1, got 0"),
        ({"top_k": 2.0}, TypeError, "top_k must be an integer, got 2.0"),
        ({"top_p": 0}, ValueError, "top_p must be above 0 and at most 1, got 0"),
        ({"top_p": 1.1}, ValueError, "top_p must be above 0 and at most 1, got 1.1"),
        ({"top_p": torch.nan}, ValueError, "top_p must be above 0 .*, got nan"),
        ({"top_p": "most"}, TypeError, "top_p must be a number, got 'most'"),
    ],
)
def test_a_distribution_that_is_none_is_refused(options, error, words):
    with pytest.raises(error, match=words):
        Sampling(**options)


def test_more_kept_tokens_than_there_are_is_refused():
    words = "top_k must be at most the vocabulary's size 7, got 8"
    with pytest.raises(ValueError, match=words):
        sample(text_model(), IDS, TOLD, Sampling(top_k=8))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sampling": 0.7}, "sampling must be a Sampling, got float"),
        ({"generator": 42}, "generator must be a Generator, got int"),
    ],
)
def test_chance_of_the_wrong_type_is_refused(options, words):
    with pytest.raises(TypeError, match=words):
        sample(text_model(), IDS, TOLD, **options)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"beams": 0}, ValueError, "beams must be at least 1, got 0"),
        ({"beams": 8}, ValueError, "beams must be at most the vocabulary's 7, got 8"),
        ({"beams": 2.0}, TypeError, "beams must be an integer, got 2.0"),
        ({"n_best": 0}, ValueError, "n_best must be at least 1, got 0"),
        ({"n_best": 3}, ValueError, "n_best must be at most beams.*n_best=3.*beams=2"),
        ({"n_best": 1.5}, TypeError, "n_best must be an integer, got 1.5"),
        ({"length_penalty": -1}, ValueError, "length_penalty must be .*, got -1"),
        ({"length_penalty": torch.nan}, ValueError, "length_penalty must .*, got nan"),
        ({"length_penalty": "long"}, TypeError, "length_penalty must be a number, got"),
    ],
)
def test_beams_that_cannot_be_are_refused(options, error, words):
    with pytest.raises(error, match=words):
        beam_search(text_model(), IDS, TOLD, **{"beams": 2, **options})


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("use_cache", [True, False])
def test_logits_that_stop_being_finite_are_refused(write, use_cache):
    model = DecoderOnlyTransformer(replace(CONFIG, positions="learned"))
    with torch.no_grad():
        model.positions.table[3] = torch.nan  # the second token written stands here
    with pytest.raises(ValueError, match="model must give finite logits"):
        write(model, IDS, Decoding(max_length=8, use_cache=use_cache))


@pytest.mark.parametrize("write", WRITERS)
def test_ids_on_another_device_than_the_model_are_refused(write: Write) -> None:
    says = r"^ids must be on the model's device, cpu, got meta$"
    with pytest.raises(ValueError, match=says):
        write(text_model(), IDS.to("meta"), told())
