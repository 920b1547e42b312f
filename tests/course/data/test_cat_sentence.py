"""The cat sentence and its matrices, set by hand."""

from course.data.cat_sentence import SENTENCE, W_K, W_Q, W_V, X


def test_the_cat_sentence_fits_its_matrices():
    assert X.shape == (len(SENTENCE), len(W_Q))
    assert W_Q.shape == W_K.shape == (10, 4)
    assert W_V.shape == (10, 2)
    it, cat = SENTENCE.index("it"), SENTENCE.index("cat")
    scores = X @ W_Q @ (X @ W_K).T
    assert (scores[it, cat], scores[cat, it]) == (8, 0)
