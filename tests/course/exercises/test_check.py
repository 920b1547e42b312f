"""What a check says about answers that are wrong in no known way, or no answers."""

import _thread
import html.parser
import linecache
import random
import signal
import sys
import threading
import time
import warnings

import numpy as np
import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell
from nasty import nasty_strings

from course import exercises
from course.exercises import running
from course.exercises.checking import known_outcomes
from transformer_lib.oracles import numpy_reference as reference

CELL = "<cell>"
ATTENTION = "reference.scaled_dot_product_attention(Q, K, V)[0]"


def cell(source, name="softmax"):
    """Run a cell as a notebook does: its lines can be looked up by its file's name."""
    linecache.cache[CELL] = (len(source), None, source.splitlines(keepends=True), CELL)
    names = {"np": np, "reference": reference, "torch": torch}
    exec(compile(source, CELL, "exec"), names)
    return names[name]


def verdict(body, head="softmax(scores)"):
    return exercises.check(cell(f"def {head}:\n    {body}", head.partition("(")[0]))


def test_the_exercise_is_found_by_the_name_of_the_function_or_by_its_own_name():
    softmax = cell(exercises.solution("softmax"), "my_softmax")
    assert exercises.check(softmax).kind == "right"
    assert exercises.check("softmax", lambda scores: softmax(scores)).kind == "right"
    assert exercises.check("attention", softmax).kind == "error"


@pytest.mark.parametrize("name", ["sotfmax", "", "<lambda>"])
def test_an_unknown_name_is_refused_and_the_known_ones_are_listed(name):
    for call in (exercises.template, exercises.solution):
        with pytest.raises(
            ValueError, match=rf"no exercise is called '{name}'; .*softmax"
        ):
            call(name)
    with pytest.raises(ValueError, match="there are read_words, "):
        exercises.check(name, len)


@pytest.mark.parametrize("thing", [3, np.ones(3), None, "softmax"])
def test_a_result_instead_of_a_function_is_refused(thing):
    with pytest.raises(
        TypeError, match=r"takes the function itself, as in check\(my_softmax\)"
    ):
        exercises.check(thing)
    if thing is not None:
        with pytest.raises(TypeError, match=f"got {type(thing).__name__}"):
            exercises.check("softmax", thing)


@pytest.mark.parametrize(
    "body",
    [
        "...",
        "pass",
        "return None",
        "return NotImplemented",
        "return ...",
        '"""Say."""',
        "raise NotImplementedError",
        "raise NotImplementedError('later')",
    ],
)
def test_an_empty_body_is_not_judged(body):
    found = verdict(body)
    assert found.kind == "empty"
    assert repr(found).startswith("softmax: not attempted yet.")


def test_a_not_implemented_error_of_a_library_is_an_error():
    found = verdict("return torch.empty(2, 3, device='meta').numpy(force=True)")
    assert (found.kind, found.exercise) == ("error", "softmax")


def test_a_body_that_computes_but_returns_nothing_is_not_empty():
    assert verdict("print(end='')").kind == "type"


def test_a_missing_return_is_named():
    found = verdict("e = np.exp(scores)\n    e / e.sum(axis=1, keepdims=True)")
    assert (found.kind, found.text) == (
        "type",
        "It returns nothing. Is a `return` missing?",
    )


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return scores.sum(axis=1)", "It returns (2,), expected (2, 3)."),
        ("return scores[0, 0]", "It returns (), expected (2, 3)."),
        ("return torch.tensor(scores)[None]", "It returns (1, 2, 3), expected (2, 3)."),
    ],
)
def test_a_wrong_shape_is_reported_with_the_expected_one(body, said):
    found = verdict(body)
    assert (found.kind, found.text) == ("shape", said)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "return scores, scores",
            "It returns a value of type tuple, expected an array of numbers.",
        ),
        ("return scores.tolist()", "a value of type list"),
        ("return 'weights'", "a value of type str"),
        ("return np", "a value of type module"),
        ("return scores + 0j", "an array of type complex128"),
        ("return np.array([None])", "an array of type object"),
        (
            "return torch.tensor(scores).to_sparse()",
            "a value of type Tensor",
        ),
        ("yield scores", "a value of type generator"),
        ("return scores > 0", "It returns True and False, expected numbers."),
    ],
)
def test_a_wrong_type_is_reported(body, said):
    found = verdict(body)
    assert found.kind == "type"
    assert said in found.text


