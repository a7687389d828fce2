"""Sounds of Italian words by rule, in the symbols that the model was trained with."""

from __future__ import annotations

import unicodedata

from engines.kokoro.graphemes import Graphemes, Sound
from engines.kokoro.italian import stress

_BACK = "(?=[aouàòóù])"
_FRONT = "(?=[eièéìíy])"
GRAPHEMES = Graphemes(
    (
        (f"sch{_FRONT}", "sk"),
        (f"sci{_BACK}|sci(?=en)", "ʃ"),
        (f"sc{_FRONT}", "ʃ"),
        (r"gli(?=[aeouàèéòóù])|gl(?=i$|i[^a-z])|(?<=[aeiou])gl(?=i)(?!lic|lig|lif)", "ʎ"),
        (r"gn", "ɲ"),
        (f"cch{_FRONT}|cc(?![eièéìíh])|cq(?=u)|ck", "kː"),
        (f"ggh{_FRONT}|gg(?![eièéìíh])", "ɡː"),
        (f"cci{_BACK}|cci(?=e)|cc", "ʧː"),
        (f"ggi{_BACK}|ggi(?=e)|gg", "ʤː"),
        (f"ch|c(?!{_FRONT[3:-1]})|k|q", "k"),
        (f"gh|g(?!{_FRONT[3:-1]})", "ɡ"),
        (f"ci{_BACK}|ci(?=e)|c", "ʧ"),
        (f"gi{_BACK}|gi(?=e)|g", "ʤ"),
        (
            r"zz(?=are|at[oaie]|and|azion|[oai]$)(?<=(?:ni|li|ri|mi|ti|si|di|bi|vi)zz)|zz(?<=mezz)",
            "ʣː",
        ),
        (r"zz", "ʦː"),
        (r"dz|(?<![a-z])z", "ʣ"),
        (r"z", "ʦ"),
        (r"ss", "S"),
        (r"rr", "rɾ"),
        (r"ph", "f"),
        (r"th", "t"),
        (r"sh", "ʃ"),
        *((2 * letter, f"{letter}ː") for letter in "bdpt"),
        (r"s(?<=[aeiouàèéìòù]s)(?=[aeiouàèéìòù])|s(?=[bdgvlmnr])", "z"),
        (r"n(?=g[aouhlr])", "ŋ"),
        (r"x", "ks"),
        *((letter, letter) for letter in "bdfjlmnprstvwaeiouàèéìíîòóùú"),
        (r"y", "i"),
        (r"ç", "s"),
        (r"[äâ]", "a"),
        (r"[ëê]", "e"),
        (r"ï", "i"),
        (r"[öô]", "o"),
        (r"[üû]", "u"),
    )
)
_VOWELS = frozenset("aeiouàèéìíîòóùú")
_PLAIN = str.maketrans("àèéìíîòóùú", "aeeiiioouu")
_UNSTRESSED = frozenset(
    "il lo la i gli le un di a da in con su per tra fra e o ed od ad al del dal nel sul mi ti si "
    "ci vi ne che se non l d c s m t v dell all nell dall sull un".split()
)
_RESPELLED = {
    "periodo": "perìodo", "periodi": "perìodi", "continua": "contìnua", "continuo": "contìnuo",
    "continui": "contìnui", "siano": "sìano", "sia": "sìa", "paura": "paùra", "paure": "paùre",
    "buio": "bùio", "cui": "cùi", "colui": "colùi", "costui": "costùi",
    "veicolo": "veìcolo", "veicoli": "veìcoli", "altrui": "altrùi",
    "lui": "lùi", "gratuito": "gratùito",
    "fluido": "flùido", "riuscito": "ri-uscìto", "autobus": "àutobus", "azienda": "adzienda",
    "aziende": "adziende", "pranzo": "prandzo", "romanzo": "romandzo", "romanzi": "romandzi",
    "ok": "okei", "computer": "compiùter", "email": "ìmeil", "mail": "meil", "online": "onlain",
    "internet": "ìnternet", "software": "sòftuer", "video": "vìdeo", "web": "ueb",
    "wifi": "uaifai", "facebook": "féisbuk", "google": "gugol", "twitter": "tuìtter",
    "youtube": "iutùb", "weekend": "uikènd", "club": "cleb", "team": "tim", "chat": "ciat",
    "privacy": "pràivasi", "smartphone": "smàrtfon", "whatsapp": "uòtsap", "podcast": "pòdcast",
    "streaming": "strìming", "manager": "mànager", "leader": "lìder", "link": "link",
}  # fmt: skip
"""Loan words as an Italian would write what is said, and words whose vowels do not glide."""


