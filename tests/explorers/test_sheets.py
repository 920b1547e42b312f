"""The style sheets: a view carries what all share and its own, and no two mean one."""

import re

import pytest
from kinds import folders, kinds

from transformer_lib.explorers.toolkit.views import view_in


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


def test_colours_are_mixed_from_hues_and_steps_and_not_listed_one_by_one():
    rules = str(view_in(folders()["matrix"])._css).count("{")
    assert rules < 200
