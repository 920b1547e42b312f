"""Text that breaks careless programs: markup, scripts, half characters, novels."""

import random

MARKUP = (
    *("<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "</script>"),
    *("</td>", "<svg onload=alert(1)>", "&lt;b&gt;", "<b>bold</b>"),
    *("javascript:alert(1)", '" onfocus="alert(1)', "${alert(1)}", "{{7*7}}"),
    *("'; DROP TABLE words; --", "{row} {column} {value}", "%s %d %n", "$x^$"),
    *("$$\\frac{1}{0}$$", "\\(x\\)", "\\", "__import__('os')"),
)
SCRIPTS = (
    *("\u202edesrever", "\u2066isolate", "\u200f", "\u202a\u202e\u202c"),
    *("\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627"),
    *("😀", "👩\u200d👩\u200d👧\u200d👦", "🏳️\u200d🌈"),
    *("e\u0301\u0301\u0301", "Z\u0338\u0322\u034aa\u0337l\u0334g\u0336o", "\u0301"),
)
HARDLY_TEXT = (
    *("\0", "a\0b", "\x1b[31m", "\x07", "\ud800", "x\udfffy", "\ufeff", "\u2028"),
    *("line\nbreak", "tab\tstop", "\r\n", " ", "\u00a0", "\u3000", "", "\u200b"),
    *("x" * 10_000, "word " * 2_000, "😀" * 201),
)
NUMBERS = (
    *("NaN", "inf", "-0", "1e309", "0x10", "1_000", "1,5", "--1", "None", "[1, 2]"),
    *("\u0661\u0662\u0663", "\uff11\uff12"),
)
KINDS = (*MARKUP, *SCRIPTS, *HARDLY_TEXT, *NUMBERS)


def nasty_strings(count: int, seed: int = 0) -> list[str]:
    """Every kind, and then random pairs and pieces of them, `count` in all."""
    draw = random.Random(seed)
    made = list(KINDS[:count])
    while len(made) < count:
        first, second = draw.sample(KINDS, 2)
        made.append(first[: draw.randint(0, 40)] + second[: draw.randint(1, 40)])
    return made


STRINGS = nasty_strings(100)
SOME = STRINGS[::7]  # where others of the same kind are asked all of them
