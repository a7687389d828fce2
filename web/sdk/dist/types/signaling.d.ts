/** The WebSocket on which a call is set up (docs/wire.md, "Signaling"). */
import type { Signaling } from "./wire.js";
/** What a socket tells; set before anything can come. */
export interface SignalListener {
    signal(signal: Signaling.FromServer): void;
    /** It is closed, by whichever side. */
    gone(): void;
}
/** One socket: joined once, then used for signals either way. */
export declare class SignalSocket {
    #private;
    private constructor();
    /**
     * Open a socket and join.
     *
     * Rejects with a `VoicePeerError`: `unreachable`, or the code with which the service refuses.
     */
    static join(url: URL, join: Signaling.Join, listener: SignalListener): Promise<[SignalSocket, Signaling.Joined]>;
    /** Send, unless the socket is closed; whether it was not. */
    send(signal: Signaling.FromClient): boolean;
    /** End the session. */
    leave(): void;
    /** Close without ending the session; the listener hears no more. */
    drop(): void;
}
/** A message of the service, or `null` for anything else. */
export declare function readSignal(data: unknown): Signaling.FromServer | null;
