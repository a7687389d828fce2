"""Italian words whose stress or vowel depends on what they mean."""

from __future__ import annotations

from engines.kokoro.respelling import Homograph, Homographs

_ARTICLE = (
    r"il|lo|la|i|gli|le|un|uno|una|l'|un'|(?:d|n|s|da|a|su)(?:el|al|ul)|(?:de|a|da|ne|su)"
    r"(?:l|i|gli|lla|lle|llo|ll')|questo|quel|quello|ogni|di|mio|tuo|suo|nostro|vostro|loro"
)
_THE = r"il|i|gli|le|la|lo|un|una|uno|l'\w+|dei|delle|degli"
_HAVING = (
    r"(?:ho|hai|ha|abbiamo|avete|hanno|avev[aoi]|avevano|avrà|avrò|avrebbe|avendo|aver|avere|abbia|"
    r"abbiano|avesse)(?: già| anche| sempre| mai)?"
)
_BEING = r"(?:è|sono|era|fu|viene|essere|sia) (?:stato )?|stato"
_ONE = r"il|un|del|al|dal|nel|quel|questo"
_LAW = r"la|una|della|alla|dalla|nella|sulla|per|di|ogni|questa|quella|nuova|stessa|proposta di"
_LAWS = r"le|delle|alle|dalle|nelle|sulle|queste|quelle|nuove|due|tre|di"

HOMOGRAPHS = Homographs(
    (
        Homograph("ancora", "àncora", before=r"(?:l|un|dell|all|dall|sull|quell)'"),
        Homograph("ancore", "àncore"),
        Homograph("pesca", "pèsca", before="una|mezza"),
        Homograph("pesche", "pèsche"),
        Homograph("principi", "prìncipi", after=r"azzurri|ereditari|reali|e (?:le )?principesse"),
        Homograph("principi", "prìncipi", before=r"(?:re|regine|principesse) e(?: i)?"),
        Homograph("principi", "princìpi"),
        Homograph(
            "capitano", "càpitano", unless=_ARTICLE,
            after="a|ai|alle|agli|spesso|sempre|mai|tutte|cose|quando|raramente|incidenti|guai|disastri|imprevisti",
        ),
        Homograph("subito", "subìto", before=_HAVING,
                  after=rf"{_THE}|molt[ie]|gravi|dann[io]|perdite|pressioni|torti"),
        Homograph("subita", "subìta"),
        Homograph("subiti", "subìti"),
        Homograph("seguito", "seguìto", before=rf"{_HAVING}|{_BEING}"),
        Homograph("perdono", "pèrdono", unless=rf"{_ARTICLE}|chied\w+|ti|vi",
                  after=rf"{_THE}|tempo|sempre|soldi|tutto|peso|sangue|molto"),
        Homograph("leggere", "leggère",
                  before=r"(?:le|delle|alle|queste|quelle|molte|alcune|due|tre) \w+e|più|molto"),
        Homograph("desideri", "desidèri",
                  before="i|dei|ai|sui|nei|tuoi|miei|suoi|nostri|vostri|loro|tre|due|molti|di|quei"),
        Homograph("turbine", "tùrbine", before=_ONE),
        Homograph("turbini", "tùrbini"),
        Homograph("tendine", "tèndine", before=_ONE),
        Homograph("tendine", "tendìne"),
        Homograph("tendini", "tèndini"),
        Homograph("nettare", "nèttare", before=_ONE),
        Homograph("condomini", "condòmini", before="i|dei|ai|tra"),
        Homograph("ambito", "ambìto", after="premio|trofeo|titolo|riconoscimento"),
        Homograph("balia", "balìa", before="in"),
        Homograph("pagano", "pàgano", unless=_ARTICLE),
        Homograph("viola", "vìola", unless=r"il|la|una|di|color\w*|in|e|fior[ei]",
                  after=rf"{_THE}|ogni"),
        Homograph("venti", "vènti", before="i|dei|ai|dai|forti|quattro"),
        Homograph("colto", "còlto", before=rf"{_HAVING}|{_BEING}"),
        Homograph("legge", "légge", before=_LAW),
        Homograph("leggi", "léggi", before=_LAWS),
        Homograph("dei", "dèi", before="gli|degli|agli"),
    )
)  # fmt: skip
