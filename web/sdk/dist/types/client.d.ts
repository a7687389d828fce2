/** A call with a VoicePeer service: the class that applications use. */
import type { CallEvents, CameBack } from "./call_events.js";
import { type Devices } from "./devices.js";
import { Emitter } from "./emitter.js";
import { Enrolment, type Consent } from "./enrolment.js";
import type { CallState } from "./lifecycle.js";
import { Microphone } from "./microphone.js";
import type { VoicePeerOptions } from "./options.js";
import { Room } from "./room.js";
import { type Fields } from "./shapes.js";
import { Speech } from "./speech.js";
import { type CallStats } from "./stats.js";
import { type Controls, type Delivery, type Utterance } from "./utterance.js";
import { Voices } from "./voices.js";
import type { Channel } from "./wire.js";
/**
 * One call, from `connect` to `close`. Methods that ask the service for something reject, and those
 * that only send throw, with a `VoicePeerError`.
 */
export declare class VoicePeer extends Emitter<CallEvents> {
    #private;
    /** The microphone of the call. */
    readonly microphone: Microphone;
    /** The voice that comes. */
    readonly speech: Speech;
    /** Voices that outlive the call. */
    readonly voices: Voices;
    /** Others who are in the call's room. */
    readonly room: Room;
    /** Make it in a click or key press: browsers let only those pages sound. Throws `misuse`. */
    constructor(options?: VoicePeerOptions);
    /** Where the call stands. */
    get state(): CallState;
    /** Names the call in the service's log and its API; empty before there is one. */
    get sessionId(): string;
    /** The peer connection of the moment, for what is not done here; another one after each reconnection. */
    get peerConnection(): RTCPeerConnection | null;
    /**
     * Wait until the service takes calls, ask for the microphone, and connect. Without a microphone the
     * call only listens, and a notice tells why. Once. Rejects with a `VoicePeerError`.
     */
    connect(): Promise<CameBack>;
    /** Hang up; harmless when it is over already. */
    close(): void;
    /** Let go of the call without ending it: another page, or this one after a reload, can `resume` it. */
    detach(): void;
    /** Let the service learn the voice of the microphone, whose speaker agrees to that. Throws `misuse`. */
    enrol(consent: Consent): Enrolment;
    /**
     * Say a text in the voice of the call: a whole one, or one that is still being written. Throws
     * `misuse` for what is no text or an empty one, and for settings that there are none of.
     */
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
    request<Name extends keyof Channel.Requests>(name: Name, fields: Channel.Requests[Name]): Promise<Fields>;
}
