"""One mechanism for all small models: a recipe, a training, a file that is compared.

    MODEL = SmallModel(
        name="copy",
        build=lambda: Transformer(CONFIG),
        batch=draw_pairs,  # (generator, count) → a batch
        loss=loss,  # (model, batch) → a scalar
        recipe=Recipe(steps=600, peak=0.01, warmup=100),
        words=VOCABULARY.words,
        measure=measure,  # (model) → figures by name
    )
    model, training = MODEL.begin(seed=1, steps=20)  # 20 steps, none of them taken yet
    model = MODEL.trained()  # from its file, if that was made by this very recipe

`python -m course.models` lists the files that are missing or out of date, and with
`--write` makes them again.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

import torch
from torch import Tensor, nn

from transformer_lib.checkpoints import Provenance, load_checkpoint, save_checkpoint
from transformer_lib.checks.validation import check_size, require
from transformer_lib.runtime.seed import derive_seed
from transformer_lib.training import Training, fit_steps, linear_warmup_decay, seeded
from transformer_lib.training.processes import across, is_first, place

from ..progress import with_progress
from ..trained import CHECKPOINTS

M = TypeVar("M", bound=nn.Module)
B = TypeVar("B")
Draw = Callable[[torch.Generator], B]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a model is trained, but for the seed.

    Args:
        steps: how many batches.
        peak: the largest learning rate.
        warmup: how many steps the rate rises; 0 for none.
        decay: whether it falls towards 0 after that, in a straight line, or stays.
        batch_size: how many examples a step learns from.
        beta2: β₂ of Adam.
        clip: the largest norm of the gradient; a larger one is scaled down.
        smoothing: of the targets: see `smoothed_cross_entropy`.
    """

    steps: int
    peak: float = 0.01
    warmup: int = 0
    decay: bool = True
    batch_size: int = 64
    beta2: float = 0.98
    clip: float | None = 1.0
    smoothing: float = 0.0

    @classmethod
    def plain(cls, steps: int, rate: float, batch_size: int = 64) -> "Recipe":
        """Return the recipe of plain Adam: a constant rate, and no clipping."""
        adam: dict[str, Any] = {"decay": False, "beta2": 0.999, "clip": None}
        return cls(steps=steps, peak=rate, batch_size=batch_size, **adam)

    def shortened(self, steps: int) -> "Recipe":
        """Take so many steps, with the same fraction of them as warmup.

        Raises:
            TypeError, ValueError: steps is no integer of at least 1.
        """
        check_size("steps", steps)
        return replace(self, steps=steps, warmup=self.warmup * steps // self.steps)

    def rate(self, n: int) -> float:
        """Return the learning rate of step n, from 0."""
        if self.decay or n < self.warmup:
            return linear_warmup_decay(self.peak, self.warmup, self.steps)(n)
        return self.peak

    def fit(
        self, model: nn.Module, batch: Draw[B], loss: Callable[[B], Tensor], seed: int
    ) -> Training:
        """Return the training of a model by this recipe: see `fit_steps`."""
        return fit_steps(
            model,
            batch,
            loss,
            self.steps,
            lr=self.rate,
            beta2=self.beta2,
            clip=self.clip,
            seed=seed,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class SmallModel(Generic[M, B]):
    """A small model: what it is, how it is trained, and where its weights are kept.

    Args:
        name: the name of its file; the files of further seeds add the seed.
        build: makes the model with random weights.
        batch: (generator, count) → that many examples to learn from.
        loss: (model, batch) → a scalar.
        recipe: how it is trained.
        seeds: the seeds whose weights are kept; none for a model that is not kept.
        words: of its vocabulary, ordered by id.
        measure: (model) → figures for the file, by name: accuracies and baselines.
        half: whether weights are kept as float16. Then those of every training are
            rounded to it, whether they come from a file or not.
        settings: whatever else determines the weights, by name; kept in the file.
    """

    name: str
    build: Callable[[], M]
    batch: Callable[[torch.Generator, int], B]
    loss: Callable[[M, B], Tensor]
    recipe: Recipe
    seeds: Sequence[int] = (0,)
    words: Sequence[str] | None = None
    measure: Callable[[M], Mapping[str, float]] = field(default=lambda _: {})
    half: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)

    def untrained(self, seed: int = 0) -> M:
        """Return a new model with weights drawn from a seed, in evaluation mode."""
        with seeded(seed):
            return self.build().eval()

    def begin(
        self,
        seed: int | None = None,
        steps: int | None = None,
        *,
        batch: Draw[B] | None = None,
    ) -> tuple[M, Training]:
        """Return a new model, and its training, of which no step is taken yet.

        Started by `torchrun`, several processes share every batch: see `across`.

        Args:
            seed: of the first weights and, in a stream of random numbers of their own,
                of the batches; the first that is kept without it.
            steps: how many batches; those of the recipe without it.
            batch: draws other batches than those of this model.

        Returns:
            the model, and an iterator that takes a step each time it is asked for the
            next loss: see `fit_steps`.

        Raises:
            TypeError, ValueError: steps is no integer of at least 1.
        """
        seed = self._or_first(seed)
        recipe = self.recipe if steps is None else self.recipe.shortened(steps)
        model = self.untrained(seed).to(place())
        wrapped = cast(M, across(model))
        draw = batch or self.draw(seed)
        batches = batch_seed(seed)
        fitting = recipe.fit(wrapped, draw, lambda b: self.loss(wrapped, b), batches)
        return model, fitting

    def draw(self, seed: int) -> Draw[B]:
        """Return the function that draws batches; all seeds learn from one corpus.

        (A model whose seeds learn from corpora of their own has its own `draw`.)
        """
        return lambda generator: self.batch(generator, self.recipe.batch_size)

    def train(
        self, seed: int, steps: int | None = None, *, batch: Draw[B] | None = None
    ) -> M:
        """Take all the steps of `begin`, and give the model as a file would hold it."""
        model, training = self.begin(seed, steps, batch=batch)
        with seeded(derive_seed(seed, "dropout")):
            deque(training, maxlen=0)
        return self.as_kept(model)

    def trained(self, seed: int | None = None, folder: Path = CHECKPOINTS) -> M:
        """Read the weights of a seed; each call gives a model of its own.

        Raises:
            ValueError: no weights of the seed are kept; or the file was not made by
                this recipe, from this seed, with these steps and words, or holds
                another configuration; or it is broken.
            FileNotFoundError: the file is missing.
        """
        path = self.path(seed, folder)
        changed = path.stat().st_mtime_ns if path.exists() else 0
        return cast(M, deepcopy(_read(self, self._or_first(seed), path, changed)))

    def read(self, seed: int, path: Path) -> M:
        """Read a file of weights, and compare how it was made: see `trained`."""
        model, _ = load_checkpoint(path, self.provenance(seed))
        self.check_config(model.config, path)
        return cast(M, model)

    def after(self, steps: int, seed: int) -> M:
        """Return the model after so many steps: read if it is kept, or trained now."""
        kept = seed in self.seeds and steps == self.recipe.steps
        return self.trained(seed) if kept else self.train(seed, steps)

    def make(
        self,
        folder: Path = CHECKPOINTS,
        seed: int | None = None,
        steps: int | None = None,
    ) -> Mapping[str, float]:
        """Train a model, measure it and write its file.

        Returns:
            the figures that were measured, which the file holds too.
        """
        model, training = self.begin(seed, steps)
        with seeded(derive_seed(self._or_first(seed), "dropout")):
            deque(with_progress(training), maxlen=0)
        if not is_first():  # of several processes
            return {}
        model = self.as_kept(model.cpu())
        figures = self.measure(model)
        made = replace(self.provenance(seed, steps), figures=figures)
        save_checkpoint(model, self.path(seed, folder), made, half=self.half)
        return made.figures

    def fault(self, seed: int | None = None, folder: Path = CHECKPOINTS) -> str:
        """Say what is wrong with the file of a seed: "" if it can be read."""
        try:
            self.trained(seed, folder)
        except (FileNotFoundError, ValueError) as error:
            return str(error)
        return ""

    def path(self, seed: int | None = None, folder: Path = CHECKPOINTS) -> Path:
        """Return the file of a seed.

        Raises:
            ValueError: no weights of this seed are kept.
        """
        seed = self._or_first(seed)
        known = f"be one of {[*self.seeds]}, whose weights are kept"
        require(seed in self.seeds, "seed", known, seed)
        end = "" if seed == self.seeds[0] else f"_{seed}"
        return folder / f"{self.name}{end}.safetensors"

    def description(self) -> dict[str, Any]:
        """Return what decides the weights apart from the seed, to be kept and compared.

        It holds the recipe, the settings, and the configuration of the network, or the
        shapes of its parameters if it has no configuration.
        """
        model = self.untrained()
        shapes = {name: [*weight.shape] for name, weight in model.named_parameters()}
        return {
            "network": getattr(model, "config", shapes),
            "training": self.recipe,
            "settings": self.settings,
        }

    def provenance(self, seed: int | None, steps: int | None = None) -> Provenance:
        """Say how a file must have been made to hold the weights of a seed."""
        recipe = self.recipe if steps is None else self.recipe.shortened(steps)
        return Provenance(
            recipe={**asdict(recipe), **self.settings},
            seed=self._or_first(seed),
            steps=recipe.steps,
            words=self.words,
        )

    def check_config(self, found: object, path: Path) -> None:
        """Raise unless a file's configuration is that of the model.

        Raises:
            ValueError: it is not; the setting that differs is named.
        """
        wanted: Any = self.untrained().config
        expected = Provenance(recipe={"config": wanted})
        expected.check(Provenance(recipe={"config": found}), path)

    def as_kept(self, model: M) -> M:
        """Round the weights of a model as its file does."""
        if self.half:
            for weight in model.state_dict().values():
                weight.copy_(weight.half())
        return model

    def _or_first(self, seed: int | None) -> int:
        return (self.seeds[0] if self.seeds else 0) if seed is None else seed


def batch_seed(seed: int) -> int:
    """Return the seed of the batches in the training of a seed.

    `untrained` draws the first weights from the seed itself. With the same random
    numbers for both, the first batches would depend on the weights.
    """
    return derive_seed(seed, "batches")


@lru_cache(maxsize=64)
def _read(model: SmallModel[Any, Any], seed: int, path: Path, _: int) -> nn.Module:
    """Read a file once for each time that it changed; who asks gets a copy of it."""
    found: nn.Module = model.read(seed, path)
    return found
