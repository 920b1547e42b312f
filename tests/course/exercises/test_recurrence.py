"""What readers write for the exercises of notebook 01, rightly and wrongly."""

from course import exercises
from course.exercises.checking import judge

READ, LEFT = (exercises.EXERCISES[name] for name in ("read_words", "gradient_left"))


def test_a_gradient_has_the_sign_of_its_weights():
    def without(w, h):
        return LEFT.build()(abs(w), h)

    verdict = judge(LEFT, without)
    assert verdict.kind == "mistake"
    assert "sign" in verdict.text


def test_swapped_matrices_are_named():
    def swapped(x, W_x, W_h):
        return READ.build()(x, W_h, W_x)

    verdict = judge(READ, swapped)
    assert verdict.kind == "mistake"
    assert "swapped" in verdict.text


def test_states_in_a_list_are_states():
    def as_list(x, W_x, W_h):
        return [*READ.build()(x, W_x, W_h)]

    def as_numbers(x, W_x, W_h):
        return READ.build()(x, W_x, W_h).tolist()

    assert judge(READ, as_list).kind == "right"
    assert judge(READ, as_numbers).kind == "right"
    assert judge(LEFT, lambda w, h: list(LEFT.build()(w, h))).kind == "right"
