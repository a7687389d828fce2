"""What the letter x sounds like in Portuguese, which is a matter of the word.

Beginnings and endings tell most of them (E. Bechara, "Moderna gramática portuguesa", on the five
values of x); what none of these rules has is "ch", as in "caixa".
"""

from __future__ import annotations

from engines.kokoro.graphemes import Rule

_VOWEL = "(?=h?[aeiouáéíóúâêôãõ])"
RULES = (
    Rule(r"x(?=[ií]m|ém)", "s", "pr[oó]|^m[aá]"),
    Rule(r"x(?=[ií]li)", "s", "au"),
    Rule(r"x", "s", "sint[aá]"),
    Rule(r"x(?=e)", "s", "^trou"),
    Rule(r"x(?=[ptcsq])", "s", "^|[eê]"),
    Rule(r"x$", "s", "^(?:fêni|féli|cáli)"),
    Rule(f"x{_VOWEL}", "z", "^(?:in|co|pre|re)?[eê]"),
    # Stems: "fixo", "reflexo", "fluxo", "complexo", "ortodoxo", "anexo", "sexo", "tóxico".
    Rule(r"x", "ks", "f[ií]|fl[eéu]|pl[eé]|d[oó]|n[eé]|s[eé]|t[oó]|nv[eé]|^h[eé]|gal[aá]|n[oó]"),
    Rule(r"x(?=[ií][dt]|ig)", "ks", "[oó]"),
    Rule(r"x(?=i[ao])", "ks", "[lr][eaé]"),
    Rule(r"x(?=[ií]c)", "ks", "l[eé]"),
    Rule(r"x(?=[ií]|ôn)", "ks", "^a"),
    Rule(r"x(?=[ií]|ono)", "ks", "^t[aá]"),
    Rule(r"x(?=il)", "ks", "ma"),
    Rule(r"x", "ks", "(?:^|-)(?:sa|bo)"),
    Rule(r"x(?=a[gd]|er)", "ks", "^mi"),
    Rule(r"x(?=el)", "ks", "^pi"),
    Rule(r"x(?=a)", "ks", "^te"),
    Rule(r"x$|x(?=w)", "ks"),
    Rule(r"x", "ʃ"),
)
"""In the order they are tried in."""