def test_numbers_instead_of_booleans_are_reported():
    found = verdict("return np.eye(n)", "causal_mask(n)")
    assert (found.kind, found.text) == (
        "type",
        "It returns numbers, expected True and False.",
    )


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "e = np.exp(scores)\n    return e / e.sum(axis=7)",
            "Line 3, `return e / e.sum(axis=7)`, raises AxisError: axis 7 is out of "
            "bounds for array of dimension 2",
        ),
        (
            "return scors",
            "Line 2, `return scors`, raises NameError: name 'scors' is not defined",
        ),
        (
            "x = [1]\n    return (\n        x[3]\n    )",
            "Line 4, `x[3]`, raises IndexError",
        ),
        (
            "return softmax(scores)",
            "Line 2, `return softmax(scores)`, raises RecursionError: "
            "the function calls itself without end",
        ),
        (
            "def total(x):\n        return x / None\n    return total(scores)",
            "Line 3, `return x / None`, raises TypeError: unsupported operand",
        ),
        (
            "return eval('1 +')",
            "Line 2, `return eval('1 +')`, raises SyntaxError: invalid",
        ),
        (
            "raise ValueError('one\\n\\ntwo \\x1b[31m')",
            "raises ValueError: one two \ufffd[31m",
        ),
        ("raise ValueError(object())", "raises ValueError: <object object>"),
        ("raise ValueError('x' * 1000)", "x" * 159 + "…"),
        (
            "raise type('Odd', (Exception,), {'__str__': lambda s: 1 / 0})",
            "raises Odd: <",
        ),
    ],
)
def test_an_error_names_the_line_of_the_readers_code(body, said):
    found = verdict(body)
    assert found.kind == "error"
    assert said in found.text
    assert "\n" not in found.text


def test_endless_recursion_names_one_line_however_deep_the_stack_is():
    f = cell("def softmax(s):\n    return help(s)\ndef help(s):\n    return softmax(s)")
    found = {(lambda: exercises.check(f))(), exercises.check(f)}
    assert [verdict.text.partition(", raises")[0] for verdict in found] == [
        "Line 2, `return help(s)`"
    ]


@pytest.mark.parametrize(
    "head", ["softmax()", "softmax(scores, axis)", "softmax(*, scores)"]
)
def test_wrong_parameters_are_reported_in_pythons_words(head):
    found = verdict("return 1", head)
    assert found.kind == "error"
    assert found.text.startswith("The call raises TypeError: softmax() ")


def test_functions_without_python_code_can_be_checked():
    assert exercises.check("softmax", torch.softmax).kind == "error"
    assert exercises.check("softmax", np.exp).kind == "mistake"
    assert exercises.check("join_heads", np.hstack).kind == "right"


@pytest.mark.parametrize(
    "body",
    [
        "scores -= scores.max()\n    return reference.softmax(scores)",
        "w = reference.softmax(scores)\n    scores[:] = 0\n    return w",
        "w = reference.softmax(scores)\n    scores.shape = -1\n    return w",
        "scores[0, 0] = 7\n    return reference.softmax(scores)",
    ],
)
def test_a_changed_argument_is_named(body):
    found = verdict(body)
    assert (found.kind, found.text) == (
        "changed",
        "It changes its argument `scores`. Work on a copy.",
    )
    assert verdict("return reference.softmax(scores)").kind == "right"


def test_all_changed_arguments_are_named():
    body = f"Q *= 2; K *= 0.5\n    return {ATTENTION}"
    assert "its argument `K` and `Q`." in verdict(body, "attention(Q, K, V)").text


def test_a_known_mistake_is_named_before_a_changed_argument():
    found = verdict("scores[:] = np.exp(scores)\n    return scores")
    assert found.kind == "mistake"


def test_a_wrong_number_is_shown_with_the_first_arguments_that_lead_to_it():
    found = verdict("return 2 * reference.softmax(scores)")
    assert found.kind == "different"
    assert found.text == (
        "For scores = [[2.0, 1.0, 0.5], [1.0, 3.0, -0.25]]: "
        "entry [0, 0] is 1.257, expected 0.6285."
    )


