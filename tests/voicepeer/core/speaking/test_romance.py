"""What the tables of the Romance languages promise to their common rules."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voicepeer.core.speaking.french.reading import LOCALE as FRENCH
from voicepeer.core.speaking.italian.reading import LOCALE as ITALIAN
from voicepeer.core.speaking.normalize import normalize
from voicepeer.core.speaking.portuguese.reading import LOCALE as PORTUGUESE
from voicepeer.core.speaking.romance.locale import Locale
from voicepeer.core.speaking.spanish.reading import LOCALE as SPANISH

pytestmark = pytest.mark.unit

LOCALES = {"es": SPANISH, "fr": FRENCH, "it": ITALIAN, "pt-br": PORTUGUESE}
each_locale = pytest.mark.parametrize("locale", LOCALES.values(), ids=LOCALES)


def matched(pattern: str, candidates: list[str]) -> set[str]:
    return {text for text in candidates if re.fullmatch(pattern, text)}


CURRENCIES = (
    "€ $ £ ¥ ¢ ₹ R$ US$ C$ A$ EUR USD GBP JPY CHF CAD BRL MXN ARS COP INR euro euros reais".split()
)


@each_locale
def test_every_currency_that_is_found_has_a_name(locale: Locale) -> None:
    found = matched(locale.sign, CURRENCIES) | matched(locale.code, CURRENCIES)
    assert found <= locale.currencies.keys()
    assert {"€", "$", "£", "¥", "¢", "US$", "EUR", "USD"} <= found


@each_locale
def test_every_currency_with_a_name_is_found(locale: Locale) -> None:
    names = list(locale.currencies)
    assert matched(locale.sign, names) | matched(locale.code, names) >= {
        name for name in names if name not in ("euros",)
    }


@each_locale
def test_units_and_symbols_say_words(locale: Locale) -> None:
    said = [word for noun in locale.units.values() for word in (noun.one, noun.many)]
    said += [*locale.symbols.values(), *locale.per.values(), *locale.spelled.values()]
    said += [*locale.abbreviations.values(), *locale.before_numbers.values()]
    assert not [word for word in said if re.search(r"[\d$€£%@#*_`~^<>{}\\|=+&]", word)]
    assert "→" in locale.symbols
    assert "×" in locale.symbols
    assert locale.ending_abbreviations <= locale.abbreviations.keys()


@each_locale
def test_every_day_of_every_month_and_every_minute_is_said(locale: Locale) -> None:
    dates = {locale.date(day, month, None) for day in range(1, 32) for month in range(1, 13)}
    times = {locale.time(hour, minute) for hour in range(25) for minute in range(60)}
    assert len(dates) == 31 * 12
    assert len(times) == 25 * 60
    assert not [said for said in dates | times if re.search(r"\d", said)]
    assert all(re.search(rf"\b(?:{locale.months})\b", said) for said in dates)


PIECES = st.sampled_from(
    "1 2 3 12 ₹ ₿ लाख वाँ रु. 1.234 1,250.50 0,5 2026 12:30 14h30 17/08/2026 € $ £ ¢ R$ "
    "US$ EUR CHF % ° °C km h "
    "m² /h /s /mês - – x × + = / . , ; k M mi mld Md mil million millions d' de º ª er e ° XX II "
    "Louis p. n. etc. ... @a #b v1.2 a.b@c.de ½ mille milhões siglo secolo".split()
)


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=8), st.sampled_from(["", " "]), st.sampled_from([*LOCALES, "hi"]))
def test_numbers_and_signs_in_any_order_are_said_in_words(
    pieces: list[str], between: str, language: str
) -> None:
    said = normalize(between.join(pieces), language).text
    assert not re.search(r"[0-9$€£¢%@#*_`~^<>{}\\|=+&]", said)


@pytest.mark.parametrize("language", [*LOCALES, "hi"])
@pytest.mark.parametrize(
    "part", ["1-", "a-", "I.", "1 x ", "1.30-", "mar., ", "lun-", "$1-", "1€", "दिल्ली-1"]
)
def test_a_long_text_without_blanks_costs_no_more_than_its_length(language: str, part: str) -> None:
    text = part * (15_000 // len(part))
    began_s = time.process_time()
    normalize(text, language)
    # 0.02 to 0.2 s; 2 to 4 s when the worst of them were quadratic.
    assert time.process_time() - began_s < 1.5
