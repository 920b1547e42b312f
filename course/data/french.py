"""A little English and its French, written side by side by one grammar.

French has articles that agree and elide (l'école, les écoles), adjectives that agree
and stand before or behind their noun (le petit chat noir), and a negation in two parts
around the verb (n'aime pas). So its words are not in the order of the English ones. The
grammar knows from which English words each French one comes.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

from .split import Part, Split


class Noun(NamedTuple):
    """An English noun and its plural, the French ones, and the French gender."""

    one: str
    many: str
    un: str
    des: str
    gender: str


class Adjective(NamedTuple):
    """A French adjective: of one and of many, masculine and feminine; and its side."""

    m: str
    f: str
    ms: str
    fs: str
    before: bool = False
    vowel: str = ""  # of one, masculine, before a vowel, where it is another


class Sentence(NamedTuple):
    """A sentence in both languages.

    english, french: its words.
    comes_from: for each French word the places of the English ones it comes from.
    pairs: what it combines: nouns with their adjectives, and with their verbs.
    """

    english: list[str]
    french: list[str]
    comes_from: list[set[int]]
    pairs: list[tuple[str, str]]


class Phrase(NamedTuple):
    """A part of a sentence, its French words with their places in the English part."""

    english: list[str]
    french: list[tuple[str, set[int]]]
    pairs: list[tuple[str, str]]
    person: int = 2  # 0 … 5: je, tu, il, nous, vous, ils


#: The first ten are beings, which can be subjects.
NOUNS = {
    noun.one: noun
    for noun in (
        Noun("cat", "cats", "chat", "chats", "m"),
        Noun("queen", "queens", "reine", "reines", "f"),
        Noun("bird", "birds", "oiseau", "oiseaux", "m"),
        Noun("girl", "girls", "fille", "filles", "f"),
        Noun("friend", "friends", "ami", "amis", "m"),
        Noun("actress", "actresses", "actrice", "actrices", "f"),
        Noun("boy", "boys", "garçon", "garçons", "m"),
        Noun("sister", "sisters", "sœur", "sœurs", "f"),
        Noun("horse", "horses", "cheval", "chevaux", "m"),
        Noun("woman", "women", "femme", "femmes", "f"),
        Noun("tree", "trees", "arbre", "arbres", "m"),
        Noun("house", "houses", "maison", "maisons", "f"),
        Noun("book", "books", "livre", "livres", "m"),
        Noun("school", "schools", "école", "écoles", "f"),
        Noun("garden", "gardens", "jardin", "jardins", "m"),
        Noun("star", "stars", "étoile", "étoiles", "f"),
        Noun("cake", "cakes", "gâteau", "gâteaux", "m"),
        Noun("flower", "flowers", "fleur", "fleurs", "f"),
        Noun("boat", "boats", "bateau", "bateaux", "m"),
        Noun("apple", "apples", "pomme", "pommes", "f"),
    )
}
BEINGS = [*NOUNS][:10]
#: What has no article in English, and one in French.
TOPICS = {"AI": ("l'", "IA"), "math": ("les", "maths"), "music": ("la", "musique")}
ADJECTIVES = {
    "small": Adjective("petit", "petite", "petits", "petites", before=True),
    "black": Adjective("noir", "noire", "noirs", "noires"),
    "green": Adjective("vert", "verte", "verts", "vertes"),
    "old": Adjective("vieux", "vieille", "vieux", "vieilles", True, "vieil"),
    "happy": Adjective("content", "contente", "contents", "contentes"),
    "white": Adjective("blanc", "blanche", "blancs", "blanches"),
    "pretty": Adjective("joli", "jolie", "jolis", "jolies", before=True),
    "strange": Adjective("étrange", "étrange", "étranges", "étranges"),
    "Italian": Adjective("italien", "italienne", "italiens", "italiennes"),
    "big": Adjective("grand", "grande", "grands", "grandes", before=True),
    "calm": Adjective("calme", "calme", "calmes", "calmes"),
    "blue": Adjective("bleu", "bleue", "bleus", "bleues"),
}
BEFORE = [a for a in ADJECTIVES if ADJECTIVES[a].before]
BEHIND = [a for a in ADJECTIVES if not ADJECTIVES[a].before]
PRONOUNS = {
    "I": ("je", 0),
    "you": ("tu", 1),
    "he": ("il", 2),
    "she": ("elle", 2),
    "we": ("nous", 3),
    "they": ("ils", 5),
}
ENDINGS = ("e", "es", "e", "ons", "ez", "ent")


def _er(stem: str) -> list[str]:
    return [stem + ending for ending in ENDINGS]


#: By the English verb: its form after he and she, and the six French forms.
VERBS = {
    "love": ("loves", _er("aim")),
    "watch": ("watches", _er("regard")),
    "admire": ("admires", _er("admir")),
    "find": ("finds", _er("trouv")),
    "see": ("sees", ["vois", "vois", "voit", "voyons", "voyez", "voient"]),
    "draw": ("draws", _er("dessin")),
    "invite": ("invites", _er("invit")),
    "study": ("studies", _er("étudi")),
    "want": ("wants", ["veux", "veux", "veut", "voulons", "voulez", "veulent"]),
    "help": ("helps", _er("aid")),
}
#: Verbs of which a topic can be the object, in French with its article alone.
OF_TOPICS = ("love", "admire", "study")
SIDE = 7
#: What no sentence that is learned joins: a noun, and an adjective or a verb. They are
#: laid out as a latin square: of seven nouns in a row one is held out, with each
#: adjective or verb another, so that each word is learned, and with most others.
HELD_OUT_PAIRS = {
    (noun, other)
    for table in (ADJECTIVES, VERBS)
    for row, noun in enumerate(NOUNS)
    for column, other in enumerate(table)
    if (row + column) % SIDE == 0
}


def write(draw: random.Random) -> Sentence:
    """Write a sentence: who does, or does not do, what to whom; or who is how."""
    subject = _subject(draw)
    negated = draw.random() < 0.4
    if draw.random() < 0.2 and subject.person in (2, 5):
        return _state(draw, subject, negated)
    return _deed(draw, subject, negated)


def part(sentence: Sentence) -> Part:
    """Tell whether a sentence is learned: it joins no pair of HELD_OUT_PAIRS."""
    return "learned" if HELD_OUT_PAIRS.isdisjoint(sentence.pairs) else "held out"


SPLIT = Split(write, part)


def spoken(french: Sequence[str]) -> str:
    """Write French words as a sentence: J'aime l'IA."""
    text = " ".join(french).replace("' ", "'")
    return text[:1].upper() + text[1:]


def every_word() -> list[str]:
    """List the words of both languages that `write` may use, sorted."""
    words = {"the", "a", "an", "some", "any", "do", "does", "not", "is", "are"}
    words |= {"le", "la", "l'", "les", "un", "une", "des", "de", "d'", "ne", "n'"}
    words |= {"pas", "est", "sont", "j'", *ADJECTIVES, *VERBS, *TOPICS, *PRONOUNS}
    words |= {word for noun in NOUNS.values() for word in noun[:4]}
    words |= {w for a in ADJECTIVES.values() for w in (*a[:4], a.vowel) if w}
    words |= {pronoun for pronoun, _ in PRONOUNS.values()}
    words |= {word for pair in TOPICS.values() for word in pair}
    forms = {n for _, n in PRONOUNS.values()}  # nobody says vous
    for third, french in VERBS.values():
        words |= {third, *(french[n] for n in forms)}
    return sorted(words)


# ── the parts of a sentence ───────────────────────────────────────────────────────────
def _subject(draw: random.Random) -> Phrase:
    if draw.random() < 0.4:
        english = draw.choice([*PRONOUNS])
        french, person = PRONOUNS[english]
        return Phrase([english], [(french, {0})], [], person)
    return _noun_phrase(draw, draw.choice(BEINGS), negated=False)


def _object(draw: random.Random, verb: str, negated: bool) -> Phrase:
    if verb in OF_TOPICS and draw.random() < 0.3:
        topic = draw.choice([*TOPICS])
        return Phrase([topic], [(word, {0}) for word in TOPICS[topic]], [])
    return _noun_phrase(draw, draw.choice([*NOUNS]), negated)


def _noun_phrase(draw: random.Random, name: str, negated: bool) -> Phrase:
    """The old black cat: le vieux chat noir."""
    noun = NOUNS[name]
    many = draw.random() < 0.4
    before = draw.choice(BEFORE) if draw.random() < 0.3 else None
    behind = draw.choice(BEHIND) if draw.random() < 0.4 else None
    definite = draw.random() < 0.5
    told = [word for word in (before, behind) if word]
    english = [*told, noun.many if many else noun.one]
    place = len(english)
    article = "the" if definite else _indefinite(many, negated, english[0])
    english.insert(0, article)
    called = noun.des if many else noun.un
    french = [(called, {place})]
    if before:
        french.insert(0, (_agreed(before, noun.gender, many, called), {1}))
    if behind:
        french.append((_agreed(behind, noun.gender, many), {place - 1}))
    bare = negated or (many and before is not None)  # de petits chats, pas de chats
    forms = _definite(noun.gender, many) if definite else _some(noun.gender, many, bare)
    french.insert(0, (_elided(*forms, french[0][0]), {0}))
    return Phrase(english, french, [(name, word) for word in told], 5 if many else 2)


def _definite(gender: str, many: bool) -> tuple[str, str]:
    """The article before a consonant, and before a vowel."""
    one = "la" if gender == "f" else "le"
    return ("les", "les") if many else (one, "l'")


def _indefinite(many: bool, negated: bool, following: str) -> str:
    if many:
        return "any" if negated else "some"
    return _elided("a", "an", following)


def _some(gender: str, many: bool, bare: bool) -> tuple[str, str]:
    if bare:
        return "de", "d'"
    word = "des" if many else "une" if gender == "f" else "un"
    return word, word


def _agreed(adjective: str, gender: str, many: bool, following: str = "") -> str:
    form = ADJECTIVES[adjective]
    if form.vowel and following and not many and gender == "m" and _vowel(following):
        return form.vowel
    of_one, of_many = (form.f, form.fs) if gender == "f" else (form.m, form.ms)
    return of_many if many else of_one


def _elided(word: str, before_vowel: str, following: str) -> str:
    return before_vowel if _vowel(following) else word


def _vowel(word: str) -> bool:
    return word[0].lower() in "aeiouéêœ"


# ── whole sentences ───────────────────────────────────────────────────────────────────
def _deed(draw: random.Random, subject: Phrase, negated: bool) -> Sentence:
    verb = draw.choice([*VERBS])
    third, forms = VERBS[verb]
    form = forms[subject.person]
    if negated:
        english = ["does" if subject.person == 2 else "do", "not", verb]
        ne = _elided("ne", "n'", form)
        french = [(ne, {0, 1}), (form, {2}), ("pas", {0, 1})]
    else:
        english = [third if subject.person == 2 else verb]
        french = [(form, {0})]
        if subject.french[0][0] == "je":
            subject = subject._replace(french=[(_elided("je", "j'", form), {0})])
    pairs = [(name, verb) for name in [_name(subject)] if name]
    return _joined(
        subject, Phrase(english, french, pairs), _object(draw, verb, negated)
    )


def _state(draw: random.Random, subject: Phrase, negated: bool) -> Sentence:
    """The girl is not happy: la fille n'est pas contente."""
    many = subject.person == 5
    name = _name(subject)
    gender = NOUNS[name].gender if name else "f" if "she" in subject.english else "m"
    adjective = draw.choice([*ADJECTIVES])
    told = _agreed(adjective, gender, many)
    be, est = ("are", "sont") if many else ("is", "est")
    english = [be, *["not"] * negated, adjective]
    french = [(est, {0}), (told, {len(english) - 1})]
    if negated:
        french = [(_elided("ne", "n'", est), {1}), french[0], ("pas", {1}), french[1]]
    pairs = [(name, adjective)] if name else []
    return _joined(subject, Phrase(english, french, pairs))


def _name(subject: Phrase) -> str:
    """The noun of a subject, in the singular; of a pronoun there is none."""
    last = subject.english[-1]
    return next((n for n in BEINGS if last in NOUNS[n][:2]), "")


def _joined(*phrases: Phrase) -> Sentence:
    whole = Sentence([], [], [], [])
    for phrase in phrases:
        before = len(whole.english)
        whole.english.extend(phrase.english)
        whole.pairs.extend(phrase.pairs)
        for word, places in phrase.french:
            whole.french.append(word)
            whole.comes_from.append({before + place for place in places})
    return whole
