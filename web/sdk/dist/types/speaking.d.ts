/** All texts of a call: sent, followed by ear, and ended. */
import type { Outgoing } from "./envelope.js";
import { VoicePeerError } from "./errors.js";
import { type Audible, type Controls, type Delivery, type SpokenWord, Utterance, type UtteranceEnd } from "./utterance.js";
import type { Channel } from "./wire.js";
/** What speaking needs of its call. */
export interface SpeakingPort {
    send<Name extends keyof Outgoing>(name: Name, fields: Outgoing[Name]): void;
    bufferedBytes(): number;
    set(utteranceId: string, controls: Controls): Promise<void>;
    /** The last of what is heard; `null` where nothing can be measured. */
    samples(): {
        samples: Float32Array;
        rateHz: number;
    } | null;
    audible(utterance: Utterance, audible: Audible): void;
    word(utterance: Utterance, word: SpokenWord): void;
    finished(utterance: Utterance, end: UtteranceEnd): void;
}
/** One per call. */
export declare class Speaking {
    #private;
    constructor(port: SpeakingPort);
    /** All that are not over, in the order in which they were asked for. */
    get utterances(): Utterance[];
    /** Say a text that is known, or one that is still being written. Throws `not_connected` and `misuse`. */
    speak(text: string | AsyncIterable<string>, delivery: Delivery): Utterance;
    /** An utterance to `append` to; it exists for the service with its first text. */
    open(delivery: Delivery): Utterance;
    /** The connection is lost, and the service may have forgotten what it was told on it. */
    interrupted(): void;
    /** The connection is back, and of what the service was told this goes on. */
    restored(ids: readonly string[]): void;
    /** The call is over, and everything that it had to say with it. */
    close(error: VoicePeerError): void;
    /** An error of the service about an utterance; whether it was one of these. */
    refused(id: string, error: VoicePeerError): boolean;
    started({ utterance_id: id, latency_ms: serviceMs }: Channel.Started): void;
    word(told: Channel.Word): void;
    done({ utterance_id: id, audio_ms: playedMs, underruns }: Channel.Done): void;
    cancelled({ utterance_id: id, played_ms: playedMs }: Channel.Cancelled): void;
    failed({ utterance_id: id, code, message, played_ms: playedMs }: Channel.Failed): void;
}
