/** The microphone of a call: opened, lost, found again, chosen anew, noticed when it gives nothing. */
import { type Device } from "./devices.js";
import type { Notify } from "./notices.js";
/** `off` was never asked for or is turned off; all after `on` leave a call that can only listen. */
export type MicrophoneState = "off" | "on" | "denied" | "missing" | "busy" | "lost";
/** What a microphone needs. */
export interface MicrophonePort {
    /** Send this from now on. */
    send(track: MediaStreamTrack | null): Promise<void>;
    context(): AudioContext | null;
    notify: Notify;
    changed(state: MicrophoneState): void;
}
/** One per call. */
export declare class Microphone {
    #private;
    constructor(port: MicrophonePort);
    get state(): MicrophoneState;
    /** What is sent, or `null` in a call that only listens. */
    get track(): MediaStreamTrack | null;
    /** Which one is in use; `null` where there is none. */
    get device(): Device | null;
    /** RMS level of the last 0.3 to 0.7 s, in dB relative to full scale; -120 is silence. */
    get dbfs(): number;
    /** Whether silence is sent in place of what is said. */
    get muted(): boolean;
    set muted(muted: boolean);
    /**
     * Turn it on, or change to another device. Whether it is on then: where not, a notice tells why,
     * and the call goes on listening.
     */
    start(deviceId?: string | null): Promise<boolean>;
    /** Send a track of the application's own; it is never stopped here. */
    use(track: MediaStreamTrack): Promise<void>;
    /** Turn it off. */
    stop(): Promise<void>;
    /** Devices have come or gone: take the wanted one if it is back, any if there was none. */
    devicesChanged(): Promise<void>;
    /** Let go of the device. */
    close(): void;
}
