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
    /** Which one it leads to, after redirects. */
    readonly service: URL;
    private constructor();
    /**
     * Open a socket and join, at another service where this one says that it has the room.
     *
     * Rejects with a `VoicePeerError`: `unreachable`, the code with which the service refuses, or
     * `room_elsewhere` after so many `redirects`; its `detail` is the other service's address.
     */
    static join(service: URL, join: Signaling.Join, listener: SignalListener, redirects: number): Promise<[SignalSocket, Signaling.Joined]>;
    /** Send, unless the socket is closed; whether it was not. */
    send(signal: Signaling.FromClient): boolean;
    /** End the session. */
    leave(): void;
    /** Close without ending the session; the listener hears no more. */
    drop(): void;
}
/** A message of the service, or `null` for anything else. */
export declare function readSignal(data: unknown): Signaling.FromServer | null;
