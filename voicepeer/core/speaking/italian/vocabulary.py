"""Words of Italian: months, abbreviations, currencies, units, signs, genders."""

from __future__ import annotations

from voicepeer.core.speaking.romance.locale import Currency, Noun, Scale
from voicepeer.core.speaking.romance.units import with_powers

MONTHS = (
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre "
    "dicembre".split()
)
ABBREVIATIONS = {
    "Sig": "signor", "sig": "signor", "Sigg": "signori", "Dott": "dottor", "dott": "dottor",
    "Prof": "professor", "prof": "professor", "Ing": "ingegner", "Avv": "avvocato",
    "Arch": "architetto", "Geom": "geometra", "On": "onorevole", "ecc": "eccetera",
    "es": "esempio", "p. es": "per esempio", "pag": "pagina", "pagg": "pagine", "tel": "telefono",
    "Tel": "telefono", "cap": "capitolo", "cell": "cellulare", "art": "articolo", "vol": "volume",
    "ca": "circa", "a.C": "avanti Cristo", "d.C": "dopo Cristo", "a. C": "avanti Cristo",
    "d. C": "dopo Cristo", "max": "massimo", "min": "minimo", "fig": "figura",
    "cfr": "confronta", "S.p.A": "S P A", "s.p.a": "S P A", "s.r.l": "S R L", "s.n.c": "S N C",
    "S.r.l": "S R L", "S.n.c": "S N C", "S.a.s": "S A S",
    "p.es": "per esempio", "avv": "avvocato", "ing": "ingegner",
    "arch": "architetto", "geom": "geometra", "rag": "ragionier", "sigg": "signori",
    "Egr": "egregio", "Spett": "spettabile", "Gent": "gentile", "Ill": "illustre",
    "Mons": "monsignor", "Card": "cardinal", "Gen": "generale", "Col": "colonnello",
    "Cap": "capitano", "Magg": "maggiore", "Ten": "tenente", "Mar": "maresciallo",
    "Sen": "senatore", "Min": "ministro", "Pres": "presidente", "Dr": "dottor", "dr": "dottor",
    "artt": "articoli", "capp": "capitoli", "figg": "figure",
    "voll": "volumi", "ed": "edizione", "lett": "lettera",
    "tab": "tabella", "rif": "riferimento", "num": "numero", "nn": "numeri",
    "vs": "contro", "prov": "provincia", "int": "interno", "c.a": "corrente anno",
    "u.s": "ultimo scorso", "s.l.m": "sul livello del mare", "q.b": "quanto basta",
    "D.Lgs": "decreto legislativo", "d.lgs": "decreto legislativo", "D.L": "decreto legge",
    "D.P.R": "D P R", "d.p.r": "D P R", "D.M": "decreto ministeriale", "c.p": "codice penale",
    "c.c": "codice civile", "c.p.c": "codice di procedura civile", "p.iva": "partita IVA",
    "P.IVA": "partita IVA", "C.F": "codice fiscale", "p.v": "prossimo venturo",
    "P.S": "post scriptum",
    "N.B": "nota bene", "n.b": "nota bene", "abit": "abitanti", "ab": "abitanti", "tot": "totale",
}  # fmt: skip
_CENT = Noun("centesimo", "centesimi")
_EURO = Currency(Noun("euro", "euro"), small=_CENT)
_DOLLAR = Currency(Noun("dollaro", "dollari"), small=_CENT)
_POUND = Currency(Noun("sterlina", "sterline", feminine=True))
_YEN = Currency(Noun("yen", "yen"))
CURRENCIES = {
    "₹": Currency(Noun("rupia", "rupie", feminine=True)),
    "₩": Currency(Noun("won", "won")),
    "₽": Currency(Noun("rublo", "rubli")),
    "₿": Currency(Noun("bitcoin", "bitcoin")),
    "¢": Currency(_CENT),
    "€": _EURO, "EUR": _EURO, "euro": _EURO, "$": _DOLLAR, "USD": _DOLLAR, "US$": _DOLLAR,
    "£": _POUND, "GBP": _POUND, "¥": _YEN, "JPY": _YEN,
    "CHF": Currency(Noun("franco svizzero", "franchi svizzeri")),
}  # fmt: skip
_MILLION, _BILLION = Scale("milione", "milioni", True), Scale("miliardo", "miliardi", True)
SCALES = {
    "mila": Scale("mila", "mila", False), "milione": _MILLION, "milioni": _MILLION,
    "miliardo": _BILLION, "miliardi": _BILLION, "mln": _MILLION, "mld": _BILLION, "M": _MILLION,
    "k": Scale("mila", "mila", False), "K": Scale("mila", "mila", False),
}  # fmt: skip
_SIMPLE_UNITS = {
    "km/h": Noun("chilometro orario", "chilometri orari"),
    "m/s": Noun("metro al secondo", "metri al secondo"),
    "Mbit/s": Noun("megabit al secondo", "megabit al secondo"),
    "MB/s": Noun("megabyte al secondo", "megabyte al secondo"),
    "km": Noun("chilometro", "chilometri"), "m": Noun("metro", "metri"),
    "cm": Noun("centimetro", "centimetri"), "mm": Noun("millimetro", "millimetri"),
    "mq": Noun("metro quadrato", "metri quadrati"), "mc": Noun("metro cubo", "metri cubi"),
    "dm": Noun("decimetro", "decimetri"), "µm": Noun("micrometro", "micrometri"),
    "nm": Noun("nanometro", "nanometri"), "dl": Noun("decilitro", "decilitri"),
    "hl": Noun("ettolitro", "ettolitri"), "mL": Noun("millilitro", "millilitri"),
    "l/100 km": Noun("litro ogni cento chilometri", "litri ogni cento chilometri"),
    "l/100km": Noun("litro ogni cento chilometri", "litri ogni cento chilometri"),
    "ab": Noun("abitante", "abitanti"), "hg": Noun("ettogrammo", "ettogrammi"),
    "kmq": Noun("chilometro quadrato", "chilometri quadrati"),
    "s²": Noun("secondo quadrato", "secondi quadrati"), "gg": Noun("giorno", "giorni"),
    "MW": Noun("megawatt", "megawatt"), "GW": Noun("gigawatt", "gigawatt"),
    "MWh": Noun("megawattora", "megawattora"), "GWh": Noun("gigawattora", "gigawattora"),
    "Wh": Noun("wattora", "wattora"), "kV": Noun("chilovolt", "chilovolt"),
    "mAh": Noun("milliamperora", "milliamperora"),
    "Ω": Noun("ohm", "ohm"),     "kJ": Noun("chilojoule", "chilojoule"),
    "Pa": Noun("pascal", "pascal"),
    "hPa": Noun("ettopascal", "ettopascal"), "kPa": Noun("chilopascal", "chilopascal"),
    "bar": Noun("bar", "bar"), "cal": Noun("caloria", "calorie", feminine=True),
    "CV": Noun("cavallo", "cavalli"), "cc": Noun("centimetro cubo", "centimetri cubi"),
    "Mbps": Noun("megabit al secondo", "megabit al secondo"),
    "Gbps": Noun("gigabit al secondo", "gigabit al secondo"),
    "′": Noun("piede", "piedi"), "″": Noun("pollice", "pollici"),
    "ha": Noun("ettaro", "ettari"), "kg": Noun("chilogrammo", "chilogrammi"),
    "g": Noun("grammo", "grammi"), "mg": Noun("milligrammo", "milligrammi"),
    "t": Noun("tonnellata", "tonnellate", feminine=True), "l": Noun("litro", "litri"),
    "L": Noun("litro", "litri"), "ml": Noun("millilitro", "millilitri"),
    "cl": Noun("centilitro", "centilitri"), "ms": Noun("millisecondo", "millisecondi"),
    "s": Noun("secondo", "secondi"), "sec": Noun("secondo", "secondi"),
    "min": Noun("minuto", "minuti"), "h": Noun("ora", "ore", feminine=True),
    "Hz": Noun("hertz", "hertz"), "kHz": Noun("chilohertz", "chilohertz"),
    "MHz": Noun("megahertz", "megahertz"), "GHz": Noun("gigahertz", "gigahertz"),
    "dB": Noun("decibel", "decibel"), "W": Noun("watt", "watt"),
    "kW": Noun("chilowatt", "chilowatt"), "kWh": Noun("chilowattora", "chilowattora"),
    "V": Noun("volt", "volt"), "kcal": Noun("chilocaloria", "chilocalorie", feminine=True),
    "KB": Noun("kilobyte", "kilobyte"), "MB": Noun("megabyte", "megabyte"),
    "GB": Noun("gigabyte", "gigabyte"), "TB": Noun("terabyte", "terabyte"),
    "px": Noun("pixel", "pixel"), "°": Noun("grado", "gradi"),
}  # fmt: skip
UNITS = with_powers(_SIMPLE_UNITS, ("quadrato", "quadrati"), ("cubo", "cubi"))
PER = {
    "h": "all'ora", "ora": "all'ora", "giorno": "al giorno", "g": "al giorno",
    "mese": "al mese", "anno": "all'anno", "kg": "al chilo", "l": "al litro", "L": "al litro",
    "m²": "al metro quadrato", "mq": "al metro quadrato", "persona": "a persona",
    "notte": "a notte", "s": "al secondo", "min": "al minuto", "settimana": "alla settimana",
    "m2": "al metro quadrato", "gg": "al giorno",
    "ab": "per abitante", "minuto": "al minuto", "secondo": "al secondo", "cad": "cadauno",
}  # fmt: skip
SYMBOLS = {
    "¢": " centesimi ", "₩": " won ", "₽": " rubli ", "₿": " bitcoin ", "₹": " rupie ",
    "&": " e ", "@": " chiocciola ", "%": " per cento ", "+": " più ", "=": " uguale ",
    "→": " verso ", "←": " da ", "≈": " circa ", "±": " più o meno ", "×": " per ",
    "÷": " diviso ", "≤": " minore o uguale a ", "≥": " maggiore o uguale a ",
    "≠": " diverso da ", "°": " gradi ", "§": " paragrafo ", "€": " euro ", "$": " dollari ",
    "£": " sterline ", "¥": " yen ", "©": "", "®": "", "™": "", "#": " ", "_": " ", "|": ", ",
    "\\": " ", "^": " ", "~": " circa ", "<": " minore di ", ">": " maggiore di ", "{": "",
    "}": "", "*": " ", "`": "", "²": " al quadrato ", "³": " al cubo ", "√": " radice di ",
    "∞": " infinito ", "π": " pi greco ",
}  # fmt: skip
FEMININE = frozenset(
    "mano mani notte notti parte parti chiave chiavi gente luce luci voce voci legge leggi classe "
    "classi rete reti moglie mogli madre madri morte morti fede fine carne canzone canzoni arte "
    "arti base basi fronte mente menti neve pace salute serie specie torre torri valle valli veste "
    "auto foto moto radio ora ore".split()
)
NOT_FEMININE = frozenset(
    "problema sistema tema programma clima diploma dramma poeta pianeta cinema panda gorilla "
    "giornalista artista turista pirata atleta collega profeta schema enigma "
    "panorama teorema fantasma aroma emblema dilemma telegramma stemma carisma trauma papa".split()
)
