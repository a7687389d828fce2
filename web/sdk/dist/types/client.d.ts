/** A call with a VoicePeer service: the class that applications use. */
import { type Resumption } from "./connection.js";
import { type Devices } from "./devices.js";
import { Emitter, type Off } from "./emitter.js";
import { Enrolment, type Consent } from "./enrolment.js";
import type { Incoming } from "./envelope.js";
import { VoicePeerError } from "./errors.js";
import type { CallState } from "./lifecycle.js";
import { Microphone, type MicrophoneState } from "./microphone.js";
import { type Notice, type NoticeCode } from "./notices.js";
import { Speech } from "./speech.js";
import { type CallStats } from "./stats.js";
import { type Fault, type Language } from "./texts.js";
import { type Audible, type Controls, type Delivery, type SpokenWord, type Utterance, type UtteranceEnd } from "./utterance.js";
import { Voices } from "./voices.js";
import type { Channel } from "./wire.js";
/** A key, or what fetches one when it is needed: tokens of short life are asked for again. */
export type TokenSource = string | (() => string | null | Promise<string | null>);
/** Where to call, and how. */
export interface VoicePeerOptions {
    /** Of the service; by default the page's own address. */
    url?: string | URL;
    /** Where the service asks for a key. Give pages short-lived ones (docs/auth.md). */
    token?: TokenSource;
    room?: string;
    /** What others call the caller. */
    name?: string;
    /** `true` is the system's choice, a string a device's id, `false` a call that only listens. */
    microphone?: boolean | string | MediaStreamTrack;
    /** Play the voice here, too; turn that off where it goes into a conference. On by default. */
    audible?: boolean;
    /** What plays it, where the application wants to have it in its page. */
    player?: HTMLAudioElement;
    /** Go on with an earlier call, of an earlier page or before a reload. */
    resume?: Resumption;
    /** Of messages for people; the browser's by default. */
    language?: Language;
    /** In place of the ICE servers that the service names, and more. */
    rtc?: RTCConfiguration;
}
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
export type ClientEvents = Omit<Incoming, "error" | "server-response" | "error-response" | "pong"> & Record<NoticeCode, Notice> & {
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
    finished: {
        utterance: Utterance;
        end: UtteranceEnd;
    };
};
/**
 * One call, from `connect` to `close`. Methods that ask the service for something reject, and those
 * that only send throw, with a `VoicePeerError`.
 */
export declare class VoicePeer extends Emitter<ClientEvents> {
    #private;
    /** The microphone of the call. */
    readonly microphone: Microphone;
    /** The voice that comes. */
    readonly speech: Speech;
    /** Voices that outlive the call. */
    readonly voices: Voices;
    /** Of messages for people. */
    language: Language;
    /** Make it in a click or key press: browsers let only those pages sound. */
    constructor(options?: VoicePeerOptions);
    /** Where the call stands. */
    get state(): CallState;
    /** Names the call in the service's log and its API; empty before there is one. */
    get sessionId(): string;
    /** The peer connection of the moment, for what is not done here; another one after each reconnection. */
    get peerConnection(): RTCPeerConnection | null;
    /**
     * Wait until the service takes calls, ask for the microphone, and connect. Without a microphone the
     * call only listens, and a notice tells why. Rejects with a `VoicePeerError`.
     */
    connect(): Promise<CameBack>;
    /** Hang up; harmless when it is over already. */
    close(): void;
    /** Let go of the call without ending it: another page, or this one after a reload, can `resume` it. */
    detach(): void;
    /** Let the service learn the voice of the microphone, whose speaker agrees to that. */
    enrol(consent: Consent): Enrolment;
    /** Say a text in the voice of the call: a whole one, or one that is still being written. */
    speak(text: string | AsyncIterable<string>, delivery?: Delivery): Utterance;
    /** An utterance whose text is appended bit by bit. */
    open(delivery?: Delivery): Utterance;
    /** All that waits or is being said. */
    get utterances(): Utterance[];
    /** Fall silent, and say nothing of what waits. */
    cancel(): void;
    /** Speak differently from now on. */
    control(controls: Controls): Promise<void>;
    /** Say words in another way: a spelling, or IPA between slashes. */
    setLexicon(words: Record<string, string>, voiceId?: string): Promise<void>;
    /** Settings of the session, such as `{ barge_in: true }`: whether speech interrupts ours. */
    configure(settings: Channel.SessionConfigure): Promise<void>;
    /** What the connection has been like since the last time that this was asked. */
    stats(): Promise<CallStats | null>;
    /** The service's own counters of the session. */
    serviceStats(): Promise<Channel.Stats>;
    /** Microphones and outputs. */
    devices(): Promise<Devices>;
    /** ICE servers for connections of the application's own. */
    iceServers(): Promise<RTCIceServer[]>;
    /** Try again to play what the browser has blocked; clicks and keys do so by themselves. Whether there is sound. */
    resumeAudio(): Promise<boolean>;
    /** Send any message of docs/wire.md, for what has no method here; gives what it is answered with. */
    request<Name extends keyof Channel.Requests>(name: Name, fields: Channel.Requests[Name]): Promise<Record<string, unknown>>;
}
export type { Off };
