/** What a call tells its application. */
import type { Resumption } from "./connection.js";
import type { Incoming } from "./envelope.js";
import type { VoicePeerError } from "./errors.js";
import type { CallState } from "./lifecycle.js";
import type { MicrophoneState } from "./microphone.js";
import type { Notice, NoticeCode } from "./notices.js";
import type { RoomView } from "./room.js";
import type { Fault } from "./texts.js";
import type { Audible, SpokenWord, Utterance, UtteranceEnd } from "./utterance.js";
/** The call is over. */
export interface Closed {
    /** A word as in the service's `bye`. */
    reason: string;
    message: string;
    fault: Fault;
}
/** What happened to the connection. */
export interface CameBack {
    /** Everything goes on. Otherwise the session was lost, and this is a new one, set up alike. */
    restored: boolean;
    /** The voice was learned in the call that is lost: learn it again. */
    voiceLost: boolean;
}
/** Events, and what listeners are given. The service's own have the names and fields of docs/wire.md. */
export type CallEvents = Omit<Incoming, "error" | "server-response" | "error-response" | "pong"> & Record<NoticeCode, Notice> & {
    state: CallState;
    closed: Closed;
    reconnected: CameBack;
    /** Keep it (in `sessionStorage`, say) to go on after a reload. */
    resumption: Resumption;
    /** Of the service, about something that nobody waits for an answer to. */
    error: VoicePeerError;
    /** Every notice; each also comes under its code. */
    notice: Notice;
    microphone: MicrophoneState;
    /** The voice over a new connection. */
    track: MediaStreamTrack;
    /** An utterance begins to be heard here. */
    audible: {
        utterance: Utterance;
        audible: Audible;
    };
    /** A word begins to be heard here. */
    word: {
        utterance: Utterance;
        word: SpokenWord;
    };
    /** Somebody in the room has come, gone or changed, begins or ceases to speak or to be heard. */
    room: RoomView;
    finished: {
        utterance: Utterance;
        end: UtteranceEnd;
    };
};