def test_a_wrong_scalar_is_not_called_an_entry():
    found = verdict("return s.sum() * 0", "contrastive_loss(s, t)")
    assert found.text == (
        "For s = [[0.9, 0.1], [0.4, 0.6]], t = 0.5: it is 0, expected 0.3309."
    )


def test_rounding_in_float32_is_right_and_one_part_in_a_thousand_is_not():
    rounded = "Q, K, V = (torch.tensor(x).float() for x in (Q, K, V))\n    "
    attend = "return torch.softmax(Q @ K.T / K.shape[1] ** 0.5, -1) @ V"
    head = "attention(Q, K, V)"
    assert verdict(f"{rounded}{attend}", head).kind == "right"
    assert verdict(f"{rounded}{attend} * 1.001", head).kind == "different"


def test_booleans_are_shown_as_booleans():
    found = verdict("return np.eye(n) > 2", "causal_mask(n)")
    assert found.text == "For n = 3: entry [0, 0] is False, expected True."


def test_large_arguments_are_shown_by_their_shapes():
    found = verdict(f"return {ATTENTION} + (len(Q) > 2)", "attention(Q, K, V)")
    assert found.text.startswith("For Q = [[")
    assert "K of shape (5, 4), V = [[" in found.text


@pytest.mark.parametrize(
    ("body", "head", "start"),
    [  # a second mistake that gives NaN hides no first one
        (
            "e = np.exp(scores)\n    return e / e.sum(axis=0)",
            "softmax(scores)",
            "Every column sums",
        ),
        (
            "e = np.exp(scores)\n    return e / e.sum()",
            "softmax(scores)",
            "All weights together",
        ),
        (
            "e = np.exp(np.where(mask, -np.inf, Q @ K.T / np.sqrt(K.shape[1])))\n"
            "    return e / e.sum(axis=1, keepdims=True) @ V",
            "masked_attention(Q, K, V, mask)",
            "The mask is reversed: open keys",
        ),
        (
            "e = np.exp(np.where(mask, Q @ K.T / np.sqrt(K.shape[1]), -np.inf))\n"
            "    return e / e.sum(axis=1, keepdims=True) @ V",
            "masked_attention(Q, K, V, mask)",
            "Almost right, except for a fully masked query. It gets NaN",
        ),
        (
            "w = reference.softmax(Q @ K.T / np.sqrt(K.shape[1])) * mask\n"
            "    return w / w.sum(axis=1, keepdims=True) @ V",
            "masked_attention(Q, K, V, mask)",
            "The mask comes after the exponentials, and each row is then divided by "
            "its sum. This is",
        ),
        (  # right but where a hidden score leaves nothing to the others
            "e = np.exp(Q @ K.T / np.sqrt(K.shape[1]) - (Q @ K.T).max() / 2) * mask\n"
            "    return np.nan_to_num(e / e.sum(axis=1, keepdims=True)) @ V",
            "masked_attention(Q, K, V, mask)",
            "The mask comes after the exponentials, and each row is then divided by "
            "its sum. That fails",
        ),
        (
            "return reference.softmax(np.where(mask, Q @ K.T, -np.inf)) @ V",
            "masked_attention(Q, K, V, mask)",
            "The mask is applied correctly, but the scores",
        ),
        (
            "real = np.arange(n) < lengths[:, None]\n"
            "    return (real[:, :, None] & real[:, None, :])[:, None]",
            "padding_mask(lengths, n)",
            "The columns of the padding are hidden, and so are its rows",
        ),
        (
            "Q, K, V = map(torch.tensor, (Q, K, V))\n"
            "    return torch.softmax(Q @ K.T, -1) @ V",
            "attention(Q, K, V)",
            "The scores are not divided",
        ),
        (
            "return torch.tensor(x).view(n_heads, len(x), -1).float()",
            "split_heads(x, n_heads)",
            "The shape is right, but",
        ),
        (  # each head: its own features of x, by its own rows and columns
            "d, found = x.shape[1] // n_heads, []\n"
            "    for h in range(n_heads):\n"
            "        i = slice(h * d, (h + 1) * d)\n"
            "        Q, K, V = (x[:, i] @ W[i, i] for W in (W_Q, W_K, W_V))\n"
            f"        found.append({ATTENTION})\n"
            "    return np.concatenate(found, axis=1) @ W_O",
            "multi_head(x, W_Q, W_K, W_V, W_O, n_heads)",
            "x itself was cut into heads: each",
        ),
        (
            "found = []\n"
            "    for part in np.split(x, n_heads, axis=1):\n"
            "        Q = K = V = part\n"
            f"        found.append({ATTENTION})\n"
            "    return np.hstack(found) @ W_O",
            "multi_head(x, W_Q, W_K, W_V, W_O, n_heads)",
            "x itself was cut into heads, and three",
        ),
        (
            "def cut(W):\n"
            "        return (x @ W).reshape(len(x), n_heads, -1).swapaxes(0, 1)\n"
            "    Q, K, V = cut(W_Q), cut(W_K), cut(W_V)\n"
            "    w = reference.scaled_dot_product_attention(Q, K, V)[1]\n"
            "    mean = sum(w) / n_heads\n"
            "    return np.hstack([mean @ v for v in V]) @ W_O",
            "multi_head(x, W_Q, W_K, W_V, W_O, n_heads)",
            "All heads use the same weights",
        ),
        (
            "Z = np.hstack(list(heads)) @ W_O\n"
            "    d_k = heads.shape[2]\n"
            "    Z[:, gone * d_k : (gone + 1) * d_k] = 0\n"
            "    return Z",
            "without_head(heads, W_O, gone)",
            "Columns of the output were set to 0",
        ),
        (
            "return np.tril(np.ones((n, n)))",
            "causal_mask(n)",
            "These are the numbers 1 and 0",
        ),
        (
            "return np.triu(np.full((n, n), -np.inf), 1)",
            "causal_mask(n)",
            "These are 0 and −∞",
        ),
        (
            "PE = np.zeros((length, d_model))\n    for p in range(length):\n"
            "        for i in range(d_model // 2):\n"
            "            a = p / 10000 ** (2 * i / d_model)\n"
            "            PE[p, 2 * i], PE[p, 2 * i + 1] = np.cos(a), np.sin(a)\n"
            "    return PE",
            "sinusoidal_encoding(length, d_model)",
            "Sine and cosine are swapped",
        ),
        (
            "a = k / 10000 ** (np.arange(0, pe.shape[1], 2) / pe.shape[1])\n"
            "    pe[:, 0::2] = pe[:, 0::2] * np.cos(a) + pe[:, 1::2] * np.sin(a)\n"
            "    pe[:, 1::2] = pe[:, 1::2] * np.cos(a) - pe[:, 0::2] * np.sin(a)\n"
            "    return pe",
            "rotate(pe, k)",
            "The new cosines are computed from the new sines",
        ),
    ],
)
def test_a_mistake_is_recognized_however_it_is_written(body, head, start):
    found = verdict(body, head)
    assert found.kind == "mistake"
    assert found.text.startswith(start)


