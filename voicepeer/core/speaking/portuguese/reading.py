"""Brazilian Portuguese as data for the rules of Romance languages."""

from __future__ import annotations

from voicepeer.core.speaking.portuguese import numerals
from voicepeer.core.speaking.romance.locale import Currency, Locale, Noun, Scale
from voicepeer.core.speaking.romance.reading import rules_of
from voicepeer.core.speaking.spoken import Draft

_MONTHS = (
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro "
    "dezembro".split()
)
_ABBREVIATIONS = {
    "Sr": "senhor", "Sra": "senhora", "Srta": "senhorita", "Srs": "senhores", "Dr": "doutor",
    "Dra": "doutora", "Prof": "professor", "Profa": "professora", "Eng": "engenheiro", "D": "Dom",
    "etc": "et cetera", "p. ex": "por exemplo", "ex": "exemplo", "pág": "página",
    "págs": "páginas", "núm": "número", "tel": "telefone", "cel": "celular", "Tel": "telefone",
    "Av": "avenida", "av": "avenida", "R": "rua", "art": "artigo", "cap": "capítulo",
    "vol": "volume", "a.C": "antes de Cristo", "d.C": "depois de Cristo",
    "a. C": "antes de Cristo", "d. C": "depois de Cristo", "máx": "máximo", "mín": "mínimo",
    "aprox": "aproximadamente", "Sto": "santo", "Sta": "santa", "Cia": "companhia",
    "Ltda": "limitada", "obs": "observação", "fig": "figura", "ed": "edição",
}  # fmt: skip
_CENT = Noun("centavo", "centavos")
_REAL = Currency(Noun("real", "reais"), _CENT)
_EURO = Currency(Noun("euro", "euros"), Noun("cêntimo", "cêntimos"))
_DOLLAR = Currency(Noun("dólar", "dólares"), _CENT)
_POUND = Currency(Noun("libra", "libras", feminine=True))
_YEN = Currency(Noun("iene", "ienes"))
_CURRENCIES = {
    "₹": Currency(Noun("rúpia", "rúpias", feminine=True)),
    "₩": Currency(Noun("won", "wons")),
    "₽": Currency(Noun("rublo", "rublos")),
    "₿": Currency(Noun("bitcoin", "bitcoins")),
    "R$": _REAL, "BRL": _REAL, "reais": _REAL, "€": _EURO, "EUR": _EURO, "$": _DOLLAR,
    "US$": _DOLLAR, "USD": _DOLLAR, "£": _POUND, "GBP": _POUND, "¢": Currency(_CENT), "¥": _YEN,
    "JPY": _YEN,
}  # fmt: skip
_THOUSAND = Scale("mil", "mil", False)
_MILLION, _BILLION = Scale("milhão", "milhões", True), Scale("bilhão", "bilhões", True)
_SCALES = {
    "mil": _THOUSAND, "milhão": _MILLION, "milhões": _MILLION, "bilhão": _BILLION,
    "bilhões": _BILLION, "trilhão": Scale("trilhão", "trilhões", True),
    "trilhões": Scale("trilhão", "trilhões", True), "mi": _MILLION, "bi": _BILLION,
    "M": _MILLION, "B": _BILLION, "k": _THOUSAND, "K": _THOUSAND,
}  # fmt: skip
_UNITS = {
    "km/h": Noun("quilômetro por hora", "quilômetros por hora"),
    "m/s": Noun("metro por segundo", "metros por segundo"),
    "Mbps": Noun("megabit por segundo", "megabits por segundo"),
    "MB/s": Noun("megabyte por segundo", "megabytes por segundo"),
    "km": Noun("quilômetro", "quilômetros"), "m": Noun("metro", "metros"),
    "cm": Noun("centímetro", "centímetros"), "mm": Noun("milímetro", "milímetros"),
    "m²": Noun("metro quadrado", "metros quadrados"),
    "m2": Noun("metro quadrado", "metros quadrados"),
    "km²": Noun("quilômetro quadrado", "quilômetros quadrados"),
    "m³": Noun("metro cúbico", "metros cúbicos"), "m3": Noun("metro cúbico", "metros cúbicos"),
    "ha": Noun("hectare", "hectares"), "kg": Noun("quilograma", "quilogramas"),
    "g": Noun("grama", "gramas"), "mg": Noun("miligrama", "miligramas"),
    "t": Noun("tonelada", "toneladas", feminine=True), "l": Noun("litro", "litros"),
    "L": Noun("litro", "litros"), "ml": Noun("mililitro", "mililitros"),
    "mL": Noun("mililitro", "mililitros"), "ms": Noun("milissegundo", "milissegundos"),
    "s": Noun("segundo", "segundos"), "seg": Noun("segundo", "segundos"),
    "min": Noun("minuto", "minutos"), "h": Noun("hora", "horas", feminine=True),
    "Hz": Noun("hertz", "hertz"), "kHz": Noun("quilohertz", "quilohertz"),
    "MHz": Noun("megahertz", "megahertz"), "GHz": Noun("gigahertz", "gigahertz"),
    "dB": Noun("decibel", "decibéis"), "W": Noun("watt", "watts"),
    "kW": Noun("quilowatt", "quilowatts"), "kWh": Noun("quilowatt-hora", "quilowatts-hora"),
    "V": Noun("volt", "volts"), "kcal": Noun("quilocaloria", "quilocalorias", feminine=True),
    "KB": Noun("quilobyte", "quilobytes"), "MB": Noun("megabyte", "megabytes"),
    "GB": Noun("gigabyte", "gigabytes"), "TB": Noun("terabyte", "terabytes"),
    "px": Noun("pixel", "pixels"), "°": Noun("grau", "graus"),
}  # fmt: skip
_PER = {
    "h": "por hora", "hora": "por hora", "dia": "por dia", "mês": "por mês", "ano": "por ano",
    "kg": "o quilo", "l": "o litro", "L": "o litro", "m²": "o metro quadrado",
    "pessoa": "por pessoa", "noite": "por noite", "s": "por segundo", "min": "por minuto",
    "semana": "por semana",
}  # fmt: skip
_SYMBOLS = {
    "¢": " centavos ", "₩": " wons ", "₽": " rublos ", "₿": " bitcoins ", "₹": " rúpias ",
    "&": " e ", "@": " arroba ", "%": " por cento ", "+": " mais ", "=": " igual a ",
    "→": " para ", "←": " de ", "≈": " aproximadamente ", "±": " mais ou menos ",
    "×": " vezes ", "÷": " dividido por ", "≤": " menor ou igual a ", "≥": " maior ou igual a ",
    "≠": " diferente de ", "°": " graus ", "§": " parágrafo ", "€": " euros ", "$": " dólares ",
    "£": " libras ", "¥": " ienes ", "©": "", "®": "", "™": "", "#": " ", "_": " ", "|": ", ",
    "\\": " ", "^": " ", "~": " cerca de ", "<": " menor que ", ">": " maior que ", "{": "",
    "}": "", "*": " ", "`": "", "²": " ao quadrado ", "³": " ao cubo ", "√": " raiz de ",
    "∞": " infinito ", "π": " pi ",
}  # fmt: skip
_FEMININE = frozenset(
    "mulher mulheres mão mãos flor flores noite noites tarde tardes parte partes cor cores lei "
    "leis luz luzes cruz cruzes voz vozes árvore árvores chave chaves ponte pontes rede redes "
    "fonte fontes gente série séries mãe mães irmã irmãs fé dor dores nuvem nuvens classe "
    "classes".split()
)
_NOT_FEMININE = frozenset(
    "dia problema programa sistema mapa tema idioma clima planeta cinema poema drama grama "
    "quilograma telefonema sofá".split()
)


