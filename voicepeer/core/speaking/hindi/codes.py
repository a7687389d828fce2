"""Numbers of Hindi that nobody counts: postal codes, passwords, accounts."""

from __future__ import annotations

import re

from voicepeer.core.speaking.hindi import numerals
from voicepeer.core.speaking.hindi.vocabulary import LETTER
from voicepeer.core.speaking.rule import Rule, followed, preceded

_NUMBER = r"(?:नंबर|नम्बर|नं\.?|संख्या|सं\.?|क्रमांक|no\.?|number)"
_SECRET = (
    rf"(?<![A-Za-z])(?<!{LETTER})(?:OTP|ओटीपी|PIN|पिन|पिनकोड|CVV|सीवीवी|पासवर्ड|पासकोड"
    r"|(?:पिन|PIN|सुरक्षा|OTP)? ?कोड)"
)
_ACCOUNT = r"(?:मोबाइल|फ़ोन|फोन|व्हाट्सऐप|खाता|खाते की|अकाउंट|आधार|ट्रेन|गाड़ी|चेक|रोल|कार्ड|A/C)"
_BEFORE = re.compile(
    rf"(?:{_SECRET}(?: {_NUMBER})?|{_ACCOUNT} {_NUMBER})(?: (?:है|यह है))?\s?[:–-]?\s?$", re.I
)
_AFTER = re.compile(
    rf" (?:आपका|आपकी|मेरा|मेरी|यह|is your)(?: \S+)? (?:OTP|ओटीपी|PIN|पिन)(?!\w|{LETTER})"
)


def _code(match: re.Match[str]) -> str | None:
    if not (preceded(match, _BEFORE) or followed(match, _AFTER)):
        return None
    return ", ".join(numerals.digits(group) for group in re.findall(r"\d+", match.group()))


def _postal(match: re.Match[str]) -> str:
    """Behind a place: "दिल्ली-110001"."""
    return f" {numerals.digits(match[1] or match[2])}"


RULES = (
    Rule(re.compile(r"(?<![\w.,])\d{3,}(?:[ -]\d{2,})*(?![\w/:]|[.,]\d)"), _code),
    Rule(
        re.compile(
            rf"(?<={LETTER})(?:[-–]([1-9]\d{{5}})(?![\w-]|[.,]\d|\s?(?:रु|रू|₹))"
            rf"|\s?[-–]\s([1-9]\d{{5}})(?=[.,;।)]?(?:$|\s(?:में|के|को|से|पर|तक|की|का|भारत)(?!{LETTER}))))"
        ),
        _postal,
    ),
)