def test_infinity_is_not_ignored_as_nan_is():
    found = verdict("return np.triu(np.full((n, n), -np.inf)).T", "causal_mask(n)")
    assert (found.kind, found.text) == (
        "type",
        "It returns numbers, expected True and False.",
    )


def test_an_answer_that_is_all_nan_is_not_a_known_mistake():
    found = verdict("return scores * np.nan")
    assert found.kind == "different"
    assert found.text.endswith("entry [0, 0] is nan, expected 0.6285.")


def test_a_right_answer_with_one_nan_shows_where_it_is():
    body = "w = reference.softmax(scores)\n    w[0, 0] = np.nan\n    return w"
    assert "entry [0, 0] is nan" in verdict(body).text


@pytest.mark.parametrize("text", nasty_strings(120))
def test_no_text_of_the_reader_becomes_markup(text):
    def softmax(scores):
        raise ValueError(text)

    found = exercises.check(softmax)
    page = found._repr_html_()
    seen = []
    parser = html.parser.HTMLParser()
    parser.handle_starttag = lambda tag, attributes: seen.append((tag, len(attributes)))
    parser.feed(page)
    assert [tag for tag in seen if tag[0] != "code"] == [("div", 1), ("strong", 0)]
    assert all(n == 0 for tag, n in seen if tag == "code")
    for form in (page, repr(found)):
        assert form.isprintable() or form.replace("\u3000", " ").isprintable()
        assert len(form) < 1000
        form.encode()


