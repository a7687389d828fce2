/** The browser's sound: one audio context and what may keep it from running. */
import type { Notify } from "./notices.js";
/** Plays, and tells when it may not. */
export declare class Sound {
    #private;
    /** `null` where the browser has no Web Audio. */
    readonly context: AudioContext | null;
    /** Make it in a click or key press where there is one: then nothing is blocked. */
    constructor(notify: Notify);
    /** Play an element's sound; from now on it matters whether that is allowed. */
    play(player: HTMLMediaElement): Promise<void>;
    /** Do not play it any more. */
    stop(player: HTMLMediaElement): void;
    /** Play everything else through the output that `leader` has taken, also what comes later. */
    follow(leader: HTMLMediaElement, deviceId: string): void;
    /** Try to play; by a click or key press on the page this happens by itself. Whether there is sound. */
    resume(): Promise<boolean>;
    /** Stop; the page may make another one. */
    close(): void;
}
