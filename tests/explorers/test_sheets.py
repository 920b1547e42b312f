"""The style sheets: every view gets all of them, so no two may mean one name."""

import re

from transformer_lib.explorers.toolkit.views import SHEETS, STATIC


def styled(name):
    """The classes that a sheet styles wherever they stand."""
    css = re.sub(r"/\*.*?\*/", "", (STATIC / name).read_text("utf-8"), flags=re.DOTALL)
    selectors = ",".join(re.findall(r"([^{}]+)\{", css)).split(",")
    return {s.strip() for s in selectors if re.fullmatch(r"\.tl-[\w-]+", s.strip())}


def test_no_two_sheets_style_one_class():
    owner = {}
    for sheet in SHEETS:
        for name in styled(sheet):
            assert owner.setdefault(name, sheet) == sheet, name
    assert owner[".tl-tile"] == "tiles_view.css"
