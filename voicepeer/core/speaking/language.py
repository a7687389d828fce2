"""Which language a text is in: by its script, and for the Latin one by its words.

Small on purpose: it tells apart the languages that speech engines here have, in sentences that
people send. One or two words of a Latin language are often nobody's in particular; then it says so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

AUTO = "auto"
"""Asks for the language to be found out."""

_STOP_WORDS: Mapping[str, frozenset[str]] = {
    "en": frozenset(
        "the and of to in is it you that he was for on are with as his they at be this have from "
        "or had by but what some we can out other were all there when up your how said an each "
        "she a which do their if will about many then them would so these her him has more could "
        "my than been who its now did get made after not very where please hello yes thanks".split()
    ),
    "es": frozenset(
        "el la los las de que y a en un una es por con para se del al lo como más pero sus le ya "
        "este esta sí porque cuando muy sin sobre también me hasta hay donde quien desde todo nos "
        "durante uno ni contra ese eso mi qué está están soy eres somos tengo hola gracias buenos "
        "buenas días señor señora usted ustedes nada favor quisiera hoy ayer mañana bien aquí yo "
        "tú".split()
    ),
    "fr": frozenset(
        "le la les de des du et a à est un une que qui dans pour pas sur au aux avec ce cette il "
        "elle "
        "nous vous ils je tu ne se sont plus par mais ou où son sa ses leur être avoir fait tout "
        "comme si été même aussi bien sans très bonjour merci oui c'est j'ai d'un d'une l'on "
        "qu'il n'est quand mon ma mes votre notre chez voici hier demain aujourd'hui".split()
    ),
    "it": frozenset(
        "il lo la i gli le di che e è a un una in per con non si del della dei delle al alla nel "
        "nella sono da come più ma anche se questo questa ha ho hanno era quando molto dove chi "
        "perché ci mi ti loro suo sua tutto tutti cosa ciao grazie buongiorno signore signora "
        "sei siamo oggi ieri domani bene qui io tu lui lei dal dalla sul sulla degli".split()
    ),
    "pt": frozenset(
        "o a os as de que e do da em um uma para com não no na por mais dos das se como mas foi "
        "ao ele ela sua seu ou quando muito nos já eu também só pelo pela até isso entre depois "
        "sem mesmo aos seus quem nas me esse eles você essa num nem às minha têm está são olá "
        "obrigado obrigada bom dia senhor senhora hoje ontem amanhã bem aqui tudo é".split()
    ),
    "de": frozenset(
        "der die das und ist in den von zu mit sich des auf für nicht ein eine als auch es an "
        "werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so "
        "zum war haben nur oder aber vor zur bis mehr durch man sein wurde ich du wir ihr hallo "
        "machst macht "
        "danke guten heute gestern morgen bitte ja nein sehr gut hier was wo wer".split()
    ),
}
_LETTERS: Mapping[str, tuple[str, str]] = {
    "en": ("", ""),
    "es": ("ñ¿¡", "áíóúü"),
    "fr": ("œæëîïûùÿ", "àâçèéêô"),
    "it": ("ìò", "àèéù"),
    "pt": ("ãõ", "áâàçéêíóôú"),
    "de": ("ßä", "öü"),
}
"""Letters that only one of these languages has, and those that it shares with others."""

_ENDINGS: Mapping[str, tuple[str, ...]] = {
    "en": ("ing", "tion", "ness", "ly", "ould", "ght"),
    "es": ("ción", "ciones", "dad", "mente", "ando", "iendo", "ía", "ños", "illo"),
    "fr": ("tion", "ment", "eux", "euse", "eau", "aient", "ité", "oir", "ée", "és"),
    "it": ("zione", "zioni", "mente", "gli", "tà", "iamo", "ezza", "otto", "orno", "iere", "eno"),
    "pt": ("ção", "ções", "dade", "mente", "inho", "inha", "amos", "agem", "ões"),
    "de": ("ung", "keit", "heit", "lich", "isch", "chen", "schaft", "cht"),
}
_WORD_POINTS, _LETTER_POINTS, _SHARED_LETTER_POINTS, _ENDING_POINTS = 3.0, 3.0, 1.0, 1.0
_SURE = 1.0
"""Points that the best language must have more than the next."""

_WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")

_SCRIPTS = (
    ("CJK", "han"),
    ("HIRAGANA", "kana"),
    ("KATAKANA", "kana"),
    ("HANGUL", "hangul"),
    ("LATIN", "latin"),
    ("DEVANAGARI", "devanagari"),
    ("ARABIC", "arabic"),
    ("CYRILLIC", "cyrillic"),
    ("GREEK", "greek"),
    ("HEBREW", "hebrew"),
    ("THAI", "thai"),
)
_OF_SCRIPT = MappingProxyType(
    {
        "han": "zh",
        "kana": "ja",
        "hangul": "ko",
        "latin": "en",
        "devanagari": "hi",
        "arabic": "ar",
        "cyrillic": "ru",
        "greek": "el",
        "hebrew": "he",
        "thai": "th",
    }
)
"""The language that a script is taken for when nothing else is known."""

_OWN_SCRIPTS = {
    "zh": ("han",),
    "ja": ("han", "kana"),
    "ko": ("hangul", "han"),
    "hi": ("devanagari",),
    "ar": ("arabic",),
    "ur": ("arabic",),
    "fa": ("arabic",),
    "ru": ("cyrillic",),
    "uk": ("cyrillic",),
    "el": ("greek",),
    "he": ("hebrew",),
    "th": ("thai",),
}
_SHORT_RUN = 2
"""So few letters of a script that nobody speaks stay in the sentence: they are symbols."""

_NAMES_LATIN = frozenset(("zh", "ja"))
"""Languages in whose sentences single Latin words, units and addresses are read as their own."""

_LATIN_RUN = re.compile(r"[A-Za-z\u00c0-\u024f][\x20-\x7e\u00a0-\u024f‘’“”–—…]*")
_PROSE = re.compile(r"(?<![^\s(\"“‘])[A-Za-z\u00c0-\u024f'’]+(?=[\s,.;:!?…)\"”’]|$)")
_MIN_PROSE_WORDS = 3

_QUOTED = re.compile(r"[\"“«„‘]([^\"“”«»„‘’]{6,200})[\"”»“’]")
_MIN_QUOTED_WORDS = 2


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch ``text[start:end]`` of one language (a BCP 47 tag, lower case)."""

    start: int
    end: int
    language: str


