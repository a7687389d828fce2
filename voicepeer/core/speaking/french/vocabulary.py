"""Words of French: months, abbreviations, currencies, units, signs, genders."""

from __future__ import annotations

import re

from voicepeer.core.speaking.romance.locale import Currency, Noun, Scale
from voicepeer.core.speaking.romance.units import with_powers

MONTHS = (
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split()
)
ABBREVIATIONS = {
    "Mme": "madame", "Mmes": "mesdames", "Mlle": "mademoiselle",
    "Mlles": "mesdemoiselles", "M": "monsieur",
    "MM": "messieurs", "Dr": "docteur", "Pr": "professeur", "Me": "maître", "St": "saint",
    "Ste": "sainte", "etc": "et cetera", "p. ex": "par exemple", "p.ex": "par exemple",
    "c.-à-d": "c'est-à-dire", "cf": "confer", "env": "environ", "tél": "téléphone",
    "Tél": "téléphone", "av": "avenue", "bd": "boulevard", "boul": "boulevard", "vol": "volume",
    "chap": "chapitre", "art": "article", "max": "maximum", "éd": "édition",
    "apr. J.-C": "après Jésus-Christ", "av. J.-C": "avant Jésus-Christ", "fig": "figure",
    "réf": "référence", "janv": "janvier", "févr": "février", "juil": "juillet",
    "sept": "septembre", "oct": "octobre", "nov": "novembre", "déc": "décembre",
    "J.-C": "Jésus-Christ", "Mgr": "monseigneur", "Vve": "veuve", "Cie": "compagnie",
    "Sté": "société", "Éts": "établissements", "Ets": "établissements", "dép": "département",
    "hab": "habitants", "pers": "personne", "adj": "adjoint", "trad": "traduction",
    "coll": "collection", "vs": "contre", "paragr": "paragraphe",
    "suiv": "suivant", "ex": "exemple", "qqn": "quelqu'un",
    "qqch": "quelque chose", "apt": "appartement", "appt": "appartement", "ét": "étage",
    "bât": "bâtiment", "pl": "place", "rte": "route",
    "arr": "arrondissement", "gal": "général", "cdt": "commandant", "cne": "capitaine",
    "lt": "lieutenant", "prof": "professeur", "abrév": "abréviation",
}  # fmt: skip
_EURO = Currency(Noun("euro", "euros"), small=Noun("centime", "centimes"))
_DOLLAR = Currency(Noun("dollar", "dollars"), small=Noun("cent", "cents"))
_POUND = Currency(Noun("livre sterling", "livres sterling", feminine=True))
_YEN = Currency(Noun("yen", "yens"))
_FRANC = Currency(Noun("franc suisse", "francs suisses"), small=Noun("centime", "centimes"))
_CANADIAN = Currency(Noun("dollar canadien", "dollars canadiens"), small=Noun("cent", "cents"))
CURRENCIES = {
    "₹": Currency(Noun("roupie", "roupies", feminine=True)),
    "₩": Currency(Noun("won", "wons")),
    "₽": Currency(Noun("rouble", "roubles")),
    "₿": Currency(Noun("bitcoin", "bitcoins")),
    "€": _EURO, "EUR": _EURO, "euros": _EURO, "$": _DOLLAR, "USD": _DOLLAR, "US$": _DOLLAR,
    "£": _POUND, "GBP": _POUND,
    "¢": Currency(Noun("cent", "cents")), "¥": _YEN, "JPY": _YEN, "CHF": _FRANC,
    "CAD": _CANADIAN, "$ CA": _CANADIAN, "$CA": _CANADIAN, "CA$": _CANADIAN, "$ US": _DOLLAR,
    "FCFA": Currency(Noun("franc CFA", "francs CFA")),
}  # fmt: skip
SCALES = {
    "mille": Scale("mille", "mille", False), "million": Scale("million", "millions", True),
    "millions": Scale("million", "millions", True),
    "milliard": Scale("milliard", "milliards", True),
    "milliards": Scale("milliard", "milliards", True), "k": Scale("mille", "mille", False),
    "K": Scale("mille", "mille", False), "M": Scale("million", "millions", True),
    "Md": Scale("milliard", "milliards", True), "Mds": Scale("milliard", "milliards", True),
    "Mrd": Scale("milliard", "milliards", True),
}  # fmt: skip
_SIMPLE_UNITS = {
    "km/h": Noun("kilomètre à l'heure", "kilomètres à l'heure"),
    "m/s": Noun("mètre par seconde", "mètres par seconde"),
    "Mbit/s": Noun("mégabit par seconde", "mégabits par seconde"),
    "Mo/s": Noun("mégaoctet par seconde", "mégaoctets par seconde"),
    "km": Noun("kilomètre", "kilomètres"), "m": Noun("mètre", "mètres"),
    "cm": Noun("centimètre", "centimètres"), "mm": Noun("millimètre", "millimètres"),
    "µm": Noun("micromètre", "micromètres"), "nm": Noun("nanomètre", "nanomètres"),
    "dm": Noun("décimètre", "décimètres"), "dl": Noun("décilitre", "décilitres"),
    "hl": Noun("hectolitre", "hectolitres"), "cL": Noun("centilitre", "centilitres"),
    "l/100 km": Noun("litre aux cent kilomètres", "litres aux cent kilomètres"),
    "L/100 km": Noun("litre aux cent kilomètres", "litres aux cent kilomètres"),
    "hab": Noun("habitant", "habitants"),
    "µg": Noun("microgramme", "microgrammes"), "lb": Noun("livre", "livres", feminine=True),
    "sec": Noun("seconde", "secondes", feminine=True),
    "s²": Noun("seconde carrée", "secondes carrées", feminine=True),
    "mn": Noun("minute", "minutes", feminine=True), "MW": Noun("mégawatt", "mégawatts"),
    "GW": Noun("gigawatt", "gigawatts"), "TWh": Noun("térawattheure", "térawattheures"),
    "MWh": Noun("mégawattheure", "mégawattheures"), "GWh": Noun("gigawattheure", "gigawattheures"),
    "Wh": Noun("wattheure", "wattheures"), "kV": Noun("kilovolt", "kilovolts"),
    "mAh": Noun("milliampère-heure", "milliampères-heures"),
    "Ω": Noun("ohm", "ohms"),     "kJ": Noun("kilojoule", "kilojoules"),
    "Pa": Noun("pascal", "pascals"),
    "hPa": Noun("hectopascal", "hectopascals"), "kPa": Noun("kilopascal", "kilopascals"),
    "bar": Noun("bar", "bars"), "cal": Noun("calorie", "calories", feminine=True),
    "ch": Noun("cheval", "chevaux"), "Gbit/s": Noun("gigabit par seconde", "gigabits par seconde"),
    "Mb/s": Noun("mégabit par seconde", "mégabits par seconde"),
    "Mbps": Noun("mégabit par seconde", "mégabits par seconde"),
    "tr/min": Noun("tour par minute", "tours par minute"),
    "′": Noun("pied", "pieds"), "″": Noun("pouce", "pouces"),
    "ha": Noun("hectare", "hectares"), "kg": Noun("kilogramme", "kilogrammes"),
    "g": Noun("gramme", "grammes"), "mg": Noun("milligramme", "milligrammes"),
    "t": Noun("tonne", "tonnes", feminine=True), "l": Noun("litre", "litres"),
    "L": Noun("litre", "litres"), "ml": Noun("millilitre", "millilitres"),
    "mL": Noun("millilitre", "millilitres"), "cl": Noun("centilitre", "centilitres"),
    "ms": Noun("milliseconde", "millisecondes", feminine=True),
    "s": Noun("seconde", "secondes", feminine=True),
    "min": Noun("minute", "minutes", feminine=True), "h": Noun("heure", "heures", feminine=True),
    "Hz": Noun("hertz", "hertz"), "kHz": Noun("kilohertz", "kilohertz"),
    "MHz": Noun("mégahertz", "mégahertz"), "GHz": Noun("gigahertz", "gigahertz"),
    "dB": Noun("décibel", "décibels"), "W": Noun("watt", "watts"),
    "kW": Noun("kilowatt", "kilowatts"), "kWh": Noun("kilowattheure", "kilowattheures"),
    "V": Noun("volt", "volts"), "mA": Noun("milliampère", "milliampères"),
    "kcal": Noun("kilocalorie", "kilocalories", feminine=True),
    "Ko": Noun("kilooctet", "kilooctets"), "ko": Noun("kilooctet", "kilooctets"),
    "Mo": Noun("mégaoctet", "mégaoctets"), "Go": Noun("gigaoctet", "gigaoctets"),
    "To": Noun("téraoctet", "téraoctets"), "MB": Noun("mégaoctet", "mégaoctets"),
    "GB": Noun("gigaoctet", "gigaoctets"), "px": Noun("pixel", "pixels"),
    "°": Noun("degré", "degrés"),
}  # fmt: skip
UNITS = with_powers(_SIMPLE_UNITS, ("carré", "carrés"), ("cube", "cubes"))
PER = {
    "h": "par heure", "heure": "par heure", "j": "par jour", "jour": "par jour",
    "mois": "par mois", "an": "par an", "kg": "le kilo", "L": "le litre", "l": "le litre",
    "m²": "le mètre carré", "personne": "par personne", "nuit": "par nuit", "s": "par seconde",
    "min": "par minute", "semaine": "par semaine", "m2": "le mètre carré", "hab": "par habitant",
    "pers": "par personne", "unité": "l'unité", "minute": "par minute", "seconde": "par seconde",
}  # fmt: skip
SYMBOLS = {
    "¢": " cents ", "₩": " wons ", "₽": " roubles ", "₿": " bitcoins ", "₹": " roupies ",
    "&": " et ", "@": " arobase ", "%": " pour cent ", "+": " plus ", "=": " égale ",
    "→": " vers ", "←": " depuis ", "≈": " environ ", "±": " plus ou moins ", "×": " fois ",
    "÷": " divisé par ", "≤": " inférieur ou égal à ", "≥": " supérieur ou égal à ",
    "≠": " différent de ", "°": " degrés ", "§": " paragraphe ", "€": " euros ", "$": " dollars ",
    "£": " livres ", "¥": " yens ", "©": "", "®": "", "™": "", "#": " ", "_": " ", "|": ", ",
    "\\": " ", "^": " ", "~": " environ ", "<": " inférieur à ", ">": " supérieur à ", "{": "",
    "}": "", "*": " ", "`": "", "²": " au carré ", "³": " au cube ", "√": " racine de ",
    "∞": " infini ", "π": " pi ",
}  # fmt: skip
FEMININE = re.compile(
    r"(?:[^\W\d_]*(?:tion|sion|xion|ette|ance|ence|ure|esse|té|ée|ie|ille|elle|enne|euse|trice|"
    r"ière|ade|ude|aison|rice|onne|ise)s?|"
    r"heures?|minutes?|secondes?|semaines?|pages?|fois|années?|personnes?|voitures?|femmes?|"
    r"filles?|tonnes?|places?|pièces?|chambres?|chaises?|maisons?|tables?|tasses?|pommes?|"
    r"bouteilles?|lettres?|lignes?|langues?|villes?|rues?|portes?|cartes?|images?|voix|mains?|"
    r"sœurs?|mères?|amies?|dames?|nuits?|fleurs?|mers?|forêts?|dents?|fins?|lois?|clés?|photos?|"
    r"idées?|fêtes?|guerres?|forces?|sources?|routes?|rivières?|larmes?|gouttes?|étoiles?|"
    r"couleurs?|erreurs?|choses?|classes?|écoles?|étapes?|équipes?|machines?|vaches?|roses?|"
    r"poires?|tartes?|pizzas?|crêpes?|poules?|cuillères?|boîtes?|caisses?|feuilles?|jambes?|têtes?|balles?|"
    r"langoustes?|oranges?|banques?|marques?|banlieues?|lieues?|reines?|scènes?|chaînes?|peines?|"
    r"plages?|îles?|livres sterling|taxes?|tranches?|branches?|vagues?|bagues?|blagues?|fautes?|"
    r"notes?|cordes?|toiles?|salles?|écharpes?|jupes?|robes?|bottes?|chemises?|armes?|âmes?|"
    r"gammes?|flammes?|lampes?|montres?|ombres?|œuvres?|règles?|tuiles?|usines?|vitres?|peaux?|eaux?|"
    r"croix|noix|chansons?|prisons?|boissons?|leçons?|façons?|dettes?|demandes?|réponses?|questions?|offres?|primes?|victimes?|centrales?)"
)
MASCULINE = frozenset(
    "été côté comité musée lycée trophée incendie silence génie parapluie scarabée traité arrêté "
    "député comté pâté stade grade murmure squelette".split()
)
