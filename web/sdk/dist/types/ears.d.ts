/** The second connection of a call: it hears the others of its room, each in a section of their own. */
import { VoicePeerError } from "./errors.js";
import type { Signaling } from "./wire.js";
/** What ears need, and what they tell. */
export interface EarsPort {
    rtc(): RTCConfiguration;
    /** Whether it was sent: it is not while there is no socket. */
    send(signal: Signaling.FromClient): boolean;
    /** Play an element, or let go of it. */
    play(player: HTMLAudioElement): void;
    stop(player: HTMLAudioElement): void;
    /** Other tracks are there. */
    changed(): void;
    /** It is given up. */
    failed(error: VoicePeerError): void;
}
/** Kept up from `open` to `close`; made anew when it is lost. */
export declare class Ears {
    #private;
    constructor(port: EarsPort);
    /** What comes in a section, by its `mid`. */
    track(mid: string): MediaStreamTrack | null;
    /** Whether it is heard here. */
    get audible(): boolean;
    set audible(audible: boolean);
    /** How long to hold sound back at least, so that packets that come late are still in time. */
    get bufferMs(): number;
    set bufferMs(bufferMs: number);
    /** Hear so many at once, over the connection that there is or over a new one. */
    open(voices: number): void;
    /** Hear nobody any more. */
    close(): void;
    /** Take what the service says on the socket about this connection. */
    signal(signal: Signaling.FromServer): void;
    /** Whether a refusal, which does not say of what, is of the offer that waits for its answer. */
    refused(error: VoicePeerError): boolean;
}
