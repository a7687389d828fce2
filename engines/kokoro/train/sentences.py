"""Short English sentences in Kokoro's phonemes, rich in sounds; samples are cut from them.

The first thirteen are Harvard and TIMIT sentences, phonemes are those of the shipped lexicon.
"""

from __future__ import annotations

SENTENCES = (
    # The quick brown fox jumps over the lazy dog.
    "ðə kwˈɪk bɹˈWn fˈɑks ʤˈʌmps ˈOvəɹ ðə lˈAzi dˈɔɡ.",
    # She had your dark suit in greasy wash water all year.
    "ʃi hæd jʊɹ dˈɑɹk sˈut ɪn ɡɹˈisi wˈɔʃ wˈɔɾəɹ ˈɔl jˈɪɹ.",
    # Don't ask me to carry an oily rag like that.
    "dˈOnt ˈæsk mˌi tu kˈɛɹi æn ˈYli ɹˈæɡ lˈIk ðæt.",
    "ɐ lˈɑɹʤ sˈIz ɪn stˈɑkɪŋz ɪz hˈɑɹd tu sˈɛl.",  # A large size in stockings is hard to sell.
    "ðə bˈɜɹʧ kənˈu slˈɪd ˌɔn ðə smˈuð plˈæŋks.",  # The birch canoe slid on the smooth planks.
    "ɡlˈu ðə ʃˈit tu ðə dˈɑɹk blˈu bˈækɡɹˌWnd.",  # Glue the sheet to the dark blue background.
    "ðiz dˈAz ɐ ʧˈɪkən lˈɛɡ ɪz ɐ ɹˈɛɹ dˈɪʃ.",  # These days a chicken leg is a rare dish.
    "ðə ʤˈus ʌv lˈɛmənz mˌAks fˈIn pˈʌnʧ.",  # The juice of lemons makes fine punch.
    "fˈɔɹ ˈWəɹz ʌv stˈɛdi wˈɜɹk fˈAst ˌʌs.",  # Four hours of steady work faced us.
    "ðə bˈY wʌz ðɛɹ wˌɛn ðə sˈʌn ɹˈOz.",  # The boy was there when the sun rose.
    "ɐ ɹˈɑd ɪz jˈuzd tu kˈɛʧ pˈɪŋk sˈæmən.",  # A rod is used to catch pink salmon.
    # The source of the huge river is the clear spring.
    "ðə sˈɔɹs ʌv ðə hjˈuʤ ɹˈɪvəɹ ɪz ðə klˈɪɹ spɹˈɪŋ.",
    "hˈɛlp ðə wˈʊmən ɡɛt bˈæk tu hɜɹ fˈit.",  # Help the woman get back to her feet.
    # We were away a year ago, on a very rainy evening.
    "wi wɜɹ əwˈA ɐ jˈɪɹ əɡˈO, ˌɔn ɐ vˈɛɹi ɹˈAni ˈivnɪŋ.",
    # Please call me whenever you have a moment to talk.
    "plˈiz kˈɔl mˌi wənˈɛvəɹ ju hæv ɐ mˈOmᵊnt tu tˈɔk.",
    # I think this is going to be a beautiful journey.
    "ˈI θˈɪŋk ðɪs ɪz ɡˈOɪŋ tu bi ɐ bjˈuɾəfəl ʤˈɜɹni.",
    # Why would anybody choose to live in such a place?
    "wˌI wʊd ˈɛnibˌɑdi ʧˈuz tu lˈIv ɪn sˈʌʧ ɐ plˈAs?",
    # Good morning, how may I help you with your order?
    "ɡˈʊd mˈɔɹnɪŋ, hˌW mˈA ˈI hˈɛlp ju wɪð jʊɹ ˈɔɹdəɹ?",
    # Nobody knows exactly what happened on that Thursday.
    "nˈObˌɑdi nˈOz ɪɡzˈæktli wˌʌt hˈæpənd ˌɔn ðæt θˈɜɹzdˌA.",
    # My mother always made us soup when the weather was cold.
    "mI mˈʌðəɹ ˈɔlwˌAz mˌAd ˌʌs sˈup wˌɛn ðə wˈɛðəɹ wʌz kˈOld.",
    # Yes, but you should really see the other garden first.
    "jˈɛs, bˌʌt ju ʃˌʊd ɹˈiᵊli sˈi ðə ˈʌðəɹ ɡˈɑɹdən fˈɜɹst.",
    # He picked up the phone and quietly dialled the number.
    "hi pˈɪkt ˌʌp ðə fˈOn ænd kwˈIətli dˈIᵊld ðə nˈʌmbəɹ.",
    # Could you tell me which train goes to the airport?
    "kʊd ju tˈɛl mˌi wˌɪʧ tɹˈAn ɡˈOz tu ðə ˈɛɹpˌɔɹt?",
    # The children laughed as the little puppy chased its tail.
    "ðə ʧˈɪldɹᵊn lˈæft æz ðə lˈɪɾᵊl pˈʌpi ʧˈAst ɪts tˈAl.",
    # Every measure of pleasure has its usual price.
    "ˈɛvəɹi mˈɛʒəɹ ʌv plˈɛʒəɹ hæz ɪts jˈuʒəwəl pɹˈIs.",
    # Oh no, the boy joined the choir without a choice.
    "ˈO nˈO, ðə bˈY ʤˈYnd ðə kwˈIəɹ wɪðˈWt ɐ ʧˈYs.",
    # Young thieves bathe in the shallow southern pools.
    "jˈʌŋ θˈivz bˈAð ɪn ðə ʃˈælO sˈʌðəɹn pˈulz.",
    # Father's car is parked far from the palm garden.
    "fˈɑðəɹz kˈɑɹ ɪz pˈɑɹkt fˈɑɹ fɹʌm ðə pˈɑlm ɡˈɑɹdən.",
    # It is just about time to go out and shout aloud.
    "ɪt ɪz ʤˈʌst əbˈWt tˈIm tu ɡˌO ˈWt ænd ʃˈWt əlˈWd.",
    # Which visions of Asia did the judge manage to imagine?
    "wˌɪʧ vˈɪʒənz ʌv ˈAʒə dˈɪd ðə ʤˈʌʤ mˈænɪʤ tu ɪmˈæʤən?",
    # Bring me the long string hanging from the ceiling.
    "bɹˈɪŋ mˌi ðə lˈɔŋ stɹˈɪŋ hˈæŋɪŋ fɹʌm ðə sˈilɪŋ.",
    # Five violet waves washed over the western shore.
    "fˈIv vˈIᵊlət wˈAvz wˈɔʃt ˈOvəɹ ðə wˈɛstəɹn ʃˈɔɹ.",
)
