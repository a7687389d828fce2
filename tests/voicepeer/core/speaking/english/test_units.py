from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.speaking.english import units

pytestmark = pytest.mark.unit

SYMBOLS = ["m", "kg", "s", "A", "K", "mol", "J", "kW", "km", "h", "ft", "lb", "L", "°C"]


@pytest.mark.parametrize(
    ("expression", "one", "many"),
    [
        ("m", "meter", "meters"),
        ("ft", "foot", "feet"),
        ("kHz", "kilohertz", "kilohertz"),
        ("mph", "mile per hour", "miles per hour"),
        ("mmHg", "millimeter of mercury", "millimeters of mercury"),
        ("sq ft", "square foot", "square feet"),
        ("m²", "square meter", "square meters"),
        ("m3", "cubic meter", "cubic meters"),
        ("s²", "second squared", "seconds squared"),
        ("s⁴", "second to the power of 4", "seconds to the power of 4"),
        ("m/s", "meter per second", "meters per second"),
        ("m/s²", "meter per second squared", "meters per second squared"),
        ("m·s⁻²", "meter per second squared", "meters per second squared"),
        ("kg·m²/s³", "kilogram square meter per second cubed",
         "kilogram square meters per second cubed"),
        ("N·m", "newton meter", "newton meters"),
        ("J/(kg·K)", "joule per kilogram kelvin", "joules per kilogram kelvin"),
        ("W/m2", "watt per square meter", "watts per square meter"),
        ("mg/dL", "milligram per deciliter", "milligrams per deciliter"),
        ("µs", "microsecond", "microseconds"),
    ],
)  # fmt: skip
def test_units_in_words(expression: str, one: str, many: str) -> None:
    assert units.said(expression, single=True) == one
    assert units.said(expression, single=False) == many


@given(st.lists(st.sampled_from(SYMBOLS), min_size=1, max_size=3), st.sampled_from(SYMBOLS))
def test_any_product_over_any_unit_is_said_with_one_per(above: list[str], below: str) -> None:
    expression = f"{'·'.join(symbol for symbol in above if symbol not in ('K', '°C'))}/{below}"
    if not re.fullmatch(units.EXPRESSION, expression):
        return
    said = units.said(expression, single=True)
    assert said.split().count("per") == 1
    assert not any(char in said for char in "·/°²³")


@pytest.mark.parametrize("text", ["/s", "m//s", "m/", "x/y", "mx", "m²²"])
def test_what_is_no_unit(text: str) -> None:
    assert re.fullmatch(units.EXPRESSION, text) is None