def _is_feminine(word: str) -> bool:
    bare = word.lower()
    single = bare.removesuffix("s")
    return (
        bare in _FEMININE
        or single not in _NOT_FEMININE
        and single.endswith(
            ("a", "ção", "çõe", "são", "sõe", "dade", "gem", "gen", "vez", "veze", "tude", "ice")
        )
    )


def _date(day: int, month: int, year: int | None) -> str:
    said = f"{'primeiro' if day == 1 else numerals.cardinal(day)} de {_MONTHS[month - 1]}"
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
    if (top, bottom) == (1, 2):
        return "meio"
    name = {2: "meio", 3: "terço"}.get(bottom) or (
        numerals.ordinal(bottom) if bottom <= 10 else None
    )
    if name is None:
        return f"{numerals.cardinal(top)} {numerals.cardinal(bottom)} avos"
    return f"{numerals.cardinal(top)} {name}{'s' if top > 1 else ''}"


def _regnal(number: int, name: str) -> str:
    if number > 10:
        return numerals.cardinal(number)
    return numerals.ordinal(number, "a" if name in ("Maria", "Isabel", "Elisabete") else "o") or ""


LOCALE = Locale(
    cardinal=numerals.cardinal,
    before_noun=numerals.before_noun,
    ordinal=numerals.ordinal,
    ordinal_endings=r"º|ª|(?<=\b\d)°(?!\s?[CFK])|(?<=\b1\d)°(?!\s?[CFK])",
    is_feminine=_is_feminine,
    comma="vírgula",
    point="ponto",
    minus="menos",
    times="vezes",
    upto="a",
    percent="por cento",
    degree=Noun("grau", "graus"),
    number="número",
    version="versão",
    hashtag="hashtag",
    at="arroba",
    spelled={".": "ponto", "-": "hífen", "_": "sublinhado", "+": "mais", "/": "barra"},
    date=_date,
    months="|".join(_MONTHS),
    time=_time,
    hour_marks=r"\s?h\s?",
    after_time=r"\s?(?:h|horas|min)\b",
    currencies=_CURRENCIES,
    sign=r"R\$|US\$|[€$£¥₹₩₽₿]",
    code=r"R\$|US\$|€|₹|₩|₽|₿|¢|\$|£|¥|BRL|EUR|USD|GBP|JPY|reais",
    cents_link=" e ",
    scales=_SCALES,
    of=lambda noun: f"de {noun}",
    units=_UNITS,
    per=_PER,
    fraction=_fraction,
    link=" e ",
    roman_before=(
        r"[Ss]éculo|[Cc]apítulo|[Tt]omo|[Vv]olume|[Aa]nexo|[Ff]ase|[Nn]ível|[Pp]arte|"
        r"[Aa]rtigo"
    ),
    roman_ordinal_after=r"\s(?:Congresso|Encontro|Simpósio|Semana|Guerra)",
    regnal=_regnal,
    regnal_names=(
        r"Dom Pedro|Pedro|João|João Paulo|Carlos|Luís|Dom João|Henrique|Filipe|Elisabete|Isabel|"
        r"Maria|Papa|Bento|Pio|Napoleão|Manuel|Afonso|Dom Afonso|Dom Manuel"
    ),
    abbreviations=_ABBREVIATIONS,
    before_numbers={"p": "página", "pp": "páginas", "séc": "século", "s": "século"},
    ending_abbreviations=frozenset({"etc", "a.C", "d.C", "a. C", "d. C", "Ltda", "Cia"}),
    symbols=_SYMBOLS,
    phone=(
        r"(?<![\w.+])\(\d{2}\)[ ]?9?\d{4}[ -]?\d{4}(?![\w-])"
        r"|(?<![\w.+-])(?:9\d|(?!20)[2-5])\d{3}-\d{4}(?![\w-])"
        r"|(?<![\w.])\d{3}\.\d{3}\.\d{3}-\d\d(?!\w)|(?<![\w.+-])\d{5}-\d{3}(?![\w-])"
    ),
)
_RULES = rules_of(LOCALE)


def read(draft: Draft) -> None:
    """Say everything in words."""
    for rule in _RULES:
        draft.rewrite(rule.pattern, rule.reader)
