"""Brazilian Portuguese as data for the rules of Romance languages."""

from __future__ import annotations

import re

from voicepeer.core.speaking.portuguese import numerals, vocabulary
from voicepeer.core.speaking.romance.locale import Locale, Noun
from voicepeer.core.speaking.romance.reading import rules_of
from voicepeer.core.speaking.rule import Rule, followed, preceded
from voicepeer.core.speaking.spoken import Draft


def _is_feminine(word: str) -> bool:
    bare = word.lower()
    single = bare.removesuffix("s")
    return (
        bare in vocabulary.FEMININE
        or single not in vocabulary.NOT_FEMININE
        and single.endswith(
            ("a", "ção", "çõe", "são", "sõe", "dade", "gem", "gen", "vez", "veze", "tude", "ice")
        )
    )


def _date(day: int, month: int, year: int | None) -> str:
    said = f"{'primeiro' if day == 1 else numerals.cardinal(day)} de {vocabulary.MONTHS[month - 1]}"
    return f"{said} de {numerals.cardinal(year)}" if year is not None else said


def _time(hours: int, minutes: int) -> str:
    said = numerals.before_noun(hours, feminine=True)
    if minutes == 0:
        return f"{said} {'hora' if hours < 2 else 'horas'}"
    return f"{said} e {numerals.cardinal(minutes)}"


def _fraction(top: int, bottom: int) -> str | None:
    """ "meio", "dois terços", "um quinze avos"; None where there is none."""
    if not 1 < bottom <= 100 or top < 1:
        return None
    if bottom == 2:
        return "meio" if top == 1 else f"{numerals.cardinal(top)} meios"
    name = (
        "terço"
        if bottom == 3
        else numerals.ordinal(bottom)
        if bottom <= 10 or bottom == 100
        else None
    )
    if name is None:
        return f"{numerals.cardinal(top)} {numerals.cardinal(bottom)} avos"
    return f"{numerals.cardinal(top)} {name}{'s' if top > 1 else ''}"


def _half_of(noun: str, feminine: bool, determined: bool) -> str:
    return f"{_HALF[feminine]} {noun}"


def _regnal(number: int, queen: bool) -> str:
    if number > 10:
        return numerals.cardinal(number)
    return numerals.ordinal(number, "a" if queen else "o") or ""


def _hour(match: re.Match[str]) -> str:
    return f"{match[1]} {numerals.before_noun(int(match[2]), feminine=True)}"


def _parts(match: re.Match[str]) -> str | None:
    """ "três quartas partes"."""
    top, bottom = int(match[1]), int(match[2])
    part = "terça" if bottom == 3 else numerals.ordinal(bottom, "a")
    return f"{numerals.before_noun(top, feminine=True)} {part}{'s' if top > 1 else ''}"


def _score(match: re.Match[str]) -> str | None:
    """ "3 x 1" is "three to one" where somebody plays, between names, or with a nought."""
    near = match.string[max(0, match.start() - _NEAR) : match.end() + _NEAR]
    if preceded(match, _SIZED):
        return None
    nil = "0" in match.groups()
    if not (nil or _is_between_names(match) or _PLAYED.search(near)):
        return None
    return f"{numerals.cardinal(int(match[1]))} a {numerals.cardinal(int(match[2]))}"


def _is_between_names(match: re.Match[str]) -> bool:
    if not preceded(match, _NAME_BEFORE):
        return False
    goals = re.fullmatch(r"\d\s?x\s\d", match.group()) is not None
    return followed(match, _NAME_AFTER) or (goals and followed(match, _END))


_NEAR = 200
"""Characters around a score that may tell the game."""

_NAME_BEFORE = re.compile(r"(?:^|[^\w])[A-ZÀ-Þ][\wà-ÿ-]+\s$")
_SIZED = re.compile(
    r"\b(?:foto|formato|tamanho|tela|carro|tração|papel|matriz|quadro|mesa|medida|compre|leve|área|"
    r"promoção|tabela|imagem|cama|grade|cubo|caminhonete|toyota|jeep|hilux|lote|terreno|piscina|apto|sala|quarto|caixa)"
    r"(?:\s(?:é|de|em))?:?\s$",
    re.I,
)
"""What has sides and not goals."""