def script_of(char: str) -> str | None:
    """Name of a letter's script, ``None`` for what all scripts share."""
    if char.isascii():
        return "latin" if char.isalpha() else None
    if not char.isalpha() and unicodedata.category(char) not in ("Mn", "Mc", "Lm"):
        return None
    name = unicodedata.name(char, "")
    return next((script for start, script in _SCRIPTS if name.startswith(start)), None)


def detect(text: str, candidates: Collection[str] = ()) -> str | None:
    """Primary tag of a text's language, such as "fr"; ``None`` where it cannot be told.

    ``candidates`` are the only ones to choose from, if any are given.
    """
    counts: dict[str, int] = {}
    for char in text:
        script = script_of(char)
        if script is not None:
            counts[script] = counts.get(script, 0) + (3 if script in ("han", "kana") else 1)
    if not counts:
        return None
    if counts.get("kana", 0) * 10 > sum(counts.values()):
        return _among("ja", candidates)
    script = max(counts, key=counts.__getitem__)
    if script != "latin":
        return _among(_OF_SCRIPT[script], candidates)
    return _detect_latin(text, candidates)


def _among(language: str, candidates: Collection[str]) -> str | None:
    primaries = {tag.partition("-")[0] for tag in candidates}
    return language if not primaries or language in primaries else None


def _detect_latin(text: str, candidates: Collection[str]) -> str | None:
    words = [word.lower().replace("’", "'") for word in _WORDS.findall(text)]
    languages = [name for name in _STOP_WORDS if _among(name, candidates)]
    points = {language: _points(words, text.lower(), language) for language in languages}
    ranked = sorted(points, key=points.__getitem__, reverse=True)
    if not ranked:
        return None
    lead = points[ranked[0]] - (points[ranked[1]] if len(ranked) > 1 else 0.0)
    return ranked[0] if lead >= _SURE else None


