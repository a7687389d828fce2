/** One text that is said: what can be done with it, and what becomes of it. */
import type { VoicePeerError } from "./errors.js";
import type { Channel } from "./wire.js";
/** How a text is said; what is left out is as `controls.set` left it. */
export interface Delivery {
    /** BCP 47, or `auto`. */
    language?: string;
    voiceId?: string;
    /** 1 to 9 goes before all that is less urgent and not heard yet. */
    priority?: number;
    /** 0.5 to 2. */
    speed?: number;
    /** Semitones up or down. */
    pitchSemitones?: number;
    energy?: number;
    volume?: number;
    /** Length of pauses, 1 is natural. */
    pauses?: number;
    emotion?: string;
    /** 0 to 1. */
    emotionStrength?: number;
    /** The text is SSML; offsets count in it without its markup. */
    ssml?: boolean;
    visemes?: boolean;
    captions?: boolean;
    /** Silence what is being said first. */
    interrupt?: boolean;
}
/** Settings that can change while a text is said. */
export type Controls = Pick<Delivery, "speed" | "pitchSemitones" | "energy" | "volume" | "pauses" | "emotion" | "emotionStrength">;
/** A word that has just begun to be heard. */
export interface SpokenWord {
    text: string;
    /** Where it stands in the text, in UTF-16 units as `String.slice` counts them. */
    start: number;
    end: number;
    /** From the utterance's first frame. */
    startMs: number;
    endMs: number;
}
/** The text begins to be heard. */
export interface Audible {
    /** From the sending of the text to its first audible sound in this browser. */
    latencyMs: number;
    /** The share of it that the service took, from the arrival of the text to the sending of the sound. */
    serviceMs: number | null;
    /** Whether the sound itself was measured; else it is reckoned from the service's word. */
    measured: boolean;
}
/** How an utterance ended. */
export interface UtteranceEnd {
    how: "done" | "cancelled" | "failed" | "lost";
    /** Of its audio that was sent. */
    playedMs: number;
    /** Times that sound was missing in it. */
    underruns: number;
    /** Why it failed, or what became of the connection. */
    error: VoicePeerError | null;
}
/** What an utterance asks of its call. */
export interface UtterancePort {
    append(utterance: Utterance, text: string): void;
    flush(id: string): void;
    end(id: string): void;
    cancel(id: string): void;
    set(id: string, controls: Controls): Promise<void>;
}
/** A text that is queued, being said, or over. */
export declare class Utterance {
    #private;
    readonly id: string;
    /** When its first text was sent, by `performance.now()`. */
    readonly sentAt: number;
    constructor(id: string, text: string, port: UtterancePort, sentAt: number);
    /** All of its text so far. */
    get text(): string;
    /** When it begins to be heard; `null` if it ended before that. Never rejects. */
    get audible(): Promise<Audible | null>;
    /** When it is over, however that came. Never rejects. */
    get finished(): Promise<UtteranceEnd>;
    /** Whether it is over. */
    get isOver(): boolean;
    /** Its words, each when it begins to be heard here; ends with the utterance. */
    get words(): AsyncIterable<SpokenWord>;
    /** More text of an utterance that was opened with `open`; spoken as soon as a clause is complete. */
    append(text: string): this;
    /** Say what has been appended so far without waiting for the clause to end. */
    flush(): this;
    /** No more text comes. */
    end(): this;
    /** Fall silent; harmless when it is over. */
    cancel(): void;
    /** Say the rest of it differently. */
    set(controls: Controls): Promise<void>;
}
/** A delivery in the names of the wire. */
export declare function wireFields(delivery: Delivery): Partial<Channel.Speak>;