@pytest.mark.parametrize(
    "body",
    [
        "...",
        "return 1",
        "return scores",
        "return np.exp(scores)",
        "return reference.softmax(scores)",
        "return 1 / 0",
        "scores *= 0",
    ],
)
def test_a_verdict_is_reproducible_and_names_no_file(body):
    found = verdict(body)
    assert found == verdict(body)
    for form in (repr(found), found._repr_html_()):
        assert not any(word in form for word in (".py", "transformer_lib", "0x", CELL))
        assert form.startswith(("softmax: ", "<div style="))


def test_both_forms_say_the_kind_in_words():
    found = verdict("return np.exp(scores)")
    assert repr(found).startswith("softmax: not yet. Every number is positive")
    assert "<strong>softmax: not yet.</strong> Every number" in found._repr_html_()
    assert "<code>...</code>" in verdict("...")._repr_html_()


def test_numpys_warnings_do_not_reach_the_reader(capfd):
    body = "e = np.exp(scores)\n    return e / e.sum(axis=1, keepdims=True)"
    assert verdict(body).text.startswith("Right for small scores")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("action", ["error", "always"])
def test_a_warning_is_neither_an_error_nor_shown(action, capfd):
    body = "import warnings; warnings.warn('old', DeprecationWarning)\n    "
    with warnings.catch_warnings(action=action):
        assert verdict(f"{body}return reference.softmax(scores)").kind == "right"
        assert verdict(f"{body}scores *= 2\n    return scores").kind == "changed"
    assert capfd.readouterr() == ("", "")


def test_in_a_notebook_line_numbers_are_those_of_the_cell():
    shell = InteractiveShell()
    shell.run_cell("import numpy as np")
    shell.run_cell("# my own\ndef softmax(scores):\n    return np.ex(scores)")
    found = exercises.check(shell.user_ns["softmax"])
    assert found.text.startswith(
        "Line 3, `return np.ex(scores)`, raises AttributeError"
    )
    data, _ = shell.display_formatter.format(found)
    assert set(data) == {"text/plain", "text/html"}
    assert data["text/plain"] == repr(found)


def test_the_readers_function_does_not_hide_the_librarys():
    for name in exercises.EXERCISES:
        for text in (exercises.template(name), exercises.solution(name)):
            assert text.startswith(f"def my_{name}(")


def test_a_function_called_my_is_checked_as_the_exercise():
    names = {"np": np, "reference": reference}
    exec(exercises.solution("softmax"), names)
    assert exercises.check(names["my_softmax"]).kind == "right"


ENDLESS = {
    "a loop": "while True:\n        pass",
    "a loop in one line": "while True: pass",
    "a loop that computes": "while scores.sum() < 9e9:\n        scores = scores - 1",
    "a loop that catches": "while True:\n        try:\n            len(scores)\n"
    "        except Exception:\n            pass",
    "a loop that catches everything": "while True:\n        try:\n"
    "            len('a')\n        except:\n            continue",
    "a loop that sleeps and catches": "import time\n    while True:\n        try:\n"
    "            time.sleep(0.02)\n        except BaseException:\n            pass",
    "a loop in a function": "def f():\n        while True: pass\n    return f()",
    "a loop in a generator": "return sum(x for x in iter(int, 1))",
    "a loop at the end": "try:\n        1 / 0\n    finally:\n        while True: pass",
    "two endless calls": "try:\n        return softmax(scores)\n"
    "    except RecursionError:\n        return softmax(scores)",
    "later cases only": "while len(scores.T) == 4: pass\n    return scores",
}


@pytest.fixture
def in_a_hurry(monkeypatch):
    known_outcomes(exercises.EXERCISES["softmax"])  # which are kept, with time enough
    monkeypatch.setattr(running, "TIME_LIMIT", 0.1)


@pytest.mark.parametrize("name", ENDLESS)
def test_an_endless_call_is_stopped_and_reported(name, in_a_hurry):
    if "sleeps and catches" in name and not running.REPEATS:
        pytest.skip("Python 3.12 lets the step after a caught one pass")
    body = ENDLESS[name]
    started = time.monotonic()
    found = verdict(body)
    assert found.kind == "endless"
    assert repr(found).startswith("softmax: it does not stop. Line ")
    assert "was still running after 0.1 seconds. What ends it?" in found.text
    assert time.monotonic() - started < 10


