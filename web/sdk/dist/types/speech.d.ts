/** The cloned voice as it comes: played here, measured, and given on as one lasting track. */
import type { Notify } from "./notices.js";
import type { Sound } from "./sound.js";
/** What is heard of the service. */
export declare class Speech {
    #private;
    /**
     * The voice as a track for any conference: the same one for the whole call, over all reconnections.
     * `null` where the browser has no Web Audio; then use `remoteTrack`.
     */
    readonly track: MediaStreamTrack | null;
    /** `audible`: whether it is played here, too, by `player` or by an element of its own. */
    constructor(sound: Sound, audible: boolean, notify: Notify, player?: HTMLAudioElement);
    /** The track as it comes over the connection: another one after each reconnection. */
    get remoteTrack(): MediaStreamTrack | null;
    /** RMS level of the last 0.2 s, in dB relative to full scale; -120 is silence. */
    get dbfs(): number;
    /** The last 0.2 s, for measuring; `null` before there is a connection or while sound is blocked. */
    samples(): {
        samples: Float32Array;
        rateHz: number;
    } | null;
    /** Whether it is silent here; the tracks sound all the same. */
    get muted(): boolean;
    set muted(muted: boolean);
    /** How loud it is played here, 0 to 1. */
    get volume(): number;
    set volume(volume: number);
    /** Play through another output, those in the room as well. Whether it does; where not, a notice tells why. */
    setOutput(deviceId: string): Promise<boolean>;
}