_NAME_AFTER = re.compile(r"\s[A-ZÀ-Þ][a-zà-ÿ]{2}")
_END = re.compile(r"\s?(?:$|[.,;!?(])|\s(?:no|na|em|aos|nos|pelo|contra|fora|hoje|ontem)\b")
_HALF = ("meio", "meia")
_PLAYED = re.compile(
    r"\b(?:plac|vit[óo]ri|venc|ganh|perd|empat|derrot|jog|goleou|gols?\b|bate|final|partida|time|pênalti)",
    re.I,
)
_WEEKDAYS = "segunda|terça|quarta|quinta|sexta|sábado|domingo|feira"
_EXTRA = (
    Rule(
        re.compile(
            r"\b([Àà]s?|[Dd]as|[Pp]elas)\s(\d{1,2})(?=\s(?:da|e|em|horas?|às|até)\b|[,;.!?]?$|[,;]\s)"
        ),
        _hour,
    ),
    Rule(re.compile(r"\b3[ªa](?=[- ]feira)"), "terça"),
    Rule(re.compile(r"(?<=[a-zà-ÿ.])(?<!\dh)\s?/\s?(?=\d{1,2}\s?h\b)"), " a cada "),
    Rule(re.compile(r"(?<![\w.,])(\d{1,2})\s?x\s?(\d{1,2})(?![\w,.]\w|\w|\s?=)"), _score),
    Rule(re.compile(r"\bD\.\s(?=[A-ZÀ-Þ][a-zà-ÿ]*a\b)"), "Dona "),
    Rule(re.compile(r"\bS\.\s(?=[AEIOU][a-zà-ÿ])"), "Santo "),
    Rule(re.compile(r"\bS\.\s(?=[A-Z][a-zà-ÿ])"), "São "),
    Rule(re.compile(r"(?<![\w.,:])0\s?h(?!\w)"), "zero hora"),
    Rule(re.compile(r"(?<![\w./,])(\d)/(\d{1,2})(?=\spartes?\b)"), _parts),
    Rule(re.compile(r"\bc/c\b"), "conta corrente"),
    Rule(re.compile(r"\bc/\s?(?=\w)"), "com "),
    Rule(re.compile(r"\bp/\s?(?=\w)"), "para "),
    Rule(re.compile(r"\bs/\s?(?=[a-zà-ÿ])"), "sem "),
    Rule(re.compile(r"\be/ou\b"), "e ou"),
)

