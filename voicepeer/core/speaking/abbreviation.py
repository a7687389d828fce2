"""Whether a period after a word ends a sentence or belongs to the word, in all languages."""

from __future__ import annotations

import re

OPENERS = "\"'“‘«‹([{*_`~「『（【《〈¿¡"

_BEFORE_NAMES = frozenset(
    "dr mr mrs ms mx prof st gen rev sen rep gov capt sgt cpl pvt col lt maj cmdr adm hon mt pres "
    "supt insp messrs e.g i.e vs cf viz approx ca "
    "sr sra srta sres dra dres ud uds lic arq p.ej ej av avda ee excmo excma ilmo sto sta "
    "mme mmes mlle mlles mgr p.ex "
    "sig sigg sig.ra sig.na sig.ri sig.re dott dott.ssa dr.ssa prof.ssa avv ing geom rag arch egr "
    "ill.mo ill.ma gent.mo gent.ma chiar.mo spett.le on "
    "exmo exma ex.mo ex.ma ilma il.mo profa eng srs sras d "
    "z z.b d.h u.a u hr hrn bzw ggf evtl vgl inkl zzgl "
    "डॉ डा प्रो श्री पं स्व कु रु ई पृ मो".split()
)
"""Always followed by what they belong to."""

_BEFORE_NAMES_AS_WRITTEN = frozenset("M MM Ft Fr Br Sr Sra Mª Dª".split())
_BEFORE_NUMBERS = frozenset(
    "no nos nr vol fig figs eq p pp ch chap sec sect art ed op jan feb mar apr jun jul aug sep "
    "sept oct nov dec tel ext al núm art pág págs pag cap nr abs bd kap réf n nº env app "
    "sec séc s secc t rs रु सं".split()
)
_LABELLED = frozenset("fig figs vol sec séc s sect app ch chap cap art t".split())
"""A letter or a Roman numeral may follow."""

_MAY_END = frozenset(
    "etc al est oz lb lbs ft hr hrs min mins sec secs yd yds mi usw ecc str boul apdo "
    "lun mar mer mié jue jeu gio vie ven sáb sab sam dom dim seg ter qua qui sex".split()
)
"""Before a capital they end a sentence."""

_FIRST_OF_TWO = frozenset("ft lb lbs hr hrs min".split())
"""Units before a smaller one: "5 ft. 10 in."."""

_NAME_PARTS = frozenset(
    "inc ltd co corp jr bros ave blvd rd dept univ assn llc plc cia hnos uu s.a s.l s.p.a s.r.l "
    "s.r.o gmbh ph.d ph.d.s m.sc b.sc ltda sa mrs me mte ste cie bd ent intl natl".split()
)
"""Followed by a capital they may be inside a name: only a word that opens a sentence tells."""

_DAYS = frozenset("Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun".split())
_HALF_DAYS = frozenset("a.m p.m a.m. p.m. am pm".split())
_AFTER_TIMES = frozenset(
    "Eastern Central Mountain Pacific Standard Daylight Monday Tuesday Wednesday Thursday Friday "
    "Saturday Sunday January February March April May June July August September October November "
    "December Mon Tue Tues Wed Thu Thurs Fri Sat Sun Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov "
    "Dec".split()
)

STARTERS = frozenset(
    # English
    "the a an he she it they we you i this that these those there here his her its their our my "
    "your who what when where why how which if but and or so yet then also however because while "
    "although after before since until as at in on for with from by to not yes is are was were do "
    "does did has have had can could would should must let please some many most all both each "
    "every another such even now today tomorrow yesterday later finally meanwhile instead still "
    "just only perhaps maybe well nobody everyone someone nothing everything once again "
    # Spanish
    "el los las un una unos unas él ella ellos ellas yo tú usted ustedes nosotros este esta esto "
    "estos estas ese esa eso aquel pero y o si no sí que qué quién cuando cuándo donde dónde como "
    "cómo por para con sin en luego después antes entonces también además allí aquí ahí hoy ayer "
    "mañana su sus mi mis se le lo nos ya aunque porque mientras la al "
    # French
    "les une des il elle ils elles on nous vous je tu ce cet cette ces mais et ou donc car non "
    "oui qui quand où comment pourquoi dans sur pour par avec sans après avant puis ensuite alors "
    "aussi hier demain son sa ses leur mon ma mes notre votre "
    # Italian
    "gli i uno egli lui lei loro noi voi io questo questa quello quella ma e se chi dove perché "
    "poi dopo prima allora anche oggi ieri domani suo sua nel nella "
    # Portuguese
    "os as um uma ele ela eles elas eu nós você vocês isso isto esse essa mas não sim quem quando "
    "onde depois então também hoje ontem amanhã seu meu minha na em com "
    # German
    "der die das ein eine er sie es wir ihr ich aber und oder wenn nicht ja nein was wer wann wo "
    "wie warum dann danach auch heute gestern morgen".split()
)
"""Words that begin sentences and hardly any name."""

