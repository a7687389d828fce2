"""Hindi number words; every one below a hundred is a word of its own."""

from __future__ import annotations

_BELOW_HUNDRED = """
शून्य एक दो तीन चार पाँच छह सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह सोलह सत्रह अठारह उन्नीस
बीस इक्कीस बाईस तेईस चौबीस पच्चीस छब्बीस सत्ताईस अट्ठाईस उनतीस तीस इकतीस बत्तीस तैंतीस चौंतीस पैंतीस
छत्तीस सैंतीस अड़तीस उनतालीस चालीस इकतालीस बयालीस तैंतालीस चौवालीस पैंतालीस छियालीस सैंतालीस अड़तालीस
उनचास पचास इक्यावन बावन तिरपन चौवन पचपन छप्पन सत्तावन अट्ठावन उनसठ साठ इकसठ बासठ तिरसठ चौंसठ पैंसठ
छियासठ सड़सठ अड़सठ उनहत्तर सत्तर इकहत्तर बहत्तर तिहत्तर चौहत्तर पचहत्तर छिहत्तर सतहत्तर अठहत्तर उनासी
अस्सी इक्यासी बयासी तिरासी चौरासी पचासी छियासी सत्तासी अट्ठासी नवासी नब्बे इक्यानवे बानवे तिरानवे
चौरानवे पचानवे छियानवे सत्तानवे अट्ठानवे निन्यानवे
""".split()
_SCALES = (
    (10**11, "खरब"),
    (10**9, "अरब"),
    (10**7, "करोड़"),
    (10**5, "लाख"),
    (1000, "हज़ार"),
    (100, "सौ"),
)
MAX_CARDINAL = 10**13
_ORDINALS = {1: "पहल", 2: "दूसर", 3: "तीसर", 4: "चौथ", 6: "छठ"}
_GENDERS = {
    "ला": "ा", "रा": "ा", "था": "ा", "ठा": "ा", "ली": "ी", "री": "ी", "थी": "ी", "ठी": "ी", "ले": "े",
    "रे": "े", "थे": "े", "ठे": "े", "वाँ": "ा", "वां": "ा", "वीं": "ी", "वें": "े",
}  # fmt: skip

ENDINGS = tuple(sorted(_GENDERS, key=len, reverse=True))
"""What is written behind digits to make them ordinal."""


def cardinal(number: int) -> str:
    """ "बारह हज़ार तीन सौ पैंतालीस", by lakh and crore."""
    if number < 0:
        return f"माइनस {cardinal(-number)}"
    if number >= MAX_CARDINAL:
        return digits(str(number))
    if number < 100:
        return _BELOW_HUNDRED[number]
    parts: list[str] = []
    for scale, name in _SCALES:
        count, number = divmod(number, scale)
        if count:
            parts.append(f"{_BELOW_HUNDRED[count]} {name}")
    if number:
        parts.append(_BELOW_HUNDRED[number])
    return " ".join(parts)


def year(number: int) -> str:
    """A year: "उन्नीस सौ अट्ठानवे", "दो हज़ार छब्बीस"."""
    hundreds, rest = divmod(number, 100)
    if not 11 <= hundreds <= 19:
        return cardinal(number)
    said = f"{_BELOW_HUNDRED[hundreds]} सौ"
    return f"{said} {_BELOW_HUNDRED[rest]}" if rest else said


def ordinal(number: int, ending: str) -> str | None:
    """ "पहला", "दूसरी", "पाँचवें", by the written ending; None for nought."""
    if number < 1:
        return None
    sign = _GENDERS[ending]
    if number in _ORDINALS:
        return _ORDINALS[number] + sign
    nasal = "ं" if sign != "ा" else "ँ"
    said = "सौ" if number == 100 else cardinal(number)
    return f"{said}व{sign}{nasal}"


def digits(text: str) -> str:
    """Digits one by one; other characters are passed over."""
    return " ".join(_BELOW_HUNDRED[int(char)] for char in text if char in "0123456789")


def decimal(text: str) -> str:
    """A number as written, with commas between groups and a point before the fraction."""
    whole, point, fraction = text.replace(",", "").partition(".")
    coded = len(whole) > 1 and (whole.startswith("0") or (len(whole) > 9 and "," not in text))
    said = digits(whole) if coded else cardinal(int(whole or 0))
    return f"{said} दशमलव {digits(fraction)}" if point else said
