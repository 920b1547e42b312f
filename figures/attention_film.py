"""Film attention_bench in Chromium for the README: attention.webp, and a still of it.

The arrow keys raise one number of a query, lower it, and bring it back.
"""

import io
import json
import pathlib
import sys
from collections.abc import Iterator

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

sys.path.append(str(pathlib.Path(__file__).parents[1] / "tests"))
from browser import launch
from views.page import BarePage

from course import explorers

TOP, STEP = 24, 3  # the query's number, in tenths; a key changes it by one
PACE, HOLD = 80, 900  # milliseconds for a frame, and at the first and the outermost


def states(browser: Browser) -> Iterator[tuple[Image.Image, dict[str, list[str]]]]:
    """Lower the number from its highest value: each picture, and the numbers in it."""
    bench = explorers.attention_bench(
        Q=[[1, TOP / 10], [0, 1], [1, 1]],
        K=[[1, 0], [0, 1], [1, 1]],
        V=[[1, 2], [3, 4], [5, 6]],
        tokens=["AI", "is", "powerful"],
    )
    context = browser.new_context(
        viewport={"width": 1248, "height": 700},
        device_scale_factor=1.4,
        reduced_motion="reduce",
    )
    page = BarePage(context.new_page())
    page.draw(bench)
    page.page.evaluate("document.fonts.ready")
    page.lay_out()
    page.cell("output", 0, 1).focus()
    page.press("Space")  # the sum behind it stays in view
    page.cell("Q", 0, 1).focus()
    page.press("Enter", "ArrowUp", "ArrowDown")
    clip = page.find(".tl-explorer").bounding_box()
    for tenths in range(TOP, -TOP - 1, -STEP):
        assert bench.inputs["Q"][0, 1] == tenths / 10
        picture = page.page.screenshot(clip=clip)
        yield Image.open(io.BytesIO(picture)).convert("RGB"), page.shown()["numbers"]
        page.press(*["ArrowDown"] * STEP)
    context.close()


def in_order(falling: list) -> list:
    """Arrange the states, which fall from the top, as the film shows them."""
    middle = len(falling) // 2
    rising = falling[::-1]
    return [*rising[middle:-1], *falling[:-1], *rising[:middle]]


def main(folder: pathlib.Path) -> None:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        assert browser, "no Chromium starts here; to fetch one: python tests/browser.py"
        falling = list(states(browser))
        browser.close()
    film = in_order(falling)
    (first, _), *rest = film
    holds = {0, len(film) // 4, 3 * len(film) // 4}
    first.save(
        folder / "attention.webp",
        save_all=True,
        append_images=[picture for picture, _ in rest],
        duration=[HOLD if n in holds else PACE for n in range(len(film))],
        lossless=True,
        method=6,
        xmp=json.dumps([numbers for _, numbers in film]).encode(),
    )
    falling[0][0].save(folder / "attention.png", optimize=True)


if __name__ == "__main__":
    here = pathlib.Path(__file__).parent
    main(pathlib.Path(sys.argv[1]) if sys.argv[1:] else here)
