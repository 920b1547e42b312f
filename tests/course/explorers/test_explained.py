"""Every number that an explorer shows is what its explanation comes to."""

import numpy as np
import pytest
from explanations import recomputed
from gallery import GALLERY


def panels(explorer):
    """The matrices that an operation has made."""
    matrices = (d for d in explorer.drawings if d.kind == "matrix")
    return [d for d in matrices if d.made["op"] != "given"]


@pytest.mark.parametrize("name", GALLERY)
def test_every_number_is_what_its_explanation_comes_to(name):
    explorer = GALLERY[name].make(4)
    for panel in panels(explorer):
        shown = recomputed(explorer.values, panel.name, panel.made)
        np.testing.assert_allclose(
            shown,
            np.broadcast_to(explorer.values[panel.name], shown.shape),
            rtol=1e-6,
            atol=1e-6,
            err_msg=f"{panel.name}: {panel.made}",
        )