def pronounce(word: str) -> str:
    """Phonemes of one word in any capitals."""
    letters = unicodedata.normalize("NFC", word.lower()).replace("'", "")
    letters = _RESPELLED.get(letters, letters)
    if stress.has_stressed_i(letters):
        letters = f"{letters[:-2]}ì{letters[-1]}"
    sounds = GRAPHEMES.read(letters)
    nuclei = _nuclei(sounds)
    if not nuclei:
        return "".join(sound.text for sound in sounds)
    stressed = None if letters in _UNSTRESSED else nuclei[_stressed(letters, sounds, nuclei)]
    return _render(letters, sounds, nuclei, stressed)


def _nuclei(sounds: list[Sound]) -> list[int]:
    """Indices of the sounds that make a syllable; i and u beside another vowel do not."""
    vowel = [sound.text in _VOWELS for sound in sounds] + [False]
    nuclei: list[int] = []
    for index, sound in enumerate(sounds):
        if not vowel[index]:
            continue
        before = index > 0 and vowel[index - 1]
        weak = sound.text in "iu"
        rises = weak and vowel[index + 1] and not (before and sound.text == "u")
        falls = weak and before and index - 1 in nuclei
        if not (rises or falls):
            nuclei.append(index)
    if len(nuclei) == 1 and _is_hiatus(sounds, nuclei[0]):
        nuclei.insert(0, nuclei[0] - 1)
    return nuclei


def _is_hiatus(sounds: list[Sound], last: int) -> bool:
    """Whether the only syllable of a word is two: "mia", "tuo", "zii"."""
    text = [sound.text for sound in sounds[: last + 1]]
    if last != len(sounds) - 1 or last == 0 or text[-2] not in ("i", "u") or text[-1] not in "aeio":
        return False
    return last < 2 or text[-3] not in ("k", "ɡ") or text[-2] == "i"


def _stressed(letters: str, sounds: list[Sound], nuclei: list[int]) -> int:
    """Which of the nuclei is stressed."""
    for order, index in enumerate(nuclei):
        if sounds[index].text not in "aeiou":
            return order
    count = len(nuclei)
    if nuclei[-1] == len(sounds) - 2 and letters[-1] == "i":
        return count - 1  # "vorrei", "assai"
    if letters[-1] not in _VOWELS:
        last = stress.is_cut_short(letters)
        return count - 1 if last else max(0, count - 2)
    if stress.is_fourth_from_end(letters):
        return max(0, count - 4)
    if stress.is_third_from_end(letters):
        return max(0, count - 3)
    return max(0, count - 2)


def _render(letters: str, sounds: list[Sound], nuclei: list[int], stressed: int | None) -> str:
    said: list[str] = []
    for index, sound in enumerate(sounds):
        if sound.text not in _VOWELS:
            doubled = sound.text == "ɲ" and stressed is not None and index == stressed + 1
            said.append("ɲɲ" if doubled else sound.text)
        elif index == stressed:
            said.append("ˈ" + _quality(letters, sound))
        elif index in nuclei:
            said.append(_unstressed(sound.text, index == len(sounds) - 1))
        else:
            said.append(_glide(sounds, nuclei, index, stressed))
    return "".join(said)


def _quality(letters: str, sound: Sound) -> str:
    vowel = sound.text.translate(_PLAIN)
    if vowel in "eo" and stress.is_open(letters, sound.place):
        return {"e": "ɛ", "o": "ɔ"}[vowel]
    return vowel


def _unstressed(text: str, final: bool) -> str:
    vowel = text.translate(_PLAIN)
    return {"i": "ɪ" if final else "i", "u": "ʊ"}.get(vowel, vowel)


def _glide(sounds: list[Sound], nuclei: list[int], index: int, stressed: int | None) -> str:
    """A vowel that makes no syllable."""
    before = sounds[index - 1].text if index else ""
    after_vowel = index > 0 and before in _VOWELS
    if sounds[index].text == "u":
        return "w" if not index or before in ("k", "ɡ", "kː") else "ʊ"
    if after_vowel:
        rising = index + 1 < len(sounds) and sounds[index + 1].text in _VOWELS
        return (
            "j"
            if rising and index - 1 != stressed
            else ("j" if before == "a" and not rising else "i")
        )
    return "j" if not any(nucleus < index for nucleus in nuclei) else "i"
