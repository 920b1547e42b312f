"""What pre-training is worth for a task: which kind of noun is defined.

With 5, 20 or 100 labeled examples of each kind, a BERT or a GPT learns from scratch;
or, pre-trained, by a linear layer alone, by LoRA, or whole. A bag of words learns from
the same examples. `CHOICE` chooses their settings by the validation entries. Two more
experiments ask what the rank of LoRA decides, and how low the rank is of what full
fine-tuning changes.
"""

import random
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from statistics import mean
from typing import Any

import torch

from transformer_lib.checks.validation import check_option
from transformer_lib.runtime.seed import derive_seed
from transformer_lib.training import seeded

from ..data.dictionary import Entry, everything, sample
from ..models.classifier import (
    BATCH,
    NAMES,
    Classifier,
    Labeled,
    Pooling,
    bag_of_words,
    evaluate,
    fit,
    labeled,
)
from ..models.dictionary import BERT, GPT
from ..models.lora import add_lora
from ..models.small_model import SmallModel
from .experiment import Experiment, grid
from .results import Row

#: What reads: a pre-trained model; the mean of its vectors is classified.
READERS: Mapping[str, tuple[SmallModel[Any, Any], Pooling]] = {
    "BERT": (BERT, "mean"),
    "GPT": (GPT, "mean"),
}
#: The same models, of which one vector is classified.
ONE_VECTOR: Mapping[str, tuple[SmallModel[Any, Any], Pooling]] = {
    "BERT, class token": (BERT, "first"),
    "GPT, last token": (GPT, "last"),
}
METHODS = ("from scratch", "frozen", "LoRA", "fine-tuned")
BAG = "bag of words"
COUNTS = (5, 20, 100)  # labeled examples of a kind; some kinds have fewer
DRAWS = range(5)
CHOOSING = 5  # the draw by which settings are chosen: none of DRAWS
RANK = 8
RANKS = (0, 1, 2, 4, 8, 16, 32, 80)  # to compare; with rank 0 the head alone learns
EXAMPLES = 20  # labeled examples of a kind where the rank is what is compared
CHANGED = "decoder.blocks.3.self_attention.W_V"  # the matrix whose change is kept
CORNER = 16  # features of it that are kept
#: Batches of 32: 20, 10 and 5 epochs.
STEPS = {5: 80, 20: 160, 100: 400}
STAGES = 5  # of a training, after which it is measured on the validation entries
#: The learning rates to choose from (for the bag of words, the values of C).
RATES: Mapping[str, tuple[float, ...]] = {
    "from scratch": (0.0005, 0.001, 0.002),
    "frozen": (0.003, 0.01, 0.03),
    "LoRA": (0.003, 0.01, 0.03),
    "fine-tuned": (0.0005, 0.001, 0.002),
    BAG: (1.0, 5.0, 20.0, 100.0),
}


def examples(entries: Iterable[Entry], count: int, draw: int) -> list[Entry]:
    """Draw labeled examples: of each kind as many as there are, up to a count."""
    by_kind: dict[str, list[Entry]] = {name: [] for name in NAMES}
    for entry in entries:
        if entry.kind:
            by_kind[entry.kind].append(entry)
    chance = random.Random(draw)
    return [
        entry
        for some in by_kind.values()
        for entry in chance.sample(some, min(count, len(some)))
    ]


@cache
def judged() -> tuple[Labeled, Labeled]:
    """Return the nouns to choose settings by, and those to judge by."""
    return labeled(sample().validation), labeled(sample().held_out)


def classifier_of(
    reader: str, method: str, seed: int = 0, rank: int = RANK
) -> Classifier:
    """Return a classifier of definitions, of which no step of training is taken yet.

    Args:
        reader: one of READERS or ONE_VECTOR.
        method: one of METHODS: "from scratch", all weights are random; "frozen", only
            the linear layer will be trained; "LoRA", only that and additions to W_Q and
            W_V; or "fine-tuned", everything.
        seed: of all that is random at first.
        rank: of the additions of LoRA.

    Raises:
        ValueError: the reader or the method is unknown.
    """
    readers = {**READERS, **ONE_VECTOR}
    check_option("reader", reader, [*readers])
    check_option("method", method, [*METHODS])
    small, pooling = readers[reader]
    model = small.untrained(seed) if method == "from scratch" else small.trained()
    with seeded(derive_seed(seed, "classifier")):
        if method == "frozen":
            model.requires_grad_(False)
        if method == "LoRA":
            add_lora(model, rank)
        return Classifier(model, pooling)


def curve(
    classifier: Classifier,
    known: Labeled,
    steps: int,
    rate: float,
    seed: int = 0,
    stages: int = STAGES,
) -> Iterator[Row]:
    """Train a classifier, and measure it on the validation entries now and then.

    Yields:
        after each of some stages the "step"; the mean "loss" of the batches since the
        stage before; and the "validation loss" and "validation accuracy".
    """
    losses: list[float] = []
    training = fit(classifier, known, steps, rate, seed)
    for loss in training:
        losses.append(loss)
        if training.taken * stages // steps > (training.taken - 1) * stages // steps:
            found = evaluate(classifier, judged()[0])
            named = {f"validation {name}": x for name, x in found.items()}
            yield {"step": training.taken, "loss": mean(losses), **named}
            losses.clear()


def learn(
    reader: str, method: str, count: int, draw: int, rate: float, rank: int = RANK
) -> Row:
    """Learn from a draw of labeled examples, and judge what was learned.

    Returns:
        the "accuracy" on held-out nouns; and "curve", the lists of what `curve` yields.
    """
    known = examples(everything().learned, count, draw)
    if reader == BAG:
        return {"accuracy": of_bag(known, sample().held_out, rate)}
    classifier = classifier_of(reader, method, draw, rank)
    with seeded(derive_seed(draw, "dropout")):
        points = [*curve(classifier, labeled(known), STEPS[count], rate, draw)]
    listed = {name: [point[name] for point in points] for name in points[0]}
    return {"accuracy": evaluate(classifier, judged()[1])["accuracy"], "curve": listed}


