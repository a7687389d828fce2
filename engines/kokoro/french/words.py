"""Sounds of French words by rule, in the symbols that the model was trained with.

Spelling tells nearly everything but a few endings and loan words, which ``exceptions`` has. The
stress is on the last vowel that is heard. After P. Fouché, "Traité de prononciation française"
(1959), and M. Grevisse, "Le bon usage".
"""

from __future__ import annotations

import re
import unicodedata

from engines.kokoro.french.exceptions import ENT, WORDS
from engines.kokoro.graphemes import Graphemes, Rule

AN, IN, ON, UN = "ɑ\u0303", "ɛ\u0303", "ɔ\u0303", "œ\u0303"
_V = "aeiouyàâäéèêëîïôöûùüœæ"
_C = f"[^{_V}]"
_FRONT = "(?=[eiyéèêëîï])"
_END = "(?=s?$)"
_ONLY_NASAL = f"(?![{_V}hnm])"
"""After n or m that only makes the vowel before it nasal."""

_SOUNDED = "(?:[bcdfgjklmnpqrtvz]|ch|gn|ph|th|qu|gu)"
_MUTE = "(?:e|es)$"
_CLOSED = f"(?={_SOUNDED}[lr]?{_MUTE}|[rlfkcb]s?$)"
"""Before a consonant that ends the last syllable."""

_DOUBLED = r"(?=([bcdfglmnprst])\1)"
_TWO = f"(?={_C}[^{_V}hlr]|[lrsn][lr]|x|ch[nrlm])"
"""Before two consonants that do not begin a syllable together."""

