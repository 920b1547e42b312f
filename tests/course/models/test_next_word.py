"""The two next-word models whose heads can be read."""

from course.models import next_word


def test_the_command_trains_and_writes_what_can_be_loaded(tmp_path, capsys):
    next_word.main(tmp_path, steps=20)
    assert "taught" in capsys.readouterr().out
    for training in ("taught", "free"):
        model, vocabulary = next_word.load_heads(training, tmp_path)
        assert model.config.vocabulary_size == len(vocabulary)
