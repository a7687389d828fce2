/** A call's way to the service: kept up over lost sockets, lost connections and restarts. */
import { type Opened, type Outgoing } from "./envelope.js";
import { VoicePeerError } from "./errors.js";
import { Emitter } from "./emitter.js";
import { type CallState } from "./lifecycle.js";
import type { Channel, Signaling } from "./wire.js";
/** What lets another page, or this one after a reload, go on with the call. Keep it secret. */
export interface Resumption {
    token: string;
    clientId: string;
}
/** The connection was made anew. */
export interface Reconnected {
    /** The session goes on as it was; otherwise the service had forgotten it, and this is a new one. */
    restored: boolean;
    ready: Channel.BotReady;
}
/** What the connection tells. */
export interface ConnectionEvents {
    state: CallState;
    track: MediaStreamTrack;
    message: Opened;
    /** Of the connection that hears the room. */
    ears: Signaling.FromServer;
    /** The service does not take something that was sent on the socket. */
    refused: VoicePeerError;
    /** The service has said something that this client does not understand. */
    broken: undefined;
    resumption: Resumption;
    /** The connection is gone, and with it whatever was under way on it; another one is tried for. */
    lost: undefined;
    reconnected: Reconnected;
    /** Once; its code is the reason of `bye`, or one of ours. */
    ended: VoicePeerError;
}
/** Where to, and as whom. */
export interface ConnectionOptions {
    /** Of the service, with a path that ends in a slash where it is not at the root. */
    url: URL;
    token: () => Promise<string | null>;
    /** Makes of a refusal what is told of it. */
    refusal: (error: VoicePeerError) => VoicePeerError;
    room: string;
    name: string;
    rtc: RTCConfiguration;
    microphone: () => MediaStreamTrack | null;
    resume: Resumption | null;
    /** How often in a row to go where a service sends us. */
    redirects: number;
}
/** Makes the connection, and makes it again when it is lost. */
export declare class Connection extends Emitter<ConnectionEvents> {
    #private;
    constructor(options: ConnectionOptions);
    get state(): CallState;
    /** Of the call in the service's log and API; empty before the first connection. */
    get sessionId(): string;
    get pc(): RTCPeerConnection | null;
    /** The service that has the session; another one than was named where that has the room. */
    get service(): URL;
    /** For further connections to the same session. */
    get rtc(): RTCConfiguration;
    /** Send on the socket; whether there is one. */
    signal(signal: Signaling.FromClient): boolean;
    /** Connect; rejects with a `VoicePeerError`. `restored` where an earlier session goes on. */
    open(): Promise<Reconnected>;
    /** Send a message, at once or when the connection is back. Throws `not_connected` where there is none. */
    send<Name extends keyof Outgoing>(name: Name, fields: Outgoing[Name], id?: string): void;
    /** Bytes that wait to be sent. */
    get bufferedBytes(): number;
    /** Send another microphone from now on, or none. */
    replaceMicrophone(track: MediaStreamTrack | null): Promise<void>;
    /** Hang up; harmless when it is over already. */
    close(): void;
    /** Let go without ending the session, which the service keeps for whoever resumes it. */
    detach(): void;
}