_SILENT_ENDS = (
    Rule(r"aient$", "ɛ"),
    Rule(r"oient$", "wa"),
    Rule(
        r"ient$",
        f"j{IN}",
        "(?:ob|re|sou|con|main|appar|dé|entre|^)t|(?:re|de|par|sou|pré|inter|con|sur|^)v",
    ),
    Rule(r"es?$", "", rf".*[{_V}].*"),
    Rule(r"e$", "ə"),
    Rule(r"e?emment$", f"am{AN}"),
    Rule(r"er$", "e", f".*[{_V}].*{_C}|.*[iyuoéêè]|chi|pli|cri|all"),
    Rule(r"ers$", "e", f".*[{_V}].*(?:[igclntdb]|ch)|gu"),
    Rule(r"ez$", "e"),
    Rule(r"ets?$", "ɛ"),
    Rule(r"eds?$", "e"),
)
_VOWELS_WITH_YOD = (
    Rule(r"[uœ]eill?|œill?", "œj", "[cgq]|^"),
    Rule(r"euill?", "œj"),
    Rule(r"ouill?", "uj"),
    Rule(r"aill(?=[aeiouéèâ])|ail(?=s?$)", "aj"),
    Rule(r"eill(?=[aeiouéèâ])|eil(?=s?$)", "ɛj"),
    Rule(r"ill(?=[aeoiuéèâ])", "il", "v|^m|^l|^g|tranqu|dist|osc|^"),
    Rule(r"ill(?=[aeoiuéèâ])", "ij"),
    Rule(rf"ay(?=[{_V}])", "ɛj"),
    Rule(rf"oy(?=[{_V}])", "waj"),
    Rule(rf"uy(?=[{_V}])", "yij"),
    Rule(rf"ey(?=[{_V}])", "ɛj"),
    Rule(r"ay(?=s)", "ɛi"),
    Rule(r"[ae]y", "ɛ"),
)
_NASALS = (
    Rule(r"en(?=s?$)", IN, "[éi]|oy|ay"),
    Rule(rf"en{_ONLY_NASAL}", IN, "^bi"),
    Rule(r"en(?=d)", IN, "[tv]i"),
    Rule(rf"oin{_ONLY_NASAL}", f"w{IN}"),
    Rule(rf"(?:[ae][iî]|[iîyï])[nm]{_ONLY_NASAL}", IN),
    Rule(r"emm(?=en|ê|it|ur|a[gnl])|enn(?=ui|obl)", f"{AN}m", "^"),
    Rule(r"en(?=iv|or)", f"{AN}n", "^"),
    Rule(r"en$", "ɛn", "[dmr]"),
    Rule(rf"(?:ae|[aâe])[nm]{_ONLY_NASAL}", AN),
    Rule(r"um$", "ɔm", ".[^f]"),
    Rule(rf"o[nm]{_ONLY_NASAL}", ON),
    Rule(rf"eun$|u[nm]{_ONLY_NASAL}", UN),
)
_EU_CLOSED = rf"(?=(?:[rlfv]|rr|bl|vr)(?:{_MUTE}|ent$)|[rlf]s?$|rt)"
_GROUPS = (
    Rule(r"aul(?=[tdx]s?$)", "o"),
    Rule(r"e?au|[ao]ô|ô", "o"),
    Rule(rf"(?:oe|œ)u{_EU_CLOSED}", "œ"),
    Rule(r"œu|oeu", "ø"),
    Rule(r"œ", "e"),
    Rule(r"e(?=[aoâô])", "", "g"),
    Rule(r"[ae][iî]|ê|è|ë", "ɛ"),
    Rule(r"aoû", "u"),
    Rule(rf"eu{_EU_CLOSED}", "œ"),
    Rule(r"e[uû]", "ø"),
    Rule(
        r"o[uù](?=[aeéèiîoâ])(?!(?:e|es|ent)$)",
        "w",
        rf"^|[{_V}]|^{_C}|(?:^|[{_V}].*)[^bcdfgptvlr]|[{_V}][lr]",
    ),
    Rule(r"oo(?=p[eé])|oo$|oo(?=l)", "oo", "c|z|alc"),
    Rule(r"o[uùûo]", "u"),
    Rule(r"o[iîê]", "wa"),
)
_E = (
    Rule(r"é", "e"),
    Rule(rf"e(?={_C}[{_V}])", "e", "^"),
    Rule(r"e(?=ss(?:us|ous))", "ə", "^d|^au-d"),
    Rule(r"e(?=ss)", "ə", "^r"),
    Rule(rf"e{_DOUBLED}", "ɛ"),
    Rule(rf"e{_TWO}", "ɛ"),
    Rule(rf"e(?={_C}+$)", "ɛ"),
    Rule(rf"e(?={_C})", "", f"[{_V}]"),
    Rule(r"e", "ə"),
)
_OTHER_VOWELS = (
    Rule(rf"o(?=s(?:{_MUTE}|[eé])|[dtpsxzg]+$)", "o"),
    Rule(rf"o(?:{_CLOSED}|{_DOUBLED}|(?=(?:[mn]{_MUTE})|{_C}[^{_V}h]))", "ɔ"),
    Rule(r"o|ö", "o"),
    Rule(r"[aàâä]", "a"),
    Rule(r"æ", "e"),
    Rule(r"i(?=[aeéèêouœ])(?!(?:e|es|ent)$)", "i", "[bcdfgptv][lr]"),
    Rule(r"[iï](?=[aeéèêouœà])(?!(?:e|es|ent)$)", "j"),
    Rule(rf"y(?=[{_V}])", "j"),
    Rule(r"[iîïy]", "i"),
    Rule(r"u(?=[eiéèêîïy])", "", "[gq]"),
    Rule(r"u", "", "q"),
    Rule(r"[uùûü]", "y"),
)
_CONSONANTS = (
    Rule(r"bs?$", "", ".*om"),
    Rule(r"pts?$", "", ".*[eo]m"),
    Rule(r"cts?$", "", ".*in"),
    Rule(r"gs?$", "", ".*bour"),
    Rule(r"tz$", "ts"),
    Rule(r"p(?=t)", "", "om"),
    Rule(r"g(?=t)", "", "in"),
    Rule(r"s$", "", f".*[{_V}].*{_C}"),
    Rule(r"(?:ps|cts|gts?|ds|ts|[dtpsxz])$", "", f".*(?:[{_V}mnrlg])"),
    Rule(r"[cg]s?$", "", f".*[{_V}]n"),
    Rule(r"cs?$", "", "por|taba|estoma"),
    Rule(r"sch|sh", "ʃ"),
    Rule(r"ch(?=[rlnœ])|ch(?=aos|or[aé]|iro|olé)|ch(?=o$)", "k"),
    Rule(r"ch", "k", "psy"),
    Rule(r"ch(?=é[oé]|aï)", "k", "ar"),
    Rule(r"ch(?=est|id)", "k", "or"),
    Rule(r"ch", "ʃ"),
    Rule(rf"cc{_FRONT}", "ks"),
    Rule(rf"sc{_FRONT}|ss|ç|c{_FRONT}", "s"),
    Rule(r"cqu?|cc|ck|c|q|k+", "k"),
    Rule(r"gn", "ɲ"),
    Rule(rf"gg{_FRONT}", "ɡʒ"),
    Rule(rf"g{_FRONT}|j", "ʒ"),
    Rule(r"gg?", "ɡ"),
    Rule(r"ph", "f"),
    Rule(r"th", "t"),
    Rule(r"t(?=i(?:on|el|al|aux|eux))", "s", "[^sx](?<!^é)"),
    Rule(r"t(?=ien(?:t|c))", "s", "pa|quo"),
    Rule(r"t(?=i[ae])", "s", "cra|ini|iner|minu"),
    Rule(rf"s(?=[{_V}h])", "z", f"[{_V}]"),
    Rule(rf"x(?=h?[{_V}])", "ɡz", "^h?e|^ine"),
    Rule(r"x(?=iè)", "z"),
    Rule(r"xc(?=[eiéè])", "ks"),
    Rule(r"x", "ks"),
    Rule(r"r+", "ʁ"),
    Rule(r"w", "w"),
    Rule(r"ñ", "ɲ"),
    *(Rule(f"{letter}+", letter) for letter in "bdfjlmnpstvz"),
)
GRAPHEMES = Graphemes(
    (
        *_SILENT_ENDS,
        *_VOWELS_WITH_YOD,
        *_NASALS,
        *_GROUPS,
        *_E,
        *_OTHER_VOWELS,
        *_CONSONANTS,
    )
)
_VOWEL = re.compile("[aeiouyøœɑɛɔəɪʊ]\u0303?(?!.*[aeiouyøœɑɛɔɪʊ])")
_SCHWA = re.compile(
    "(?<=[aeiouyøœɑɛɔə\u0303][bdfɡklmnpsʃtvzʒɲʁ])ə(?=[bdfɡklmnpsʃtvzʒɲʁ][aeiouyøœɑɛɔjw])"
)
_ELIDED = re.compile(r"(?:[ldjmtsnc]|qu|jusqu|lorsqu|puisqu|quoiqu|presqu)'(?=.)")
_HEADS = {"l": "l", "d": "d", "j": "ʒ", "m": "m", "t": "t", "s": "s", "n": "n", "c": "s",
          "qu": "k", "jusqu": "ʒysk", "lorsqu": "lɔʁsk", "puisqu": "pyisk", "quoiqu": "kwak",
          "presqu": "pʁɛsk"}  # fmt: skip
