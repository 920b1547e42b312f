"""Published configurations: each has as many parameters as its model."""

import pytest

from course.data.configurations import GPT2, LLAMA2, LLAMA3, MISTRAL, QWEN3
from course.models.costs import costs


@pytest.mark.parametrize(
    ("config", "parameters"),
    [
        (GPT2, 124_439_808),
        (LLAMA2, 6_738_415_616),
        (LLAMA3, 8_030_261_248),
        (MISTRAL, 7_241_732_096),
        (QWEN3, 8_190_735_360),
    ],
)
def test_the_parameters_are_those_of_the_published_model(config, parameters):
    assert costs(config, 1).parameters == parameters
