"""One stack finishes sentences: what is kept of its trainings."""

from course.experiments import finishing, one_stack
from course.models.one_stack import learn


def test_what_the_kept_results_show():
    kept = one_stack.load_results()
    made = [(one["steps"], one["seed"]) for one in kept]
    assert made == [(n, s) for s in finishing.SEEDS for n in finishing.LENGTHS]
    rules = {(one["steps"], one["seed"]): one for one in finishing.load_results()}
    for one in kept:
        floors = rules[one["steps"], one["seed"]]
        assert one["model"] < min(floors["last word"], floors["subject"])


def test_the_command_keeps_what_each_training_came_to(tmp_path, capsys):
    one_stack.main(tmp_path, lengths=(1, 2), seeds=(5,))
    kept = one_stack.load_results(tmp_path)
    model, training = learn(2, 5)
    list(training)
    assert [one["steps"] for one in kept] == [1, 2]
    assert kept[-1]["model"] == round(one_stack.measure(model), 3)
    assert capsys.readouterr().out.count("steps") == 2