_UNSTRESSED = frozenset(
    "de la le les des un une que du je ne se me te ce ces ses mes tes et en à au aux son sa ma ta "
    "mon ton notre votre nos vos leur cet cette ou où ni si y on il elle ils elles nous vous tu "
    "est sur par pour dans".split()
)


def pronounce(word: str) -> str:
    """Phonemes of one word in any capitals."""
    letters = unicodedata.normalize("NFC", word.lower())
    elided = _ELIDED.match(letters)
    if elided and letters not in WORDS:
        return _HEADS[elided.group()[:-1]] + pronounce(letters[elided.end() :])
    letters = letters if letters in WORDS else letters.replace("'", "")
    said = WORDS.get(letters) or sounds_of(letters)
    return said if letters in _UNSTRESSED else stressed(said)


def sounds_of(letters: str, verb: bool = False) -> str:
    """Sounds of a word by rule alone; ``verb`` says that "-ent" at its end is silent."""
    if letters.endswith("ent") and (verb or ENT.find(letters) == "silent"):
        letters = letters[:-3] + "e"
    said = "".join(sound.text for sound in GRAPHEMES.read(letters))
    return _SCHWA.sub("", said)


def stressed(said: str) -> str:
    """The same with the stress on the last full vowel."""
    found = _VOWEL.search(said)
    return said if found is None else f"{said[: found.start()]}ˈ{said[found.start() :]}"
