"""Published configurations: each has as many parameters as its model."""

import pytest

from course.data.configurations import GPT2, LLAMA2, MISTRAL
from transformer_lib import costs


@pytest.mark.parametrize(
    ("config", "parameters"),
    [(GPT2, 124_439_808), (LLAMA2, 6_738_415_616), (MISTRAL, 7_241_732_096)],
)
def test_the_parameters_are_those_of_the_published_model(config, parameters):
    assert costs(config, 1).parameters == parameters
