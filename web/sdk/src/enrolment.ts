/** One attempt at learning the speaker of the microphone. */

import { type Deferred, deferred } from "./deferred.js";
import { VoicePeerError } from "./errors.js";
import { Stream } from "./stream.js";
import type { Channel } from "./wire.js";

/** How it is going. */
export interface EnrolmentProgress {
  heardS: number;
  neededS: number;
  /** `heardS` of `neededS`, 0 to 1. */
  share: number;
  /** Of what was heard, 0 to 1. */
  quality: number;
  snrDb: number | null;
  /** What the speaker should change, in the service's words; `hintCode` says the same for programs. */
  hint: string | null;
  hintCode: string | null;
}

/** A voice that was learned. */
export interface LearnedVoice {
  voiceId: string;
  heardS: number;
  quality: number;
  /** From the first speech heard. */
  elapsedMs: number;
}

/** What the speaker agrees to. */
export interface Consent {
  /** Their statement, in their words. */
  consent?: string;
  /** Which wording of yours it is. */
  consentVersion?: number;
  /** Instead: a consent that was recorded before. */
  consentId?: string;
  /** What the voice is called. */
  name?: string;
}

/**
 * Learning a voice. `for await` over it gives the progress until the voice is ready, or throws where
 * it was rejected.
 */
export class Enrolment implements AsyncIterable<EnrolmentProgress> {
  readonly #steps = new Stream<EnrolmentProgress>();
  readonly #usable: Deferred<LearnedVoice> = deferred();
  readonly #ready: Deferred<LearnedVoice> = deferred();
  readonly #stop: () => void;
  #over: VoicePeerError | boolean = false;
  #voice: LearnedVoice | null = null;

  constructor(stop: () => void) {
    this.#stop = stop;
  }

  /** When the voice can be spoken with; it still gets better. Rejects with a `VoicePeerError`. */
  get usable(): Promise<LearnedVoice> {
    return this.#usable.promise;
  }

  /** When the voice is as good as the needed seconds make it. Rejects with a `VoicePeerError`. */
  get ready(): Promise<LearnedVoice> {
    return this.#ready.promise;
  }

  /** Whether nothing more will come of it. */
  get isOver(): boolean {
    return this.#over !== false;
  }

  /** Stop learning; the voice stays as it is. */
  stop(): void {
    if (this.isOver) return;
    this.#stop();
    this.fail(new VoicePeerError("enrolment_stopped"));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<EnrolmentProgress, void, undefined> {
    yield* this.#steps;
    if (this.#over instanceof VoicePeerError) throw this.#over;
  }

  // --- for the call ---

  /** @internal */
  progressed(step: Channel.VoiceProgress): void {
    const { heard_s: heardS, needed_s: neededS, quality } = step;
    const share = neededS > 0 ? Math.min(1, heardS / neededS) : 0;
    const [hint, hintCode, snrDb] = [step.hint ?? null, step.hint_code ?? null, step.snr_db ?? null];
    this.#steps.push({ heardS, neededS, share, quality, snrDb, hint, hintCode });
  }

  /** @internal */
  becameUsable(voice: Channel.VoiceUsable): void {
    this.#voice = learned(voice);
    this.#usable.resolve(this.#voice);
  }

  /** @internal Be content with the voice as it is; whether there is one. */
  settle(): boolean {
    if (this.#voice === null) return false;
    this.#ready.resolve(this.#voice);
    this.#over = true;
    this.#steps.close();
    return true;
  }

  /** @internal */
  becameReady(voice: Channel.VoiceReady): void {
    this.becameUsable(voice);
    this.settle();
  }

  /** @internal */
  fail(error: VoicePeerError): void {
    if (this.isOver) return;
    this.#over = error;
    this.#usable.reject(error);
    this.#ready.reject(error);
    this.#steps.close();
  }
}

function learned(voice: Channel.VoiceUsable): LearnedVoice {
  return { voiceId: voice.voice_id, heardS: voice.heard_s, quality: voice.quality, elapsedMs: voice.elapsed_ms };
}
