"""A matrix at rest: what its cells say in the picture that a notebook keeps."""

import numpy as np
import pytest

from explorable.drawings.matrix import Matrix
from explorable.picture import draw_picture


@pytest.mark.parametrize("blank", [False, True])
def test_a_weight_of_nearly_zero_may_be_left_out_of_the_picture(blank):
    look = {"rows": ["a"], "columns": [*"bcd"], "size": "large"}
    matrix = Matrix(name="x", blank_zeros=blank, **look)
    figure = draw_picture([matrix], {"x": np.array([[0.0, 0.0049, 0.9951]])})
    said = [w.text for words in figure.artists for w in getattr(words, "words", [])]
    assert ("0.00" in said) is not blank
    assert "1.00" in said
