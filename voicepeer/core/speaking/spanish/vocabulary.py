"""Words of Spanish: months, abbreviations, currencies, units, signs, genders."""

from __future__ import annotations

from voicepeer.core.speaking.romance.locale import Currency, Noun, Scale
from voicepeer.core.speaking.romance.units import with_powers

MONTHS = (
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre".split()
)
ABBREVIATIONS = {
    "Sr": "señor", "Sra": "señora", "Srta": "señorita", "Sres": "señores", "Dr": "doctor",
    "Dra": "doctora", "D": "don", "Dña": "doña", "Ud": "usted", "Uds": "ustedes", "Vd": "usted",
    "etc": "etcétera", "p. ej": "por ejemplo", "pág": "página", "págs": "páginas",
    "núm": "número", "tel": "teléfono", "Tel": "teléfono", "avda": "avenida", "Avda": "avenida",
    "Av": "avenida", "Prof": "profesor", "Profa": "profesora", "aprox": "aproximadamente",
    "EE. UU": "Estados Unidos", "EE.UU": "Estados Unidos", "a. C": "antes de Cristo",
    "d. C": "después de Cristo", "Cía": "compañía", "Ing": "ingeniero", "Lic": "licenciado",
    "vol": "volumen", "cap": "capítulo", "art": "artículo", "máx": "máximo", "mín": "mínimo",
    "p.ej": "por ejemplo", "a.C": "antes de Cristo", "d.C": "después de Cristo",
    "a. de C": "antes de Cristo", "caps": "capítulos", "arts": "artículos", "vols": "volúmenes",
    "fig": "figura", "figs": "figuras", "ed": "edición", "Arq": "arquitecto",
    "Arqa": "arquitecta", "Gral": "general", "Cnel": "coronel", "Cap": "capitán",
    "Tte": "teniente", "Sto": "santo", "Sta": "santa", "Fr": "fray", "Mons": "monseñor",
    "Excmo": "excelentísimo", "Excma": "excelentísima", "Ilmo": "ilustrísimo",
    "Ilma": "ilustrísima", "Mtro": "maestro", "Mtra": "maestra", "Pdte": "presidente",
    "Sras": "señoras", "Dres": "doctores", "Abog": "abogado", "depto": "departamento",
    "dpto": "departamento", "apdo": "apartado", "apto": "apartamento", "izq": "izquierda",
    "dcha": "derecha", "esq": "esquina", "ext": "extensión", "int": "interior", "col": "colonia",
    "pza": "plaza", "plza": "plaza", "ctra": "carretera", "Ctra": "carretera", "pág. web":
    "página web", "hab": "habitantes", "cta": "cuenta", "cte": "corriente", "adj": "adjunto",
    "atte": "atentamente", "tfno": "teléfono", "Tfno": "teléfono", "móv": "móvil",
    "RR. HH": "recursos humanos", "RR.HH": "recursos humanos", "FF. AA": "Fuerzas Armadas",
    "FF.AA": "Fuerzas Armadas", "JJ. OO": "Juegos Olímpicos", "JJ.OO": "Juegos Olímpicos",
    "CC. AA": "comunidades autónomas", "CC.AA": "comunidades autónomas",
    "S. M": "Su Majestad", "SS. MM": "Sus Majestades", "q. e. p. d": "que en paz descanse",
    "s. n": "sin número", "núms": "números", "gob": "gobierno", "prov": "provincia",
    "cód": "código", "cf": "compárese", "vs": "contra", "Ed": "editorial", "Jr": "júnior",
}  # fmt: skip
_CENT = Noun("centavo", "centavos")
_EURO = Currency(Noun("euro", "euros"), small=Noun("céntimo", "céntimos"))
_DOLLAR = Currency(Noun("dólar", "dólares"), small=_CENT)
_POUND = Currency(Noun("libra", "libras", feminine=True))
_YEN = Currency(Noun("yen", "yenes"))
_PESO = Currency(Noun("peso", "pesos"), small=_CENT)
_SOL = Currency(Noun("sol", "soles"), small=Noun("céntimo", "céntimos"))
CURRENCIES = {
    "₹": Currency(Noun("rupia", "rupias", feminine=True)),
    "₩": Currency(Noun("won", "wones")),
    "₽": Currency(Noun("rublo", "rublos")),
    "₿": Currency(Noun("bitcoin", "bitcoins")),
    "€": _EURO, "EUR": _EURO, "euros": _EURO, "$": _DOLLAR, "USD": _DOLLAR, "US$": _DOLLAR,
    "¢": Currency(_CENT), "£": _POUND, "GBP": _POUND, "¥": _YEN, "JPY": _YEN,
    "MXN": _PESO, "ARS": _PESO, "COP": _PESO, "CLP": _PESO, "UYU": _PESO,
    "PEN": _SOL, "S/": _SOL, "CHF": Currency(Noun("franco suizo", "francos suizos")),
    "MX$": _PESO,
}  # fmt: skip
_THOUSAND, _MILLION = Scale("mil", "mil", False), Scale("millón", "millones", True)
_TRILLION = Scale("billón", "billones", True)
SCALES = {
    "mil": _THOUSAND, "millón": _MILLION, "millones": _MILLION,
    "billones": _TRILLION, "billón": _TRILLION,
    "mil millones": Scale("mil millones", "mil millones", True), "M": _MILLION, "k": _THOUSAND,
    "K": _THOUSAND,
}  # fmt: skip
_SIMPLE_UNITS = {
    "km/h": Noun("kilómetro por hora", "kilómetros por hora"),
    "m/s": Noun("metro por segundo", "metros por segundo"),
    "Mbps": Noun("megabit por segundo", "megabits por segundo"),
    "MB/s": Noun("megabyte por segundo", "megabytes por segundo"),
    "km": Noun("kilómetro", "kilómetros"), "m": Noun("metro", "metros"),
    "cm": Noun("centímetro", "centímetros"), "mm": Noun("milímetro", "milímetros"),
    "dm": Noun("decímetro", "decímetros"), "µm": Noun("micrómetro", "micrómetros"),
    "nm": Noun("nanómetro", "nanómetros"), "cl": Noun("centilitro", "centilitros"),
    "dl": Noun("decilitro", "decilitros"), "hl": Noun("hectolitro", "hectolitros"),
    "mL": Noun("mililitro", "mililitros"), "cc": Noun("centímetro cúbico", "centímetros cúbicos"),
    "l/100 km": Noun("litro cada cien kilómetros", "litros cada cien kilómetros"),
    "l/100km": Noun("litro cada cien kilómetros", "litros cada cien kilómetros"),
    "hab": Noun("habitante", "habitantes"),
    "µg": Noun("microgramo", "microgramos"), "lb": Noun("libra", "libras", feminine=True),
    "lbs": Noun("libra", "libras", feminine=True), "oz": Noun("onza", "onzas", feminine=True),
    "seg": Noun("segundo", "segundos"), "s²": Noun("segundo al cuadrado", "segundos al cuadrado"),
    "hs": Noun("hora", "horas", feminine=True), "hrs": Noun("hora", "horas", feminine=True),
    "MW": Noun("megavatio", "megavatios"), "GW": Noun("gigavatio", "gigavatios"),
    "MWh": Noun("megavatio hora", "megavatios hora"),
    "GWh": Noun("gigavatio hora", "gigavatios hora"), "Wh": Noun("vatio hora", "vatios hora"),
    "kV": Noun("kilovoltio", "kilovoltios"),     "mA": Noun("miliamperio", "miliamperios"),
    "mAh": Noun("miliamperio hora", "miliamperios hora"), "Ω": Noun("ohmio", "ohmios"),
    "kJ": Noun("kilojulio", "kilojulios"),
    "Pa": Noun("pascal", "pascales"), "hPa": Noun("hectopascal", "hectopascales"),
    "kPa": Noun("kilopascal", "kilopascales"), "bar": Noun("bar", "bares"),
    "cal": Noun("caloría", "calorías", feminine=True), "CV": Noun("caballo", "caballos"),
    "rpm": Noun("revolución por minuto", "revoluciones por minuto", feminine=True),
    "ppm": Noun("parte por millón", "partes por millón", feminine=True),
    "Gbps": Noun("gigabit por segundo", "gigabits por segundo"),
    "Mb/s": Noun("megabit por segundo", "megabits por segundo"),
    "′": Noun("pie", "pies"), "″": Noun("pulgada", "pulgadas", feminine=True),
    "ha": Noun("hectárea", "hectáreas", feminine=True), "kg": Noun("kilogramo", "kilogramos"),
    "g": Noun("gramo", "gramos"), "mg": Noun("miligramo", "miligramos"),
    "t": Noun("tonelada", "toneladas", feminine=True), "l": Noun("litro", "litros"),
    "L": Noun("litro", "litros"), "ml": Noun("mililitro", "mililitros"),
    "ms": Noun("milisegundo", "milisegundos"), "s": Noun("segundo", "segundos"),
    "min": Noun("minuto", "minutos"), "h": Noun("hora", "horas", feminine=True),
    "Hz": Noun("hercio", "hercios"), "kHz": Noun("kilohercio", "kilohercios"),
    "MHz": Noun("megahercio", "megahercios"), "GHz": Noun("gigahercio", "gigahercios"),
    "dB": Noun("decibelio", "decibelios"), "W": Noun("vatio", "vatios"),
    "kW": Noun("kilovatio", "kilovatios"), "kWh": Noun("kilovatio hora", "kilovatios hora"),
    "V": Noun("voltio", "voltios"), "kcal": Noun("kilocaloría", "kilocalorías", feminine=True),
    "KB": Noun("kilobyte", "kilobytes"), "MB": Noun("megabyte", "megabytes"),
    "GB": Noun("gigabyte", "gigabytes"), "TB": Noun("terabyte", "terabytes"),
    "px": Noun("píxel", "píxeles"), "°": Noun("grado", "grados"),
}  # fmt: skip
UNITS = with_powers(_SIMPLE_UNITS, ("cuadrado", "cuadrados"), ("cúbico", "cúbicos"))
PER = {
    "h": "por hora", "hora": "por hora", "día": "al día", "mes": "al mes", "año": "al año",
    "kg": "el kilo", "l": "el litro", "L": "el litro", "m²": "el metro cuadrado",
    "m2": "el metro cuadrado",
    "persona": "por persona", "noche": "por noche", "s": "por segundo", "min": "por minuto",
    "semana": "a la semana", "d": "al día", "vez": "por vez", "hab": "por habitante",
    "minuto": "por minuto", "segundo": "por segundo", "unidad": "la unidad",
    "trimestre": "al trimestre",
}  # fmt: skip
SYMBOLS = {
    "¢": " centavos ", "₩": " wones ", "₽": " rublos ", "₿": " bitcoins ", "₹": " rupias ",
    "&": " y ", "@": " arroba ", "%": " por ciento ", "+": " más ", "=": " igual a ",
    "→": " a ", "←": " de ", "≈": " aproximadamente ", "±": " más menos ", "×": " por ",
    "÷": " entre ", "≤": " menor o igual que ", "≥": " mayor o igual que ",
    "≠": " distinto de ", "°": " grados ", "§": " sección ", "€": " euros ", "$": " dólares ",
    "£": " libras ", "¥": " yenes ", "©": "", "®": "", "™": "", "#": " ", "_": " ", "|": ", ",
    "\\": " ", "^": " ", "~": " ", "<": " menor que ", ">": " mayor que ", "{": "", "}": "",
    "*": " ", "`": "", "²": " al cuadrado ", "³": " al cubo ", "√": " raíz de ",
    "∞": " infinito ", "π": " pi ",
}  # fmt: skip
FEMININE = frozenset(
    "mujer mano noche tarde parte flor ley luz voz clase llave calle serie madre cruz fuente gente "
    "red torre imagen señal sede base frase fase clave nave nube ave carne fiebre muerte suerte "
    "mente especie piel sangre raíz paz nariz perdiz codorniz lombriz cicatriz actriz emperatriz "
    "matriz directriz orden virgen foto moto sal miel cárcel cama rama llama dama forma alarma "
    "firma broma paloma crema yema goma norma plataforma víctima lágrima página máquina sor tos "
    "leche nieve sien sartén catedral pared vid sed crisis tesis dosis síntesis hipótesis".split()
)
NOT_FEMININE = frozenset(
    "día mapa sofá papá problema programa sistema tema idioma clima planeta poema drama dilema "
    "teorema esquema emblema lema síntoma aroma diploma axioma carcinoma telegrama crucigrama "
    "diagrama gramo kilograma fantasma enigma trauma panorama pijama dogma estigma magma plasma "
    "poeta atleta cometa profeta dálmata pirata demócrata burócrata acróbata colega gorila panda "
    "koala tranvía mediodía espía policía futbolista turista artista periodista era".split()
)
FEMININE_ENDINGS = (
    "a", "ción", "sión", "gión", "cione", "sione", "gione", "xión", "xione", "dad", "dade", "tad",
    "tade", "tud", "tude", "vez", "vece", "umbre", "triz", "trice",
)  # fmt: skip