LOCALE = Locale(
    cardinal=numerals.cardinal,
    before_noun=numerals.before_noun,
    ordinal=numerals.ordinal,
    ordinal_endings=(
        r"[ºª]s?|(?<=\b\d)°(?!\s?[CFK])|(?<=\b1\d)°(?!\s?[CFK])"
        r"|°(?=\s(?:aniversário|minuto|lugar|andar|dia|congresso|batalhão))"
    ),
    singular=lambda word: word[:-1] if word.endswith(("os", "as", "es")) else word,
    is_feminine=_is_feminine,
    comma="vírgula",
    point="ponto",
    minus="menos",
    times=Noun("vez", "vezes", feminine=True),
    by="por",
    upto="a",
    between="entre",
    out_of="de",
    score_words="nota|pontuação|tirou|tirei|tira",
    power="elevado a",
    percent="por cento",
    degree=Noun("grau", "graus"),
    number="número",
    version="versão",
    hashtag="hashtag",
    at="arroba",
    spelled={".": "ponto", "-": "hífen", "_": "sublinhado", "+": "mais", "/": "barra"},
    date=_date,
    months="|".join(vocabulary.MONTHS),
    month_abbreviations={month[:3]: month for month in vocabulary.MONTHS},
    before_date=rf"dia|dias|data|{_WEEKDAYS}|amanhã|ontem|hoje",
    before_improper="de|a|em|até|desde|do|ao|o|no|para|entre",
    weekdays={
        "seg": "segunda",
        "ter": "terça",
        "qua": "quarta",
        "qui": "quinta",
        "sex": "sexta",
        "sáb": "sábado",
        "sab": "sábado",
        "dom": "domingo",
    },
    pressure="pressão",
    pressure_link=" por ",
    day_parts=("da manhã", "da tarde", "da noite"),
    laws=r"[Ll]ei(?: [Cc]omplementar)?|[Dd]ecreto(?:-[Ll]ei)?|[Pp]ortaria|[Rr]esolução|MP|PL",
    law_link=" de ",
    time=_time,
    hour_marks=r"\s?h\s?",
    after_time=r"\s?(?:h|horas|min)\b",
    currencies=vocabulary.CURRENCIES,
    sign=r"R\$|US\$|[€$£¥₹₩₽₿]|\b(?:EUR|USD|GBP|BRL)(?=\s?\d)",
    code=r"R\$|US\$|€|₹|₩|₽|₿|¢|\$|£|¥|BRL|EUR|USD|GBP|JPY|reais",
    cents_link=" e ",
    scales=vocabulary.SCALES,
    of=lambda noun: f"de {noun}",
    units=vocabulary.UNITS,
    per=vocabulary.PER,
    per_unit=lambda unit: f"por {unit.one}",
    centimetres_link=" e ",
    half=_HALF,
    half_of=_half_of,
    fraction=_fraction,
    link=" e ",
    short_ordinal_endings=r"[ao]s?",
    roman_before=(
        r"[Ss]éculos?|[Cc]apítulos?|[Tt]omos?|[Vv]olume|[Aa]nexos?|[Ff]ases?|[Nn]ível|[Pp]artes?|"
        r"[Aa]rtigos?|[Ii]ncisos?|[Tt]ítulos?|[Ll]ivros?|[Tt]ipos?|[Ss]almos?|[Gg]rupos?|[Ss]eção|[Aa]to|"
        r"[Cc]ena|[Cc]lasse|[Zz]ona|[Ff]igura|[Tt]abela|[Qq]uadro|[Cc]anto|Super Bowl|Rocky|"
        r"[Aa]línea|[Ee]tapa|[Mm]ódulo|[Uu]nidade"
    ),
    roman_ordinal_after=(
        r"\s(?:[Cc]ongresso|[Ee]ncontro|[Ss]impósio|[Ss]emana|[Gg]uerra|[Jj]ornada|[Ff]estival|"
        r"[Ee]dição|[Rr]epública|[Rr]eich|[Cc]oncurso|[Ff]eira|[Cc]entenário|[Ss]eminário|[Ff]órum|"
        r"[Cc]onferência|[Bb]ienal|[Cc]úpula|[Dd]inastia)"
    ),
    regnal=_regnal,
    regnal_names=(
        r"Dom Pedro|Pedro|João|João Paulo|Carlos|Luís|Dom João|Henrique|Filipe|Elisabete|Isabel|"
        r"Maria|Papa|Bento|Pio|Napoleão|Manuel|Afonso|Dom Afonso|Dom Manuel|Paulo|"
        r"Francisco|Jorge|Guilherme|Eduardo|Ricardo|Nicolau|"
        r"Alexandre|Catarina|Leão|Gregório|Inocêncio|Clemente|Júlio|Frederico|Alberto|Elizabeth|"
        r"José|Dom José|Sebastião|Luís Filipe|Fernando|Dom Fernando"
    ),
    abbreviations=vocabulary.ABBREVIATIONS,
    before_numbers={
        "p": "página",
        "pp": "páginas",
        "séc": "século",
        "nos": "números",
        "n.os": "números",
        "sécs": "séculos",
        "s": "século",
        "c": "capítulo",
        "inc": "inciso",
        "v": "versículo",
    },
    ending_abbreviations=frozenset(
        {"etc", "a.C", "d.C", "a. C", "d. C", "Ltda", "Cia", "hab", "Jr"}
    ),
    symbols=vocabulary.SYMBOLS,
    extra=_EXTRA,
    phone=(
        r"(?<![\w.+-])\d{2} 9\d{4}[ -]\d{4}(?![\w-])"
        r"|(?<![\w.+])\(\d{2}\)[ ]?9?\d{4}[ -]?\d{4}(?![\w-])"
        r"|(?<![\w.+-])(?:9\d|(?!20)[2-5])\d{3}-\d{4}(?![\w-])"
        r"|(?<![\w.])\d{3}\.\d{3}\.\d{3}-\d\d(?!\w)|(?<![\w.+-])\d{5}-\d{3}(?![\w-])"
        r"|(?<![\w.+-])0[3589]00[ -]\d{3}[ -]\d{3,4}(?![\w-])"
        r"|(?<![\w.+-])\d{2}\.\d{3}\.\d{3}/\d{4}-\d\d(?!\w)"
    ),
)
_RULES = rules_of(LOCALE)


def read(draft: Draft) -> None:
    """Say everything in words."""
    for rule in _RULES:
        draft.rewrite(rule.pattern, rule.reader)
