"""speculative: a small GPT drafts, and a larger one accepts or replaces each token."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
import torch
from torch import Tensor

from explorable import Axis, Explorer, Sheet, Style, plots
from explorable.controls import slider, text, whole
from explorable.drawings.bars import Bars
from explorable.drawings.tiles import Tiles
from explorable.player import Player
from transformer_lib.generation.sampling import Sampling
from transformer_lib.model.transformer import DecoderOnlyTransformer

from ...models.definitions import Writer, dictionary_writer
from ...models.dictionary import DRAFT
from ...models.speculative import (
    Probabilities,
    Round,
    acceptance,
    residual,
    speculate,
)
from ..language.define import (
    ACROSS,
    LONGEST_WORD,
    SEEDS,
    Asked,
    Piece,
    laid_out,
    names_of,
    room_for,
)

MOST_DRAFTED = 8
LONGEST = 44  # tokens of a text
ACCEPTED, REPLACED = 14, 5  # shades
FEW = 3  # tokens of which both models' probabilities are shown


def speculative(
    word: str = "glorpitis",
    *,
    draft_length: int = 4,
    temperature: float = 0.7,
    seed: int = 0,
    step: int = 1,
) -> Explorer:
    """Type a word, and see two models write what it means, round by round.

    In a round the small model drafts some tokens, and one pass of the large one checks
    them: each is accepted with probability min(1, p / q), and the first that is not is
    replaced. As in `define`, nothing is written that the course does not show.

    Args:
        word: 1 to 30 characters of an English keyboard.
        draft_length: tokens of a draft, 1 to 8.
        temperature: of both models, 0.1 to 2.
        seed: of what is drawn, 0 to 99.
        step: the round, from 1.

    Returns:
        an Explorer with these controls. Its values: "draft" (k, 2), the probabilities
        of the drafted tokens by the draft model and the large one; "choice" (4, 3), at
        the last token that was checked, those of three tokens and all others, and what
        a replacement is drawn from; "counts" (2, 3): checked, accepted and written
        tokens, in this round and so far.

    Raises:
        TypeError, ValueError: the word cannot be read or is not shown, or there is no
            such setting.

    Source: Leviathan, Kalman and Matias (2023); Chen et al. (2023).
    """
    asked = Asked(dictionary_writer())
    asked.check(word)
    controls = {
        "word": text("word", word, LONGEST_WORD, at_once=False, room=22),
        "draft_length": whole(
            "draft length", draft_length, 1, MOST_DRAFTED, "draft_length"
        ),
        "temperature": slider("temperature", temperature, 0.1, 2.0, 0.1),
        "seed": whole("seed", seed, 0, SEEDS),
        "step": whole("step", step, 1, LONGEST),
    }
    return Player(
        "speculative",
        speculative_sheet,
        controls,
        asked=asked,
        title="Speculative decoding",
        task="Step from round to round: how much of the small model’s draft survives?",
    )


@dataclass(frozen=True)
class Shown:
    """A model's probabilities at a temperature, of pieces that the course shows."""

    writer: Writer
    model: DecoderOnlyTransformer
    temperature: float
    begun: int

    def __call__(self, ids: Sequence[int], n: int) -> Tensor:
        """Return p (n, V) of what follows the last n beginnings of a text."""
        sampling = Sampling(temperature=self.temperature)
        with torch.inference_mode():
            logits = self.model(torch.tensor([[*ids]]))[0, -n:].double()
        ends = range(len(ids) - n + 1, len(ids) + 1)
        rows = [
            self.writer.of_shown(row, ids[self.begun : end])
            for row, end in zip(logits, ends, strict=True)
        ]
        return sampling.probabilities(torch.stack(rows))


@cache
def _draft() -> DecoderOnlyTransformer:
    return DRAFT.trained()


@lru_cache(maxsize=8)
def all_rounds(
    writer: Writer, given: tuple[int, ...], k: int, temperature: float, seed: int
) -> list[Round]:
    """Write a definition by speculative decoding."""
    models: tuple[Probabilities, Probabilities] = (
        Shown(writer, writer.model, temperature, len(given)),
        Shown(writer, _draft(), temperature, len(given)),
    )
    draw = torch.Generator().manual_seed(seed)
    ids, found = [*given], []
    while len(ids) < LONGEST and ids[-1] != writer.end:
        few = min(k, LONGEST - len(ids))
        found.append(speculate(*models, ids, few, draw, writer.end))
        ids += found[-1].tokens
    return found


def speculative_sheet(
    asked: Asked,
    *,
    word: str,
    draft_length: int,
    temperature: float,
    seed: int,
    step: int,
) -> Sheet:
    """Show a round: what was drafted, what was accepted, and what replaced the rest."""
    given = asked.given(word, "noun")
    found = all_rounds(asked.writer, tuple(given), draft_length, temperature, seed)
    s = Sheet()
    s.control("step", max=len(found))
    step = min(step, len(found))
    _draw_text(s, asked.writer, given, found, step)
    _draw_draft(s, asked.writer, found[step - 1])
    _draw_choice(s, asked.writer, found[step - 1])
    _show_counts(s, found, step)
    return s


