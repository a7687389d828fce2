"""Portuguese number words as in Brazil (sixteen is "dezesseis", 10**9 is "um bilhão")."""

from __future__ import annotations

_BELOW_TWENTY = (
    "zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze "
    "dezesseis dezessete dezoito dezenove".split()
)
_TENS = "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa".split()
_HUNDREDS = (
    "cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos "
    "novecentos".split()
)
_SCALES = ((10**9, "bilhão", "bilhões"), (10**6, "milhão", "milhões"))
_ORDINAL_UNITS = "primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono".split()
_ORDINAL_TENS = (
    "décimo vigésimo trigésimo quadragésimo quinquagésimo sexagésimo septuagésimo octogésimo "
    "nonagésimo".split()
)
_ORDINAL_HUNDREDS = (
    "centésimo ducentésimo trecentésimo quadringentésimo quingentésimo sexcentésimo "
    "septingentésimo octingentésimo noningentésimo".split()
)
MAX_CARDINAL = 10**12


def _below_thousand(number: int) -> str:
    if number == 100:
        return "cem"
    hundreds, rest = divmod(number, 100)
    parts = [_HUNDREDS[hundreds - 1]] if hundreds else []
    if rest >= 20:
        parts.append(_TENS[rest // 10 - 2])
        rest %= 10
    if rest:
        parts.append(_BELOW_TWENTY[rest])
    return " e ".join(parts)


def _linked(head: str, rest: int, tail: str) -> str:
    """Join a scale and what follows it: with "e" before round hundreds and less than a hundred."""
    return f"{head}{' e ' if rest < 100 or rest % 100 == 0 else ' '}{tail}"


def cardinal(number: int) -> str:
    """ "dois mil trezentos e quarenta e um", in the masculine form."""
    if number < 0:
        return f"menos {cardinal(-number)}"
    if number >= MAX_CARDINAL:
        return " ".join(_BELOW_TWENTY[int(digit)] for digit in str(number))
    if number == 0:
        return "zero"
    for scale, one, many in _SCALES:
        count, rest = divmod(number, scale)
        if count:
            head = f"{_below_thousand(count)} {one if count == 1 else many}"
            return _linked(head, rest, cardinal(rest)) if rest else head
    thousands, rest = divmod(number, 1000)
    if not thousands:
        return _below_thousand(rest)
    head = "mil" if thousands == 1 else f"{_below_thousand(thousands)} mil"
    return _linked(head, rest, _below_thousand(rest)) if rest else head


def before_noun(number: int, feminine: bool = False) -> str:
    """A cardinal in front of what it counts: "uma", "duas", "duzentas"."""
    said = cardinal(number)
    if not feminine:
        return said
    words = said.split()
    last_scale = max(
        (i for i, word in enumerate(words) if word.endswith(("hão", "hões"))), default=-1
    )
    return " ".join(word if i <= last_scale else _feminine(word) for i, word in enumerate(words))


def _feminine(word: str) -> str:
    if word.endswith("entos"):
        return f"{word[:-2]}as"
    return {"um": "uma", "dois": "duas"}.get(word, word)


def ordinal(number: int, ending: str = "o") -> str | None:
    """ "primeiro", "segunda" (a), "vigésimos" (ºs), "centésimo"; None beyond a thousand."""
    if not 1 <= number <= 1000:
        return None
    ending = ending.replace("º", "o").replace("°", "o").replace("ª", "a")
    if number == 1000:
        return f"milésim{ending}"
    hundreds, rest = divmod(number, 100)
    tens, units = divmod(rest, 10)
    words = [_ORDINAL_HUNDREDS[hundreds - 1]] if hundreds else []
    words += [_ORDINAL_TENS[tens - 1]] if tens else []
    words += [_ORDINAL_UNITS[units - 1]] if units else []
    return " ".join(word[:-1] + ending for word in words)
