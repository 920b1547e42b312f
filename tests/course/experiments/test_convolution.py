"""A small convolutional network on the digits: what its kept results show."""

import pytest
import torch

from course.experiments import convolution, digits


def test_the_network_takes_images_and_has_fewer_parameters_than_the_others():
    network = convolution.cnn()
    assert network(torch.zeros(3, 8, 8)).shape == (3, 10)
    sizes = [
        sum(x.numel() for x in build().parameters())
        for build in (convolution.cnn, *digits.NETWORKS.values())
    ]
    assert min(sizes) == sizes[0]


@pytest.mark.parametrize("steps", digits.LENGTHS)
@pytest.mark.parametrize("shift", digits.PUSHES)
def test_it_is_the_most_accurate_of_the_networks(shift, steps):
    axes = {"augmentation": ["nothing", digits.CHOSEN], "steps": steps}
    cnn = convolution.EXPERIMENT.table(shift, reader="CNN", **axes).mean(1)
    for name in digits.NETWORKS:
        assert (cnn > digits.EXPERIMENT.table(shift, reader=name, **axes).mean(1)).all()
