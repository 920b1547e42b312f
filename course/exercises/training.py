"""Exercises of notebook 12: what a training asks for, and how far its steps go."""

import numpy as np
import torch

from transformer_lib.training import linear_warmup_decay, smoothed_cross_entropy

from .exercise import Array, Exercise, draw


def _reads_and_says(target: Array, sos: int, eos: int) -> Array:
    whole = np.array([sos, *target, eos])
    return np.array([whole[:-1], whole[1:]])


reads_and_says = Exercise(
    solution='''def reads_and_says(target, sos, eos):
    """Give two rows (2, T + 1) for T ids: what the decoder reads, and has to say."""
    reads = np.append(sos, target)
    says = np.append(target, eos)
    return np.stack([reads, says])''',
    right=_reads_and_says,
    cases=(
        (np.array([5, 3, 4]), 1, 2),
        (np.array([7]), 1, 2),
        (np.array([9, 9, 3, 8, 6]), 0, 1),
    ),
    holds="What stands at a place below is to be said there; it is read one place "
    "later. Next: which of the ids is read and never said, which said and never read?",
    mistakes={
        "Each place reads the very token that it has to say. What would a model learn "
        "from that?": "np.append(sos, target) → np.append(target, eos)",
        "The two rows are exchanged: each place reads what comes after its answer. "
        "Which of them may know less?": "[reads, says] → [says, reads]",
        "The decoder has to say that the text begins, and it is never asked for the "
        "end. Where does a text that is written stop?": (
            "np.append(target, eos) → np.append(sos, target)"
        ),
        "The first token that is read stands for the end. Which one stands for the "
        "beginning?": "np.append(sos → np.append(eos",
        "The last token to say stands for the beginning. Which one says that nothing "
        "follows?": "np.append(target, eos) → np.append(target, sos)",
        "The last place is missing. Who would then ever learn to stop?": (
            "np.stack([reads, says]) → np.stack([reads, says])[:, :-1]"
        ),
        "The first place is missing. From what would the model know how to "
        "start?": "np.stack([reads, says]) → np.stack([reads, says])[:, 1:]",
        "Both ends stand in both rows, and nothing is moved. By how many places do "
        "the rows differ?": (
            "np.stack([reads, says]) → np.stack([np.append(reads, eos)] * 2)"
        ),
        "The ids stand in the opposite order. `target` is already the text that has "
        "to be written: is there anything to turn round?": (
            "reads = np → target = target[::-1]\n    reads = np"
        ),
    },
)


def _cross_entropy(logits: Array, targets: Array, pad: int) -> Array:
    ids = torch.from_numpy(np.asarray(targets, dtype=np.int64))
    loss = smoothed_cross_entropy(torch.from_numpy(logits).double(), ids, pad_id=pad)
    return loss.numpy()


cross_entropy = Exercise(
    solution='''def cross_entropy(logits, targets, pad):
    """Give the mean of −log p over the targets (T,) that are not pad; logits (T, V)."""
    large = logits.max(axis=1, keepdims=True)
    sums = np.exp(logits - large).sum(axis=1, keepdims=True)
    log_p = logits - large - np.log(sums)
    missed = -log_p[np.arange(len(targets)), targets]
    return missed[targets != pad].mean()''',
    right=_cross_entropy,
    cases=(
        (np.array([[0.0, 1, 3], [1, 0, 0]]), np.array([2, 1]), 0),
        (*draw(61, (5, 4)), np.array([3, 1, 2, 0, 0]), 0),
        (*draw(62, (4, 3)), np.array([2, 0, 2, 0]), 2),
        (np.array([[1000.0, 0, 990], [0, 800, 801]]), np.array([2, 1]), 0),
    ),
    holds="It is what training makes small. Next: e to this power is the perplexity; "
    "what is it if all logits are equal?",
    mistakes={
        "Padding is in it: the model is asked what comes after the end. Which places "
        "should be left out?": "missed[targets != pad] → missed",
        "It is divided by the number of all places, padding among them. A batch with "
        "more of it would look better.": (
            "missed[targets != pad].mean() → "
            "missed[targets != pad].sum() / len(targets)"
        ),
        "These are added up, so a long text counts more than a short one. What comes "
        "after the addition?": ".mean() → .sum()",
        "The sign is turned: a better probability gives a larger number. Which sign "
        "has the logarithm of a share?": "= -log_p → = log_p",
        "The logarithm has base 2: this is in bits. Here it is the natural one, as in "
        "PyTorch.": "missed[targets != pad].mean() → missed[targets != pad].mean() / "
        "np.log(2)",
        "The shares of a column sum to 1 here. Over what is each place unsure: over "
        "places or over words?": "axis=1 → axis=0",
        "The scores are taken as they are. What makes probabilities of them first?": (
            "- large - np.log(sums) → + 0"
        ),
        "This is the share that is missing from 1. A certain error costs 1 then, and "
        "it should cost without limit.": (
            "missed[targets != pad].mean() → "
            "(1 - np.exp(-missed[targets != pad])).mean()"
        ),
        "First the average of the probabilities is taken, and then one logarithm. Each "
        "place has its own cost: in which order?": (
            "missed[targets != pad].mean() → "
            "-np.log(np.exp(-missed[targets != pad]).mean())"
        ),
        "This is the perplexity. One function less is asked for.": (
            "return missed[targets != pad].mean() → "
            "return np.exp(missed[targets != pad].mean())"
        ),
        "Large scores overflow. What may be subtracted from a row before anything is "
        "raised to a power?": "logits.max(axis=1, keepdims=True) → 0",
    },
)


