"""Sounds of Brazilian Portuguese words by rule, in the symbols that the model was trained with.

Stress after the Acordo Ortográfico (1990); t and d soften before i, l ends a syllable as u,
unstressed final vowels are raised, nasal vowels keep a velar nasal.
"""

from __future__ import annotations

import unicodedata

from engines.kokoro.graphemes import Graphemes, Sound
from engines.kokoro.portuguese import letter_x, vowels

_FRONT = "(?=[eiéíêy])"
_CONSONANT = "(?=[^aeiouáéíóúâêôãõàhy]|$)"
_NO_HIATUS = "(?!u|nh|[lzmn](?:[^aeiouáéíóúâêôãõh]|$)|r(?:[^aeiouáéíóúâêôãõr]|$))"
"""After i or u that falls with the vowel before it: neither "ra-i-nha" nor "sa-ir"."""

_SOFTENED = "(?=[iíy]|es?$)"
GRAPHEMES = Graphemes(
    (
        (r"ãe|ãi", "ãi"),
        (r"ão", "ão"),
        (r"õe", "õi"),
        (r"am$", "ão"),
        (f"[aáâ][iy]{_NO_HIATUS}", "ai"),
        (r"ei(?=as?$)(?<=idei|opei|blei|trei|atei|orei)", "éi"),
        (f"[eê][iy]{_NO_HIATUS}", "ei"),
        (r"oi(?=as?$)|oi(?=c[oa]s?$)(?<=[rtd]oi)", "ói"),
        (r"éi", "éi"),
        (f"[oô][iy]{_NO_HIATUS}", "oi"),
        (r"ói", "ói"),
        (f"(?<![qg])[uú]i{_NO_HIATUS}", "ui"),
        (f"[aáâ]u{_NO_HIATUS}", "au"),
        (f"[eê]u{_NO_HIATUS}", "eu"),
        (r"éu", "éu"),
        (r"iu", "iu"),
        (r"ou", "ou"),
        (r"[aáâã]l" + _CONSONANT, "au"),
        (f"[uú]l{_CONSONANT}", "ul"),
        (f"[oóô]l(?!$){_CONSONANT}", "ol"),
        (r"[iíeéê]l$|el(?=s)|[ií]l" + _CONSONANT, "il"),
        *(
            (f"{vowel}[nm]{_CONSONANT}", f"{plain}N")
            for vowel, plain in zip("aáâãeéêiíoóôõuú", "aaaaeeeiioooouu", strict=True)
        ),
        *((vowel, vowel) for vowel in "aeiouáéíóúâêôãõ"),
        (r"à", "a"),
        (r"y", "i"),
        (r"^lh", "ʎ"),
        (r"lh", "lj"),
        (r"nh", "ɲ"),
        (r"ch|sh", "ʃ"),
        (r"ph", "f"),
        (r"th", "t"),
        (f"qu{_FRONT}|k|ck", "k"),
        (r"qu", "kw"),
        (f"gu{_FRONT}", "ɡ"),
        (r"gu(?=[aãáo])", "ɡw"),
        (r"ç|ss|sc(?=[eiéíê])|xc(?=[eiéíê])", "s"),
        (f"c{_FRONT}", "s"),
        (r"c|q", "k"),
        (f"g{_FRONT}|j", "ʒ"),
        (r"g", "ɡ"),
        (f"t{_SOFTENED}", "ʧ"),
        (f"d{_SOFTENED}", "ʤ"),
        (r"rr|(?<![a-zà-ÿ])r|(?<=[nls])r", "x"),
        (r"(?<=[aeiouáéíóúâêôãõ])r(?=[aeiouáéíóúâêôãõ])", "ɾ"),
        (r"(?<=[aeiouáéíóúâêôãõ])r(?=[^aeiouáéíóúâêôãõ])", "ɾə"),
        (r"r", "r"),
        (r"(?<=[aeiouáéíóúâêôãõ])s(?=[aeiouáéíóúâêôãõ])|s(?=[bdgvmnlr])", "z"),
        (r"z$|z(?=s?$)", "s"),
        *letter_x.RULES,
        (r"w", "w"),
        (r"l", "l"),
        (r"nn?", "n"),
        (r"mm?", "m"),
        (r"([bdfpt])(?=\1)", ""),
        *((letter, letter) for letter in "bdfpstvz"),
    )
)
_NUCLEUS = frozenset("aeiouáéíóúâêôãõ")
_ORAL = {"ai": "I", "ei": "A", "éi": "ɛɪ", "oi": "oɪ", "ói": "ɔɪ", "ui": "uɪ", "au": "W",
         "eu": "eʊ", "éu": "ɛʊ", "iu": "iʊ", "ou": "ow", "il": "iʊ",
         "ul": "uw"}  # fmt: skip
