/** One peer connection with its data channel; when it is lost another one is made. */
import { type Opened } from "./envelope.js";
import { VoicePeerError } from "./errors.js";
import { type Channel, type Signaling } from "./wire.js";
/** What a link needs. */
export interface LinkOptions {
    rtc: RTCConfiguration;
    /** May be `null`: then nothing is sent until `replaceMicrophone`. */
    microphone: MediaStreamTrack | null;
    send: (signal: Signaling.FromClient) => void;
    listener: LinkListener;
}
/** What a link tells. */
export interface LinkListener {
    track(track: MediaStreamTrack): void;
    message(message: Opened): void;
    /** Something came that cannot be understood. */
    broken(): void;
    /** Media has stopped (`false`) or flows again. */
    flows(flowing: boolean): void;
    /** Nothing will come of this link any more; once. */
    lost(reason: string): void;
}
/** A connection to a session. */
export declare class Link {
    #private;
    readonly pc: RTCPeerConnection;
    /** Nothing happens before `connect`. */
    constructor(options: LinkOptions);
    /** Offer, and wait until messages can be sent; rejects with a `VoicePeerError`. */
    connect(): Promise<Channel.BotReady>;
    /** Take what the service says on the socket about this link. */
    signal(signal: Signaling.FromServer): void;
    /** Stop waiting for the connection to come about; nothing once it has. */
    fail(error: VoicePeerError): void;
    /** Send on the data channel; whether that was possible. */
    send(text: string): boolean;
    /** Bytes that wait to be sent. */
    get bufferedBytes(): number;
    /** Send another microphone from now on, or none. */
    replaceMicrophone(track: MediaStreamTrack | null): Promise<void>;
    /** Close; nothing that it still says counts. */
    close(): void;
}
/** A candidate as the browser takes it. */
export declare function iceCandidate({ candidate, sdpMid, sdpMLineIndex }: Signaling.Candidate): RTCIceCandidateInit;