def _draw_text(
    s: Sheet, writer: Writer, given: list[int], found: list[Round], step: int
) -> None:
    """Draw the text: tokens that were drafted are darker than those of the GPT."""
    says = writer.pieces.tokenizer.decode
    groups = writer.pieces.apart(given)
    pieces = [Piece(says(group), group, 0) for group in groups]
    shades = [0] * len(pieces)
    sayings = [f"“{piece.name}” was given" for piece in pieces]
    for n, made in enumerate(found, 1):
        for m, token in enumerate(made.tokens):
            pieces.append(Piece(says([token]), [token], 0))
            drafted = m < made.accepted
            how = "drafted and accepted" if drafted else "drawn with the large model"
            shades.append((ACCEPTED if drafted else REPLACED) if n <= step else 0)
            sayings.append(f"“{pieces[-1].name}” was {how} in round {n}")
    last = found[step - 1]
    later = sum(len(made.tokens) for made in found[step:])
    wide = [room_for(piece.face) for piece in pieces]
    places = np.zeros((len(pieces), 3))
    places[:, :2] = laid_out(pieces, wide)
    places[:, 2] = shades
    ends: list[int | None] = [None] * len(groups)
    ends += [n for n, made in enumerate(found, 1) for _ in made.tokens]
    drawing = Tiles(
        name="text",
        title="the text",
        formula="dark: accepted · pale: by the large model · click a piece",
        palette="position",  # as the small model, which has drafted them
        faces=[("", piece.face) for piece in pieces],
        sayings=sayings,
        sentence="The small model drafts; one pass of the large one checks it all.",
        board=(ACROSS + 1.0, max(2, 1.0 + places[:, 1].max())),
        wide=wide,
        later=later,
        chooses=("step", ends),
        note=f"Round {step}: {last.accepted} of {len(last.drafted)} drafted tokens are "
        f"accepted, {len(last.tokens)} written in one pass",
        concludes=True,
    )
    s.draw(drawing, places)


def _draw_draft(s: Sheet, writer: Writer, made: Round) -> None:
    """Draw the probabilities of the drafted tokens, and which of them were accepted."""
    names = names_of(writer, made.drafted)
    signs = [
        "✓" if n < made.accepted else "✗" if n < made.checked else "–"
        for n in range(len(made.drafted))
    ]
    pairs = zip(signs, made.drafted, strict=True)
    faces = [(sign, names[x].removeprefix("…")) for sign, x in pairs]  # as in the text
    labels = [f"{n}. {face} {sign}" for n, (sign, face) in enumerate(faces, 1)]
    at = range(len(made.drafted))
    both = np.stack([made.q[at, made.drafted], made.p[at, made.drafted]], axis=1)
    drawing = Bars(
        name="draft",
        title="the draft",
        formula="its probabilities",
        labels=labels,
        series=("q, small", "p, large"),
        hues=("position", "output"),
        sentence="{label}: probability {series}",
        note="✓ accepted · ✗ replaced · – dropped",
        least=12,
        band=1,
    )
    s.draw(drawing, both)


def _draw_choice(s: Sheet, writer: Writer, made: Round) -> None:
    """Draw what both models say where the round ended, and the residual."""
    n = made.checked - 1
    p, q = made.p[n], made.q[n]
    marked = made.tokens[n]
    few = p.topk(FEW).indices.tolist()
    few = few if marked in few else [*few[:-1], marked]
    each = torch.stack([q, p, residual(p, q)], dim=1)  # (V, 3)
    others = each.sum(0) - each[few].sum(0)
    values = torch.cat([each[few], others[None]]).clamp(0, 1)
    names = names_of(writer, few)
    labels = [f"{names[x]} ✓" if x == marked else names[x] for x in few]
    labels.append(f"{len(p) - FEW:,} others")
    refused = made.accepted < len(made.drafted)
    chance = plots.number(float(acceptance(p, q)))
    drawing = Bars(
        name="choice",
        title=f"token {n + 1} of the round",
        formula="both models",
        labels=labels,
        series=("q, small", "p, large", "residual"),
        hues=("position", "output", "weights"),
        rest=True,
        blank_zeros=True,
        sentence="{label}: {series}",
        note=f"✓ {'replacement' if refused else 'drafted'} · "
        f"accepted here with probability {chance}",
        least=12,
        band=1,
    )
    s.draw(drawing, values.numpy())


def _show_counts(s: Sheet, found: list[Round], step: int) -> None:
    """Count drafted, accepted and written tokens, and compare with the formula."""
    rows = []
    expected = []
    for made in found[:step]:
        n = made.checked
        expected.append(float(acceptance(made.p[:n], made.q[:n]).sum()))
        rows.append([n, made.accepted, len(made.tokens)])
    counts = np.array([rows[-1], np.sum(rows, axis=0)])
    columns = Axis("", ("checked", "accepted", "written"))
    table = s.leaf("counts", Axis("", ("this round", "so far")), columns, counts)
    look: Style = {"palette": "weights", "vmax": plots.UNSHADED, "size": "large"}
    look |= {"digits": 0, "sentence": "{column} tokens, {row}"}
    note = f"expected: {expected[-1]:.1f} accepted, so far {sum(expected):.1f}"
    passes = f"in {step} pass{'es' * (step > 1)} of the large model"
    s.show(table, "tokens", formula=passes, note=note, **look)