def _points(words: list[str], lowered: str, language: str) -> float:
    """How much speaks for a language; words that several have say less."""
    points = 0.0
    for word in words:
        if word in _STOP_WORDS[language]:
            points += _WORD_POINTS / sum(word in known for known in _STOP_WORDS.values())
        elif len(word) > 4 and word.endswith(_ENDINGS[language]):
            points += _ENDING_POINTS
    only, shared = _LETTERS[language]
    points += _LETTER_POINTS * any(letter in lowered for letter in only)
    return points + _SHARED_LETTER_POINTS * len(set(shared) & set(lowered))


def supported_tag(language: str, supported: Collection[str]) -> str | None:
    """The tag among ``supported`` that fits a language: itself, or one of another region."""
    if language in supported:
        return language
    primary = language.partition("-")[0]
    same = sorted(tag for tag in supported if tag.partition("-")[0] == primary)
    return same[-1] if same else None


def runs(text: str, base: str, supported: Collection[str]) -> list[Run]:
    """A text of language ``base`` cut where another language is written in it.

    Another script is another language; so is a quotation whose words tell. Blanks, digits and
    marks go with what is before them. A language that is not ``supported`` keeps its own tag, so
    that whoever speaks can refuse it.
    """
    tags = _tags_by_script(text, base, supported)
    for match in _QUOTED.finditer(text):
        _tag_quotation(tags, match, base, supported)
    return list(_joined(tags, base))


def _tags_by_script(text: str, base: str, supported: Collection[str]) -> list[str | None]:
    own = _OWN_SCRIPTS.get(base.partition("-")[0], ("latin",))
    scripts = [script_of(char) for char in text]
    japanese = _near_kana(scripts)
    tags: list[str | None] = []
    for at, script in enumerate(scripts):
        if script is None or script in own:
            tags.append(None if script is None else base)
            continue
        language = "ja" if script == "han" and at in japanese else _OF_SCRIPT[script]
        tags.append(supported_tag(language, supported) or language)
    _keep_symbols(tags, base, supported)
    if base.partition("-")[0] in _NAMES_LATIN:
        _keep_names(tags, text, base)
    return tags


def _keep_names(tags: list[str | None], text: str, base: str) -> None:
    """Give Latin words back to the sentence they stand in, unless they are one themselves."""
    for match in _LATIN_RUN.finditer(text):
        if len(_PROSE.findall(match.group())) < _MIN_PROSE_WORDS:
            start, end = match.span()
            tags[start:end] = [tag and base for tag in tags[start:end]]


def _near_kana(scripts: Sequence[str | None]) -> set[int]:
    """Places of ideographs that stand together with kana, with no other letters between."""
    found: set[int] = set()
    stretch: list[int] = []
    for at, script in enumerate([*scripts, "latin"]):
        if script in ("han", "kana"):
            stretch.append(at)
        elif script is not None:
            if any(scripts[place] == "kana" for place in stretch):
                found.update(stretch)
            stretch = []
    return found


def _keep_symbols(tags: list[str | None], base: str, supported: Collection[str]) -> None:
    """Give short runs of what nobody speaks back to the sentence they stand in."""
    start = 0
    for at in range(1, len(tags) + 1):
        if at < len(tags) and tags[at] == tags[start]:
            continue
        tag = tags[start]
        if tag not in (None, base) and tag not in supported and at - start <= _SHORT_RUN:
            tags[start:at] = [base] * (at - start)
        start = at


def _tag_quotation(
    tags: list[str | None], match: re.Match[str], base: str, supported: Collection[str]
) -> None:
    start, end = match.span(1)
    if {tag for tag in tags[start:end] if tag is not None} != {base}:
        return
    names = base.partition("-")[0] in _NAMES_LATIN
    least = _MIN_QUOTED_WORDS + (_MIN_PROSE_WORDS - 1 if names else 0)
    if len(_WORDS.findall(match.group(1))) < least:
        return
    language = detect(match.group(1), supported)
    tag = supported_tag(language, supported) if language else None
    if tag is not None and language != base.partition("-")[0]:
        tags[start:end] = [tag] * (end - start)
        tags[end] = base


def _joined(tags: list[str | None], base: str) -> Iterable[Run]:
    filled: list[str] = []
    first = next((tag for tag in tags if tag is not None), base)
    for tag in tags:
        filled.append(tag or (filled[-1] if filled else first))
    start = 0
    for at in range(1, len(filled) + 1):
        if at == len(filled) or filled[at] != filled[start]:
            yield Run(start, at, filled[start])
            start = at
