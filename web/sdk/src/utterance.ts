/** One text that is said: what can be done with it, and what becomes of it. */

import { type Deferred, deferred } from "./deferred.js";
import type { VoicePeerError } from "./errors.js";
import { needString } from "./misuse.js";
import { Stream } from "./stream.js";
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
export type Controls = Pick<
  Delivery, "speed" | "pitchSemitones" | "energy" | "volume" | "pauses" | "emotion" | "emotionStrength">;

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
export class Utterance {
  readonly id: string;
  /** When its first text was sent, by `performance.now()`. */
  readonly sentAt: number;
  readonly #port: UtterancePort;
  readonly #audible: Deferred<Audible | null> = deferred();
  readonly #finished: Deferred<UtteranceEnd> = deferred();
  readonly #words = new Stream<SpokenWord>();
  #text: string;
  #over = false;

  constructor(id: string, text: string, port: UtterancePort, sentAt: number) {
    this.id = id;
    this.sentAt = sentAt;
    this.#text = text;
    this.#port = port;
  }

  /** All of its text so far. */
  get text(): string {
    return this.#text;
  }

  /** When it begins to be heard; `null` if it ended before that. Never rejects. */
  get audible(): Promise<Audible | null> {
    return this.#audible.promise;
  }

  /** When it is over, however that came. Never rejects. */
  get finished(): Promise<UtteranceEnd> {
    return this.#finished.promise;
  }

  /** Whether it is over. */
  get isOver(): boolean {
    return this.#over;
  }

  /** Its words, each when it begins to be heard here; ends with the utterance. */
  get words(): AsyncIterable<SpokenWord> {
    return this.#words;
  }

  /** More text of an utterance that was opened with `open`; spoken as soon as a clause is complete. */
  append(text: string): this {
    needString("append", text);
    this.#text += text;
    this.#port.append(this, text);
    return this;
  }

  /** Say what has been appended so far without waiting for the clause to end. */
  flush(): this {
    this.#port.flush(this.id);
    return this;
  }

  /** No more text comes. */
  end(): this {
    this.#port.end(this.id);
    return this;
  }

  /** Fall silent; harmless when it is over. */
  cancel(): void {
    if (!this.#over) this.#port.cancel(this.id);
  }

  /** Say the rest of it differently. */
  set(controls: Controls): Promise<void> {
    return this.#port.set(this.id, controls);
  }

  // --- for the call ---

  /** @internal */
  becameAudible(audible: Audible): void {
    this.#audible.resolve(audible);
  }

  /** @internal */
  spoke(word: SpokenWord): void {
    this.#words.push(word);
  }

  /** @internal */
  ended(end: Partial<UtteranceEnd> & Pick<UtteranceEnd, "how">): void {
    if (this.#over) return;
    this.#over = true;
    this.#audible.resolve(null);
    this.#words.close();
    this.#finished.resolve({ playedMs: 0, underruns: 0, error: null, ...end });
  }
}

const NAMES = {
  voiceId: "voice_id",
  pitchSemitones: "pitch_semitones",
  emotionStrength: "emotion_strength",
} as const;

/** A delivery in the names of the wire. */
export function wireFields(delivery: Delivery): Partial<Channel.Speak> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(delivery)) {
    if (value !== undefined) fields[NAMES[name as keyof typeof NAMES] ?? name] = value;
  }
  return fields;
}