def test_of_an_endless_call_the_innermost_line_is_named(in_a_hurry):
    body = "def f():\n        while True: pass\n    return f()"
    assert verdict(body).text.startswith("Line 3, `while True: pass`, was still")


def test_an_endless_call_that_catches_every_error_is_stopped(in_a_hurry):
    if not running.REPEATS:
        pytest.skip("Python 3.12 lets the step after a caught one pass")
    body = "try:\n        return softmax(scores)\n    except:\n        "
    assert verdict(f"{body}return softmax(scores)").kind == "endless"


def test_a_late_or_stopped_call_is_stopped_only_once(in_a_hurry):
    verdict(ENDLESS["a loop"])
    late = "import time\n    time.sleep(0.15)\n    return reference.softmax(scores)"
    assert verdict(late).kind in ("right", "endless")
    for _ in range(20):
        time.sleep(0.01)
        sum(range(1000))
    assert verdict("return reference.softmax(scores)").kind == "right"


def test_an_answer_that_calls_check_is_stopped_as_well(in_a_hurry):
    def softmax(scores):
        exercises.check("softmax", reference.softmax)
        while True:
            pass

    assert exercises.check(softmax).kind == "endless"
    assert running._limit.end == float("inf")


def test_no_thread_is_left_running(in_a_hurry):
    before = threading.active_count()
    verdict(ENDLESS["a loop"])
    verdict("return scores")
    time.sleep(0.3)
    assert threading.active_count() <= before


def test_a_tracer_keeps_tracing(in_a_hurry):
    seen = []

    def trace(frame, event, argument):
        seen.append(event)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        found = verdict("return reference.softmax(scores)")
        stays = sys.gettrace()
    finally:
        sys.settrace(before)
    assert stays is trace
    assert found.kind == "right"
    assert seen


def test_an_answer_can_be_checked_in_another_thread():
    found = []
    body = "return reference.softmax(scores)"
    thread = threading.Thread(target=lambda: found.append(verdict(body).kind))
    thread.start()
    thread.join()
    assert found == ["right"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise SystemExit(3)", "Line 2, `raise SystemExit(3)`, raises SystemExit: 3"),
        ("raise KeyboardInterrupt", "raises KeyboardInterrupt"),
        ("import sys\n    sys.exit()", "Line 3, `sys.exit()`, raises SystemExit"),
        ("raise GeneratorExit", "raises GeneratorExit"),
        ("raise BaseException('x')", "raises BaseException: x"),
    ],
)
def test_an_answer_that_exits_is_an_error(body, said):
    found = verdict(body)
    assert found.kind == "error"
    assert said in found.text


