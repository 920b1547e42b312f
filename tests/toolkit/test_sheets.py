"""The style sheets: a view carries its own, and the tools what all of them share."""

import re

import pytest
from gallery import GALLERY
from kinds import folders, kinds
from views.wire import views_of

from explorable import plots
from explorable.views import palette_css, view_in


def styled(text):
    """The classes that a sheet styles wherever they stand."""
    css = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    selectors = ",".join(re.findall(r"([^{}]+)\{", css)).split(",")
    return {s.strip() for s in selectors if re.fullmatch(r"\.tl-[a-z-]+", s.strip())}


@pytest.mark.parametrize("kind", kinds())
def test_a_view_carries_no_other_views_rules(kind):
    places = folders()
    own = styled(str(view_in(places[kind])._css))
    for other in kinds().keys() - {kind}:
        sheets = [f.read_text("utf-8") for f in places[other].glob("*.css")]
        alone = {c for sheet in sheets for c in styled(sheet)}
        mine = [f.read_text("utf-8") for f in places[kind].glob("*.css")]
        shared = {c for sheet in mine for c in styled(sheet)}
        assert not (alone - shared) & own


@pytest.mark.parametrize("name", ["positional_encoding", "heads", "word_order"])
def test_an_explorers_views_share_one_copy_of_the_colors_and_of_the_common_rules(name):
    sheets = [str(view._css) for view in views_of(GALLERY[name].make(4))]
    assert len(sheets) > 1
    for rule in (".tl-20{", "--s20:", "--ink:", ".tl-chip {"):
        assert sum(rule in sheet for sheet in sheets) == 1, rule


def test_colors_are_mixed_from_hues_and_steps_and_not_listed_one_by_one():
    assert 2 * plots.STEPS < palette_css().count("{") < 100