def _smoothed_targets(targets: Array, V: int, smoothing: float, pad: int) -> Array:
    rows = []
    for target in targets:
        said = np.array([w != pad for w in range(V)]) * (target != pad)
        rows.append(said * (smoothing / (V - 1) + (1 - smoothing) * np.eye(V)[target]))
    return np.array(rows)


smoothed_targets = Exercise(
    solution='''def smoothed_targets(targets, V, smoothing, pad):
    """Give q (T, V): of each target, ε = smoothing is shared by all tokens but pad."""
    q = np.full((len(targets), V), smoothing / (V - 1))
    q[np.arange(len(targets)), targets] += 1 - smoothing
    q[:, pad] = 0
    q[targets == pad] = 0
    return q''',
    right=_smoothed_targets,
    cases=(
        (np.array([2, 1]), 5, 0.4, 0),
        (np.array([3, 1, 0, 0]), 4, 0.1, 0),
        (np.array([0, 3, 2]), 6, 0.25, 3),
    ),
    holds="Each row sums to 1, and where padding is the target it is empty. Next: "
    "which logits would make the softmax equal such a row?",
    mistakes={
        "Padding gets a part as well, and the model learns to say it now and then. By "
        "how many tokens is ε shared?": (
            "smoothing / (V - 1))\n    q[np.arange(len(targets)), targets] += "
            "1 - smoothing\n    q[:, pad] = 0 → smoothing / V)\n    "
            "q[np.arange(len(targets)), targets] += 1 - smoothing"
        ),
        "Padding has no part, but ε was divided as if it had: the rows do not reach "
        "1. Over how many is it shared?": "(V - 1) → V",
        "Padding gets a part besides, and the rows are more than 1. What is it to "
        "have?": "q[:, pad] = 0 → ",
        "The right token gets no part of what is shared, though it is one of all. The "
        "row does not reach 1.": "+= 1 - → = 1 -",
        "Only the others share ε. Then V would be 2 and not 1 too large; in the "
        "formula the right token has a part, too.": (
            "smoothing / (V - 1))\n    q[np.arange(len(targets)), targets] += "
            "1 - smoothing → smoothing / (V - 2))\n    "
            "q[np.arange(len(targets)), targets] = 1 - smoothing"
        ),
        "Where padding is the target, something is still wanted. What should be asked "
        "there?": "q[targets == pad] = 0 → ",
        "Padding is taken for a token like the others: it gets a part, and where it "
        "is the target it is wanted. What is asked of it?": (
            "q[:, pad] = 0\n    q[targets == pad] = 0 → "
        ),
        "Padding is one of those that share ε, and where it is the target it is "
        "wanted. What is asked of it?": (
            "smoothing / (V - 1))\n    q[np.arange(len(targets)), targets] += "
            "1 - smoothing\n    q[:, pad] = 0\n    q[targets == pad] = 0 → "
            "smoothing / V)\n    q[np.arange(len(targets)), targets] += 1 - smoothing"
        ),
        "Where padding is the target, padding is wanted, and a model would learn to "
        "say it. What should be asked there?": (
            "q[targets == pad] = 0 → q[targets == pad] = np.eye(V)[pad]"
        ),
        "The rows of padding are left out, so fewer come back than were given. Which "
        "row would belong to which place?": "return q → return q[targets != pad]",
        "Nothing is taken from the target, so the row is more than 1. From where does "
        "ε come?": "+= 1 - smoothing → += 1",
        "The target keeps only the small part. Which of the two is the large "
        "one?": "+= 1 - smoothing → += smoothing",
    },
)


