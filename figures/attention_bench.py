"""Draw attention_bench.png, the picture of the README: the course's 3×2 example.

It is drawn here, or in the folder that is named.
"""

import pathlib
import sys

from course import explorers
from explorable.plots import as_png

bench = explorers.attention_bench(
    Q=[[1, 0], [0, 1], [1, 1]],
    K=[[1, 0], [0, 1], [1, 1]],
    V=[[1, 2], [3, 4], [5, 6]],
    tokens=["AI", "is", "powerful"],
)
folder = pathlib.Path(sys.argv[1]) if sys.argv[1:] else pathlib.Path(__file__).parent
(folder / "attention_bench.png").write_bytes(as_png(bench.picture()))