_LONGEST_STARTER = max(map(len, STARTERS))
_ELISION = re.compile(r"(?:l|d|dell|all|nell|sull|dall|un|qu|s|n)['’](?=\w{2})")
_ROMAN = re.compile(r"[IVXLCDM]{2,}|[VXLCDM]")
_WORD = re.compile(r"[^\W\d_]+")


def bare(written: str) -> str:
    """A word without its period and what is before it, in small letters: "L'avv." is "avv"."""
    word = written.removesuffix(".").lstrip(OPENERS).lower()
    return _ELISION.sub("", word, count=1)


def is_initial(written: str) -> bool:
    """Whether a word is a capital and a period: "J."."""
    name = written.removesuffix(".").lstrip(OPENERS)
    return len(name) == 1 and name.isupper() and name != "I"


def goes_on(written: str) -> bool:
    """Whether a word with a period is followed by what it belongs to, as a rule."""
    word = bare(written)
    return word in _BEFORE_NAMES or word in _BEFORE_NUMBERS or is_initial(written)


def _is_dotted(word: str) -> bool:
    """Whether periods inside tell an abbreviation: "u.s", "s.p.a", "j.-c", "वि.वि"."""
    labels = word.split(".")
    longest = 4 if "\u0900" <= word[:1] <= "\u097f" else 2
    return len(labels) > 1 and max(map(len, labels)) <= longest


def may_go_on(written: str) -> bool:
    """Whether a word with a period may be followed by what it belongs to."""
    word = bare(written)
    return goes_on(written) or word in _NAME_PARTS or word in _HALF_DAYS or _is_dotted(word)


def is_plain_word(written: str) -> bool:
    """Whether a period after a word can only end a sentence."""
    word = bare(written)
    known = (
        word in _BEFORE_NAMES
        or word in _BEFORE_NUMBERS
        or word in _MAY_END
        or word in _NAME_PARTS
        or written.removesuffix(".").lstrip(OPENERS) in _DAYS | _BEFORE_NAMES_AS_WRITTEN
    )
    return not (
        known or len(word) < 2 or word.isdecimal() or word.endswith(".") or _is_dotted(word)
    )


def ends_sentence(written: str, following: str) -> bool | None:
    """Whether the period at the end of a word ends a sentence before what follows it.

    Args:
        written: the word with its period.
        following: what comes after the blank, as far as it is known; not empty.

    Returns:
        None while more of the following word is needed.
    """
    word, name = bare(written), written.removesuffix(".").lstrip(OPENERS)
    if word in _BEFORE_NAMES or name in _BEFORE_NAMES_AS_WRITTEN:
        return False
    first = following[0]
    if first.isdigit():
        known = word in _BEFORE_NUMBERS or word in _FIRST_OF_TWO or name in _DAYS
        return not (known or word.isdecimal())
    if first.islower():
        return is_plain_word(written)
    if "\u0900" <= word[:1] <= "\u097f" and _is_dotted(word):
        return False
    decided_by_word = (
        word in _BEFORE_NUMBERS
        or word in _NAME_PARTS
        or word in _HALF_DAYS
        or name in _DAYS
        or (len(word) == 1 and word.isalpha())
        or _is_dotted(word)
    )
    if not decided_by_word or not first.isalpha() or name == "I":
        return not is_initial(written) or first.isalpha()
    return _by_next_word(word, name, following)


def _by_next_word(word: str, name: str, following: str) -> bool | None:
    found = _WORD.match(following)
    after = found.group() if found else ""
    rest = following[len(after) :]
    if not rest and len(after) <= _LONGEST_STARTER:
        return None
    if word in _HALF_DAYS or (word == "m" and name == "m"):
        return after not in _AFTER_TIMES and not (after.isupper() and 1 < len(after) < 6)
    if word in _LABELLED and (_ROMAN.fullmatch(after) or (len(after) == 1 and after != "I")):
        return False
    if word in _BEFORE_NUMBERS and len(word) > 1 and name not in _DAYS:
        return not (_ROMAN.fullmatch(after) and len(after) > 1) and not rest.startswith((".", "-"))
    alone = len(after) == 1 and after != "I" and (len(name) == 1 or rest.startswith("."))
    return after.lower() in STARTERS and not alone and not rest.startswith((".", "-"))