def _rate(n: Array, peak: float, warm_up: int, steps: int) -> Array:
    schedule = linear_warmup_decay(peak, warm_up, steps)
    return np.array([schedule(int(step)) for step in n])


rate = Exercise(
    solution='''def rate(n, peak, warm_up, steps):
    """Give the rates of steps n (N,), from 0: a line up to peak, and a line down."""
    rising = (n + 1) / warm_up
    falling = (steps - n) / (steps - warm_up)
    return peak * np.minimum(rising, falling)''',
    right=_rate,
    cases=(
        (np.arange(8), 1.0, 2, 8),
        (np.arange(10), 0.5, 4, 10),
        (np.array([0, 99, 100, 599]), 0.01, 100, 600),
    ),
    holds="The first step is already above 0, and so is the last. Next: with what "
    "warm_up is there none at all?",
    mistakes={
        "At step 0 it is 0: the first batch is read and nothing is learned. How many "
        "steps are taken when n = 0 is over?": "(n + 1) → n",
        "The larger of the two lines is taken. Which one should hold it "
        "back?": "np.minimum → np.maximum",
        "It rises and stays. What happens behind the warm-up?": (
            "(steps - n) / (steps - warm_up) → 1"
        ),
        "It begins at the top. What should the first steps be like?": (
            "(n + 1) / warm_up → 1"
        ),
        "The last step has a rate of 0: it is taken in vain. Where does the line meet "
        "0?": "(steps - n) → (steps - n - 1)",
        "The line down begins at step 0, so the top is never reached. Over how many "
        "of them does it fall?": "(steps - warm_up) → steps",
        "It falls with the root of the step, as in the 2017 paper. Here it is a "
        "line.": "(steps - n) / (steps - warm_up) → (warm_up / (n + 1)) ** 0.5",
        "The line up takes all the training. When is the top reached?": (
            "(n + 1) / warm_up → (n + 1) / steps"
        ),
        "These are shares of the top, and the rate itself is another number. What is "
        "missing?": "peak * np → np",
        "Both lines are multiplied, so one bends the other. Only one of them holds at "
        "a time.": "np.minimum(rising, falling) → rising * falling",
        "The line up is rounded down: below its top it is 0. Which division keeps "
        "what lies between 0 and 1?": "(n + 1) / → (n + 1) //",
        "The line down is rounded down: once it falls it is 0. Which division keeps "
        "what lies between 0 and 1?": "(steps - n) / → (steps - n) //",
        "Both lines are rounded down, so the rate is 0 or the top. Which division "
        "keeps what lies between 0 and 1?": (
            "(n + 1) / warm_up\n    falling = (steps - n) / → "
            "(n + 1) // warm_up\n    falling = (steps - n) //"
        ),
    },
)


def _clipped(gradient: Array, most: float) -> Array:
    g = torch.from_numpy(np.asarray(gradient, dtype=np.float64))
    parts = [torch.nn.Parameter(torch.zeros_like(row)) for row in g]
    for part, row in zip(parts, g, strict=True):
        part.grad = row.clone()
    torch.nn.utils.clip_grad_norm_(parts, most)
    return torch.stack([p.grad for p in parts if p.grad is not None]).numpy()


