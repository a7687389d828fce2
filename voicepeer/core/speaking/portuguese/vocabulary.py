"""Words of Portuguese: months, abbreviations, currencies, units, signs, genders."""

from __future__ import annotations

from voicepeer.core.speaking.romance.locale import Currency, Noun, Scale
from voicepeer.core.speaking.romance.units import with_powers

MONTHS = (
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro "
    "dezembro".split()
)
ABBREVIATIONS = {
    "Sr": "senhor", "Sra": "senhora", "Srta": "senhorita", "Srs": "senhores", "Dr": "doutor",
    "Dra": "doutora", "Prof": "professor", "Profa": "professora", "Eng": "engenheiro", "D": "Dom",
    "etc": "et cetera", "p. ex": "por exemplo", "ex": "exemplo", "pág": "página",
    "págs": "páginas", "núm": "número", "tel": "telefone", "cel": "celular", "Tel": "telefone",
    "Av": "avenida", "av": "avenida", "R": "rua", "art": "artigo", "cap": "capítulo",
    "vol": "volume", "a.C": "antes de Cristo", "d.C": "depois de Cristo",
    "a. C": "antes de Cristo", "d. C": "depois de Cristo", "máx": "máximo", "mín": "mínimo",
    "aprox": "aproximadamente", "Sto": "santo", "Sta": "santa", "Cia": "companhia",
    "Ltda": "limitada", "obs": "observação", "fig": "figura", "ed": "edição",
    "p.ex": "por exemplo", "Exmo": "excelentíssimo", "Exma": "excelentíssima",
    "Ilmo": "ilustríssimo", "Ilma": "ilustríssima", "V. Exa": "vossa excelência",
    "V.Exa": "vossa excelência", "V. Ex.ª": "vossa excelência", "V. Sa": "vossa senhoria",
    "V.Sa": "vossa senhoria", "S. Exa": "sua excelência", "Profª": "professora",
    "Prof.ª": "professora", "Drª": "doutora", "Dr.ª": "doutora", "Srª": "senhora",
    "Sr.ª": "senhora", "Srtª": "senhorita", "Engª": "engenheira", "Enga": "engenheira",
    "Profs": "professores", "Drs": "doutores", "Sras": "senhoras", "Dª": "dona",
    "apto": "apartamento", "ap": "apartamento", "apt": "apartamento", "bl": "bloco",
    "al": "alameda", "pç": "praça", "pça": "praça", "Pça": "praça", "trav": "travessa",
    "tv": "travessa", "rod": "rodovia", "Rod": "rodovia", "estr": "estrada", "Estr": "estrada",
    "esq": "esquina", "arts": "artigos", "caps": "capítulos", "vols": "volumes",
    "figs": "figuras", "tab": "tabela", "Gal": "general", "Cel": "coronel",
    "Maj": "major", "Ten": "tenente", "Sgt": "sargento", "Pe": "padre",
    "Fr": "frei", "Arq": "arquiteto", "Adv": "advogado", "Dep": "deputado", "Sen": "senador",
    "Min": "ministro", "Pres": "presidente", "gov": "governador", "Jr": "júnior", "vs": "versus",
    "tels": "telefones", "hab": "habitantes",
    "méd": "média", "ref": "referência", "cód": "código", "dpto": "departamento",
    "att": "atenciosamente", "Cia. Ltda": "companhia limitada",
}  # fmt: skip
_CENT = Noun("centavo", "centavos")
_REAL = Currency(Noun("real", "reais"), _CENT)
_EURO = Currency(Noun("euro", "euros"), Noun("cêntimo", "cêntimos"))
_DOLLAR = Currency(Noun("dólar", "dólares"), _CENT)
_POUND = Currency(Noun("libra", "libras", feminine=True))
_YEN = Currency(Noun("iene", "ienes"))
CURRENCIES = {
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
SCALES = {
    "mil": _THOUSAND, "milhão": _MILLION, "milhões": _MILLION, "bilhão": _BILLION,
    "bilhões": _BILLION, "trilhão": Scale("trilhão", "trilhões", True),
    "trilhões": Scale("trilhão", "trilhões", True), "mi": _MILLION,
    "tri": Scale("trilhão", "trilhões", True), "bi": _BILLION,
    "M": _MILLION, "B": _BILLION, "k": _THOUSAND, "K": _THOUSAND,
}  # fmt: skip
_SIMPLE_UNITS = {
    "km/h": Noun("quilômetro por hora", "quilômetros por hora"),
    "m/s": Noun("metro por segundo", "metros por segundo"),
    "Mbps": Noun("megabit por segundo", "megabits por segundo"),
    "MB/s": Noun("megabyte por segundo", "megabytes por segundo"),
    "km": Noun("quilômetro", "quilômetros"), "m": Noun("metro", "metros"),
    "cm": Noun("centímetro", "centímetros"), "mm": Noun("milímetro", "milímetros"),
    "dm": Noun("decímetro", "decímetros"), "µm": Noun("micrômetro", "micrômetros"),
    "nm": Noun("nanômetro", "nanômetros"), "cl": Noun("centilitro", "centilitros"),
    "dl": Noun("decilitro", "decilitros"), "hl": Noun("hectolitro", "hectolitros"),
    "l/100 km": Noun("litro por cem quilômetros", "litros por cem quilômetros"),
    "l/100km": Noun("litro por cem quilômetros", "litros por cem quilômetros"),
    "hab": Noun("habitante", "habitantes"),
    "µg": Noun("micrograma", "microgramas"), "lb": Noun("libra", "libras", feminine=True),
    "cc": Noun("centímetro cúbico", "centímetros cúbicos"),
    "s²": Noun("segundo ao quadrado", "segundos ao quadrado"),
    "hs": Noun("hora", "horas", feminine=True), "hrs": Noun("hora", "horas", feminine=True),
    "MW": Noun("megawatt", "megawatts"), "GW": Noun("gigawatt", "gigawatts"),
    "MWh": Noun("megawatt-hora", "megawatts-hora"), "GWh": Noun("gigawatt-hora", "gigawatts-hora"),
    "Wh": Noun("watt-hora", "watts-hora"), "kV": Noun("quilovolt", "quilovolts"),
    "mAh": Noun("miliampere-hora", "miliamperes-hora"),
    "Ω": Noun("ohm", "ohms"),     "kJ": Noun("quilojoule", "quilojoules"),
    "Pa": Noun("pascal", "pascals"),
    "hPa": Noun("hectopascal", "hectopascals"), "kPa": Noun("quilopascal", "quilopascals"),
    "bar": Noun("bar", "bars"), "cal": Noun("caloria", "calorias", feminine=True),
    "cv": Noun("cavalo", "cavalos"),
    "rpm": Noun("rotação por minuto", "rotações por minuto", feminine=True),
    "Gbps": Noun("gigabit por segundo", "gigabits por segundo"),
    "Mb/s": Noun("megabit por segundo", "megabits por segundo"),
    "′": Noun("pé", "pés"), "″": Noun("polegada", "polegadas", feminine=True),
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
UNITS = with_powers(_SIMPLE_UNITS, ("quadrado", "quadrados"), ("cúbico", "cúbicos"))
PER = {
    "h": "por hora", "hora": "por hora", "dia": "por dia", "mês": "por mês", "ano": "por ano",
    "kg": "o quilo", "l": "o litro", "L": "o litro", "m²": "o metro quadrado",
    "pessoa": "por pessoa", "noite": "por noite", "s": "por segundo", "min": "por minuto",
    "semana": "por semana", "m2": "o metro quadrado", "hab": "por habitante",
    "minuto": "por minuto", "segundo": "por segundo", "unidade": "a unidade", "un": "a unidade",
}  # fmt: skip
SYMBOLS = {
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
FEMININE = frozenset(
    "mulher mulheres mão mãos flor flores noite noites tarde tardes parte partes cor cores lei "
    "leis luz luzes cruz cruzes voz vozes árvore árvores chave chaves ponte pontes rede redes "
    "fonte fontes gente série séries mãe mães irmã irmãs fé dor dores nuvem nuvens classe "
    "classes base bases frase frases fase fases tese teses crise crises carne carnes neve febre "
    "febres morte mortes sorte mente mentes espécie espécies foto fotos moto motos raiz raízes "
    "atriz atrizes cicatriz cicatrizes "
    "colher colheres xícara lã lãs maçã maçãs manhã manhãs avó avós nave naves ave "
    "aves".split()
)
NOT_FEMININE = frozenset(
    "dia problema programa sistema mapa tema idioma clima planeta cinema poema drama grama "
    "quilograma telefonema sofá sintoma esquema dilema lema teorema diploma aroma "
    "dogma enigma trauma panorama diagrama fantasma pijama plasma poeta atleta cometa profeta "
    "pirata colega gorila panda guarda turista artista jornalista motorista dentista papa".split()
)
