"""Which French words are tied to the next one by a consonant that else is silent.

Only the liaisons that nobody leaves out: after determiners, pronouns before their verb, short
prepositions and adverbs, and adjectives that stand before their noun.
"""

from __future__ import annotations

_BY_SOUND = {
    "z": """les des mes tes ses ces nos vos leurs aux nous vous ils elles dans chez sans sous très
    plus états moins deux trois quelques plusieurs certains certaines autres quels quelles
    beaux grands petits bons nouveaux vieux belles grandes petites bonnes nouvelles mauvais
    gros premiers premières mêmes divers différents différentes tous toutes""",
    "n": "un mon ton son en on bon aucun rien bien certain ancien moyen prochain",
    "t": "est sont ont était étaient avait avaient tout petit grand quand cent vingt cet second",
    "p": "trop beaucoup",
    "ʁ": "premier dernier",
}
_CONSONANTS = {word: sound for sound, words in _BY_SOUND.items() for word in words.split()}
_SHORTENED = frozenset(("six", "dix", "huit"))
"""Numbers that lose their consonant before a word that begins with one."""

_DENASALIZED = {
    "bon": ("ɔ\u0303", "ɔ"),
    "certain": ("ɛ\u0303", "ɛ"),
    "ancien": ("ɛ\u0303", "ɛ"),
    "moyen": ("ɛ\u0303", "ɛ"),
    "prochain": ("ɛ\u0303", "ɛ"),
}
"""The vowel of adjectives that is nasal only where the n is silent."""

_VOWELS = "aeiouyàâäéèêëîïôöûùüœæ"
_ASPIRATED = tuple(
    """hach haie hain haïr haïs haït hall halo halt hamac hamburger hameau hamster hanche hand
    hang hant happ harcel hard hareng hargn haricot harnais harpe hasard hât hauss haut hav
    hennir hérisson héros heurt hibou hic hideu hiérarchi hip hiss hobby hocke hold hollande
    homard hongr hongk honte honteu hoquet hors hot houle housse hublot huée huit hurl hutte
    hussard hyène""".split()
)
_SEMIVOWELS = ("oui", "ouistiti", "onz", "yaourt", "yacht", "yoga", "yen", "uhlan")
"""Beginnings with a vowel before which nothing is tied."""


def begins_with_vowel(word: str) -> bool:
    """Whether a word lets itself be tied to: it begins with a vowel or a mute h."""
    lower = word.lower()
    if lower.startswith(_ASPIRATED) and not lower.startswith(("haltère", "hallucin", "héroï")):
        return False
    if lower.startswith(_SEMIVOWELS):
        return False
    bare = lower[1:] if lower.startswith("h") else lower
    return bare[:1] != "" and bare[0] in _VOWELS and not (lower[0] == "y" and lower != "y")


def tied(word: str, said: str, following: str) -> str:
    """Phonemes of a word before another one of the same phrase."""
    last = word.rpartition("'")[2]
    vowel_follows = begins_with_vowel(following)
    if last in _SHORTENED:
        voiced = said[:-1] + "z" if said.endswith("s") else said
        return voiced if vowel_follows else said[:-1]
    consonant = _CONSONANTS.get(last)
    if consonant is None or not vowel_follows:
        return said
    nasal, oral = _DENASALIZED.get(last, ("", ""))
    return (said.replace(nasal, oral) if nasal else said) + consonant
