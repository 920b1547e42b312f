"""What the tests of pretrained models share: `transformers`, and texts to tokenize."""

import random
import unicodedata
from functools import cache
from importlib import import_module
from unicodedata import category as now


@cache
def transformers():
    """The package `transformers`: seconds to import, for whoever needs it."""
    package = import_module("transformers")
    package.utils.logging.disable_progress_bar()
    package.utils.logging.set_verbosity_error()
    return package


LEARNED = [
    "The cat sat on the mat, and it was happy. The cats' mats weren't there in 1999!",
    "A model isn't a cat: it's numbers, 12 of them, multiplied and added. Das café là.",
    "What each word asks, what each word offers, and what it hands over in the end.",
    "    def spaces():   # stand   side   by   side\n        pass",
] * 3
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
NASTY = [
    "",
    " ",
    "The cat sat on the mat",
    "  two  spaces   and\n\na line\t end ",
    "it's we'll I'd THEY'RE 'tis don't'",
    "CAFÉ Été naïve ÅNGSTRÖM ΣΊΣΥΦΟΣ İstanbul ß",
    "1²3½ Ⅷ ٣ 12,345.6",
    "人工知能 ひらがな 한국어",
    "a\x00b\x01c\x1cd\x85e\xa0f\u200bg\u2028h\ufeff�",
    "👩‍👩‍👧 😀!?...—–“”$^`|~+<=>",
    "cat" * 33 + " " + "cat" * 34,
    "<|endoftext|>cat<|endoftext|> <|end",
    "the [MASK] sat [SEP] on[MASK]the [mask] ##cat # #",
    "_under_score_ __init__",
    "a\x1c b \x1f\x1d c  \x1e  d",
]


def drawn(count=150):
    """Texts of characters of every kind, and of what was learned.

    Only of characters that have always been what they are: versions of Unicode differ.
    """
    draw = random.Random(0)
    old = unicodedata.ucd_3_2_0.category
    every = [chr(n) for n in range(0x3100) if old(chr(n)) == now(chr(n)) != "Cn"]
    common = [*" \n'.,-_0129aeistTE", *"éßΣ中²", " the", "'ll", "cat"]
    for _ in range(count):
        yield "".join(draw.choices([*common, *draw.choices(every, k=4)], k=12))
