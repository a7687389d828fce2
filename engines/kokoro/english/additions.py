"""Words that the lexicon lacks and people type: products, formats, names, acronyms."""

from __future__ import annotations

SPELLED = frozenset(
    "api ui ux faq usb url cpu gpu sdk llm html css http https xml "
    "pdf vpn ip tcp udp ssl tls dns ssh sfu mcu rtp sctp dtls cto cfo hr dj uk eu bbc cnn nbc "
    "fbi cia irs ufo diy rsvp npm ios os ide ai tts stt asr vad pcm wps aws gcp ibm amd lg bmw vw "
    "ngo gdp ceo usa nsfw fyi btw omg wtf".split()
)
"""Acronyms that are spelled in lower case too."""

_ADDED: dict[str, tuple[str, str]] = {
    "airbnb": ("ˌɛɹbˌiɛnbˈi", "ˌɛːbˌiːɛnbˈiː"),
    "chatgpt": ("ʧˈæt ʤˌipˌitˈi", "ʧˈat ʤˌiːpˌiːtˈiː"),
    "debian": ("dˈɛbiən", "dˈɛbiən"),
    "deepseek": ("dˈipsˌik", "dˈiːpsiːk"),
    "ebay": ("ˈibˌA", "ˈiːbA"),
    "ethereum": ("ɪθˈɪɹiəm", "ɪθˈɪəɹiəm"),
    "firefox": ("fˈIəɹfˌɑks", "fˈIəfɒks"),
    "github": ("ɡˈɪthˌʌb", "ɡˈɪthʌb"),
    "gitlab": ("ɡˈɪtlˌæb", "ɡˈɪtlab"),
    "hermione": ("həɹmˈIəni", "həmˈIəni"),
    "ipad": ("ˈIpˌæd", "ˈIpad"),
    "iphone": ("ˈIfˌOn", "ˈIfQn"),
    "javascript": ("ʤˈɑvəskɹˌɪpt", "ʤˈɑːvəskɹɪpt"),
    "json": ("ʤˈAsən", "ʤˈAsən"),
    "kokoro": ("kəkˈɔɹO", "kəkˈɔːɹQ"),
    "kubernetes": ("kˌubəɹnˈɛɾiz", "kˌuːbənˈɛtiːz"),
    "microsoft": ("mˈIkɹəsˌɔft", "mˈIkɹəsɒft"),
    "misaki": ("mɪsˈɑki", "mɪsˈɑːki"),
    "nginx": ("ˌɛnʤɪn ˈɛks", "ˌɛnʤɪn ˈɛks"),
    "nguyen": ("wˈɪn", "wˈɪn"),
    "numpy": ("nˈʌmpˌI", "nˈʌmpI"),
    "onnx": ("ˈɑnɪks", "ˈɒnɪks"),
    "openai": ("ˈOpən ˌAˈI", "ˈQpən ˌAˈI"),
    "paypal": ("pˈApˌæl", "pˈApal"),
    "png": ("pˌiˌɛnʤˈi", "pˌiːˌɛnʤˈiː"),
    "pytorch": ("pˈItˌɔɹʧ", "pˈItɔːʧ"),
    "qwen": ("kwˈɛn", "kwˈɛn"),
    "reddit": ("ɹˈɛdɪt", "ɹˈɛdɪt"),
    "redis": ("ɹˈɛdɪs", "ɹˈɛdɪs"),
    "résumé": ("ɹˈɛzəmˌA", "ɹˈɛzjʊmA"),
    "résumés": ("ɹˈɛzəmˌAz", "ɹˈɛzjʊmAz"),
    "sean": ("ʃˈɔn", "ʃˈɔːn"),
    "siobhan": ("ʃəvˈɔn", "ʃəvˈɔːn"),
    "spotify": ("spˈɑtɪfˌI", "spˈɒtɪfI"),
    "sqlite": ("ˌɛs kjˌu ˈɛl lˈIt", "ˌɛs kjˌuː ˈɛl lˈIt"),
    "sudo": ("sˈudˌu", "sˈuːduː"),
    "tiktok": ("tˈɪktˌɑk", "tˈɪktɒk"),
    "toml": ("tˈɑməl", "tˈɒməl"),
    "uber": ("ˈubəɹ", "ˈuːbə"),
    "voicepeer": ("vˈYspˌɪɹ", "vˈYspɪə"),
    "wav": ("wˈAv", "wˈAv"),
    "webrtc": ("wˈɛb ˌɑɹtˌisˈi", "wˈɛb ˌɑːtˌiːsˈiː"),
    "whatsapp": ("wˈʌtsˌæp", "wˈɒtsap"),
    "wi-fi": ("wˈIfˌI", "wˈIfI"),
    "wifi": ("wˈIfˌI", "wˈIfI"),
    "wikipedia": ("wˌɪkɪpˈidiə", "wˌɪkɪpˈiːdiə"),
    "xavier": ("zˈAviəɹ", "zˈAviə"),
    "yaml": ("jˈæməl", "jˈaməl"),
    "youtube": ("jˈutˌub", "jˈuːtjuːb"),
    "zelenskyy": ("zəlˈɛnski", "zəlˈɛnski"),
    "zoe": ("zˈOi", "zˈQi"),
}


def addition(word: str, british: bool) -> str | None:
    """Phonemes of a word that is added here, whatever its capitals."""
    found = _ADDED.get(word.lower())
    return None if found is None else found[1 if british else 0]