@pytest.fixture
def heard():
    """The usual handler: what a shell starts in the background has none."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield signal.default_int_handler
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "try:\n        while True: pass\n    except:\n        return scores",
        "try:\n        while True: pass\n    finally:\n        raise SystemExit",
    ],
)
def test_an_interrupt_reaches_the_reader_even_if_the_answer_catches_it(body, heard):
    signalled = threading.Timer(0.2, _thread.interrupt_main)
    signalled.start()
    with pytest.raises(KeyboardInterrupt):
        verdict(body)
    signalled.join()
    assert signal.getsignal(signal.SIGINT) is heard


CHANGED = {
    "float64 by default": lambda: torch.set_default_dtype(torch.float64),
    "float16 by default": lambda: torch.set_default_dtype(torch.float16),
    "meta by default": lambda: torch.set_default_device("meta"),
    "no gradients": lambda: torch.set_grad_enabled(False),
    "NumPy raises": lambda: np.seterr(all="raise"),
    "warnings raise": lambda: warnings.simplefilter("error"),
    "seeds": lambda: (torch.manual_seed(3), np.random.seed(3), random.seed(3)),
    "deep recursion": lambda: sys.setrecursionlimit(100_000),
}


def settings():
    """What the reader may have set, in a form that can be compared."""
    return (
        *(str(read()) for read, _, _ in running.SETTINGS[:3]),
        torch.get_rng_state().tolist(),
        [part.tolist() for part in np.random.get_state()[1:2]],
        random.getstate(),
        sys.getrecursionlimit(),
        np.geterr(),
        warnings.filters[:],
    )


@pytest.fixture
def own_settings():
    with np.errstate(), warnings.catch_warnings(), running._default_settings():
        np.seterr(all="warn")
        yield


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
@pytest.mark.parametrize("name", ["softmax", "split_heads", "encode"])
def test_the_readers_settings_change_no_verdict_and_are_restored(
    change, name, own_settings
):
    change()
    before = settings()
    exercise = exercises.EXERCISES[name]
    assert exercises.check(name, exercise.build()).kind == "right"
    assert settings() == before


@pytest.mark.parametrize("name", exercises.EXERCISES)
def test_all_settings_together_change_no_verdict(name, own_settings):
    for change in CHANGED.values():
        change()
    exercise = exercises.EXERCISES[name]
    assert exercises.check(name, exercise.build()).kind == "right"


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
def test_the_settings_of_an_answer_are_undone(change, own_settings):
    def softmax(scores):
        change()
        return reference.softmax(scores)

    before = settings()
    exercises.check(softmax)
    assert settings() == before


def test_a_random_answer_gets_the_same_verdict_each_time():
    body = "return np.random.rand(*scores.shape) + torch.rand(scores.shape).numpy()"
    assert verdict(body) == verdict(body)


@pytest.mark.parametrize("kind", ["bfloat16", "float16", "float8_e5m2"])
def test_numbers_of_low_precision_are_reported_by_their_type(kind):
    body = f"return torch.softmax(torch.tensor(scores), -1).to(torch.{kind})"
    found = verdict(body)
    assert found.kind == "type"
    start = f"It returns an array of type {kind}, expected float32 or float64. For "
    assert found.text.startswith(start)
    exact = f"return torch.tensor(np.hstack(x)).to(torch.{kind})"
    small = exercises.check("join_heads", cell(f"def f(x):\n    {exact}", "f"))
    assert small.kind in ("right", "type")


@pytest.mark.parametrize(
    "body",
    [
        "return torch.empty(2, 3, device='meta')",
        "return torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])",
        "return torch.quantize_per_tensor(torch.ones(2, 3), 0.1, 0, torch.qint8)",
    ],
)
def test_a_tensor_that_numpy_cannot_read_is_a_wrong_type(body):
    found = verdict(body)
    assert (found.kind, "a value of type Tensor" in found.text) == ("type", True)


def test_an_answer_may_be_a_tensor_with_a_gradient():
    x = "torch.tensor(scores).requires_grad_()"
    assert verdict(f"return torch.softmax({x}, -1)").kind == "right"


@pytest.mark.parametrize("name", exercises.EXERCISES)
def test_an_answer_may_be_a_list_or_a_plain_number(name):
    right = exercises.EXERCISES[name].build()

    def plain(*given):
        return np.asarray(right(*given)).tolist()

    def rows(*given):
        found = right(*given)
        return [torch.tensor(row) for row in found] if np.ndim(found) else float(found)

    assert exercises.check(name, plain).kind == "right"
    assert exercises.check(name, rows).kind == "right"


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        ("return [[1, 2], [3]]", "type", "It returns a value of type list, expected"),
        ("return ['a']", "type", "It returns a value of type list, expected"),
        ("x = []\n    x.append(x)\n    return x", "type", "a value of type list"),
        ("return [10**400]", "type", "a value of type list"),
        ("return 10**400", "type", "a value of type int"),
        ("return 1.0", "shape", "It returns (), expected (2, 3)."),
        ("return [1.0]", "shape", "It returns (1,), expected (2, 3)."),
        ("return np.exp(scores).tolist()", "mistake", "Every number is positive"),
        ("return (1 + scores).tolist()", "type", "numbers. For scores = [[2.0, 1.0"),
    ],
)
def test_a_wrong_list_or_plain_number_is_reported_like_an_array(body, kind, said):
    found = verdict(body)
    assert found.kind == kind
    assert said in found.text


def test_a_softmax_that_subtracts_the_smallest_score_is_not_right():
    body = "e = np.exp(scores - scores.min(axis=1, keepdims=True))\n    "
    found = verdict(f"{body}return e / e.sum(axis=1, keepdims=True)")
    assert found.kind == "different"
    assert "For scores = [[0.0, 1000.0]]: entry [0, 1] is nan, expected 1" in found.text
