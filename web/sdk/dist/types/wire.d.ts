/** The label of every envelope on the data channel. */
export declare const RTVI_LABEL = "rtvi-ai";
/** The protocol version that the service speaks. */
export declare const RTVI_VERSION = "2.1.0";
/** Largest data-channel message either way, in bytes. */
export declare const MAX_MESSAGE_BYTES = 15000;
/** Label of the channel that speaks OpenAI's Realtime events. */
export declare const REALTIME_LABEL = "oai-events";
/** What every message on the data channel is in. */
export interface Envelope<Type extends string = string, Data = unknown> {
    label: typeof RTVI_LABEL;
    type: Type;
    id?: string | number | null;
    data?: Data;
}
/** Messages on the WebSocket `/ws`, told apart by their `type`. */
export declare namespace Signaling {
    /** Ask for a session; `room` is the one that `room.join` is for, and WHEP players hear. */
    interface Join {
        type: "join";
        room?: string;
        name?: string;
        /** Key or token, where the service asks for one. */
        token?: string | null;
        /** Random and secret; joining again with it ends the client's earlier session in the room. */
        client_id?: string | null;
        /** Take the earlier session over instead, if it lives on (the socket broke, media did not) and the token has all rights that it was opened with; or else a new one opens in its place. */
        resume?: boolean;
        /** Go on in a new session, with a new connection, where the one of this token has ended: with its voice, what it had to say and its settings. A token is good once, and not for long. */
        resume_token?: string | null;
    }
    /** The client's session description (RFC 8829), of its call or of a second connection. The second one, `room`, hears the others of a room that the call has joined by `room.join`, each in an audio section of its own: it has `recvonly` sections only, and the first offer of it comes after the one of the call was answered. */
    interface Offer {
        type: "offer";
        sdp: string;
        connection?: "call" | "room";
    }
    /** A trickled ICE candidate (RFC 8838); an empty or absent one ends the candidates. */
    interface Candidate {
        type: "candidate";
        candidate?: string | null;
        sdpMid?: string | null;
        sdpMLineIndex?: number | null;
        connection?: "call" | "room";
    }
    /** End the session. */
    interface Leave {
        type: "leave";
    }
    /** Keeps proxies from closing an idle socket. */
    interface Ping {
        type: "ping";
    }
    /** The session exists; `ice_servers` is in the form RTCPeerConnection takes. */
    interface Joined {
        type: "joined";
        session_id: string;
        ice_servers: Array<Record<string, string | string[]>>;
        /** The earlier session goes on with its connection: no offer is needed. */
        resumed?: boolean;
        /** For another `join` when the connection is lost; keep it secret. */
        resume_token?: string | null;
        /** This session goes on where the one of the token has ended; an offer is needed. */
        restored?: boolean;
    }
    /** The service's session description. */
    interface Answer {
        type: "answer";
        sdp: string;
        connection?: "call" | "room";
    }
    /** Answer to `ping`. */
    interface Pong {
        type: "pong";
    }
    /** The service has ended the session, or another socket has taken it over. */
    interface Bye {
        type: "bye";
        /** One of a few fixed words, such as `client_left`, `shutting_down` or `internal`. */
        reason: string;
    }
    /** The room is open at another service of the same operator: join it there, with the same token. Comes in place of `joined`, to whoever has shown a good token; then the socket closes. Clients go there only from a service that they trust, never from `https` to `http`, and at most three times in a row. */
    interface Redirect {
        type: "redirect";
        /** Where that service is reached; its socket is at `/ws` below. */
        url: string;
    }
    /** A message was refused; the socket stays open unless `fatal`. */
    interface Fault {
        type: "error";
        code: string;
        message: string;
        fatal?: boolean;
    }
    type FromClient = Join | Offer | Candidate | Leave | Ping;
    type FromServer = Joined | Answer | Candidate | Pong | Bye | Redirect | Fault;
}
/** Messages on the data channel, by name. */
export declare namespace Channel {
    /** How `send-text` is taken; the defaults are those of RTVI, also where there is `null`. */
    interface SendTextOptions {
        /** Interrupt what is being said, instead of waiting for its end. */
        run_immediately?: boolean | null;
        /** Whether it is spoken at all; without, it only comes back as `bot-output`. */
        audio_response?: boolean | null;
    }
    /** One who is in the room. */
    interface RoomParticipant {
        participant: string;
        name: string;
        publish: "mic" | "voice" | "nothing";
        muted: boolean;
    }
    /** Whom you hear in one audio section of your connection to the room. */
    interface RoomSlot {
        mid: string;
        participant: string | null;
    }
    /** How much of a segment was heard, up to and including the word that has just begun. */
    interface SpokenProgress {
        accumulated_text: string;
        remaining_text: string;
    }
    /** A figure of the engine with the name in `processor`: seconds, or a number of characters. */
    interface Metric {
        processor: string;
        value: number;
    }
    /** The client has opened the channel; answered with `bot-ready`, which has the same id. A client that knows our own `utterance.*` events turns off those of RTVI about speech (`bot-tts-*`, `bot-*-speaking`, `bot-output`, `metrics`), which say the same again. */
    interface ClientReady {
        /** One that does not know its version is taken for one of ours. */
        version?: string | null;
        /** What the client is: `library`, `library_version`, `platform`. */
        about?: Record<string, unknown> | null;
        rtvi_events?: boolean;
    }
    /** Say this text as one utterance: there is no language model here that would answer it. */
    interface SendText {
        content: string;
        options?: SendTextOptions | null;
    }
    /** End the session; the client is told `peerLeft` before the connection closes. */
    interface DisconnectBot {
    }
    /** Say a whole text as one utterance. `priority` 1 to 9 goes before all that is less urgent and not heard yet. `pitch` is `pitch_semitones` on a scale from -0.5 to 0.5. Values that are left out are those of the last `controls.set`. `language` may be `auto`. With `ssml` the text is markup; what offsets count in is the text without it. `visemes` and `captions` ask for these events. */
    interface Speak {
        language?: string | null;
        voice_id?: string | null;
        priority?: number;
        speed?: number | null;
        pitch_semitones?: number | null;
        pitch?: number | null;
        energy?: number | null;
        volume?: number | null;
        pauses?: number | null;
        emotion?: string | null;
        emotion_strength?: number | null;
        ssml?: boolean;
        visemes?: boolean;
        captions?: boolean;
        utterance_id: string;
        text: string;
        interrupt?: boolean;
    }
    /** Add text to an utterance, opening it if it is new. Spoken as soon as a clause is complete. How it is delivered is settled by the message that opens it. */
    interface Append {
        language?: string | null;
        voice_id?: string | null;
        priority?: number;
        speed?: number | null;
        pitch_semitones?: number | null;
        pitch?: number | null;
        energy?: number | null;
        volume?: number | null;
        pauses?: number | null;
        emotion?: string | null;
        emotion_strength?: number | null;
        ssml?: boolean;
        visemes?: boolean;
        captions?: boolean;
        utterance_id: string;
        text: string;
        interrupt?: boolean;
    }
    /** Say what has been appended so far without waiting for the clause to end. */
    interface Flush {
        utterance_id: string;
    }
    /** No more text will be appended. */
    interface End {
        utterance_id: string;
    }
    /** Fall silent: one utterance, or all of them with `"*"`. */
    interface Cancel {
        utterance_id?: string;
    }
    /** Speak differently from now on: one utterance, or with `"*"` all, later ones too. The volume changes with the next frame, the rest with the next piece that is made. */
    interface SetControls {
        utterance_id?: string;
        speed?: number | null;
        pitch_semitones?: number | null;
        pitch?: number | null;
        energy?: number | null;
        volume?: number | null;
        pauses?: number | null;
        emotion?: string | null;
        emotion_strength?: number | null;
    }
    /** Words to be said in another way, in place of those set before; for utterances that follow. A value between slashes is IPA, any other a spelling. A word in small letters counts in any case. With `voice_id` they hold for that voice only, over those of the session. */
    interface SetLexicon {
        words: Record<string, string>;
        voice_id?: string | null;
    }
    /** Begin to learn the speaker of the microphone track, who has to agree to that. `consent` is their statement, `consent_version` which wording of yours it is. Or `consent_id` names a consent that was recorded over HTTP; if it was spoken, its speaker must be the one who is learned. With `match_channel` the voice sounds like the recording, its microphone and line included; without it, as the service is set up. */
    interface EnrolStart {
        consent?: string;
        name?: string | null;
        consent_id?: string | null;
        consent_version?: number;
        match_channel?: boolean | null;
    }
    /** Stop learning; the voice stays as it is. */
    interface EnrolStop {
    }
    /** Speak with a saved or stock voice from the next utterance on. */
    interface VoiceUse {
        voice_id: string;
    }
    /** Speak with a mix of voices from the next utterance on; answered with `voice.selected`. `weights` maps ids of voices to weights over 0. The id of the mix in the answer can be used wherever one of a voice can; a mix ends when one of its voices is deleted. */
    interface VoiceMix {
        weights: Record<string, number>;
    }
    /** Keep the voice of this call after the call. */
    interface VoiceSave {
        name: string;
    }
    /** Ask for the session's counters; answered with `stats`. */
    interface StatsGet {
    }
    /** Change settings of this session; what is absent stays. Answered with `session.configured`. With `barge_in` whoever speaks into the microphone interrupts what is being said, after `barge_in_min_ms` (100 to 5000) of speech that is not our own echo. */
    interface SessionConfigure {
        barge_in?: boolean | null;
        barge_in_min_ms?: number | null;
        /** Send `bot-audio-level` and `user-audio-level` about seven times a second. */
        audio_levels?: boolean | null;
        /** Send `utterance.similarity` after utterances in the voice that was learned in the call. */
        similarity?: boolean | null;
    }
    /** Let those in the session's room hear you, and be told of them; answered with `room.joined`. To hear them takes a second connection: another `offer` on `/ws`, with `connection` set to `room` and as many audio sections as voices are to be heard at once. */
    interface RoomJoin {
        /** What they hear: your microphone, what your session says, or nothing. */
        publish?: "mic" | "voice" | "nothing";
        /** Whom they see, in at most 64 characters; by default the name that the session has. */
        name?: string | null;
    }
    /** Leave the room; the session goes on. Answered with `room.left`. */
    interface RoomLeave {
    }
    /** Let the others hear something else of you. */
    interface RoomPublish {
        publish: "mic" | "voice" | "nothing";
    }
    /** Let the others hear nothing of somebody, or hear them again. Without a `participant` it is yourself. Others can be muted with the right to manage, and only they can end it. */
    interface RoomMute {
        muted: boolean;
        participant?: string | null;
    }
    /** Put somebody out of the room for a while, with the right to manage. */
    interface RoomKick {
        participant: string;
    }
    /** Put everybody out of the room, with the right to manage; they may come back at once. */
    interface RoomEnd {
    }
    /** Have the room recorded, or no longer, with the right to manage. Everybody there is told and asked by `room.recording`, you among them; whoever has not agreed is not recorded. */
    interface RoomRecord {
        on?: boolean;
    }
    /** Say whether you may be recorded; told to all by `room.recording`. You are recorded from this message on, or no longer from it on. What was recorded of you is deleted when you no longer agree, unless you let it stay. */
    interface RoomConsentRecording {
        agree: boolean;
        /** Whether what was recorded of you until now may stay; for when you no longer agree. */
        keep?: boolean;
    }
    /** Have what was recorded of you deleted, also when the recording has ended. It is to agree no more; answered with `room.recording_withdrawn`. You are the subject of your token, or without one the session, also after you have come back to it. */
    interface RoomWithdrawRecording {
        recording_id: string;
    }
    /** Answered with `pong`, and lets both sides notice a dead peer: send one every second. */
    interface Ping {
        sent_ms?: number;
    }
    /** The session is up; says what the engine can do. */
    interface BotReady {
        session_id: string;
        engine: string;
        provider: string;
        precision: string;
        languages: string[];
        version: string;
        /** What the service is: `library` and `library_version`. */
        about: Record<string, unknown>;
        /** This session goes on where one that was lost has ended. */
        resumed: boolean;
        /** Ids of the utterances that go on, in their order. */
        utterances: string[];
        /** Least and largest value of each control that the engine has: `speed` and so on. */
        controls: Record<string, number[]>;
        /** What `emotion` may be. */
        emotions: string[];
    }
    /** How enrolment is going; `quality` is 0 to 1, `hint` is for a person. */
    interface VoiceProgress {
        heard_s: number;
        needed_s: number;
        score: number;
        quality: number;
        snr_db?: number | null;
        hint?: string | null;
        /** The same for programs: `too_quiet`, `noisy`, `clipping`, `muffled`, `own_voice`, `no_speech`, `muted` or `several_speakers`. */
        hint_code?: string | null;
    }
    /** The voice can be spoken with; it will still get better. */
    interface VoiceUsable {
        voice_id: string;
        heard_s: number;
        score: number;
        quality: number;
        /** From the first speech heard to this event. */
        elapsed_ms: number;
    }
    /** The voice is as good as the needed seconds of speech make it. */
    interface VoiceReady {
        voice_id: string;
        heard_s: number;
        score: number;
        quality: number;
        elapsed_ms: number;
        /** From the last needed sample of speech to this event. */
        clone_ms: number;
    }
    /** The voice has become more like its speaker; later utterances are spoken with it. It was judged by a part of the speech that the search for it had not seen. `count` says how often that has happened to this voice. */
    interface VoiceRefined {
        voice_id: string;
        count: number;
    }
    /** The microphone gave nothing to clone from; the message says what to change. */
    interface VoiceRejected {
        message: string;
        /** A `hint_code`, `reference_rejected`, `engine_failed` or one about the consent. */
        code?: string;
    }
    /** The voice that the next utterance will be spoken with. */
    interface VoiceSelected {
        voice_id: string;
        name: string;
    }
    /** The voice of this call now outlives it. */
    interface VoiceSaved {
        voice_id: string;
        name: string;
    }
    /** The utterance is queued, `queued` utterances are before it. */
    interface Accepted {
        utterance_id: string;
        queued: number;
    }
    /** The first audible frame of the utterance was sent. */
    interface Started {
        utterance_id: string;
        /** From the text's arrival to this frame. */
        latency_ms: number;
    }
    /** A word that has just begun to be heard; times from the utterance's first frame. */
    interface Word {
        utterance_id: string;
        text: string;
        start_ms: number;
        end_ms: number;
        char_start: number;
        char_end: number;
    }
    /** A sound that has just begun to be heard, for lips: the mouth's shape and the sound in IPA. `viseme` is one of `sil PP FF TH DD kk CH SS nn RR aa E ih oh ou`. */
    interface Viseme {
        utterance_id: string;
        viseme: string;
        ipa: string;
        start_ms: number;
        end_ms: number;
    }
    /** A caption that has just begun to be heard: what was written, in one or two lines. It stands until the next one, or until the utterance is over. */
    interface Caption {
        utterance_id: string;
        text: string;
        start_ms: number;
        char_start: number;
        char_end: number;
    }
    /** The words were taken; `entries` of them. */
    interface LexiconSet {
        entries: number;
        voice_id?: string | null;
    }
    /** All of the utterance was sent. `audio_ms` is 0 where there was nothing to say. */
    interface Done {
        utterance_id: string;
        audio_ms: number;
        first_audible_ms: number | null;
        rtf: number | null;
        underruns: number;
    }
    /** The utterance ended early; `played_ms` of it were sent. */
    interface Cancelled {
        utterance_id: string;
        played_ms: number;
    }
    /** The utterance could not be (wholly) spoken; `retryable` says whether to send it again. */
    interface Failed {
        utterance_id: string;
        code: string;
        message: string;
        played_ms: number;
        retryable: boolean;
    }
    /** How like its speaker an utterance was; comes after its end, when nothing is being said. `cosine` is between speaker embeddings: of up to ten seconds of what was sent, and of the speech that the voice was learned from, which it was made to be like: against other speech of the same person it would be lower. */
    interface Similarity {
        utterance_id: string;
        cosine: number;
    }
    /** The session's settings, as they are now. */
    interface SessionConfigured {
        barge_in: boolean;
        barge_in_min_ms: number;
        audio_levels?: boolean;
        similarity?: boolean;
    }
    /** The session will end soon: what is being said may end, new text is refused. */
    interface SessionEnding {
        /** `shutting_down`. */
        reason: string;
        within_s: number;
    }
    /** The service has too much to do and makes do with less, or with other things than before. Sent when that changes, and to whoever joins meanwhile. `step` is how much, 0 being nothing; `steps` are some of `short_first_piece`, `light_listening`, `fewer_utterances` and `no_new_sessions`. */
    interface ServiceStatus {
        step: number;
        steps: string[];
    }
    /** You are in the room; `room.roster` tells who else is, if you may listen or manage. */
    interface RoomJoined {
        /** Your own id there. */
        participant: string;
        /** Whether you may mute and put out others. */
        manages?: boolean;
        /** Whether you may have the room recorded, and the service can do that. */
        records?: boolean;
    }
    /** Participants who are new to you or have changed, yourself among them; the others stay. */
    interface RoomRoster {
        participants: RoomParticipant[];
    }
    /** Somebody is in the room no more. */
    interface RoomGone {
        participant: string;
        reason: "left" | "kicked" | "room_ended" | "replaced" | "token_expired";
    }
    /** Those who speak now; told whenever that changes. */
    interface RoomSpeaking {
        participants: string[];
    }
    /** Who is heard in which of your audio sections; told whenever that changes. */
    interface RoomSlots {
        slots: RoomSlot[];
    }
    /** You are in the room no more; the session goes on. */
    interface RoomLeft {
        /** `replaced` is by a second participant of the same user. */
        reason: "left" | "kicked" | "room_ended" | "replaced" | "token_expired";
    }
    /** Whether the room is recorded; told whenever that changes, and to whoever comes. Ask your user whether they agree while `answer` is `null` and the state is not `off`, and let them see the state all the time. `on` is that somebody is recorded. */
    interface RoomRecording {
        state: "asked" | "on" | "off";
        recording_id: string;
        /** Who has asked for it, if you may know of others. */
        by?: string | null;
        /** Who is recorded now; of the others, if you may know of them. */
        recorded?: string[];
        /** Your own answer; `null` as long as there is none. */
        answer?: boolean | null;
        /** Why it has ended. */
        reason?: "stopped" | "room_ended" | "too_long" | "too_large" | "disk_full" | "failed" | "deleted" | null;
    }
    /** What there was of you in a recording is deleted, and all that was mixed of it. */
    interface RoomRecordingWithdrawn {
        recording_id: string;
    }
    /** Somebody speaks into the microphone; sent where `barge_in` is on. */
    interface UserStartedSpeaking {
    }
    /** They are silent again. */
    interface UserStoppedSpeaking {
    }
    /** What was being said was interrupted; `utterance.cancelled` told of each. */
    interface BotInterrupted {
    }
    /** The first audible frame of an utterance was sent. */
    interface BotStartedSpeaking {
    }
    /** An utterance that was heard is over, whether it came to its end or not. */
    interface BotStoppedSpeaking {
    }
    /** The engine begins with an utterance. */
    interface BotTtsStarted {
    }
    /** A word that has just begun to be heard. */
    interface BotTtsText {
        text: string;
    }
    /** Nothing more comes of the utterance. */
    interface BotTtsStopped {
    }
    /** A segment of what is said: a clause or a sentence, and how much of it was heard. It comes as `new`, then with each word as `in-progress`, and with the last as `completed`. A segment that is cut short stays where it was. */
    interface BotOutput {
        text: string;
        aggregated_by: string;
        segment_id?: number | null;
        will_be_spoken: boolean;
        spoken_status?: "new" | "in-progress" | "completed" | null;
        spoken_progress?: SpokenProgress | null;
    }
    /** Figures of one utterance: `ttfb` when it begins to be heard, the others at its end. `ttfb` is from the text to the first *audible* frame. */
    interface Metrics {
        ttfb?: Metric[] | null;
        processing?: Metric[] | null;
        characters?: Metric[] | null;
    }
    /** How loud the last 150 ms were that we sent: 0 to 1, which are -60 dBFS and full scale. */
    interface BotAudioLevel {
        value: number;
    }
    /** How loud the last 150 ms of the microphone were, in the same way. */
    interface UserAudioLevel {
        value: number;
    }
    /** Answer to the `client-message` with the same id: it was done; `t` is its name. `d` has the fields of what answers it, where something does: of `stats` for `stats.get`, of `pong` for `ping`. A `client-message` without an id gets that as a `server-message`. */
    interface ServerResponse {
        t: string;
        d: Record<string, unknown>;
    }
    /** Answer to the `client-message` with the same id: it was refused. */
    interface ErrorResponse {
        error: string;
        code: string;
        fatal: boolean;
        utterance_id?: string | null;
    }
    /** Something the client sent, or the session itself, is at fault. After a `fatal` one there is no point in going on. `message` says the same as `error`, for clients of RTVI 1. */
    interface Error {
        error: string;
        code: string;
        fatal: boolean;
        utterance_id?: string | null;
        message: string;
    }
    /** Counters of the session so far. */
    interface Stats {
        frames_sent: number;
        underruns: number;
        stale_dropped: number;
        mic_frames: number;
        mic_frames_lost: number;
        mic_frames_concealed: number;
        lead_ms: number;
        utterances: number;
        /** Of speech, with samples that were no numbers or out of range. */
        chunks_repaired?: number;
        /** Not sent because the service stood still for longer than can be caught up with. */
        frames_skipped?: number;
        /** That could not be encoded; silence was sent. */
        frames_failed?: number;
        /** What speech is encoded with at present; follows your receiver reports. */
        bitrate_bps?: number;
        /** What its forward error correction is made for. */
        loss_expected_percent?: number;
    }
    /** Answer to `ping` with the same `sent_ms`. */
    interface Pong {
        sent_ms?: number;
    }
    /** `data` of what a client sends, by `type`. */
    interface FromClient {
        "client-ready": ClientReady;
        "send-text": SendText;
        "disconnect-bot": DisconnectBot;
    }
    /** `d` of a `client-message`, by its `t`. */
    interface Requests {
        "utterance.speak": Speak;
        "utterance.append": Append;
        "utterance.flush": Flush;
        "utterance.end": End;
        "utterance.cancel": Cancel;
        "controls.set": SetControls;
        "lexicon.set": SetLexicon;
        "enrol.start": EnrolStart;
        "enrol.stop": EnrolStop;
        "voice.use": VoiceUse;
        "voice.mix": VoiceMix;
        "voice.save": VoiceSave;
        "stats.get": StatsGet;
        "session.configure": SessionConfigure;
        "room.join": RoomJoin;
        "room.leave": RoomLeave;
        "room.publish": RoomPublish;
        "room.mute": RoomMute;
        "room.kick": RoomKick;
        "room.end": RoomEnd;
        "room.record": RoomRecord;
        "room.consent_recording": RoomConsentRecording;
        "room.withdraw_recording": RoomWithdrawRecording;
        "ping": Ping;
    }
    /** `data` of what the service sends, by `type`. */
    interface FromServer {
        "bot-ready": BotReady;
        "user-started-speaking": UserStartedSpeaking;
        "user-stopped-speaking": UserStoppedSpeaking;
        "bot-interrupted": BotInterrupted;
        "bot-started-speaking": BotStartedSpeaking;
        "bot-stopped-speaking": BotStoppedSpeaking;
        "bot-tts-started": BotTtsStarted;
        "bot-tts-text": BotTtsText;
        "bot-tts-stopped": BotTtsStopped;
        "bot-output": BotOutput;
        "metrics": Metrics;
        "bot-audio-level": BotAudioLevel;
        "user-audio-level": UserAudioLevel;
        "server-response": ServerResponse;
        "error-response": ErrorResponse;
        "error": Error;
    }
    /** `d` of a `server-message`, by its `t`. */
    interface Events {
        "voice.progress": VoiceProgress;
        "voice.usable": VoiceUsable;
        "voice.ready": VoiceReady;
        "voice.refined": VoiceRefined;
        "voice.rejected": VoiceRejected;
        "voice.selected": VoiceSelected;
        "voice.saved": VoiceSaved;
        "utterance.accepted": Accepted;
        "utterance.started": Started;
        "utterance.word": Word;
        "utterance.viseme": Viseme;
        "utterance.caption": Caption;
        "lexicon.accepted": LexiconSet;
        "utterance.done": Done;
        "utterance.cancelled": Cancelled;
        "utterance.failed": Failed;
        "utterance.similarity": Similarity;
        "session.configured": SessionConfigured;
        "session.ending": SessionEnding;
        "service.status": ServiceStatus;
        "room.joined": RoomJoined;
        "room.roster": RoomRoster;
        "room.gone": RoomGone;
        "room.speaking": RoomSpeaking;
        "room.slots": RoomSlots;
        "room.left": RoomLeft;
        "room.recording": RoomRecording;
        "room.recording_withdrawn": RoomRecordingWithdrawn;
        "stats": Stats;
        "pong": Pong;
    }
}
/** Events on a channel that is called `oai-events`, told apart by their `type`. */
export declare namespace Realtime {
    /** Settings to be changed; what is absent stays. */
    interface SessionPatch {
        type?: string;
        audio?: AudioPatch;
        instructions?: string | null;
        output_modalities?: string[] | null;
    }
    /** Settings of audio; what is absent stays. */
    interface AudioPatch {
        input?: AudioInputPatch;
        output?: AudioOutputPatch;
    }
    /** Settings of what is heard; `null` turns the detection off. */
    interface AudioInputPatch {
        turn_detection?: TurnDetection | null;
    }
    /** That the user's speech is listened for, and whether it interrupts. */
    interface TurnDetection {
        type?: string;
        interrupt_response?: boolean;
    }
    /** Settings of what is said. */
    interface AudioOutputPatch {
        voice?: string | VoiceId | null;
        speed?: number | null;
    }
    /** The other way to name a voice. */
    interface VoiceId {
        id: string;
    }
    /** A `message` of a role, or an `item_reference` to one. */
    interface Item {
        type?: string;
        id?: string | null;
        object?: string | null;
        role?: string | null;
        status?: string | null;
        content?: ContentPart[];
    }
    /** Content of an item: `input_text`, `output_text` or `output_audio` with a transcript. In the events about a part itself the types are `audio` and `text`. */
    interface ContentPart {
        type: string;
        text?: string | null;
        transcript?: string | null;
    }
    /** What to say and how; all else of OpenAI's parameters is for a language model. */
    interface ResponseParams {
        /** Say the texts of these; `item_reference` stands for an earlier item. */
        input?: Item[] | null;
        /** Say this, where there is no `input`. */
        instructions?: string | null;
        conversation?: string | null;
        metadata?: Record<string, string> | null;
        output_modalities?: string[] | null;
        audio?: AudioPatch | null;
    }
    /** What is at fault: `type` is `invalid_request_error` or `server_error`. */
    interface ErrorDetails {
        message: string;
        type: string;
        code: string;
        param?: string | null;
        event_id?: string | null;
    }
    /** All settings that are in effect. */
    interface Session {
        type: "realtime";
        id: string;
        audio: Audio;
        object?: string;
        model?: string;
        output_modalities?: string[];
        instructions?: string;
    }
    /** Settings of audio, as they are. */
    interface Audio {
        input?: AudioInput | null;
        output?: AudioOutput;
    }
    /** Settings of what is heard, as they are; without a detection nothing is listened for. */
    interface AudioInput {
        turn_detection?: TurnDetection | null;
    }
    /** Settings of what is said, as they are; without a voice one has to be learned or chosen. */
    interface AudioOutput {
        voice?: string | null;
        speed?: number | null;
    }
    /** A text that is said, with the one item in which it is. */
    interface Response {
        id: string;
        status: "in_progress" | "completed" | "cancelled" | "failed";
        object?: string;
        status_details?: StatusDetails | null;
        output?: Item[];
        output_modalities?: string[];
        conversation_id?: string | null;
        metadata?: Record<string, string> | null;
        audio?: Audio | null;
    }
    /** More about how a response ended. A cancelled one has the `reason` `client_cancelled`, or `turn_detected` where something else than this channel has silenced it: the user's speech, or a message on another channel. */
    interface StatusDetails {
        type: "in_progress" | "completed" | "cancelled" | "failed";
        reason?: string | null;
        error?: ResponseError | null;
    }
    /** Why a response failed. */
    interface ResponseError {
        type: string;
        code: string;
        message: string;
    }
    /** Change settings; answered with `session.updated`, which has all that are in effect. `audio.output.voice` is the id of a stock, saved or learned voice, `audio.output.speed` what the engine can do, and `audio.input.turn_detection` turns interruption by the user's speech on, or off with `null`. `instructions` have no effect, because there is no language model. */
    interface SessionUpdate {
        type: "session.update";
        session: SessionPatch;
        event_id?: string | null;
    }
    /** Keep a text for the next `response.create`, which says it. Texts of the roles `user` and `assistant` are said; those of `system` are not. */
    interface ItemCreate {
        type: "conversation.item.create";
        item: Item;
        /** Taken, but items stay in the order in which they came. */
        previous_item_id?: string | null;
        event_id?: string | null;
    }
    /** Ask for an item; answered with `conversation.item.retrieved`. */
    interface ItemRetrieve {
        type: "conversation.item.retrieve";
        item_id: string;
        event_id?: string | null;
    }
    /** Forget an item; what is being said of it goes on. */
    interface ItemDelete {
        type: "conversation.item.delete";
        item_id: string;
        event_id?: string | null;
    }
    /** Forget what was not heard of an item that was said. The answer has the time up to which it was heard, which is at most `audio_end_ms`. */
    interface ItemTruncate {
        type: "conversation.item.truncate";
        item_id: string;
        content_index: number;
        audio_end_ms: number;
        event_id?: string | null;
    }
    /** Say exactly this text: of `input`, else `instructions`, else of items not said yet. A response that is asked for while another is said comes after it. */
    interface ResponseCreate {
        type: "response.create";
        response?: ResponseParams | null;
        event_id?: string | null;
    }
    /** Fall silent: one response, or the one that is being said. */
    interface ResponseCancel {
        type: "response.cancel";
        response_id?: string | null;
        event_id?: string | null;
    }
    /** Fall silent: all responses. */
    interface OutputAudioBufferClear {
        type: "output_audio_buffer.clear";
        event_id?: string | null;
    }
    /** An event was refused, or the session itself is at fault; the session goes on. */
    interface ErrorEvent {
        type: "error";
        error: ErrorDetails;
        event_id: string;
    }
    /** The first event: the channel is open, and these settings are in effect. */
    interface SessionCreated {
        type: "session.created";
        session: Session;
        event_id: string;
    }
    /** These settings are in effect now; also sent when a voice has been learned. */
    interface SessionUpdated {
        type: "session.updated";
        session: Session;
        event_id: string;
    }
    /** An item exists. */
    interface ItemAdded {
        type: "conversation.item.added";
        item: Item;
        event_id: string;
    }
    /** An item will not change any more. */
    interface ItemDone {
        type: "conversation.item.done";
        item: Item;
        event_id: string;
    }
    /** The item that was asked for; of one that was said, what was heard of it. */
    interface ItemRetrieved {
        type: "conversation.item.retrieved";
        item: Item;
        event_id: string;
    }
    /** The item is forgotten. */
    interface ItemDeleted {
        type: "conversation.item.deleted";
        item_id: string;
        event_id: string;
    }
    /** Of the item only what was heard up to `audio_end_ms` is known any more. */
    interface ItemTruncated {
        type: "conversation.item.truncated";
        item_id: string;
        content_index: number;
        audio_end_ms: number;
        event_id: string;
    }
    /** Somebody speaks into the microphone; times from the opening of the channel. */
    interface SpeechStarted {
        type: "input_audio_buffer.speech_started";
        audio_start_ms: number;
        item_id: string;
        event_id: string;
    }
    /** They are silent again. */
    interface SpeechStopped {
        type: "input_audio_buffer.speech_stopped";
        audio_end_ms: number;
        item_id: string;
        event_id: string;
    }
    /** A response was accepted and will be said. */
    interface ResponseCreated {
        type: "response.created";
        response: Response;
        event_id: string;
    }
    /** A response is over: `completed`, `cancelled` or `failed`. */
    interface ResponseDone {
        type: "response.done";
        response: Response;
        event_id: string;
    }
    /** The one item of a response exists. */
    interface OutputItemAdded {
        type: "response.output_item.added";
        item: Item;
        output_index?: number;
        event_id: string;
        response_id: string;
    }
    /** The item of a response will not change any more. */
    interface OutputItemDone {
        type: "response.output_item.done";
        item: Item;
        output_index?: number;
        event_id: string;
        response_id: string;
    }
    /** The one content part of a response's item exists. */
    interface ContentPartAdded {
        type: "response.content_part.added";
        part: ContentPart;
        event_id: string;
        response_id: string;
        item_id: string;
        output_index?: number;
        content_index?: number;
    }
    /** The content part will not change any more. */
    interface ContentPartDone {
        type: "response.content_part.done";
        part: ContentPart;
        event_id: string;
        response_id: string;
        item_id: string;
        output_index?: number;
        content_index?: number;
    }
    /** The first audible frame of a response was sent. */
    interface OutputAudioBufferStarted {
        type: "output_audio_buffer.started";
        event_id: string;
        response_id: string;
    }
    /** Text up to and including a word that has just begun to be heard. */
    interface TranscriptDelta {
        type: "response.output_audio_transcript.delta";
        delta: string;
        event_id: string;
        response_id: string;
        item_id: string;
        output_index?: number;
        content_index?: number;
    }
    /** All that was heard of a response. */
    interface TranscriptDone {
        type: "response.output_audio_transcript.done";
        transcript: string;
        event_id: string;
        response_id: string;
        item_id: string;
        output_index?: number;
        content_index?: number;
    }
    /** No more audio comes of a response. */
    interface OutputAudioDone {
        type: "response.output_audio.done";
        event_id: string;
        response_id: string;
        item_id: string;
        output_index?: number;
        content_index?: number;
    }
    /** The last frame of a response was sent. */
    interface OutputAudioBufferStopped {
        type: "output_audio_buffer.stopped";
        event_id: string;
        response_id: string;
    }
    /** A response that was heard was silenced. */
    interface OutputAudioBufferCleared {
        type: "output_audio_buffer.cleared";
        event_id: string;
        response_id: string;
    }
    type FromClient = SessionUpdate | ItemCreate | ItemRetrieve | ItemDelete | ItemTruncate | ResponseCreate | ResponseCancel | OutputAudioBufferClear;
    type FromServer = ErrorEvent | SessionCreated | SessionUpdated | ItemAdded | ItemDone | ItemRetrieved | ItemDeleted | ItemTruncated | SpeechStarted | SpeechStopped | ResponseCreated | ResponseDone | OutputItemAdded | OutputItemDone | ContentPartAdded | ContentPartDone | OutputAudioBufferStarted | TranscriptDelta | TranscriptDone | OutputAudioDone | OutputAudioBufferStopped | OutputAudioBufferCleared;
}
/**
 * What messages look like, by their names, to check them by when types are gone: the types of their
 * fields, with `|null` where there may be `null`, and `?` where a field may be left out.
 */
export type Shapes = Readonly<Record<string, Readonly<Record<string, string>>>>;
/** What the service sends on the WebSocket. */
export declare const SIGNAL_SHAPES: Shapes;
/** What it sends on the data channel. */
export declare const MESSAGE_SHAPES: Shapes;
