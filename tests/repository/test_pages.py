"""The pages for people who look at the folder: their links and pictures are there."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("explorable/*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"")


def anchors(path):
    """Return the names that GitHub gives to a page's headings."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in headings}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_link_leads_to_a_file_or_a_heading_that_is_there(path):
    links = ["".join(found) for found in LINK.findall(path.read_text(encoding="utf-8"))]
    for link in links:
        if not link.startswith("https://"):
            file, _, anchor = link.partition("#")
            target = path.parent / file if file else path
            assert target.exists(), link
            assert not anchor or anchor in anchors(target), link


def test_the_readme_shows_the_film_and_for_print_its_still():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert LINK.findall(readme)[:2] == [
        ("", "figures/attention.png"),
        ("", "figures/attention.webp"),
    ]