_NASAL = {"a": "ɐ\u0303", "e": "A", "i": "i", "o": "o", "u": "u\u0303"}
_NASAL_FALLING = {"ão": "ɐ\u0303ʊ\u0303", "ãi": "ɐ\u0303y", "õi": "o\u0303j"}
_PLAIN = {"á": "a", "â": "a", "à": "a", "é": "ɛ", "ê": "e", "í": "i", "ó": "ɔ", "ô": "o", "ú": "u"}
_ACCENTED = frozenset("áéíóúâêôãõ")
_RAISED = {"a": "æ", "e": "y", "o": "ʊ"}
_DEMOTED = str.maketrans("ˈɛɔ", "ˌeo")
"""What a stressed vowel becomes when another one gets the stress."""

_UNSTRESSED = frozenset(
    "o a os as um de da do das dos em no na nos nas ao aos por para pra com sem que se me te lhe "
    "e ou mas à às num numa pelo pela".split()
)
_EXCEPTIONS = {
    "de": "ʤy", "e": "i", "em": "Aŋ", "que": "ky", "se": "sy", "me": "my", "te": "ʧy", "da": "da",
    "na": "na", "as": "as", "a": "a", "muito": "mwˈiŋtʊ", "muita": "mwˈiŋtæ",
    "muitos": "mwˈiŋtʊs", "muitas": "mwˈiŋtæs", "dos": "dʊs", "os": "ʊs", "nos": "nʊs",
    "das": "das", "nas": "nas", "ao": "W", "aos": "Ws", "às": "as", "à": "a", "no": "nʊ",
    "do": "dʊ", "o": "ʊ", "internet": "ˌiŋteɾənˈɛʧ", "site": "sˈIʧy",
    "wifi": "wIfˈI", "facebook": "fˌAsybˈuk", "whatsapp": "wˌatsˈapy", "e-mail": "imˈAʊ",
    "email": "imˈAʊ", "online": "oŋlˈIŋ", "trouxe": "tɾˈowsy",
}  # fmt: skip
_RESPELLED = {
    "video": "vídeo", "linguagem": "lingwagem", "frequente": "frekwente",
    "cinquenta": "cinkwenta", "tranquilo": "trankwilo", "sequência": "sekwência",
    "frequência": "frekwência", "consequência": "konsekwência", "conexão": "coneksão",
    "sexual": "seksual", "táxi": "táksi", "aproximadamente": "aprossimadamente",
    "pinguim": "pingwim", "linguiça": "lingwiça", "bilíngue": "bilíngwe",
    "sequestro": "sekwestro", "eloquente": "elokwente", "delinquente": "delinkwente",
    "equestre": "ekwestre", "unguento": "ungwento", "antiguidade": "antigwidade",
    "ambiguidade": "ambigwidade", "aguenta": "agwenta", "aguento": "agwento",
    "quinquênio": "kwinkwênio", "consequente": "konsekwente", "inquérito": "inkérito",
    "aguentar": "agwentar", "texto": "testo", "texte": "teste",
    "sexta": "sesta", "google": "gúgol", "software": "sóftuer", "download": "daunlôd",
    "show": "chou", "shopping": "chóping", "link": "linki",
    "exu": "echu",
}  # fmt: skip