clipped = Exercise(
    solution='''def clipped(gradient, most):
    """Shorten a gradient, a parameter a row, to the length `most` if it is longer."""
    length = np.sqrt((gradient**2).sum())
    return gradient * np.minimum(1, most / length)''',
    right=_clipped,
    cases=(
        (np.array([[3.0, 0], [0, 4]]), 1.0),
        (np.array([[0.3, 0], [0, 0.4]]), 1.0),
        (*draw(63, (3, 4)), 2.0),
        (np.array([[20.0, -1], [2, 0.5]]), 5.0),
    ),
    holds="Its direction stays, and only its length is held. Next: what if one "
    "parameter alone made it long?",
    mistakes={
        "Every row is shortened for itself, so the step points elsewhere. How many "
        "lengths are there to hold?": (
            "(gradient**2).sum() → (gradient**2).sum(axis=1, keepdims=True)"
        ),
        "Every number is cut for itself, so the step points elsewhere. What should "
        "all of them be multiplied by?": (
            "gradient * np.minimum(1, most / length) → np.clip(gradient, -most, most)"
        ),
        "Short ones are made longer, too. When should nothing happen?": (
            "np.minimum(1, most / length) → (most / length)"
        ),
        "It is divided by the square of what it measures. What is the length of "
        "(3, 4)?": "np.sqrt((gradient**2).sum()) → (gradient**2).sum()",
        "The magnitudes are added up: a way along the streets. Here it is the "
        "straight one.": "np.sqrt((gradient**2).sum()) → np.abs(gradient).sum()",
        "What is too long is thrown away. Its direction is still worth "
        "something.": "np.minimum(1, most / length) → (length <= most)",
        "Only the largest number is held. All of them together make the "
        "step.": "np.sqrt((gradient**2).sum()) → np.abs(gradient).max()",
        "This is the norm 2 of a matrix: its largest singular value. Here all rows "
        "are one long arrow; what is its length?": (
            "np.sqrt((gradient**2).sum()) → np.linalg.norm(gradient, 2)"
        ),
        "A long one gets the length 1, whatever was asked for. Which length may it "
        "have at most?": (
            "gradient * np.minimum(1, most / length) → "
            "gradient * (1 if length <= most else 1 / length)"
        ),
        "Long ones stay and short ones grow. Which of the two factors should "
        "win?": "np.minimum → np.maximum",
    },
)


def _loss_slope(logits: Array, target: int) -> Array:
    x = torch.from_numpy(np.asarray(logits, dtype=np.float64)).requires_grad_()
    loss = smoothed_cross_entropy(x[None], torch.tensor([target]))
    [slope] = torch.autograd.grad(loss, [x])
    return slope.numpy()


loss_slope = Exercise(
    solution='''def loss_slope(logits, target):
    """Give the slope of −log p[target] by each of the logits (V,); target is an id."""
    slope = reference.softmax(logits)
    slope[target] -= 1
    return slope''',
    right=_loss_slope,
    cases=(
        (np.array([0.0, 0, 0, 0]), 1),
        (np.array([1.0, 2, 0.5]), 2),
        (*draw(64, (6,)), 0),
    ),
    holds="What was said, minus what should have been said; it sums to 0. Next: where "
    "is it almost 0 everywhere?",
    mistakes={
        "The sign is turned. A step goes *against* the slope.": (
            "return slope → return -slope"
        ),
        "These are the probabilities alone. What did the data say?": (
            "slope[target] -= 1 → "
        ),
        "1 is taken from every one of the probabilities, as if each token had come. "
        "Which one came?": "slope[target] -= 1 → slope -= 1",
        "Only one of the logits gets a slope here. The others take a share away from "
        "it, too.": "return slope → return slope * (np.arange(len(logits)) == target)",
        "This is the slope of a share by its own logit. The logarithm comes "
        "after.": "slope[target] -= 1\n    return slope → return slope * (1 - slope)",
        "The scores were not made into probabilities. What stands between them and the "
        "loss?": "reference.softmax(logits) → logits * 1.0",
        "The difference is squared, and then differentiated. Here it is a "
        "logarithm.": "return slope → return 2 * slope",
        "This is the slope by the probabilities, and not by the scores. One link of "
        "the chain is missing.": (
            "slope[target] -= 1\n    return slope → "
            "return -1.0 * (np.arange(len(logits)) == target) / slope"
        ),
    },
)

EXERCISES = (
    cross_entropy,
    reads_and_says,
    smoothed_targets,
    rate,
    clipped,
    loss_slope,
)
