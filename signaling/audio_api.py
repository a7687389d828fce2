"""Puts the endpoints of ``/v1/audio`` and ``/v1/models`` into an application."""

from __future__ import annotations

from aiohttp import web

from signaling import consent_routes, model_routes, speech_routes, voice_routes
from signaling.audio_answers import AUDIO
from signaling.audio_port import AudioService
from signaling.gate import GATE
from signaling.places import SPEECHES, UPLOADS, UPLOADS_AT_ONCE, Places


def add_audio_api(app: web.Application, audio: AudioService, max_speeches: int) -> None:
    """Serve speech, voices, consents and models; the application has its ``GATE`` already.

    ``max_speeches`` is how many texts are said at once.
    """
    tenants = len(app[GATE].access.tenants)
    app[AUDIO] = audio
    app[UPLOADS] = Places("uploads", UPLOADS_AT_ONCE, tenants)
    app[SPEECHES] = Places("texts", max_speeches, tenants)
    voices, consents = "/v1/audio/voices", "/v1/audio/voice_consents"
    # A path of its own must not be taken for a voice's, not even to tell which methods it takes.
    one_voice = f"{voices}/{{voice_id:(?!import$)[^/]+}}"
    one_consent = f"{consents}/{{consent_id}}"
    app.router.add_routes(
        [
            web.post("/v1/audio/speech", speech_routes.create_speech),
            web.get("/v1/models", model_routes.list_models),
            web.get("/v1/models/{model}", model_routes.retrieve_model),
            web.post(voices, voice_routes.create_voice),
            web.get(voices, voice_routes.list_voices),
            web.post(f"{voices}/import", voice_routes.import_voice),
            web.get(one_voice, voice_routes.retrieve_voice),
            web.post(one_voice, voice_routes.update_voice),
            web.delete(one_voice, voice_routes.delete_voice),
            web.get(f"{one_voice}/export", voice_routes.export_voice),
            web.post(consents, consent_routes.create_voice_consent),
            web.get(consents, consent_routes.list_voice_consents),
            web.get(one_consent, consent_routes.retrieve_voice_consent),
            web.post(one_consent, consent_routes.update_voice_consent),
            web.delete(one_consent, consent_routes.delete_voice_consent),
        ]
    )