def pronounce(word: str) -> str:
    """Phonemes of one word in any capitals."""
    letters = unicodedata.normalize("NFC", word.lower()).replace("'", "")
    if letters in _EXCEPTIONS:
        return _EXCEPTIONS[letters]
    if letters.endswith("mente") and len(letters) > 7:
        return pronounce(letters[:-5]).translate(_DEMOTED) + "mˈAŋʧy"
    letters = _RESPELLED.get(letters, letters)
    sounds = GRAPHEMES.read(letters)
    nuclei = [index for index, sound in enumerate(sounds) if sound.text[0] in _NUCLEUS]
    if not nuclei:
        return "".join(sound.text for sound in sounds)
    stressed = _stressed(letters, sounds, nuclei)
    nuclei = _without_glides(sounds, nuclei, stressed)
    return _render(letters, sounds, nuclei, None if letters in _UNSTRESSED else stressed)


def _stressed(letters: str, sounds: list[Sound], nuclei: list[int]) -> int:
    """Index of the stressed sound: by accent, else by how the word ends."""
    accented = [i for i in nuclei if letters[sounds[i].place] in "áéíóúâêô"]
    tilde = [i for i in nuclei if letters[sounds[i].place] in "ãõ"]
    if accented or tilde:
        return (accented or tilde[-1:])[0]
    ending = letters.removesuffix("s")
    light = ending.endswith(("a", "e", "o", "em", "en", "am"))
    falling = len(sounds[nuclei[-1]].text) > 1 and "N" not in sounds[nuclei[-1]].text
    if light and not (falling and not letters.endswith("am")) and len(nuclei) > 1:
        return nuclei[-2]
    return nuclei[-1]


def _without_glides(sounds: list[Sound], nuclei: list[int], stressed: int) -> list[int]:
    """Nuclei but the i and u of an unstressed ending such as "história", "água"."""
    if len(nuclei) < 2 or nuclei[-1] != nuclei[-2] + 1 or nuclei[-2] <= stressed:
        return nuclei
    glide = {"i": "j", "e": "j", "u": "w"}.get(sounds[nuclei[-2]].text)
    if glide is None:
        return nuclei
    sounds[nuclei[-2]].text = glide
    return [*nuclei[:-2], nuclei[-1]]


def _render(letters: str, sounds: list[Sound], nuclei: list[int], stressed: int | None) -> str:
    said: list[str] = []
    secondary = _secondary(nuclei, stressed)
    for index, sound in enumerate(sounds):
        if index not in nuclei:
            said.append(sound.text)
            continue
        mark = "ˈ" if index == stressed else "ˌ" if index in secondary else ""
        after = sounds[index + 1].text if index + 1 < len(sounds) else ""
        final = index == nuclei[-1] and after in ("", "s") and index != stressed
        said.append(mark + _vowel(letters, sound, index == stressed, final, after))
    return "".join(said)


def _secondary(nuclei: list[int], stressed: int | None) -> set[int]:
    """Every second syllable from the first up to the stressed one."""
    if stressed is None or stressed not in nuclei:
        return set()
    order = nuclei.index(stressed)
    last = order - 1 if order == len(nuclei) - 1 else order
    return {nuclei[i] for i in range(0, last, 2)}


def _vowel(letters: str, sound: Sound, stressed: bool, final: bool, after: str) -> str:
    text = sound.text
    if text in _NASAL_FALLING:
        return _NASAL_FALLING[text]
    if text.endswith("N"):
        return _NASAL[text[0]] + ("m" if after[:1] in ("p", "b") else "ŋ")
    if text == "ol":
        return "ɔw" if stressed else "ow"
    if text == "il":
        vowel = letters[sound.place]
        if vowel in "eéê":
            return "ɛʊ" if stressed else "eʊ"
        return "iʊ"
    if text in _ORAL:
        return _ORAL[text]
    if text in ("ã", "õ"):
        return {"ã": "ɐ\u0303", "õ": "o\u0303"}[text]
    if text in "aáâ" and after[:1] in ("m", "n", "ɲ"):
        return "ɐ\u0303" if stressed or after == "ɲ" else "æ"
    if final and text in _RAISED:
        return _RAISED[text]
    if stressed and text in "eo" and after[:1] not in ("m", "n", "ɲ") and vowels.is_open(letters):
        return {"e": "ɛ", "o": "ɔ"}[text]
    return _PLAIN.get(text, text)