def of_bag(known: list[Entry], asked: list[Entry], C: float) -> float:
    """Fit a bag of words to labeled examples, and return its accuracy on nouns."""
    nouns = [entry for entry in asked if entry.kind]
    bag = bag_of_words(C)
    bag.fit([entry.definition for entry in known], [entry.kind for entry in known])
    return float(bag.score([e.definition for e in nouns], [e.kind for e in nouns]))


def choose(reader: str, method: str, count: int, rate: float) -> Row:
    """Return the "accuracy" on the validation entries, with one learning rate."""
    if reader == BAG:
        known = examples(everything().learned, count, CHOOSING)
        return {"accuracy": of_bag(known, sample().validation, rate)}
    row = learn(reader, method, count, CHOOSING, rate)
    return {"accuracy": row["curve"]["validation accuracy"][-1]}


def best(reader: str, method: str, count: int) -> float:
    """Return the learning rate with the best accuracy by `CHOICE`; if tied, the first.

    Raises:
        FileNotFoundError, ValueError: CHOICE has to be made first.
    """
    rows = CHOICE.results(reader=reader, method=method, count=count)
    found: float = max(rows, key=lambda row: row["accuracy"])["rate"]
    return found


def run(reader: str, method: str, count: int, draw: int) -> Row:
    """Measure a method with the "rate" that `CHOICE` chose: see `learn`."""
    rate = best(reader, method, count)
    return {"rate": rate, **learn(reader, method, count, draw, rate)}


def by_rank(rank: int, draw: int) -> Row:
    """Return the "accuracy" of the GPT with LoRA of a rank, and the "rate" it took."""
    method = "LoRA" if rank else "frozen"
    rate = best("GPT", method, EXAMPLES)
    row = learn("GPT", method, EXAMPLES, draw, rate, rank or RANK)
    return {"rate": rate, "accuracy": row["accuracy"]}


def changed(draw: int) -> Row:
    """Fine-tune the whole GPT, and take apart what that changes in one matrix.

        W_after − W_before = U Σ Vᵀ,  B = U √Σ,  A = √Σ Vᵀ

    The first r columns of B and rows of A give the closest matrix of rank r.

    Returns:
        the singular values "sizes" (D,), which fall; "B" (16, D) and "A" (D, 16) for
        the first 16 features of either side; and the "rate".

    Source: Eckart and Young (1936).
    """
    rate = best("GPT", "fine-tuned", EXAMPLES)
    classifier = classifier_of("GPT", "fine-tuned", draw)
    W = classifier.model.get_submodule(CHANGED).get_parameter("weight")
    before = W.detach().clone()
    known = labeled(examples(everything().learned, EXAMPLES, draw))
    with seeded(derive_seed(draw, "dropout")):
        list(fit(classifier, known, STEPS[EXAMPLES], rate, draw))
    U, sizes, V = torch.linalg.svd((W.detach() - before).double(), full_matrices=False)
    signs = U.gather(0, U.abs().argmax(0, keepdim=True)).sign()  # (1, D)
    B = (U * signs * sizes.sqrt())[:CORNER]  # (16, D)
    A = ((V.T * signs * sizes.sqrt())[:CORNER]).T  # (D, 16)
    each = {"sizes": sizes, "B": B, "A": A}
    return {"rate": rate, **{name: x.tolist() for name, x in each.items()}}


def experiment(
    name: str, readers: Iterable[str], methods: Iterable[str], counts: Iterable[int]
) -> Experiment:
    """Return the experiment of some readers, methods and numbers of examples."""
    return Experiment(
        name=name,
        runs=grid(reader=readers, method=methods, count=counts, draw=DRAWS),
        measure=run,
        models=MODELS,
        settings=SETTINGS,
    )


MODELS: Mapping[str, SmallModel[Any, Any]] = {"bert": BERT, "gpt": GPT}
SETTINGS = {"steps": [*STEPS.items()], "batch": BATCH, "rank": RANK, "rates": RATES}
TRIED = [
    *grid(reader=READERS, method=METHODS, count=COUNTS),
    *grid(reader=ONE_VECTOR, method=("frozen", "fine-tuned"), count=[20]),
    *grid(reader=[BAG], method=[BAG], count=COUNTS),
]
CHOICE = Experiment(
    name="fine_tuning_choice",
    runs=[{**run, "rate": rate} for run in TRIED for rate in RATES[run["method"]]],
    measure=choose,
    models=MODELS,
    settings=SETTINGS,
)
BAGS = experiment("fine_tuning_words", [BAG], [BAG], COUNTS)
BY_BERT = experiment("fine_tuning_bert", ["BERT"], METHODS, COUNTS)
BY_GPT = experiment("fine_tuning_gpt", ["GPT"], METHODS, COUNTS)
BY_ONE_VECTOR = experiment(
    "fine_tuning_one_vector", ONE_VECTOR, ("frozen", "fine-tuned"), [20]
)
BY_RANK = Experiment(
    name="fine_tuning_rank",
    runs=grid(rank=RANKS, draw=DRAWS),
    measure=by_rank,
    models={"gpt": GPT},
    settings=SETTINGS,
)
CHANGE = Experiment(
    name="fine_tuning_change",
    runs=grid(draw=[0]),
    measure=changed,
    models={"gpt": GPT},
    settings={**SETTINGS, "changed": CHANGED, "corner": CORNER},
    decimals=6,
)
